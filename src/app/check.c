/* check - `rdsim check`: prints everything that is derived, without running.

   It prints the step and what limits it, probabilities, propensities with their numbers, memory,
   output size and warnings. */
#include "app/check.h"

#include "app/check_mistakes.h"
#include "app/check_rates.h"
#include "app/check_units.h"
#include "base/memory.h"
#include "kernels/passes/movement/hop.h"
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/reactions/react.h"
#include "kernels/passes/totals/totals.h"
#include "model/region.h"
#include "modes/idle.h"
#include "record/record.h"
#include "sim/fault_messages.h"
#include "sim/place.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

/* Limits the counts for which molecules are placed to examine the start. */
enum { SOON_PLACED = 20000000 };

static const char *const face_name[RD_FACES] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

static void print_grid(FILE *out, const struct rd_plan *p)
{
    const struct rd_grid *const g = &p->model->grid;
    fprintf(out, "grid        ");
    for (int axis = 0; axis < g->dim; axis++)
        fprintf(out, "%s%d", axis ? " x " : "", g->size[axis]);
    fprintf(out, " voxels of ");
    for (int axis = 0; axis < g->dim; axis++)
        fprintf(out, "%s%g", axis ? " x " : "", g->edge[axis]);
    fprintf(out, ", volume %g; %lld run%s\n", g->volume, (long long)p->model->n_runs,
            p->model->n_runs == 1 ? "" : "s");
}

/* Prints the table of parameter vectors. */
static void print_vectors(FILE *out, const struct rd_theta *t)
{
    if (t->table.n_rows == 0)
        return;
    fprintf(out, "rows        %lld of", (long long)t->table.n_rows);
    for (int k = 0; k < t->table.n_columns && k < 8; k++)
        fprintf(out, "%s %.40s", k > 0 ? "," : "", t->table.name[k]);
    fprintf(out, "%s; %lld run%s each, with %s\n", t->table.n_columns > 8 ? ", ..." : "",
            (long long)t->n_runs, t->n_runs == 1 ? "" : "s",
            t->shares_streams ? "the random numbers of the first" : "random numbers of their own");
}

/* Returns the name of the solver, with the order of its error. */
static const char *solver_of(const struct rd_plan *p)
{
    if (p->model->solver == RD_SOLVER_EXACT)
        return "exact: next subvolume, no splitting";
    if (p->world.items.n_changing > 0)
        return p->model->splitting == RD_SPLITTING_LIE
                   ? "split: reactions, movement, field changes (Lie, error of first order in the "
                     "step)"
                   : "split: half of the reactions, half of the field changes, movement, the same "
                     "in reverse (Strang, error of second order in the step)";
    if (p->world.items.n_mixing > 0 && rd_plan_is_split(p))
        return "split: reactions, movement and exchange with compartments, instant mixing with "
               "compartments (error of first order in the step)";
    if (p->world.items.n_exchanging > 0 && rd_plan_is_split(p))
        return p->model->splitting == RD_SPLITTING_LIE
                   ? "split: reactions, movement and exchange with compartments (Lie, error of "
                     "first order in the step)"
                   : "split: half of the reactions, half of the exchange with compartments, "
                     "movement, the same in reverse (Strang, error of second order in the step)";
    if (rd_plan_is_split(p))
        return p->model->splitting == RD_SPLITTING_LIE
                   ? "split: reactions, movement (Lie, error of first order in the step)"
                   : "split: half of the reactions, movement, half of the reactions (Strang, error "
                     "of second order in the step)";
    if (p->is_by_state)
        return "split: nothing to split; hop rates follow from counts at the start of a substep "
               "(error of first order in the substep)";
    if (p->is_by_counts)
        return "split: nothing to split; hop rates of individuals follow from counts before the "
               "step (error of first order in the step)";
    if (p->is_by_totals)
        return "split: nothing to split; totals and mean positions in rates are those before the "
               "step (error of first order in the step)";
    if (p->uses_time)
        return "split: nothing to split; t is the middle of each step (error of second order in "
               "the step)";
    return "split: nothing to split, so it is exact";
}

