/* totals - sums over voxels and runs, and what follows from them: the mean position of the
   molecules of a species in each run; statistics of each voxel over some runs, so that counts need
   not be copied to the host; the stop condition of a run. */
#ifndef RD_PASSES_TOTALS_TOTALS_H
#define RD_PASSES_TOTALS_TOTALS_H

#include "kernels/core/rows.h"

/* Sets the voxels in a portion of a run, so that few threads add to the same sums. The sums for
   mean positions are integers of 128 bits, so that their order does not matter and none can
   overflow: at most 2^36 voxels of 2^31 molecules at places below 2^31 give 2^98. */
enum { RD_GATHERED = 64 };

RD_FN int64_t rd_n_portions_gathered(const struct rd_lattice *lattice)
{
    return (lattice->n_sites + RD_GATHERED - 1) / RD_GATHERED;
}

/* Adds v to a sum of one thread. */
RD_FN void rd_gather_in(struct rd_wide *sum, uint64_t v)
{
    sum->low += v;
    sum->high += sum->low < v;
}

/* Adds up the molecules of each followed species in the portion of voxels, and the numbers of their
   voxels along each axis. Those of one voxel are below 2^62. */
RD_FN void rd_gather(const struct rd_world *w, int64_t item)
{
    const int64_t portions = rd_n_portions_gathered(&w->lattice), run = item / portions;
    const int64_t begin = item % portions * RD_GATHERED;
    const int64_t end =
        begin + RD_GATHERED < w->lattice.n_sites ? begin + RD_GATHERED : w->lattice.n_sites;
    for (int64_t k = 0; k < w->positions.n_followed; k++) {
        struct rd_wide sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        const int64_t column = rd_column_of(w, w->positions.followed[k]);
        for (int64_t site = begin; site < end; site++) {
            const int64_t voxel = run * w->lattice.n_sites + site;
            const int64_t n = w->counts.count[column * w->lattice.n_voxels + voxel];
            if (n == 0)
                continue;
            const struct rd_place p = rd_place_of(&w->lattice, voxel);
            rd_gather_in(&sum[0], (uint64_t)n);
            for (int axis = 0; axis < 3; axis++)
                rd_gather_in(&sum[axis + 1], (uint64_t)(n * p.at[axis]));
        }
        for (int i = 0; i < 4 && sum[0].low > 0; i++)
            rd_add_wide(&w->positions.first_moments[(run * w->positions.n_followed + k) * 4 + i],
                        sum[i]);
    }
}

/* Computes the mean positions in a run; without molecules it is the middle of the lattice. Resets
   the sums to 0. */
RD_FN void rd_average(const struct rd_world *w, int64_t run)
{
    for (int64_t k = 0; k < w->positions.n_followed; k++) {
        struct rd_wide *const sum =
            &w->positions.first_moments[(run * w->positions.n_followed + k) * 4];
        const double n = rd_wide_value(sum[0]);
        double *const mean =
            w->positions.mean + (run * w->counts.n_species + w->positions.followed[k]) * 3;
        for (int axis = 0; axis < 3; axis++) {
            const double number = n > 0.0 ? rd_wide_value(sum[axis + 1]) / n
                                          : 0.5 * (double)(w->lattice.size[axis] - 1);
            mean[axis] = w->lattice.origin[axis] + (number + 0.5) * w->lattice.edge[axis];
        }
        memset(sum, 0, 4 * sizeof *sum);
    }
}

/* Sets a total to 0. */
RD_FN void rd_clear_totals(const struct rd_world *w, int64_t i)
{
    w->runs.total[i] = 0;
}

/* Adds the molecules in the portion of voxels to the totals of their run. */
RD_FN void rd_sum_totals(const struct rd_world *w, int64_t item)
{
    const int64_t portions = rd_n_portions_gathered(&w->lattice), run = item / portions;
    const int64_t begin = item % portions * RD_GATHERED;
    const int64_t end =
        begin + RD_GATHERED < w->lattice.n_sites ? begin + RD_GATHERED : w->lattice.n_sites;
    for (int64_t k = 0; k < w->runs.n_total_of; k++) {
        const struct rd_total_of of = w->runs.total_of[k];
        const int64_t first = run * w->lattice.n_sites, column = rd_column_of(w, of.species);
        const int32_t *const count = w->counts.count + column * w->lattice.n_voxels + first;
        int64_t sum = 0;
        for (int64_t site = begin; column >= 0 && site < end; site++)
            sum += rd_is_in(&w->lattice, of.region, site) ? count[site] : 0;
        for (int64_t site = begin; column < 0 && site < end; site++)
            sum += rd_is_in(&w->lattice, of.region, site) ? rd_count_of(w, of.species, first + site)
                                                          : 0;
        if (sum != 0)
            rd_add_i64(&w->runs.total[run * w->runs.n_total_of + k], sum);
    }
}

