/* walk - one molecule hops from cell to cell through what remains of the step: the master
   equation's own continuous-time walk, exact wherever rates do not change within the step.
   For molecules in irregular places and those that enter from a reservoir. */
#ifndef RD_WALK_H
#define RD_WALK_H

#include "draw.h"
#include "lattice.h"

/* Molecules of species s on their way to the cell; they are counted there by rd_land. */
RD_FN void rd_arrive(const struct rd_world *w, int32_t s, int64_t cell, int32_t n)
{
    const int32_t old = rd_add_i32(&w->arrive[s * w->n_cells + cell], n);
    if (n >= 65536 && old > INT32_MAX - n) /* many small arrivals are caught by rd_land */
        rd_fault_at(w, RD_FAULT_OVERFLOW, cell, s);
}

/* The face takes n molecules of species s that were at p. */
RD_FN void rd_lose(const struct rd_world *w, int32_t s, const struct rd_place *p, int face,
                   int64_t n)
{
    const int64_t sums = rd_sums_of(w, p->run, p->site);
    rd_add_i64(&w->lost[(sums * w->n_species + s) * RD_N_FACES + face], n);
}

/* The rates of hopping back and forward along an axis with edge h: D/h^2 -+ v/2h, of mean v and
   variance 2 D. Where |v| h > 2 D one of them would be negative; then it is 0 and the other |v|/h:
   the mean stays right and the diffusivity becomes |v| h / 2. */
RD_FN void rd_rates_of(double diffusion, double drift, double h, double rate[2])
{
    const double spread = diffusion / (h * h), lean = drift / (2.0 * h);
    const double least = lean < 0.0 ? -lean : lean;
    const double both = spread > least ? spread : least;
    rate[0] = both - lean;
    rate[1] = both + lean;
}

/* How often those of the mover hop from the site. */
RD_FN const struct rd_pace *rd_pace_at(const struct rd_world *w, const struct rd_mover *m,
                                       int64_t run, int64_t site)
{
    switch (m->paced) {
    case RD_PACE_BY_ZONE:
        return &w->pace[m->paces + w->zone[site]];
    case RD_PACE_BY_SITE:
        return &w->pace[m->paces + site];
    case RD_PACE_BY_CELL:
        return &w->pace_now[m->paces + run * w->n_sites + site];
    default:
        return &m->pace;
    }
}

/* What a hop from a place towards a face's side comes to, if it happens: it leads `to` there along
   the axis, or the wall takes whoever hops. Else everything stays as it was. */
struct rd_crossing {
    int32_t to;
    bool is_out;
    double chance;
};

/* The chance of a hop between two sites: none out of its region, less than 1 across a border. */
RD_FN double rd_chance_between(const struct rd_world *w, const struct rd_mover *m, int64_t from,
                               int64_t to)
{
    if (!rd_is_in(w, m->region, to))
        return 0.0;
    if (m->borders < 0)
        return 1.0;
    return w->border[m->borders + w->zone[from] * w->zone_count + w->zone[to]];
}

RD_FN struct rd_crossing rd_crossing_of(const struct rd_world *w, const struct rd_mover *m,
                                        int face, const int32_t at[3])
{
    const int axis = face / 2;
    struct rd_crossing c = {.to = at[axis] + (face % 2 ? 1 : -1), .is_out = false, .chance = 1.0};
    if (c.to < 0 || c.to >= w->size[axis]) {
        c.is_out = m->pass[face] >= 0.0;
        c.chance = m->pass[face];
        if (c.is_out)
            return c;
        c.to = c.to < 0 ? w->size[axis] - 1 : 0;
    }
    int32_t next[3] = {at[0], at[1], at[2]};
    next[axis] = c.to;
    c.chance = rd_chance_between(w, m, rd_site_number(w, at), rd_site_number(w, next));
    return c;
}

/* Which face's side the next hop goes to, in proportion to the rates, of the sum `total`. */
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

/* One hop towards the face from `at`, which follows; false if a wall took it. */
RD_FN bool rd_hop_once(const struct rd_world *w, const struct rd_mover *m, int face, int32_t at[3],
                       struct rd_stream *s)
{
    const struct rd_crossing c = rd_crossing_of(w, m, face, at);
    const bool happens = c.chance >= 1.0 || (c.chance > 0.0 && rd_uniform(s) < c.chance);
    if (happens && !c.is_out)
        at[face / 2] = c.to;
    return !(happens && c.is_out);
}

/* A molecule of species s hops from p through the time left, until it arrives or is lost. */
RD_FN void rd_walk(const struct rd_world *w, int32_t s, const struct rd_place *p, double left,
                   struct rd_stream *stream)
{
    const struct rd_mover *const m = &w->mover[s];
    int32_t at[3] = {p->at[0], p->at[1], p->at[2]};
    for (;;) {
        if (stream->counter[0] > UINT32_MAX - 8) {
            rd_fault_at(w, RD_FAULT_STUCK, p->cell, s);
            break;
        }
        const struct rd_pace *const pace = rd_pace_at(w, m, p->run, rd_site_number(w, at));
        left -= rd_exponential(stream) / pace->total;
        if (!(left > 0.0))
            break;
        const int face = rd_direction(pace->rate, pace->total, rd_uniform(stream));
        if (!rd_hop_once(w, m, face, at, stream)) {
            rd_lose(w, s, p, face, 1);
            return;
        }
    }
    rd_arrive(w, s, p->run * w->n_sites + rd_site_number(w, at), 1);
}

/* The same, where it is known to try a hop within the time: the first comes at an exponential time
   cut there. */
RD_FN void rd_set_off(const struct rd_world *w, int32_t s, const struct rd_pace *pace,
                      double chance, const struct rd_place *from, double time,
                      struct rd_stream *stream)
{
    struct rd_place p = *from;
    const double first = -rd_log1p(-rd_uniform(stream) * chance) / pace->total;
    const int face = rd_direction(pace->rate, pace->total, rd_uniform(stream));
    if (!rd_hop_once(w, &w->mover[s], face, p.at, stream))
        rd_lose(w, s, &p, face, 1);
    else
        rd_walk(w, s, &p, time - first, stream);
}

#endif
