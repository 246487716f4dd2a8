/* walk - one molecule hops from voxel to voxel through the rest of the step: the continuous-time
   walk of the master equation, exact wherever rates do not change within the step. It is for
   molecules in irregular places and those that enter from a reservoir. Arrivals of all movements
   are summed here, and land adds them to the counts. */
#ifndef RD_PASSES_MOVEMENT_WALK_H
#define RD_PASSES_MOVEMENT_WALK_H

#include "kernels/core/draw.h"
#include "kernels/core/rows.h"

/* Sets limits of arrivals, which are summed in 32 bits for each voxel. A sum that has passed
   INT32_MAX is negative and stays negative, in whatever order molecules arrive, so that rd_land
   finds every overflow:

   - Groups of RD_ARRIVE_GROUP molecules and more never add to a negative sum.
   - Smaller numbers do, but set the sum back to INT32_MIN from RD_ARRIVE_RESET on. Before the first
     of up to 2^19 threads does so, all others together add less than 2^29.
   - rd_add_one_of_small adds without reading the sum: in one movement to one voxel at most
     RD_BATCH_LEAST - 1 molecules from each of RD_ARRIVE_SITES voxels, less than 2^30. No more are
     in reach: the tables of movement allow 122 voxels along each axis, or walks of 288 hops, which
     come from 1.5e7 and 3.2e7 voxels.

   From RD_ARRIVE_RESET to 0 there are 3 * 2^29. */
enum { RD_ARRIVE_GROUP = 1024, RD_ARRIVE_SITES = 1 << 25, RD_ARRIVE_RESET = INT32_MIN / 4 * 3 };

/* Adds n >= 1 to a sum of arrivals. */
RD_FN void rd_add_arrivals(int32_t *sum, int32_t n)
{
    if (n < RD_ARRIVE_GROUP) {
        const int32_t old = rd_add_i32(sum, n);
        if (old < 0 && old >= RD_ARRIVE_RESET)
            rd_set_i32(sum, INT32_MIN);
        return;
    }
    int32_t seen = rd_seen_i32(sum), next;
    do
        next = seen < 0 || seen > INT32_MAX - n ? INT32_MIN : seen + n;
    while (!rd_replace_i32(sum, &seen, next));
}

/* Adds one molecule from a voxel that sends fewer than RD_BATCH_LEAST of its species in the
   movement. A GPU need not wait for the old sum. */
RD_FN void rd_add_one_of_small(int32_t *sum)
{
    rd_add_i32(sum, 1);
}

/* Returns the address of the sum of molecules in transit to the voxel, of the species with this
   column. */
RD_FN int32_t *rd_arrivals_at(const struct rd_world *w, int32_t column, int64_t voxel)
{
    return &w->counts.arrive[column * w->lattice.n_voxels + voxel];
}

/* Sends n molecules of species s to the voxel; rd_land or rd_land_row counts them there. */
RD_FN void rd_arrive(const struct rd_world *w, int32_t s, int64_t voxel, int32_t n)
{
    const int32_t column = rd_column_of(w, s);
    if (column < 0)
        rd_add_to_arrivals(w, s, voxel, n);
    else
        rd_add_arrivals(rd_arrivals_at(w, column, voxel), n);
}

/* Sends one molecule from a voxel that sends fewer than RD_BATCH_LEAST of its species in the
   movement. */
RD_FN void rd_arrive_one_of_small(const struct rd_world *w, int32_t s, int64_t voxel)
{
    const int32_t column = rd_column_of(w, s);
    if (column < 0)
        rd_add_to_arrivals(w, s, voxel, 1);
    else
        rd_add_one_of_small(rd_arrivals_at(w, column, voxel));
}

/* Records n molecules of species s from p that the face took. */
RD_FN void rd_lose(const struct rd_world *w, int32_t s, const struct rd_place *p, int face,
                   int64_t n)
{
    const int64_t sums = rd_sums_of(&w->lattice, p->run, p->site);
    rd_add_i64(&w->counts.lost[(sums * w->counts.n_species + s) * RD_N_FACES + face], n);
}

/* Computes the rates of hops back and forward along an axis with edge h: D/h^2 -+ v/2h, of mean v
   and variance 2 D. If |v| h > 2 D one of them would be negative; then it is 0 and the other |v|/h:
   the mean stays right and the diffusion rate becomes |v| h / 2. */
RD_FN void rd_rates_of(double diffusion, double drift, double h, double rate[2])
{
    const double spread = diffusion / (h * h), lean = drift / (2.0 * h);
    const double least = lean < 0.0 ? -lean : lean;
    const double both = spread > least ? spread : least;
    rate[0] = both - lean;
    rate[1] = both + lean;
}

/* Returns the hop rates of the species at the site. */
RD_FN const struct rd_hop_rate *
rd_hop_rate_at(const struct rd_world *w, const struct rd_transport *m, int64_t run, int64_t site)
{
    switch (m->hop_rate_kind) {
    case RD_HOP_RATE_BY_ZONE:
        return &w->movement.hop_rate[m->hop_rates + w->lattice.zone[site]];
    case RD_HOP_RATE_BY_SITE:
        return &w->movement.hop_rate[m->hop_rates + site];
    case RD_HOP_RATE_BY_VOXEL:
        return &w->movement.hop_rate_now[m->hop_rates + run * w->lattice.n_sites + site];
    default:
        return &m->hop_rate;
    }
}

