/* lattice - cell numbers and places: cell = ((run * nz + z) * ny + y) * nx + x. Nothing crosses
   between runs. */
#ifndef RD_CORE_LATTICE_H
#define RD_CORE_LATTICE_H

#include "kernels/core/passes.h"
#include "kernels/core/world.h"

/* A cell taken apart. */
struct rd_place {
    int64_t cell, run, site; /* run is the number of the run here, from 0 */
    int32_t at[3];
};

RD_FN int64_t rd_site_number(const struct rd_world *w, const int32_t at[3])
{
    return ((int64_t)at[2] * w->size[1] + at[1]) * w->size[0] + at[0];
}

/* Its run and its site alone. */
RD_FN struct rd_place rd_place_apart(const struct rd_world *w, int64_t cell)
{
    struct rd_place p;
    p.cell = cell;
    p.run = w->n_runs == 1 ? 0 : cell / w->n_sites;
    p.site = cell - p.run * w->n_sites;
    p.at[0] = p.at[1] = p.at[2] = 0;
    return p;
}

RD_FN struct rd_place rd_place_of(const struct rd_world *w, int64_t cell)
{
    struct rd_place p = rd_place_apart(w, cell);
    if (w->n_sites <= UINT32_MAX) { /* 32-bit divisions are several times faster */
        const uint32_t row = (uint32_t)p.site / (uint32_t)w->size[0];
        p.at[0] = (int32_t)((uint32_t)p.site - row * (uint32_t)w->size[0]);
        p.at[2] = (int32_t)(row / (uint32_t)w->size[1]);
        p.at[1] = (int32_t)(row - (uint32_t)p.at[2] * (uint32_t)w->size[1]);
    } else {
        const int64_t row = p.site / w->size[0];
        p.at[0] = (int32_t)(p.site - row * w->size[0]);
        p.at[2] = (int32_t)(row / w->size[1]);
        p.at[1] = (int32_t)(row - (int64_t)p.at[2] * w->size[1]);
    }
    return p;
}

/* The coordinate of the centre of cell i along the axis. */
RD_FN double rd_centre(const struct rd_world *w, int axis, int32_t i)
{
    return w->origin[axis] + ((double)i + 0.5) * w->edge[axis];
}

/* What an expression sees of the place itself; time, parameters and counts are added by who has
   them. Each is set by itself: clearing all at once costs as much as a law. */
RD_FN struct rd_scene rd_scene_at(const struct rd_world *w, const struct rd_place *p)
{
    struct rd_scene scene;
    scene.x = rd_centre(w, 0, p->at[0]);
    scene.y = rd_centre(w, 1, p->at[1]);
    scene.z = rd_centre(w, 2, p->at[2]);
    scene.t = 0.0;
    scene.volume = w->volume;
    scene.regions = w->n_mask > 0 ? w->mask[p->site] : 0;
    scene.parameter = NULL;
    scene.count = NULL;
    scene.stride = 0;
    scene.field = w->n_field > 0 ? w->field + p->site : NULL;
    scene.field_stride = w->n_sites;
    scene.varying = w->n_varying > 0 ? w->varying + p->cell : NULL;
    scene.varying_stride = w->n_cells;
    scene.mean = w->n_mean > 0 ? w->mean + 3 * w->n_species * p->run : NULL;
    scene.total = NULL;
    scene.own = scene.parent = NULL;
    scene.own_stride = scene.parent_stride = 0;
    scene.sum = NULL;
    scene.sight = NULL;
    scene.stream = NULL;
    return scene;
}

/* Whether the site belongs to the region (-1: everywhere). */
RD_FN bool rd_is_in(const struct rd_world *w, int32_t region, int64_t site)
{
    return region < 0 || (w->mask[site] >> region & 1) != 0;
}

/* The zone of the site; 0 where none are told apart. */
RD_FN int32_t rd_zone_of(const struct rd_world *w, int64_t site)
{
    return w->zone_count > 0 ? w->zone[site] : 0;
}

/* Whether nothing happens in the run any more. */
RD_FN bool rd_is_still(const struct rd_world *w, int64_t run)
{
    return w->n_still > 0 && w->still[run] != RD_STILL_NOT;
}

/* Whether there was a fault in an earlier pass, so that this one is to do nothing. */
RD_FN bool rd_is_halted(const struct rd_world *w)
{
    return w->n_halt > 0 && *w->halt < w->beat->pass;
}

/* Whether this GRANT follows a REACT that had a fault, and that left other cells before their
   events were over for want of room. These may have faults that come first: the cells are counted
   again, with more room. ASK noted its own number; REACT comes next, then a GRANT for each list. */
