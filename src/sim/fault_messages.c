/* fault_messages - error messages about faults in passes: what happened, where, and what to do. */
#include "sim/fault_messages.h"

#include "kernels/core/rows.h"
#include "sim/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds the place of a fault, in the user's terms. */
struct fault_spot {
    char run[80], voxel[200];
};

static struct fault_spot fault_spot_of(const struct rd_sim *s, const struct rd_fault *f,
                                       double before)
{
    const struct rd_place at = rd_place_of(&s->world.lattice, rd_fault_voxel(f));
    struct fault_spot spot;
    snprintf(spot.run, sizeof spot.run, "run %lld, before t = %.9g",
             (long long)rd_run_number(&s->world.lattice, at.run), before);
    snprintf(spot.voxel, sizeof spot.voxel, "in voxel %s of %s",
             rd_grid_voxel(&s->plan->model->grid, at.at).text, spot.run);
    return spot;
}

/* Fills value[] with the parameters; those that an event sets are not known here: NAN. */
static void known_values(const struct rd_model *m, double *value)
{
    memcpy(value, m->value, (size_t)m->n_parameters * sizeof *value);
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_set; k++)
            value[m->event[i].set[k].parameter] = (double)NAN;
}

void rd_fault_divisor(const struct rd_plan *p, const struct rd_reaction *r, int64_t voxel,
                      const int32_t *count, char *text, size_t bytes)
{
    const struct rd_model *const m = p->model;
    const struct rd_expr *const x = r->has_propensity ? &r->propensity : &r->rate;
    const unsigned known =
        RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_COUNTS | RD_USES_VOLUME | RD_USES_REGIONS;
    const struct rd_scope scope = rd_model_scope(m, known);
    const struct rd_place place = rd_place_of(&p->world.lattice, voxel);
    struct rd_eval_context at = rd_eval_context_at(&p->world, &place);
    int32_t *const here = calloc((size_t)m->n_species + 1, sizeof *here);
    double *const value = calloc((size_t)m->n_parameters + 1, sizeof *value);
    *text = 0;
    if (count && here && value) {
        for (int s = 0; s < m->n_species; s++)
            here[s] = count[p->species_at[s]];
        known_values(m, value);
        at.parameter = value;
        at.count = here;
        at.stride = 1;
        rd_expr_missed(x, &scope, known, &at, text, bytes);
        if (!*text)
            rd_expr_zero(x, &scope, known, &at, text, bytes);
    }
    if (!*text)
        rd_expr_divisors(x, text, bytes);
    free(here);
    free(value);
}

/* Reads the counts of the species in rows. Returns false with a message on failure. */
static bool get_entries(const struct rd_sim *s, int64_t voxel, int32_t *count, struct rd_error *e)
{
    const struct rd_rows *const rows = &s->world.rows;
    struct rd_row row;
    struct rd_row_entry entry;
    bool ok = s->backend->get(s->machine, &row, rows->row + voxel, sizeof row, e);
    for (int32_t i = 0; ok && i < row.n; i++) {
        ok = s->backend->get(s->machine, &entry, rows->entry + row.begin + i, sizeof entry, e);
        if (ok)
            count[entry.species] = entry.count;
    }
    return ok;
}

/* Reads the counts of the voxel, [canonical number]. They are those after the pass of the fault; if
   runs fail separately, later passes have changed them: it returns NULL then. The caller frees it.
 */
static int32_t *get_counts(const struct rd_sim *s, int64_t voxel)
{
    const struct rd_world *const w = &s->world;
    struct rd_error ignored = {0};
    int32_t *const count = calloc((size_t)w->counts.n_species + 1, sizeof *count);
    bool ok = count && !w->runs.faults_are_separate;
    for (int32_t k = 0; ok && k < rd_n_columns(w); k++)
        ok = s->backend->get(s->machine, &count[rd_rows_exist(s) ? s->plan->columned[k] : k],
                             w->counts.count + k * w->lattice.n_voxels + voxel, sizeof *count,
                             &ignored);
    ok = ok && (!rd_rows_exist(s) || get_entries(s, voxel, count, &ignored));
    rd_error_free(&ignored);
    if (ok)
        return count;
    free(count);
    return NULL;
}

