/* fields - the section `fields`: a number for each voxel, from an expression or a file, and its
   rate of change. */
#include "hdf5/labels.h"
#include "model/field_components.h"
#include "model/names.h"
#include "model/sections.h"

#include <stdio.h>

/* Returns whether the field exists at the site; elsewhere it is 0. */
static bool is_at(const struct rd_model *m, const struct rd_field *f, int64_t site)
{
    return f->region < 0 || (m->mask[site] >> f->region & 1);
}

static void place_of(const struct rd_grid *g, int64_t site, int32_t at[3])
{
    at[0] = (int32_t)(site % g->size[0]);
    at[1] = (int32_t)(site / g->size[0] % g->size[1]);
    at[2] = (int32_t)(site / g->size[0] / g->size[1]);
}

/* Returns the value of the field's expression at a site. */
static double value_at(const struct rd_model *m, const struct rd_field *f, int64_t site)
{
    int32_t at[3];
    double centre[3];
    place_of(&m->grid, site, at);
    rd_grid_centre(&m->grid, at, centre);
    const struct rd_eval_context eval_context = {
        .x = centre[0],
        .y = centre[1],
        .z = centre[2],
        .volume = m->grid.volume,
        .regions = m->mask ? m->mask[site] : 0,
        .parameter = m->value,
        .field = m->field_component ? m->field_component + site : NULL,
        .field_stride = m->grid.n_sites};
    return rd_expr_value(&f->value, &eval_context);
}

/* Computes the values of the field. Reports the first one that is not finite where the field
   exists. */
static bool settle(struct rd_reader *r, const rd_node *node, const struct rd_field *f,
                   double *value)
{
    const struct rd_model *const m = r->m;
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        if (!is_at(m, f, site))
            value[site] = 0;
        else if (!f->file)
            value[site] = value_at(m, f, site);
        if (rd_is_finite(value[site]))
            continue;
        int32_t at[3];
        place_of(&m->grid, site, at);
        return rd_reader_fail(r, node, "is %g in voxel %s; it must be a finite number%s",
                              value[site], rd_grid_voxel(&m->grid, at).text,
                              f->region < 0 ? " everywhere" : " wherever the field is");
    }
    return true;
}

/* Fills in the values of field i; grid and regions must be correct. */
static bool fill(struct rd_reader *r, const rd_node *node, int i)
{
    const struct rd_field *const f = &r->m->field[i];
    double *const value = rd_field_components_begin(r, i);
    char which[256];
    snprintf(which, sizeof which, "%.160s: field '%.60s'", f->place, f->name);
    return value &&
           (!f->file || rd_store_map(f->file, f->dataset, r->m->grid.size, value, which, r->e)) &&
           settle(r, node, f, value);
}

static bool read_file(struct rd_reader *r, const rd_node *group, const rd_node *file,
                      struct rd_field *f)
{
    const rd_node *const dataset = rd_node_member(group, "dataset");
    if (!dataset)
        return rd_reader_fail(r, group, "has a file; dataset must say which data set of it");
    f->file = rd_reader_copy(r, rd_node_text(file));
    f->dataset = rd_reader_copy(r, rd_node_text(dataset));
    return f->file && f->dataset;
}

static bool read_field(struct rd_reader *r, const rd_node *group, struct rd_field *f)
{
    static const char *const key[] = {"value", "file"};
    const unsigned uses =
        RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_FIELDS;
    bool read = rd_names_place(r, group, &f->region);
    const int which = rd_reader_one_of(r, group, 2, key);
    if (which < 0)
        return false;
    const rd_node *const node = rd_node_member(group, key[which]);
    if (which == 1)
        return read_file(r, group, node, f) && read;
    if (rd_node_member(group, "dataset"))
        read = rd_reader_fail(r, group, "dataset goes with file");
    return rd_reader_expr(r, node, "value", uses, RD_RANGE_ANY, &f->value) && read &&
           (r->has_values || !(f->value.uses & RD_USES_PARAMETERS));
}

/* Reads the rate of change of a field, which may use everything in its voxel. */
static void read_rate(struct rd_reader *r, const rd_node *node, struct rd_field *f)
{
    const unsigned uses = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                          RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_FIELDS | RD_USES_VARYING |
                          RD_USES_MEANS;
    rd_reader_about(r, "field '%.60s'", f->name);
    rd_reader_expr(r, node, "rate", uses, RD_RANGE_ANY, &f->rate);
}

void rd_fields_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "fields");
    const bool is_reported = m->grid.n_sites == 0 || (m->n_regions > 0 && !m->mask);
    bool are_filled = true; /* all earlier fields */
    for (int i = 0; i < m->n_fields; i++) {
        const rd_node *const group = rd_node_at(list, i);
        rd_reader_about(r, "field '%.60s'", m->field[i].name);
        const bool can_fill = read_field(r, group, &m->field[i]) && !is_reported &&
                              (are_filled || !(m->field[i].value.uses & RD_USES_FIELDS));
        are_filled = can_fill && fill(r, group, i) && are_filled;
        m->n_filled++;
    }
    for (int i = 0; i < m->n_fields; i++)
        if (m->field_varies[i])
            read_rate(r, rd_node_member(rd_node_at(list, i), "rate"), &m->field[i]);
}