/* Returns whether a wall absorbs or lets in a species of the law. */
static bool passes_walls(const struct rd_plan *p, const struct rd_sparse *law)
{
    bool passes = false;
    for (int i = 0; i < law->n; i++) {
        const struct rd_species *const s = &p->model->species[law->entry[i].at];
        passes = passes || rd_species_has_wall(s, RD_WALL_ABSORB) ||
                 rd_species_has_wall(s, RD_WALL_RESERVOIR);
    }
    return passes;
}

static void print_tables(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_tables; i++) {
        const struct rd_lookup *const t = &m->table[i];
        fprintf(out, "table       %s: %d value%s%s%s%s%s%s\n", t->name, (int)t->n,
                t->n == 1 ? "" : "s", t->unit ? " in " : "", t->unit ? t->unit : "",
                t->file ? " from " : "", t->file ? t->file : "",
                t->is_linear ? ", interpolated" : "");
    }
}

/* Prints the conservation laws, which every snapshot of the run is checked against. */
static void print_conserved(FILE *out, const struct rd_plan *p)
{
    const struct rd_conserved *const c = &p->conserved;
    for (int i = 0; i < c->law.n; i++) {
        char *const text = rd_conservation_text(p->model, &c->law.of[i]);
        fprintf(out, "conserved   %s%s\n", text ? text : "",
                passes_walls(p, &c->law.of[i])
                    ? " (plus molecules absorbed by walls, minus those that entered)"
                    : "");
        free(text);
    }
    if (!c->is_whole)
        fprintf(out, "conserved   there may be more laws: %s\n", RD_CONSERVATION_LIMITS);
}

static void print_time(FILE *out, const struct rd_plan *p, const struct rd_forecast *o)
{
    const struct rd_model *const m = p->model;
    fprintf(out, "time        0 to %g, %lld outputs, %lld steps of ", m->end,
            (long long)m->n_moments, (long long)o->n_steps);
    if (o->longest - o->shortest > 1e-9 * o->longest)
        fprintf(out, "%.6g to ", o->shortest);
    fprintf(out, "%.6g\n", o->longest);
    if (o->limit.step < INFINITY)
        fprintf(out, "step        at most %.6g: %s\n", o->limit.step, o->limit.why);
    else
        fprintf(out, "step        limited by %s\n", o->limit.why);
    fprintf(out, "solver      %s\n", solver_of(p));
    if (p->moves > 1)
        fprintf(out, "            %d movements per step\n", p->moves);
    if (m->stop.n > 0)
        fprintf(out, "stop        if %s; checked %s\n", m->stop.text,
                m->stops_at_steps ? "after every step" : "at outputs");
}

static void print_wall(FILE *out, const struct rd_transport *m, const struct rd_wall *wall,
                       int face)
{
    if (wall->kind == RD_WALL_ABSORB)
        fprintf(out, ", %s absorbs (probability %g)", face_name[face], m->pass[face]);
    else if (wall->kind == RD_WALL_RESERVOIR)
        fprintf(out, ", %s is a reservoir (%.6g enter per time and voxel)", face_name[face],
                m->mean[face] * m->hop_rate.rate[face ^ 1]);
    else if (wall->kind == RD_WALL_BALLISTIC)
        fprintf(out, ", %s reverses the drift", face_name[face]);
    else if (wall->kind == RD_WALL_PERIODIC && face % 2 == 0)
        fprintf(out, ", %c periodic", "xyz"[face / 2]);
}

/* Returns the probability of leaving the voxel in the middle of the species' region. */
static double middle_probability(const struct rd_plan *p, const struct rd_transport *m)
{
    double q[3];
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_axis_table *const t = &m->axis_table[axis];
        q[axis] = rd_displacement_at(&p->world.movement, t, (t->lo + t->hi) / 2)->leave;
    }
    return rd_departure_of(q).probability;
}