static bool report_propensity(const struct rd_sim *s, const struct rd_reaction *r, int64_t voxel,
                              const struct fault_spot *at, struct rd_error *e)
{
    char divisors[160];
    int32_t *const count = get_counts(s, voxel);
    rd_fault_divisor(s->plan, r, voxel, count, divisors, sizeof divisors);
    free(count);
    return rd_fail(e,
                   "%s: the propensity of reaction '%s' is negative or not a finite number %s%s; "
                   "give a number >= 0 everywhere",
                   r->place, r->label, at->voxel, divisors);
}

static bool report_reaction(const struct rd_sim *s, const struct rd_reaction *r, int kind,
                            const struct fault_spot *at, struct rd_error *e)
{
    if (kind == RD_FAULT_NEGATIVE)
        return rd_fail(
            e,
            "%s: reaction '%s' happens without its reactants %s; set its propensity to 0 where "
            "they are absent",
            r->place, r->label, at->voxel);
    if (kind == RD_FAULT_EVENTS)
        return rd_fail(e,
                       "%s: more than time.max_events = %lu reactions happen in one step, the last "
                       "of them '%s', %s; correct the rates if numbers explode, or set a shorter "
                       "time.step or a larger time.max_events",
                       r->place, (unsigned long)s->world.reactions.max_events, r->label, at->voxel);
    return rd_fail(e,
                   "%s: the weights of reaction '%s' are negative, not finite, or all 0 %s; give "
                   "numbers >= 0, and to one individual there a number above 0",
                   r->place, r->label, at->voxel);
}

static bool report_attribute(const struct rd_species *s, const struct rd_attribute *a,
                             const struct fault_spot *at, struct rd_error *e)
{
    return rd_fail(
        e, "%s: a rule of attribute '%s' of '%s' gives no %s %s; write rules that give %s",
        a->place, a->name, s->name, a->is_integer ? "integer" : "finite number", at->voxel,
        a->is_integer ? "integers everywhere (floor() makes one)" : "finite numbers everywhere");
}

static bool report_field(const struct rd_model *m, int64_t field_rate, const struct fault_spot *at,
                         struct rd_error *e)
{
    int i = 0;
    while (!m->field_varies[i] || m->field_component_of[RD_FIELD_COMPONENTS * i] != field_rate)
        i++;
    return rd_fail(e,
                   "%s: field '%s' is infinite or not a number %s; give it a rate that is finite "
                   "everywhere and does not let it grow without end",
                   m->field[i].place, m->field[i].name, at->voxel);
}

static const struct rd_species *faulted_species_at(const struct rd_sim *s, int64_t species)
{
    return &s->plan->model->species[s->plan->species_of[species]];
}

static const struct rd_species *species_of_list(const struct rd_sim *s, int64_t list)
{
    return faulted_species_at(s, s->plan->list[list].species);
}

/* Reports an impossible diffusivity or drift. The pass stored the values in place of the hop
   rates. */
static bool report_hop_rate(const struct rd_sim *s, const struct rd_fault *f,
                            const struct fault_spot *at, struct rd_error *e)
{
    const struct rd_species *const of = faulted_species_at(s, rd_fault_what(f));
    const struct rd_place place = rd_place_of(&s->world.lattice, rd_fault_voxel(f));
    struct rd_hop_rate hop_rate;
    if (!s->backend->get(s->machine, &hop_rate,
                         s->world.movement.hop_rate_now +
                             s->plan->transport[rd_fault_what(f)].hop_rates + place.voxel,
                         sizeof hop_rate, e))
        return false;
    int axis = 0;
    while (axis < 2 && hop_rate.rate[2 * axis] >= 0.0 && rd_is_finite(hop_rate.rate[2 * axis]) &&
           rd_is_finite(hop_rate.rate[2 * axis + 1]))
        axis++;
    const double diffusion = hop_rate.rate[2 * axis], drift = hop_rate.rate[2 * axis + 1];
    const bool is_drift = diffusion >= 0.0 && rd_is_finite(diffusion);
    const struct rd_grid *const g = &s->plan->model->grid;
    double centre[3];
    rd_grid_centre(g, place.at, centre);
    return rd_fail(e,
                   "%s: species '%s': %s along %c is %g %s, at %s; give a finite number%s "
                   "everywhere",
                   of->place, of->name, is_drift ? "drift" : "diffusion", "xyz"[axis],
                   is_drift ? drift : diffusion, at->voxel, rd_grid_point(g, centre).text,
                   is_drift ? "" : " >= 0");
}