/* Describes a hop from a place towards a face: it succeeds with the probability and leads `to`
   there along the axis, or the wall takes the molecule. If it fails, the molecule stays. */
struct rd_crossing {
    int32_t to;
    bool is_out;
    double probability;
};

/* Returns the transmission probability of a hop between two sites: 0 out of its region, less than 1
   across a border. */
RD_FN double rd_probability_between(const struct rd_world *w, const struct rd_transport *m,
                                    int64_t from, int64_t to)
{
    if (!rd_is_in(&w->lattice, m->region, to))
        return 0.0;
    if (m->borders < 0)
        return 1.0;
    return w->movement
        .border[m->borders + w->lattice.zone[from] * w->lattice.zone_count + w->lattice.zone[to]];
}

/* Returns the result of a hop from `at` towards the face. */
RD_FN struct rd_crossing rd_crossing_of(const struct rd_world *w, const struct rd_transport *m,
                                        int face, const int32_t at[3])
{
    const int axis = face / 2;
    struct rd_crossing c = {
        .to = at[axis] + (face % 2 ? 1 : -1), .is_out = false, .probability = 1.0};
    if (c.to < 0 || c.to >= w->lattice.size[axis]) {
        c.is_out = m->pass[face] >= 0.0;
        c.probability = m->pass[face];
        if (c.is_out)
            return c;
        c.to = c.to < 0 ? w->lattice.size[axis] - 1 : 0;
    }
    int32_t next[3] = {at[0], at[1], at[2]};
    next[axis] = c.to;
    c.probability = rd_probability_between(w, m, rd_site_number(&w->lattice, at),
                                           rd_site_number(&w->lattice, next));
    return c;
}

/* Returns the direction of the next hop, in proportion to the rates, whose sum is `total`. */
RD_FN int rd_direction(const double rate[RD_N_FACES], double total, double u)
{
    double aim = u * total;
    int face = 0;
    for (int next = 0; next < RD_N_FACES; next++) {
        if (rate[next] <= 0.0)
            continue;
        face = next;
        if (aim < rate[next])
            break;
        aim -= rate[next];
    }
    return face;
}

/* Attempts one hop towards the face and changes `at`; returns false if a wall took the molecule. */
RD_FN bool rd_hop_once(const struct rd_world *w, const struct rd_transport *m, int face,
                       int32_t at[3], struct rd_stream *s)
{
    const struct rd_crossing c = rd_crossing_of(w, m, face, at);
    const bool happens =
        c.probability >= 1.0 || (c.probability > 0.0 && rd_uniform(s) < c.probability);
    if (happens && !c.is_out)
        at[face / 2] = c.to;
    return !(happens && c.is_out);
}

/* Moves a molecule of species s from p by hops through the time left, until it arrives or is
   lost. */
RD_FN void rd_walk(const struct rd_world *w, int32_t s, const struct rd_place *p, double left,
                   struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    int32_t at[3] = {p->at[0], p->at[1], p->at[2]};
    for (;;) {
        if (stream->counter[0] > UINT32_MAX - 8) {
            rd_fault_at(w, RD_FAULT_STUCK, p->voxel, s);
            break;
        }
        const struct rd_hop_rate *const hop_rate =
            rd_hop_rate_at(w, m, p->run, rd_site_number(&w->lattice, at));
        left -= rd_exponential(stream) / hop_rate->total;
        if (!(left > 0.0))
            break;
        const int face = rd_direction(hop_rate->rate, hop_rate->total, rd_uniform(stream));
        if (!rd_hop_once(w, m, face, at, stream)) {
            rd_lose(w, s, p, face, 1);
            return;
        }
    }
    rd_arrive(w, s, p->run * w->lattice.n_sites + rd_site_number(&w->lattice, at), 1);
}

/* Moves a molecule likewise, given that it attempts a hop within the time: the first one comes at
   an exponential time, truncated there. */
RD_FN void rd_set_off(const struct rd_world *w, int32_t s, const struct rd_hop_rate *hop_rate,
                      double probability, const struct rd_place *from, double time,
                      struct rd_stream *stream)
{
    struct rd_place p = *from;
    const double first = -rd_log1p(-rd_uniform(stream) * probability) / hop_rate->total;
    const int face = rd_direction(hop_rate->rate, hop_rate->total, rd_uniform(stream));
    if (!rd_hop_once(w, &w->movement.transport[s], face, p.at, stream))
        rd_lose(w, s, &p, face, 1);
    else
        rd_walk(w, s, &p, time - first, stream);
}

/* Adds the arrivals of species s to its count in the voxel. A sum of arrivals below 0 has passed
   INT32_MAX. */
RD_FN void rd_land_one(const struct rd_world *w, int32_t s, int64_t voxel)
{
    const int64_t i = rd_column_of(w, s) * w->lattice.n_voxels + voxel;
    const int32_t arrived = w->counts.arrive[i];
    if (arrived == 0)
        return;
    w->counts.arrive[i] = 0;
    const int64_t n = (int64_t)w->counts.count[i] + arrived;
    if (arrived < 0 || n > INT32_MAX)
        rd_fault_at(w, RD_FAULT_OVERFLOW, voxel, s);
    else
        w->counts.count[i] = (int32_t)n;
}

/* Adds the arrivals to the counts of the voxel. */
RD_FN void rd_land(const struct rd_world *w, int64_t voxel)
{
    for (int32_t k = 0; k < rd_n_columns(w); k++)
        rd_land_one(w, rd_columned(w, k), voxel);
}

#endif