static void print_rates(FILE *out, const struct rd_plan *p, const struct rd_hop_rate *hop_rate)
{
    const double *const rate = hop_rate->rate;
    for (int axis = 0; axis < p->model->grid.dim; axis++)
        fprintf(out, "%s %c -%.6g +%.6g", axis ? "," : "", "xyz"[axis], rate[2 * axis],
                rate[2 * axis + 1]);
    fprintf(out, " per time");
}

static void print_hops(FILE *out, const struct rd_plan *p, const struct rd_transport *m)
{
    fprintf(out, "hops%s",
            m->hop_rate_kind == RD_HOP_RATE_ALIKE      ? ""
            : m->hop_rate_kind == RD_HOP_RATE_BY_VOXEL ? " at the start at most"
                                                       : " at most");
    print_rates(out, p, &m->hop_rate);
    if (p->model->solver == RD_SOLVER_SPLIT && m->kind != RD_MOVE_SUBSTEPS)
        fprintf(out, "; leaves its voxel in a %s with probability %.4g%s",
                p->moves > 1 ? "movement" : "step",
                m->kind == RD_MOVE_DISPLACEMENTS ? middle_probability(p, m)
                                                 : m->hop_rate.probability,
                m->kind == RD_MOVE_WALK ? " (hop by hop)" : "");
}

/* Prints the hop rates in each zone, with the regions that overlap there. */
static void print_zones(FILE *out, const struct rd_plan *p, const struct rd_species *s,
                        const struct rd_transport *m)
{
    for (int32_t zone = 0;
         m->hop_rate_kind == RD_HOP_RATE_BY_ZONE && zone < p->world.lattice.zone_count; zone++) {
        const uint64_t regions = p->zone_regions[zone];
        if (!rd_plan_lives(p, s, zone))
            continue;
        fprintf(out, "            %s", regions ? "in " : "elsewhere");
        for (int r = 0, n = 0; r < p->model->n_regions; r++)
            if (regions >> r & 1)
                fprintf(out, "%s%s", n++ > 0 ? " and " : "", p->model->region[r].name);
        fprintf(out, ": hops");
        print_rates(out, p, &p->hop_rate[m->hop_rates + zone]);
        fprintf(out, "\n");
    }
}

/* Prints diffusivity and drift in the user's words. */
static void print_motion(FILE *out, const struct rd_plan *p, const struct rd_species *s)
{
    const int dim = p->model->grid.dim;
    for (int i = 0; i < 2 * dim; i++)
        fprintf(out, "%s%s",
                i == 0     ? "diffusion "
                : i == dim ? "; drift "
                           : ", ",
                (i < dim ? s->diffusion[i] : s->drift[i - dim]).text);
}

static void print_species(FILE *out, const struct rd_plan *p, int number)
{
    const struct rd_species *const s = &p->model->species[number];
    const struct rd_transport *const m = &p->transport[p->species_at[number]];
    fprintf(out, "species     %s: ", s->name);
    if (m->kind == RD_MOVE_NOT)
        fprintf(out, "does not move");
    else if (m->kind != RD_MOVE_OWN)
        print_hops(out, p, m);
    const bool is_worded =
        m->hop_rate_kind == RD_HOP_RATE_BY_SITE || m->hop_rate_kind == RD_HOP_RATE_BY_VOXEL;
    if (is_worded)
        fprintf(out, "; in each voxel: ");
    if (m->kind == RD_MOVE_OWN || is_worded)
        print_motion(out, p, s);
    if (m->is_by_counts)
        fprintf(out, ", in substeps of at most a third of a hop");
    if (s->compartment >= 0)
        fprintf(out, "; lives in the compartment %s", p->model->region[s->region].name);
    else if (s->region >= 0)
        fprintf(out, "; lives in %s", p->model->region[s->region].name);
    for (int face = 0; face < 2 * p->model->grid.dim; face++)
        print_wall(out, m, &s->wall[face], face);
    fprintf(out, "\n");
    rd_check_crossing(out, p->model, s);
    print_zones(out, p, s, m);
    rd_check_individuals(out, p, number);
}

