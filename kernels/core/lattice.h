/* lattice - voxel numbers and places: voxel = ((run * nz + z) * ny + y) * nx + x. No molecule moves
   from one run to another. */
#ifndef RD_CORE_LATTICE_H
#define RD_CORE_LATTICE_H

#include "kernels/core/passes.h"
#include "kernels/core/world.h"

/* Holds the run, site and coordinates of a voxel. */
struct rd_place {
    int64_t voxel, run, site; /* run is its index in this world, from 0 */
    int32_t at[3];
};

RD_FN int64_t rd_site_number(const struct rd_lattice *lattice, const int32_t at[3])
{
    return ((int64_t)at[2] * lattice->size[1] + at[1]) * lattice->size[0] + at[0];
}

/* Returns the place of the voxel with run and site only; the coordinates are 0. */
RD_FN struct rd_place rd_place_apart(const struct rd_lattice *lattice, int64_t voxel)
{
    struct rd_place p;
    p.voxel = voxel;
    p.run = lattice->n_runs == 1 ? 0 : voxel / lattice->n_sites;
    p.site = voxel - p.run * lattice->n_sites;
    p.at[0] = p.at[1] = p.at[2] = 0;
    return p;
}

/* Returns the run, the site and the coordinates of the voxel. */
RD_FN struct rd_place rd_place_of(const struct rd_lattice *lattice, int64_t voxel)
{
    struct rd_place p = rd_place_apart(lattice, voxel);
    if (lattice->n_sites <= UINT32_MAX) { /* 32-bit divisions are several times faster */
        const uint32_t row = (uint32_t)p.site / (uint32_t)lattice->size[0];
        p.at[0] = (int32_t)((uint32_t)p.site - row * (uint32_t)lattice->size[0]);
        p.at[2] = (int32_t)(row / (uint32_t)lattice->size[1]);
        p.at[1] = (int32_t)(row - (uint32_t)p.at[2] * (uint32_t)lattice->size[1]);
    } else {
        const int64_t row = p.site / lattice->size[0];
        p.at[0] = (int32_t)(p.site - row * lattice->size[0]);
        p.at[2] = (int32_t)(row / lattice->size[1]);
        p.at[1] = (int32_t)(row - (int64_t)p.at[2] * lattice->size[1]);
    }
    return p;
}

/* Returns the coordinate of the centre of voxel i along the axis. */
RD_FN double rd_centre(const struct rd_lattice *lattice, int axis, int32_t i)
{
    return lattice->origin[axis] + ((double)i + 0.5) * lattice->edge[axis];
}

/* Returns an evaluation context with the data of the place; callers add time, parameters and
   counts. Members are set one by one, since clearing the struct costs as much as an evaluation. */
RD_FN struct rd_eval_context rd_eval_context_at(const struct rd_world *w, const struct rd_place *p)
{
    struct rd_eval_context eval_context;
    eval_context.x = rd_centre(&w->lattice, 0, p->at[0]);
    eval_context.y = rd_centre(&w->lattice, 1, p->at[1]);
    eval_context.z = rd_centre(&w->lattice, 2, p->at[2]);
    eval_context.t = 0.0;
    eval_context.volume = w->lattice.volume;
    eval_context.regions = w->lattice.n_mask > 0 ? w->lattice.mask[p->site] : 0;
    eval_context.parameter =
        w->runs.n_value > 0 ? w->runs.value + w->runs.n_parameters * p->run : NULL;
    eval_context.count = NULL;
    eval_context.stride = 0;
    eval_context.voxel = p->voxel;
    eval_context.row = NULL;
    eval_context.n_row = 0;
    eval_context.column = NULL;
    eval_context.field = w->fields.n_field > 0 ? w->fields.field + p->site : NULL;
    eval_context.field_stride = w->lattice.n_sites;
    eval_context.varying = w->fields.n_varying > 0 ? w->fields.varying + p->voxel : NULL;
    eval_context.varying_stride = w->lattice.n_voxels;
    eval_context.mean =
        w->positions.n_mean > 0 ? w->positions.mean + 3 * w->counts.n_species * p->run : NULL;
    eval_context.total = w->runs.n_total > 0 ? w->runs.total + w->runs.n_total_of * p->run : NULL;
    eval_context.own = eval_context.parent = NULL;
    eval_context.own_stride = eval_context.parent_stride = 0;
    eval_context.sum = NULL;
    eval_context.sight = NULL;
    eval_context.stream = NULL;
    return eval_context;
}