/* Reports that a run needs more of something than there is. */
static bool report_limit(int kind, const struct fault_spot *at, struct rd_error *e)
{
    switch (kind) {
    case RD_FAULT_SUBSTEPS:
        return rd_fail(e,
                       "movement that depends on counts needs more than %d substeps in a step in "
                       "%s; set a shorter time.step",
                       RD_PART_END, at->run);
    case RD_FAULT_NAMES:
        return rd_fail(e,
                       "more than %lld individuals are born in %s, and there are no more ids; "
                       "lower the rates of birth, or set an earlier time.end",
                       (long long)RD_ID_END, at->run);
    case RD_FAULT_MEMORY:
        return rd_fail(e, "out of memory for the molecules of %s; use fewer threads or molecules",
                       at->run);
    default:
        return rd_fail(e, "a step needs more than 2^34 random numbers %s; set a shorter time.step",
                       at->voxel);
    }
}

bool rd_fault_message(const struct rd_sim *s, int kind, const struct rd_fault *f, double before,
                      struct rd_error *e)
{
    const struct rd_plan *const p = s->plan;
    const int64_t what = rd_fault_what(f);
    const struct fault_spot at = fault_spot_of(s, f, before);
    const struct rd_species *of;
    switch (kind) {
    case RD_FAULT_OVERFLOW:
        of = faulted_species_at(s, what);
        return rd_fail(e,
                       "%s: more than 2147483647 molecules of '%s' are %s; use smaller voxels, or "
                       "let each molecule of the model represent many",
                       of->place, of->name, at.voxel);
    case RD_FAULT_PROPENSITY:
        return report_propensity(s, &p->model->reaction[p->reaction_of[what]], rd_fault_voxel(f),
                                 &at, e);
    case RD_FAULT_NEGATIVE:
    case RD_FAULT_WEIGHT:
    case RD_FAULT_EVENTS:
        return report_reaction(s, &p->model->reaction[p->reaction_of[what]], kind, &at, e);
    case RD_FAULT_FULL:
        of = species_of_list(s, what);
        return rd_fail(e,
                       "%s: more than max = %lld individuals of '%s' live in %s; raise "
                       "individuals.max",
                       of->place, (long long)of->max, of->name, at.run);
    case RD_FAULT_TRAIT:
        of = species_of_list(s, what / 64);
        return report_attribute(of, &of->attribute[what % 64], &at, e);
    case RD_FAULT_MOTION:
        of = species_of_list(s, what);
        return rd_fail(e,
                       "%s: the diffusion of an individual of '%s' is negative, or its diffusion "
                       "or drift is not finite, %s; give finite numbers, and diffusion >= 0, "
                       "everywhere",
                       of->place, of->name, at.voxel);
    case RD_FAULT_FIELD:
        return report_field(p->model, what, &at, e);
    case RD_FAULT_ODE:
        return rd_fail(e,
                       "%s: '%s' is infinite or not a number in %s; give it a rate that is finite "
                       "and does not let it grow without end",
                       p->model->parameter_place[p->model->ode[what].parameter],
                       p->model->parameter[p->model->ode[what].parameter], at.run);
    case RD_FAULT_HOP_RATE:
        return report_hop_rate(s, f, &at, e);
    default:
        return report_limit(kind, &at, e);
    }
}
