/* edits - changes that a program makes between two steps: reads the journal of a result, or a text
   of the same form. */
#include "model/edits.h"

#include "model/masks.h"
#include "model/reader.h"

#include <stdlib.h>

/* Prepares the reader of a complete model for edits. The model is a copy whose arrays stay as they
   are: the expressions of edits add nothing to them. */
static bool open_reader(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    r->is_edit = r->has_values = true;
    r->axes = m->grid.dim;
    r->heir = rd_reader_array(r, m->n_parameters, sizeof *r->heir);
    for (int p = 0; r->heir && p < m->n_parameters; p++)
        r->heir[p] = -1;
    if (m->mask)
        r->overlap = rd_masks_overlaps(m->mask, m->grid.n_sites, &r->n_overlaps);
    return r->heir && (r->overlap || !m->mask || rd_fail(r->e, "out of memory for an edit"));
}

/* Reads an edit, whose entries without a place are in the voxels r->here, or in those that the edit
   lists. */
static void read_edit(struct rd_reader *r, const rd_node *group, struct rd_edit *x)
{
    const struct rd_model *const m = r->m;
    const rd_node *const run = rd_node_member(group, "run"), *const voxels =
                                                                 rd_node_member(group, "voxels");
    const struct rd_voxel_list *const given = r->here;
    struct rd_voxel_list listed = {0};
    int64_t *const number = voxels ? rd_amounts_voxels(r, voxels, &listed.n) : NULL;
    if (voxels && given)
        rd_reader_fail(r, voxels, "voxels stands in the text and beside it; give it once");
    else if (given)
        rd_amounts_check_voxels(r, group, given);
    listed.number = number;
    r->here = number && !given ? &listed : given;
    x->event.place = rd_reader_copy(r, rd_node_place(r->c, group));
    x->step = (uint32_t)rd_node_integer(rd_node_member(group, "step"));
    x->run = run ? rd_node_integer(run) : -1;
    if (run && (x->run < m->first_of_all || x->run >= m->first_of_all + m->n_all))
        rd_reader_fail(r, run, "run is %lld; give one from %lld to %lld", (long long)x->run,
                       (long long)m->first_of_all, (long long)(m->first_of_all + m->n_all - 1));
    if (run && rd_node_member(group, "set"))
        rd_reader_fail(r, group, "sets parameters of one run; leave out run, they are for all");
    rd_events_effects(r, group, &x->event);
    r->here = given;
    free(number);
}

bool rd_edits_read(struct rd_edits *x, const struct rd_model *m, const rd_config *journal,
                   const struct rd_voxel_list *here, struct rd_error *e)
{
    const rd_node *const list = rd_node_member(rd_config_root(journal), "edits");
    const int before = e->n, n = rd_node_length(list);
    struct rd_model copy = *m;
    copy.warnings = (struct rd_error){0};
    struct rd_reader r = {.m = &copy, .c = journal, .here = here, .e = e};
    *x = (struct rd_edits){0};
    if (open_reader(&r)) {
        x->edit = rd_reader_array(&r, n, sizeof *x->edit);
        x->n = x->edit ? n : 0;
    }
    for (int i = 0; i < x->n; i++) {
        rd_reader_about(&r, "edits[%d]", i);
        read_edit(&r, rd_node_at(list, i), &x->edit[i]);
    }
    free(r.heir);
    free(r.overlap);
    rd_error_free(&copy.warnings);
    return e->n == before;
}

void rd_edits_free(struct rd_edits *x, const struct rd_model *m)
{
    for (int i = 0; i < x->n; i++)
        rd_event_free(m, &x->edit[i].event);
    free(x->edit);
    *x = (struct rd_edits){0};
}
