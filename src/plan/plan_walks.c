/* plan_walks - tables for those who hop through a step at paces that are the same everywhere or in
   each zone: see tour.h. */
#include "plan/plan_hop_rates.h"

#include <stdlib.h>

/* How many paces the species has; 0: it makes no tours. */
static int32_t paces_of(const struct rd_plan *p, int32_t s)
{
    const struct rd_mover *const m = &p->mover[s];
    if (m->kind != RD_MOVE_WALK)
        return 0;
    return m->paced == RD_PACE_ALIKE ? 1 : m->paced == RD_PACE_BY_ZONE ? p->world.zone_count : 0;
}

/* Thresholds of words for the faces, where all rates come to `total`, or hops to less; gives the
   last one that a word may mean. */
static int32_t set_ways(uint32_t below[RD_FACES], const struct rd_pace *pace, double total)
{
    int32_t last = 0;
    double sum = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        sum += pace->rate[face];
        const double share = sum / total;
        below[face] = share >= 1.0 ? UINT32_MAX : (uint32_t)(share * 4294967296.0);
        last = pace->rate[face] > 0.0 ? face : last;
    }
    return pace->total < total ? RD_FACES : last;
}

/* The tours of a species, of which `most` is the highest rate. */
static bool add_tours(struct rd_plan *p, const struct rd_pace *pace, int32_t n, double most,
                      double time, struct rd_error *e)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < n; i++) {
        struct rd_tour *const t = &p->tour[p->world.n_tour++];
        *t = (struct rd_tour){.first_last = 0};
        t->next_last = set_ways(t->next, &pace[i], most);
        if (!(pace[i].total > 0.0))
            continue;
        t->first_last = set_ways(t->first, &pace[i], pace[i].total);
        ok = rd_rows_add_tries(&p->rows, most * time, pace[i].total / most, &t->tries, e);
    }
    return ok;
}

bool rd_plan_tours(struct rd_plan *p, double time, struct rd_error *e)
{
    size_t n = 0;
    for (int32_t s = 0; s < p->world.n_species; s++)
        n += (size_t)paces_of(p, s);
    free(p->tour);
    p->tour = n > 0 ? malloc(n * sizeof *p->tour) : NULL;
    p->world.n_tour = 0;
    p->world.has_tours = 0;
    bool ok = n == 0 || p->tour || rd_fail(e, "out of memory for the tables of movement");
    for (int32_t s = 0; ok && s < p->world.n_species; s++) {
        struct rd_mover *const m = &p->mover[s];
        const int32_t n_paces = paces_of(p, s);
        const struct rd_pace *const pace =
            m->paced == RD_PACE_ALIKE ? &m->pace : p->pace + m->paces;
        double most = 0.0;
        m->tours = n_paces > 0 ? (int32_t)p->world.n_tour : -1;
        p->world.has_tours |= n_paces > 0 && !m->is_listed;
        for (int32_t i = 0; i < n_paces; i++)
            most = pace[i].total > most ? pace[i].total : most;
        ok = add_tours(p, pace, n_paces, most, time, e);
    }
    return ok;
}