RD_FN bool rd_is_left_early(const struct rd_world *w)
{
    return w->n_list > 0 && w->is_keen && w->need->guessed > w->n_newborn &&
           *w->halt == w->need->from + 1 && w->beat->pass - w->need->from <= w->n_list + 1;
}

/* Whether the pass is to happen now: after a fault or a pause only the one that keeps the lists. */
RD_FN bool rd_is_due(const struct rd_world *w, enum rd_pass pass)
{
    return pass == RD_STAY || !rd_is_halted(w) || (pass == RD_GRANT && rd_is_left_early(w));
}

/* Whether v can be the value of an attribute. */
RD_FN bool rd_is_trait(double v, bool is_integer)
{
    const double most = 9007199254740992.0; /* 2^53: doubles count exactly up to here */
    return rd_is_finite(v) && (!is_integer || (v == rd_floor(v) && v >= -most && v <= most));
}

/* Where sums over runs are kept for the site: (stripe, run), so that threads seldom meet. */
RD_FN int64_t rd_sums_of(const struct rd_world *w, int64_t run, int64_t site)
{
    return (site >> w->stripe_shift) * w->n_runs + run;
}

/* Whether the run faulted in an earlier pass. */
RD_FN bool rd_is_troubled(const struct rd_world *w, int64_t run)
{
    return w->n_trouble > 0 && rd_seen_i64(&w->trouble[run].since) < w->beat->pass;
}

/* How a fault is one number, so that the lowest of many is kept by one atomic operation:
   place in the sweep << 60 | kind << 56 | site << 20 | what, without place, kind and run where the
   number is of one kind and of all runs: cell << 20 | what. `what` is a species, reaction, list, or
   list * 64 + attribute: below 2^20. */
enum { RD_FAULT_WHAT_BITS = 20, RD_FAULT_KIND_AT = 56, RD_FAULT_PLACE_AT = 60 };

RD_FN int64_t rd_fault_first(int64_t cell, int64_t what)
{
    return cell << RD_FAULT_WHAT_BITS | (what & ((1 << RD_FAULT_WHAT_BITS) - 1));
}

RD_FN int64_t rd_trouble_first(int32_t sweep_place, int kind, int64_t site, int64_t what)
{
    return (int64_t)sweep_place << RD_FAULT_PLACE_AT | (int64_t)kind << RD_FAULT_KIND_AT |
           rd_fault_first(site, what);
}

RD_FN int rd_trouble_kind(const struct rd_trouble *t)
{
    return (int)(t->first >> RD_FAULT_KIND_AT & 15);
}

/* The fault of a run as one of all runs. */
RD_FN struct rd_fault rd_trouble_fault(const struct rd_world *w, int64_t run,
                                       const struct rd_trouble *t)
{
    const int64_t first = t->first & ((INT64_C(1) << RD_FAULT_KIND_AT) - 1);
    const struct rd_fault f = {1, first + (run * w->n_sites << RD_FAULT_WHAT_BITS)};
    return f;
}

/* A run faults. Of its first pass with a fault, and of passes that happen at once with it,
   the earliest, then the lowest kind, site, species or reaction is kept. False: it is not the
   first. */
RD_FN bool rd_trouble_at(const struct rd_world *w, int kind, int64_t cell, int64_t what)
{
    const int64_t run = cell / w->n_sites, site = cell % w->n_sites;
    const int64_t pass = w->sweep ? w->sweep->pass : w->beat->pass;
    struct rd_trouble *const t = &w->trouble[run];
    if (rd_is_still(w, run) || rd_seen_i64(&t->since) < pass)
        return false;
    rd_min_i64(&t->since, pass);
    rd_min_i64(&t->until, (int64_t)rd_bits_of(w->beat->time + w->dt / 2.0));
    rd_min_i64(&t->first, rd_trouble_first(w->sweep_place, kind, site, what));
    return true;
}

/* A fault is counted; of its cells the lowest is kept, with the lowest species or reaction there.
   Unless it is that of a run alone, the passes to come do nothing. */
RD_FN void rd_fault_at(const struct rd_world *w, int kind, int64_t cell, int64_t what)
{
    if (w->n_trouble > 0 && !rd_trouble_at(w, kind, cell, what))
        return;
    rd_add_i64(&w->fault[kind].number, 1);
    rd_min_i64(&w->fault[kind].first, rd_fault_first(cell, what));
    if (w->n_halt > 0 && !w->faults_alone)
        rd_min_i64(w->halt, w->beat->pass);
}

RD_FN int64_t rd_fault_cell(const struct rd_fault *f)
{
    return f->first >> RD_FAULT_WHAT_BITS;
}

RD_FN int64_t rd_fault_what(const struct rd_fault *f)
{
    return f->first & ((1 << RD_FAULT_WHAT_BITS) - 1);
}

#endif
