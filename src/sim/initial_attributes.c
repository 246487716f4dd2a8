/* initial_attributes - attributes of individuals that are placed at the start or by an event. */
#include "sim/initial_attributes.h"

#include "expr/builtins.h"
#include "kernels/core/lattice.h"
#include "kernels/core/rng.h"

#include <stdlib.h>
#include <string.h>

/* Holds the bound rules of one amount for the attributes of its species. */
struct rd_bound_rules {
    const struct rd_amount *by;
    struct rd_expr *rule; /* owned: [attribute] */
    int n;
    struct rd_row_entry *listed; /* owned: a row of the species in lists that they read */
    int32_t n_listed;
};

static const struct rd_species *attributed_species_of(const struct rd_initial_attributes *d,
                                                      int32_t list)
{
    const struct rd_plan *const p = d->s->plan;
    return &p->model->species[p->species_of[p->list[list].species]];
}

/* Lists the species that the rules read and that have lists. Returns false with a message. */
static bool find_listed(const struct rd_initial_attributes *d, struct rd_bound_rules *rules,
                        struct rd_error *e)
{
    int most = 0;
    for (int k = 0; k < rules->n; k++)
        most += rules->rule[k].n;
    rules->listed = malloc((size_t)most * sizeof *rules->listed + 1);
    if (!rules->listed)
        return rd_fail(e, "out of memory for the rules of attributes");
    for (int k = 0; k < rules->n; k++)
        for (int i = 0; i < rules->rule[k].n; i++) {
            const struct rd_op *const op = &rules->rule[k].op[i];
            if (d->counts->list && (rd_builtins_uses(op->code) & RD_USES_COUNTS) &&
                d->s->plan->column[op->index] < 0)
                rd_add_to_entries(rules->listed, &rules->n_listed, op->index, 0);
        }
    return true;
}

/* Returns the rules of the placement's amount, or NULL if they are not bound. */
static const struct rd_bound_rules *find_rules(const struct rd_initial_attributes *d,
                                               const struct rd_placement *a)
{
    for (int i = 0; i < d->n_rules; i++)
        if (d->rules[i].by == a->by)
            return &d->rules[i];
    return NULL;
}

bool rd_initial_attributes_open(struct rd_initial_attributes *d, const struct rd_placement *a,
                                struct rd_error *e)
{
    if (find_rules(d, a))
        return true;
    const struct rd_species *const s = attributed_species_of(d, a->list);
    struct rd_bound_rules *const grown =
        realloc(d->rules, (size_t)(d->n_rules + 1) * sizeof *grown);
    if (grown)
        d->rules = grown;
    struct rd_expr *const rule = calloc((size_t)s->n_attributes + 1, sizeof *rule);
    if (!grown || !rule) {
        free(rule);
        return rd_fail(e, "out of memory for the rules of '%s'", s->name);
    }
    struct rd_bound_rules *const rules = &grown[d->n_rules++];
    *rules = (struct rd_bound_rules){.by = a->by, .rule = rule, .n = s->n_attributes};
    bool ok = true;
    for (int k = 0; ok && k < s->n_attributes; k++) {
        const bool is_given = a->by->attribute && a->by->attribute[k].n > 0;
        ok = rd_expr_bind(&rule[k], is_given ? &a->by->attribute[k] : &s->attribute[k].first,
                          rd_occasion_value(d->o, 0), d->s->plan->species_at, e);
    }
    return ok && find_listed(d, rules, e);
}

/* Points the context to the counts of the voxel. Those in lists become *row, which the caller
   frees. Returns false with a message if memory is short. */
static bool aim_at_counts(const struct rd_initial_attributes *d, const struct rd_bound_rules *rules,
                          int64_t voxel, struct rd_eval_context *eval_context,
                          struct rd_row_entry **row, struct rd_error *e)
{
    static const struct rd_row_entry none;
    const int32_t n = rules->n_listed;
    eval_context->count = d->counts->array + voxel;
    eval_context->stride = d->s->world.lattice.n_voxels;
    if (!d->counts->list)
        return true;
    if (n > 0 && !(*row = malloc((size_t)n * sizeof **row)))
        return rd_fail(e, "out of memory for the counts of %d species", n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t species = rules->listed[i].species;
        (*row)[i] =
            (struct rd_row_entry){species, rd_host_counts_in_list(d->counts, species, voxel)};
    }
    eval_context->row = n > 0 ? *row : &none;
    eval_context->n_row = n;
    eval_context->column = d->s->plan->column;
    return true;
}

/* Sets the attributes of an individual by the rules. Returns false with a message. */
static bool apply_rules(const struct rd_initial_attributes *d, const struct rd_bound_rules *rules,
                        const struct rd_placement *a, const struct rd_kept *kept,
                        struct rd_eval_context *eval_context, double *own, struct rd_error *why)
{
    const struct rd_species *const s = attributed_species_of(d, a->list);
    for (int k = 0; k < s->n_attributes; k++) {
        const bool is_given = a->by->attribute && a->by->attribute[k].n > 0;
        const int like = kept->species && !is_given
                             ? rd_species_attribute(kept->species, s->attribute[k].name)
                             : -1;
        own[k] = like >= 0 ? kept->attribute[like] : rd_expr_value(&rules->rule[k], eval_context);
        if (!rd_is_trait(own[k], s->attribute[k].is_integer))
            return rd_fail(
                why, "%s: attribute '%s' of '%s' begins as %g at %s in run %lld; give %s",
                s->attribute[k].place, s->attribute[k].name, s->name, own[k],
                rd_grid_point(&d->s->plan->model->grid,
                              (double[]){eval_context->x, eval_context->y, eval_context->z})
                    .text,
                (long long)rd_run_number(&d->s->world.lattice,
                                         a->voxel / d->s->world.lattice.n_sites),
                s->attribute[k].is_integer ? "an integer (floor() makes one)" : "a finite number");
    }
    return true;
}

bool rd_initial_attributes_give(const struct rd_initial_attributes *d, const struct rd_placement *a,
                                int64_t id, const struct rd_kept *kept, double *own,
                                struct rd_error *why, struct rd_error *e)
{
    const struct rd_world *const w = &d->s->world;
    const struct rd_bound_rules *const rules = find_rules(d, a);
    const struct rd_place p = rd_place_of(&w->lattice, a->voxel);
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_TRAIT, (uint32_t)a->list, id);
    struct rd_eval_context eval_context =
        rd_eval_context_at(&d->s->plan->world, &p); /* its tables are in host memory */
    eval_context.t = rd_occasion_time(d->o, p.run);
    eval_context.parameter = rd_occasion_value(d->o, p.run);
    eval_context.own = own;
    eval_context.own_stride = 1;
    eval_context.stream = &stream;
    eval_context.parent = kept->attribute;
    eval_context.parent_stride = 1;
    struct rd_row_entry *row = NULL;
    const bool ok = aim_at_counts(d, rules, a->voxel, &eval_context, &row, e) &&
                    apply_rules(d, rules, a, kept, &eval_context, own, why);
    free(row);
    return ok;
}

void rd_initial_attributes_close(struct rd_initial_attributes *d)
{
    for (int i = 0; i < d->n_rules; i++) {
        free(d->rules[i].listed);
        for (int k = 0; k < d->rules[i].n; k++)
            rd_expr_free(&d->rules[i].rule[k]);
        free(d->rules[i].rule);
    }
    free(d->rules);
    d->rules = NULL;
    d->n_rules = 0;
}