/* Returns the value of the expression. */
RD_FN double rd_eval_rule(const struct rd_expressions *expressions, const struct rd_rule *rule,
                          const struct rd_eval_context *eval_context)
{
    return rd_eval(expressions->program + rule->program, rule->n_program, eval_context);
}

/* Returns whether the site belongs to the region (-1: everywhere). */
RD_FN bool rd_is_in(const struct rd_lattice *lattice, int32_t region, int64_t site)
{
    return region < 0 || (lattice->mask[site] >> region & 1) != 0;
}

/* Returns the zone of the site; 0 if zones are not distinguished. */
RD_FN int32_t rd_zone_of(const struct rd_lattice *lattice, int64_t site)
{
    return lattice->zone_count > 0 ? lattice->zone[site] : 0;
}

/* Returns the number of a run in the ensemble. */
RD_FN int64_t rd_run_number(const struct rd_lattice *l, int64_t run)
{
    return l->first_run + l->stream_shift + run;
}

/* Returns whether the run is frozen: nothing happens in it any more. */
RD_FN bool rd_is_frozen(const struct rd_run_status *runs, int64_t run)
{
    return runs->n_frozen > 0 && runs->frozen[run] != RD_FROZEN_NOT;
}

/* Returns whether an earlier pass had a fault or a pause, so that this one must do nothing. */
RD_FN bool rd_is_halted(const struct rd_world *w)
{
    return w->runs.n_first_faulting_pass > 0 &&
           *w->runs.first_faulting_pass < w->pass.step_clock->pass;
}

/* Returns whether this CHECK_CAPACITY follows a REACT that had a fault and left other voxels
   unfinished for lack of memory. These may have faults that come first, so that the voxels are
   counted again with more memory. RESERVE recorded its own number; REACT comes next, then one
   CHECK_CAPACITY for each list. */
RD_FN bool rd_is_left_early(const struct rd_world *w)
{
    return w->lists.n_list > 0 && w->reactions.has_attribute_rates &&
           w->lists.need->guessed > w->lists.n_newborn &&
           *w->runs.first_faulting_pass == w->lists.need->from + 1 &&
           w->pass.step_clock->pass - w->lists.need->from <= w->lists.n_list + 1;
}

/* Returns whether the pass must run. After a fault or a pause only COPY_LIST does, which keeps the
   lists, and CHECK_CAPACITY if REACT left voxels unfinished. */
RD_FN bool rd_is_due(const struct rd_world *w, enum rd_pass pass)
{
    return pass == RD_COPY_LIST || !rd_is_halted(w) ||
           (pass == RD_CHECK_CAPACITY && rd_is_left_early(w));
}

/* Returns whether v is a valid value of an attribute. */
RD_FN bool rd_is_trait(double v, bool is_integer)
{
    const double most =
        9007199254740992.0; /* 2^53: doubles are exact for all integers up to here */
    return rd_is_finite(v) && (!is_integer || (v == rd_floor(v) && v >= -most && v <= most));
}

/* Returns the index of counters (fired, lost, entered) for the site: (stripe, run), so that threads
   rarely add to the same number. */
RD_FN int64_t rd_sums_of(const struct rd_lattice *lattice, int64_t run, int64_t site)
{
    return (site >> lattice->stripe_shift) * lattice->n_runs + run;
}

