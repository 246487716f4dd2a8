/* initial_attributes - attributes of individuals that are placed at the start or by an event. */
#include "sim/initial_attributes.h"

#include "kernels/core/lattice.h"
#include "kernels/core/rng.h"

#include <stdlib.h>
#include <string.h>

/* Holds the bound rules of one amount for the attributes of its species. */
struct rd_bound_rules {
    const struct rd_amount *by;
    struct rd_expr *rule; /* owned: [attribute] */
    int n;
};

static const struct rd_species *attributed_species_of(const struct rd_initial_attributes *d,
                                                      int32_t list)
{
    const struct rd_plan *const p = d->s->plan;
    return &p->model->species[p->species_of[p->list[list].species]];
}

/* Returns the rules of an amount, and binds them at the first call. Returns NULL with a message on
   failure. */
static const struct rd_bound_rules *rules_of(struct rd_initial_attributes *d,
                                             const struct rd_placement *a, struct rd_error *e)
{
    for (int i = 0; i < d->n_rules; i++)
        if (d->rules[i].by == a->by)
            return &d->rules[i];
    const struct rd_species *const s = attributed_species_of(d, a->list);
    struct rd_bound_rules *const grown =
        realloc(d->rules, (size_t)(d->n_rules + 1) * sizeof *grown);
    if (grown)
        d->rules = grown;
    struct rd_expr *const rule = calloc((size_t)s->n_attributes + 1, sizeof *rule);
    if (!grown || !rule) {
        free(rule);
        rd_fail(e, "out of memory for the rules of '%s'", s->name);
        return NULL;
    }
    grown[d->n_rules] = (struct rd_bound_rules){a->by, rule, s->n_attributes};
    bool ok = true;
    for (int k = 0; ok && k < s->n_attributes; k++) {
        const bool is_given = a->by->attribute && a->by->attribute[k].n > 0;
        ok = rd_expr_bind(&rule[k], is_given ? &a->by->attribute[k] : &s->attribute[k].first,
                          rd_occasion_value(d->o, 0), d->s->plan->species_at, e);
    }
    return ok ? &d->rules[d->n_rules++] : (d->n_rules++, NULL);
}

bool rd_initial_attributes_open(struct rd_initial_attributes *d, const struct rd_placement *a,
                                struct rd_error *e)
{
    return rules_of(d, a, e) != NULL;
}

bool rd_initial_attributes_give(struct rd_initial_attributes *d, const struct rd_placement *a,
                                int64_t id, const struct rd_kept *kept, double *own,
                                struct rd_error *why, struct rd_error *e)
{
    const struct rd_world *const w = &d->s->world;
    const struct rd_species *const s = attributed_species_of(d, a->list);
    const struct rd_bound_rules *const rules = rules_of(d, a, e);
    if (!rules)
        return false;
    const struct rd_place p = rd_place_of(&w->lattice, a->voxel);
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_TRAIT, (uint32_t)a->list, id);
    struct rd_eval_context eval_context =
        rd_eval_context_at(&d->s->plan->world, &p); /* its tables are in host memory */
    eval_context.t = rd_occasion_time(d->o, p.run);
    eval_context.parameter = rd_occasion_value(d->o, p.run);
    eval_context.count = d->count + a->voxel;
    eval_context.stride = w->lattice.n_voxels;
    eval_context.own = own;
    eval_context.own_stride = 1;
    eval_context.stream = &stream;
    eval_context.parent = kept->attribute;
    eval_context.parent_stride = 1;
    for (int k = 0; k < s->n_attributes; k++) {
        const bool is_given = a->by->attribute && a->by->attribute[k].n > 0;
        const int like = kept->species && !is_given
                             ? rd_species_attribute(kept->species, s->attribute[k].name)
                             : -1;
        own[k] = like >= 0 ? kept->attribute[like] : rd_expr_value(&rules->rule[k], &eval_context);
        if (!rd_is_trait(own[k], s->attribute[k].is_integer))
            return rd_fail(
                why, "%s: attribute '%s' of '%s' begins as %g at %s in run %lld; give %s",
                s->attribute[k].place, s->attribute[k].name, s->name, own[k],
                rd_grid_point(&d->s->plan->model->grid,
                              (double[]){eval_context.x, eval_context.y, eval_context.z})
                    .text,
                (long long)rd_run_number(&w->lattice, p.run),
                s->attribute[k].is_integer ? "an integer (floor() makes one)" : "a finite number");
    }
    return true;
}

void rd_initial_attributes_close(struct rd_initial_attributes *d)
{
    for (int i = 0; i < d->n_rules; i++) {
        for (int k = 0; k < d->rules[i].n; k++)
            rd_expr_free(&d->rules[i].rule[k]);
        free(d->rules[i].rule);
    }
    free(d->rules);
    d->rules = NULL;
    d->n_rules = 0;
}
