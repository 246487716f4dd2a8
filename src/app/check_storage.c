/* check_storage - what `rdsim check` prints of how counts are stored, and of what visits voxels
   without molecules in each step. */
#include "app/check.h"

#include "base/memory.h"

#include <stdlib.h>

/* Sets how many species of one reason, and how many reactions and fields, have their names printed.
 */
enum { NAMED = 5 };

/* Describes a reaction or a field that visits each voxel of its region. */
struct visitor {
    const char *what, *name; /* its kind, with a blank; "" for a reaction */
    int32_t region;          /* -1: everywhere */
    int64_t n_voxels;        /* at each visit, in one run */
    int n_times;             /* in a step */
    int at;                  /* its place among those with equal numbers of visits */
};

static int64_t visits_of(const struct visitor *v)
{
    return v->n_times * v->n_voxels;
}

/* Compares by falling numbers of visits. */
static int compare_visits(const void *a, const void *b)
{
    const struct visitor *const x = a, *const y = b;
    const int64_t of_x = visits_of(x), of_y = visits_of(y);
    return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : x->at - y->at;
}

/* Returns whether the channel can fire in a voxel without molecules. */
static bool is_source(const struct rd_plan *p, int32_t channel)
{
    const struct rd_channel *const c = &p->channel[channel];
    const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[channel]];
    return c->n_reactants == 0 && c->n_required == 0 && r->compartment < 0 && !r->is_instant &&
           !rd_plan_exchange_of(p, channel);
}

/* Lists the reactions and fields that visit each voxel of their region in a step. Returns their
   number. */
static int list_visitors(const struct rd_plan *p, struct visitor *v)
{
    const struct rd_model *const m = p->model;
    const bool is_halved = m->splitting == RD_SPLITTING_STRANG &&
                           (rd_plan_is_split(p) || p->world.items.n_changing > 0);
    const bool is_each = m->stops_at_steps || m->n_conditions > 0; /* no half steps are joined */
    int n = 0;
    for (int32_t i = 0; i < p->world.reactions.n_reactions; i++)
        if (is_source(p, i))
            v[n++] = (struct visitor){.name = m->reaction[p->reaction_of[i]].label,
                                      .what = "",
                                      .region = p->channel[i].region,
                                      .n_times = is_halved && is_each ? 2 : 1};
    for (int i = 0; i < m->n_fields; i++)
        if (m->field_varies[i])
            v[n++] = (struct visitor){.name = m->field[i].name,
                                      .what = "field ",
                                      .region = m->field[i].region,
                                      .n_times = is_halved ? 2 : 1};
    for (int i = 0; i < n; i++) {
        v[i].at = i;
        v[i].n_voxels = v[i].region < 0 ? m->grid.n_sites : (int64_t)m->extent[v[i].region].voxels;
    }
    return n;
}

static void print_visitors(FILE *out, const struct rd_model *m, const struct visitor *v, int n)
{
    int64_t all = 0;
    fprintf(out, "visits      a step visits, whatever they contain,");
    for (int i = 0; i < n; i++) {
        all += visits_of(&v[i]);
        if (i >= NAMED)
            continue;
        fprintf(out, "%s %lld voxel%s%s%s for %s'%s'%s", i > 0 ? "," : "", (long long)v[i].n_voxels,
                v[i].n_voxels == 1 ? "" : "s", v[i].region < 0 ? "" : " of ",
                v[i].region < 0 ? "" : m->region[v[i].region].name, v[i].what, v[i].name,
                v[i].n_times == 2 ? " twice" : "");
    }
    if (n > NAMED)
        fprintf(out, ", and those of %d more", n - NAMED);
    if (n > 1)
        fprintf(out, "; %lld visits in all", (long long)all);
    fprintf(out, ": reactions without reactants and fields with a rate take place everywhere in "
                 "their region\n");
}

/* Prints which reactions and fields visit voxels without molecules, those with most visits first.
 */
static void print_visits(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    struct visitor *const v =
        rd_memory_guard(calloc((size_t)(m->n_reactions + m->n_fields) + 1, sizeof *v));
    const int n = v ? list_visitors(p, v) : 0;
    if (n > 0) {
        qsort(v, (size_t)n, sizeof *v, compare_visits);
        print_visitors(out, m, v, n);
    }
    free(v);
}

/* Prints why the species has an array. */
static void print_array_reason(FILE *out, const struct rd_model *m, const struct rd_species *s)
{
    const char *const obstacle = rd_plan_no_rows(m, s);
    if (s->store == RD_STORE_GRID || obstacle || m->theta.is_flat)
        fprintf(out, "%s",
                s->store == RD_STORE_GRID ? "store = \"grid\""
                : obstacle                ? obstacle
                                          : "a table of parameters");
    else
        fprintf(out,
                "\"auto\" takes lists for %d or more species, of which at most 1 of %d is in a "
                "voxel at the start",
                RD_MANY_SPECIES, RD_SPECIES_OF_PRESENT);
}

/* Prints the species that have arrays beside lists, with the reasons. */
static void print_arrays(FILE *out, const struct rd_plan *p)
{
    const int32_t n = (int32_t)p->world.rows.n_columned;
    if (n == 0)
        return;
    fprintf(out, "; arrays over all voxels for %d:", n);
    for (int32_t k = 0; k < n && k < NAMED; k++) {
        const struct rd_species *const s = &p->model->species[p->species_of[p->columned[k]]];
        fprintf(out, "%s %s (", k > 0 ? "," : "", s->name);
        print_array_reason(out, p->model, s);
        fprintf(out, ")");
    }
    fprintf(out, "%s", n > NAMED ? ", ..." : "");
}

/* Returns a species that could be in a list, or else the first one. */
static const struct rd_species *find_listable(const struct rd_model *m)
{
    for (int s = 0; s < m->n_species; s++)
        if (!rd_plan_no_rows(m, &m->species[s]))
            return &m->species[s];
    return &m->species[0];
}

/* Prints how many species are in lists, or why none of many is. */
static void print_lists(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    if (p->world.rows.n_column > 0) {
        fprintf(out, "storage     lists of the voxels' molecules for %d species",
                m->n_species - (int32_t)p->world.rows.n_columned);
        print_arrays(out, p);
        fprintf(out, "\n");
    } else if (m->n_species >= RD_MANY_SPECIES && m->grid.n_sites > 1) {
        fprintf(out, "storage     arrays over all voxels, no lists: ");
        print_array_reason(out, m, find_listable(m));
        fprintf(out, "\n");
    }
}

void rd_check_storage(FILE *out, const struct rd_plan *p)
{
    print_lists(out, p);
    if (p->model->solver == RD_SOLVER_SPLIT && p->model->grid.n_sites > 1)
        print_visits(out, p);
}