/* Returns whether the run faulted in an earlier pass. */
RD_FN bool rd_has_run_fault(const struct rd_world *w, int64_t run)
{
    return w->runs.n_run_fault > 0 &&
           rd_seen_i64(&w->runs.run_fault[run].since) < w->pass.step_clock->pass;
}

/* Encodes a fault as one number, so that one atomic operation keeps the lowest: place in the
   fused step << 60 | kind << 56 | site << 20 | what. If the number is for one kind and all runs, it
   has no place, kind and run: voxel << 20 | what. `what` is a species, reaction, list, or list * 64
   + attribute: below 2^20. */
enum { RD_FAULT_WHAT_BITS = 20, RD_FAULT_KIND_AT = 56, RD_FAULT_PLACE_AT = 60 };

RD_FN int64_t rd_fault_first(int64_t voxel, int64_t what)
{
    return voxel << RD_FAULT_WHAT_BITS | (what & ((1 << RD_FAULT_WHAT_BITS) - 1));
}

RD_FN int64_t rd_run_fault_first(int32_t fused_step_place, int kind, int64_t site, int64_t what)
{
    return (int64_t)fused_step_place << RD_FAULT_PLACE_AT | (int64_t)kind << RD_FAULT_KIND_AT |
           rd_fault_first(site, what);
}

RD_FN int rd_run_fault_kind(const struct rd_run_fault *t)
{
    return (int)(t->first >> RD_FAULT_KIND_AT & 15);
}

/* Returns the fault of a run in the encoding for all runs. */
RD_FN struct rd_fault rd_run_fault_of(const struct rd_lattice *lattice, int64_t run,
                                      const struct rd_run_fault *t)
{
    const int64_t first = t->first & ((INT64_C(1) << RD_FAULT_KIND_AT) - 1);
    const struct rd_fault f = {1, first + (run * lattice->n_sites << RD_FAULT_WHAT_BITS)};
    return f;
}

/* Records a fault of a run. It keeps the first pass with a fault and, among the passes of one fused
   step, the earliest, then the lowest kind, site, and species or reaction. It returns false if the
   run is frozen or faulted in an earlier pass. */
RD_FN bool rd_run_fault_at(const struct rd_world *w, int kind, int64_t voxel, int64_t what)
{
    const int64_t run = voxel / w->lattice.n_sites, site = voxel % w->lattice.n_sites;
    const int64_t pass = w->pass.fused_step ? w->pass.fused_step->pass : w->pass.step_clock->pass;
    struct rd_run_fault *const t = &w->runs.run_fault[run];
    if (rd_is_frozen(&w->runs, run) || rd_seen_i64(&t->since) < pass)
        return false;
    rd_min_i64(&t->since, pass);
    rd_min_i64(&t->until, (int64_t)rd_bits_of(w->pass.step_clock->time + w->pass.dt / 2.0));
    rd_min_i64(&t->first, rd_run_fault_first(w->pass.fused_step_place, kind, site, what));
    return true;
}

/* Counts a fault, and keeps the lowest voxel with the lowest species or reaction in it. Unless
   faults_are_separate is set, later passes do nothing. */
RD_SELDOM void rd_fault_at(const struct rd_world *w, int kind, int64_t voxel, int64_t what)
{
    if (w->runs.n_run_fault > 0 && !rd_run_fault_at(w, kind, voxel, what))
        return;
    rd_add_i64(&w->runs.fault[kind].number, 1);
    rd_min_i64(&w->runs.fault[kind].first, rd_fault_first(voxel, what));
    if (w->runs.n_first_faulting_pass > 0 && !w->runs.faults_are_separate)
        rd_min_i64(w->runs.first_faulting_pass, w->pass.step_clock->pass);
}

RD_FN int64_t rd_fault_voxel(const struct rd_fault *f)
{
    return f->first >> RD_FAULT_WHAT_BITS;
}

RD_FN int64_t rd_fault_what(const struct rd_fault *f)
{
    return f->first & ((1 << RD_FAULT_WHAT_BITS) - 1);
}

#endif