/* Computes item i of [RD_SURVEY_RUNS runs][surveyed species][site]. It omits runs that faulted. */
RD_FN void rd_site_sums(const struct rd_world *w, int64_t i)
{
    const int64_t row = i / w->lattice.n_sites, n_surveyed = w->counts.n_surveyed_species;
    const int32_t species = w->counts.surveyed_species[row % n_surveyed];
    const int64_t begin = row / n_surveyed * RD_SURVEY_RUNS;
    const int64_t end =
        begin + RD_SURVEY_RUNS < w->lattice.n_runs ? begin + RD_SURVEY_RUNS : w->lattice.n_runs;
    const int64_t site = i % w->lattice.n_sites, column = rd_column_of(w, species);
    const int32_t *const count = w->counts.count + column * w->lattice.n_voxels + site;
    struct rd_surveyed s = {0, {0, 0}, INT32_MAX, INT32_MIN};
    for (int64_t run = begin; run < end; run++) {
        if (w->runs.n_frozen > 0 && w->runs.frozen[run] == RD_FROZEN_FAULTED)
            continue;
        const int64_t at = run * w->lattice.n_sites;
        const int32_t n = column >= 0 ? count[at] : rd_count_of(w, species, at + site);
        const uint64_t square = (uint64_t)n * (uint64_t)n;
        s.sum += n;
        s.square[0] += square;
        s.square[1] += s.square[0] < square;
        s.least = n < s.least ? n : s.least;
        s.most = n > s.most ? n : s.most;
    }
    w->counts.surveyed[i] = s;
}

/* Sets the voxels in a portion of a run whose counts are added up before they are added to a shared
   sum. */
enum { RD_SUMMED = 256 };

RD_FN int64_t rd_n_portions_summed(const struct rd_lattice *lattice)
{
    return (lattice->n_sites + RD_SUMMED - 1) / RD_SUMMED;
}

/* Adds the counts of a portion of voxels to the totals of each summed region. Items are
   [species][run][portion]. The totals are 0 before. Sums are integers, so that their order does not
   matter. */
RD_FN void rd_region_totals(const struct rd_world *w, int64_t item)
{
    const int64_t portions = rd_n_portions_summed(&w->lattice), row = item / portions;
    const int64_t species = row / w->lattice.n_runs, run = row % w->lattice.n_runs;
    const int64_t begin = item % portions * RD_SUMMED, rest = w->lattice.n_sites - begin;
    const int64_t n = rest < RD_SUMMED ? rest : RD_SUMMED;
    const int32_t *const count =
        w->counts.count + species * w->lattice.n_voxels + run * w->lattice.n_sites + begin;
    const uint64_t *const mask = w->lattice.mask + begin;
    int64_t *total =
        w->counts.region_total + run * w->counts.n_summed * w->counts.n_species + species;
    if (w->movement.transport[species]
            .is_mixed) /* the molecules of compartments are in no region */
        return;
    for (uint64_t left = w->counts.summed; left; left &= left - 1) {
        const uint64_t region = left & (~left + 1); /* its lowest bit */
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += mask[i] & region ? count[i] : 0;
        if (sum != 0)
            rd_add_i64(total, sum);
        total += w->counts.n_species;
    }
}

/* Adds the counts of the voxel to total[species][run], and to the totals of the summed regions
   that contain it. Both are 0 before. */
RD_FN void rd_total_row(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place place = rd_place_apart(&w->lattice, voxel);
    for (struct rd_present p = rd_present_in(w, voxel); rd_next_present(&p);) {
        if (*p.count == 0)
            continue;
        const bool is_mixed = w->movement.transport[p.species].is_mixed;
        rd_add_i64(&w->counts.total[p.species * w->lattice.n_runs + place.run], *p.count);
        int64_t *in = w->counts.region_total +
                      place.run * w->counts.n_summed * w->counts.n_species + p.species;
        for (uint64_t left = is_mixed ? 0 : w->counts.summed; left; left &= left - 1) {
            const uint64_t region = left & (~left + 1); /* its lowest bit */
            if (w->lattice.mask[place.site] & region)
                rd_add_i64(in, *p.count);
            in += w->counts.n_species;
        }
    }
}