/* Sums up the propensities of the exchanges of the first run. */
static double sum_exchanges(const struct rd_world *w)
{
    double sum = 0.0;
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++) {
        const struct rd_exchange *const x = &w->exchanges.exchange[i];
        double all = x->is_released ? rd_exchange_total(w, 0, i) : 0.0;
        int64_t site;
        for (int64_t group = 0; !x->is_released && group < rd_exchange_groups(w->lattice.n_sites);
             group++)
            all += rd_exchange_group_sum(w, x, 0, group, INFINITY, &site);
        sum += all * rd_exchange_factor(w, x, 0);
    }
    return sum;
}

/* Returns the totals of the first run, which the caller frees; NULL if there is no memory. */
static int64_t *find_totals(const struct rd_plan *p, int32_t *count)
{
    struct rd_world w = p->world;
    w.counts.count = count;
    w.runs.total = rd_memory_guard(calloc((size_t)w.runs.n_total_of + 1, sizeof *w.runs.total));
    for (int64_t item = 0; w.runs.total && item < rd_n_portions_gathered(&w.lattice); item++)
        rd_sum_totals(&w, item);
    return w.runs.total;
}

/* Sums up all propensities of the first run. Returns false with a message if one is negative or not
   finite at the start. */
static bool sum_propensities(const struct rd_plan *p, int32_t *count, int64_t *total, double *all,
                             struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS] = {{0, 0}};
    fault[RD_FAULT_PROPENSITY].first = INT64_MAX;
    const struct rd_step_clock start = {0};
    struct rd_world w = p->world;
    w.pass.step_clock = &start;
    w.counts.count = count;
    w.runs.total = total;
    w.runs.n_total = w.runs.n_total_of;
    w.runs.fault = fault;
    double sum = 0.0;
    for (int64_t voxel = 0; voxel < w.lattice.n_sites; voxel++) {
        const struct rd_place place = rd_place_of(&w.lattice, voxel);
        struct rd_eval_context eval_context = rd_eval_context_of(&w, &place);
        eval_context.parameter = p->model->value;
        sum += rd_propensity_tree(&w, &place, &eval_context, 0, w.reactions.n_reactions);
    }
    sum += sum_exchanges(&w);
    *all = sum;
    if (fault[RD_FAULT_PROPENSITY].number == 0)
        return true;
    const struct rd_reaction *const r =
        &p->model->reaction[p->reaction_of[rd_fault_what(&fault[RD_FAULT_PROPENSITY])]];
    char divisors[160];
    const int64_t at = rd_fault_voxel(&fault[RD_FAULT_PROPENSITY]);
    int32_t *const here = rd_memory_guard(calloc((size_t)w.counts.n_species + 1, sizeof *here));
    for (int64_t i = 0; here && i < w.counts.n_species; i++)
        here[i] = count[i * w.lattice.n_voxels + at];
    rd_fault_divisor(p, r, at, here, divisors, sizeof divisors);
    free(here);
    return rd_fail(e,
                   "%s: the propensity of reaction '%s' is negative or not a finite number at the "
                   "start%s; give a number >= 0 everywhere",
                   r->place, r->label, divisors);
}

/* Warns if the stop condition compares a value that is not finite: the comparison is then false and
   hides it. */
static void print_hidden(FILE *out, const struct rd_plan *p, const int64_t *total)
{
    const struct rd_model *const m = p->model;
    const struct rd_eval_context eval_context = {
        .volume = p->world.lattice.volume, .parameter = m->value, .total = total};
    if (m->stop.n > 0 && !rd_expr_is_finite(&m->stop, &eval_context))
        fprintf(out,
                "warning     time.stop: a value in '%s' is not finite at the start, and a "
                "comparison hides it; use an expression that is finite\n",
                m->stop.text);
}

/* Prints the expected number of reactions per step at the start, if the model is not too large.
   Places all molecules for it; returns false with a message if that fails. If the model has rows of
   parameters, no run begins with those of the configuration. */