/* Returns the context for conditions of the run; its totals must be up to date. */
RD_FN struct rd_eval_context rd_run_context(const struct rd_world *w, int64_t run, double now)
{
    struct rd_eval_context eval_context;
    memset(&eval_context, 0, sizeof eval_context);
    eval_context.t = now;
    eval_context.volume = w->lattice.volume;
    eval_context.total = w->runs.total + w->runs.n_total_of * run;
    eval_context.parameter =
        w->runs.n_value > 0 ? w->runs.value + w->runs.n_parameters * run : NULL;
    return eval_context;
}

/* Returns whether the condition holds. NaN does not. */
RD_FN bool rd_holds(const struct rd_world *w, const struct rd_rule *condition,
                    const struct rd_eval_context *eval_context)
{
    const double value = rd_eval_rule(&w->expressions, condition, eval_context);
    return value < 0.0 || value > 0.0;
}

/* Returns whether the run stops now. */
RD_FN bool rd_is_met(const struct rd_world *w, int64_t run, double now)
{
    const struct rd_eval_context eval_context = rd_run_context(w, run, now);
    return rd_holds(w, &w->runs.stop, &eval_context);
}

/* Returns the time of the run: that of the pass, or that at which the exact solver interrupted the
   step before it. */
RD_FN double rd_run_now(const struct rd_world *w, int64_t run)
{
    const double left = w->runs.n_pause > 0 ? w->runs.pause[run].left : 0.0;
    return w->pass.step_clock->time - left;
}

/* Freezes the run if it meets its stop condition. */
RD_FN void rd_stop_run(const struct rd_world *w, int64_t run)
{
    const double now = rd_run_now(w, run);
    if (rd_is_frozen(&w->runs, run) || !rd_is_met(w, run, now))
        return;
    w->runs.frozen[run] = RD_FROZEN_STOPPED;
    w->runs.stopped[run] = now;
}

/* Evaluates the conditions of events in the run, and marks the events that fire: those whose
   condition was not true before, and that did not fire before or repeat. It returns whether any
   does. */
RD_FN bool rd_test_run_events(const struct rd_world *w, int64_t run, double now)
{
    const struct rd_eval_context eval_context = rd_run_context(w, run, now);
    int64_t n_due = 0;
    for (int64_t k = 0; k < w->runs.n_condition; k++) {
        const struct rd_condition *const c = &w->runs.condition[k];
        uint8_t *const is = &w->runs.condition_is[run * w->runs.n_condition + k];
        const bool holds = rd_holds(w, &c->rule, &eval_context);
        const bool fires =
            holds && !(*is & RD_CONDITION_TRUE) && (c->repeats || !(*is & RD_CONDITION_FIRED));
        *is = (uint8_t)((*is & ~RD_CONDITION_TRUE) | (holds ? RD_CONDITION_TRUE : 0) |
                        (fires ? RD_CONDITION_FIRED | RD_CONDITION_DUE : 0));
        n_due += fires;
    }
    if (n_due > 0)
        rd_add_i64(w->runs.n_due, n_due);
    return n_due > 0;
}

/* Returns whether an event would fire at this time, with the totals as they are. */
RD_FN bool rd_would_fire(const struct rd_world *w, int64_t run, double now)
{
    const struct rd_eval_context eval_context = rd_run_context(w, run, now);
    bool would = false;
    for (int64_t k = 0; k < w->runs.n_condition && !would; k++) {
        const struct rd_condition *const c = &w->runs.condition[k];
        const uint8_t is = w->runs.condition_is[run * w->runs.n_condition + k];
        would = !(is & RD_CONDITION_TRUE) && (c->repeats || !(is & RD_CONDITION_FIRED)) &&
                rd_holds(w, &c->rule, &eval_context);
    }
    return would;
}

RD_FN void rd_test_events(const struct rd_world *w, int64_t run)
{
    if (!rd_is_frozen(&w->runs, run) && !rd_has_run_fault(w, run))
        rd_test_run_events(w, run, rd_run_now(w, run));
}

#endif