static bool print_events(FILE *out, const struct rd_plan *p, const struct rd_forecast *o,
                         struct rd_error *e)
{
    const int64_t n = p->world.counts.n_species * p->world.lattice.n_voxels;
    if (p->model->theta.table.n_rows > 0)
        return true;
    int32_t *const count =
        n > SOON_PLACED ? NULL : rd_memory_guard(calloc((size_t)n, sizeof *count));
    double sum;
    struct rd_placements placements = {0};
    struct rd_host_counts counts = rd_host_counts_of(p, count);
    bool ok = !count || rd_place_start(p, p->model->value, &counts, &placements, e);
    rd_placements_free(&placements);
    /* sums over individuals and changing fields have values only during a run */
    const bool is_known = !p->world.reactions.has_attribute_rates &&
                          p->world.fields.n_field_rate + p->world.positions.n_followed == 0;
    int64_t *const total = count && ok ? find_totals(p, count) : NULL;
    if (total && p->world.reactions.n_reactions > 0 && is_known &&
        (ok = sum_propensities(p, count, total, &sum, e)))
        fprintf(out, "events      about %.4g reactions per step at the start of a run\n",
                sum * o->first);
    if (total)
        print_hidden(out, p, total);
    free(total);
    free(count);
    return ok;
}

/* Warns if drift is so strong that the lattice adds diffusion to keep the mean displacement
   right. */
static void print_peclets(FILE *out, const struct rd_plan *p, int32_t s)
{
    const struct rd_species *const species = &p->model->species[p->species_of[s]];
    for (int axis = 0; axis < 3 && p->transport[s].kind != RD_MOVE_OWN; axis++) {
        const struct rd_excess x = rd_plan_excess(p, s, axis, p->model->value);
        if (x.n == 0)
            continue;
        fprintf(out, "warning     %s: the drift of '%s' along %c exceeds 2 D / h", species->place,
                species->name, "xyz"[axis]);
        if (x.of > 1)
            fprintf(out, " in %lld of %lld voxels, most in voxel %s", (long long)x.n,
                    (long long)x.of, rd_grid_voxel(&p->model->grid, x.at).text);
        fprintf(out, ": the diffusivity on the lattice is %g instead of %g%s; use smaller voxels\n",
                x.actual, x.configured, x.of > 1 ? " there" : "");
    }
}

static void print_page_warnings(FILE *out, const struct rd_plan *p, const struct rd_forecast *o)
{
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        print_peclets(out, p, s);
    rd_check_recording_time(out, p, o);
    int length;
    for (const char *at = NULL; (at = rd_error_next(&p->model->warnings, at, &length));)
        fprintf(out, "warning     %.*s\n", length, at);
    rd_check_pieces(out, p);
    rd_check_slow_pairs(out, p);
}

void rd_check_files(FILE *out, const rd_config *c)
{
    const struct rd_config_file *file;
    const int n = rd_config_files(c, &file);
    for (int i = 0; i + 1 < n; i++)
        fprintf(out, "%-12s%s\n", i ? "" : "includes", file[i].name);
}

bool rd_check_print(FILE *out, const struct rd_plan *p, const struct rd_forecast *o,
                    const char *batches, struct rd_error *e)
{
    if (*p->model->title)
        fprintf(out, "title       %s\n", p->model->title);
    print_grid(out, p);
    print_vectors(out, &p->model->theta);
    rd_check_regions(out, p->model);
    rd_check_surfaces(out, p->model);
    rd_check_compartments(out, p->model);
    rd_check_fields(out, p->model);
    print_tables(out, p->model);
    rd_check_network(out, p);
    for (int s = 0; s < p->model->n_species; s++)
        print_species(out, p, s);
    rd_check_borders(out, p->model);
    rd_check_reactions(out, p);
    rd_check_events(out, p->model);
    rd_check_rates(out, p);
    rd_check_densities(out, p->model);
    print_conserved(out, p);
    print_time(out, p, o);
    rd_check_storage(out, p);
    const bool ok = print_events(out, p, o, e);
    fprintf(out, "memory      ");
    rd_check_bytes(out, rd_record_run_memory(p));
    fprintf(out, "\n");
    if (*batches)
        fprintf(out, "batches     %s\n", batches);
    rd_check_recording(out, p, o);
    print_page_warnings(out, p, o);
    return rd_check_mistakes(out, p, e) && ok;
}
