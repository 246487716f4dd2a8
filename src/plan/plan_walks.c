/* plan_walks - tables of uniformised walks (kernels/passes/movement/uniformised_walk.h), for
   species whose hop rates are equal everywhere or in each zone. */
#include "plan/plan_hop_rates.h"

#include <stdlib.h>

/* Returns the number of hop rates of the species that need tables; 0 if it makes no uniformised
   walk. */
static int32_t hop_rates_of(const struct rd_plan *p, int32_t s)
{
    const struct rd_transport *const m = &p->transport[s];
    if (m->kind != RD_MOVE_WALK)
        return 0;
    return m->hop_rate_kind == RD_HOP_RATE_ALIKE     ? 1
           : m->hop_rate_kind == RD_HOP_RATE_BY_ZONE ? p->world.zone_count
                                                     : 0;
}

/* Computes the thresholds of random words for the faces at the total rate `total`. If the rates add
   up to less, the rest are attempts that fail. Returns the last outcome that a word may have. */
static int32_t set_ways(uint32_t below[RD_FACES], const struct rd_hop_rate *hop_rate, double total)
{
    int32_t last = 0;
    double sum = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        sum += hop_rate->rate[face];
        const double share = sum / total;
        below[face] = share >= 1.0 ? UINT32_MAX : (uint32_t)(share * 4294967296.0);
        last = hop_rate->rate[face] > 0.0 ? face : last;
    }
    return hop_rate->total < total ? RD_FACES : last;
}

/* Adds the walks of a species; `most` is its highest total rate. */
static bool add_uniformised_walks(struct rd_plan *p, const struct rd_hop_rate *hop_rate, int32_t n,
                                  double most, double time, struct rd_error *e)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < n; i++) {
        struct rd_uniformised_walk *const t = &p->uniformised_walk[p->world.n_uniformised_walk++];
        *t = (struct rd_uniformised_walk){.first_last = 0};
        t->next_last = set_ways(t->next, &hop_rate[i], most);
        if (!(hop_rate[i].total > 0.0))
            continue;
        t->first_last = set_ways(t->first, &hop_rate[i], hop_rate[i].total);
        ok = rd_displacements_add_tries(&p->displacements, most * time, hop_rate[i].total / most,
                                        &t->tries, e);
    }
    return ok;
}

bool rd_plan_uniformised_walks(struct rd_plan *p, double time, struct rd_error *e)
{
    size_t n = 0;
    for (int32_t s = 0; s < p->world.n_species; s++)
        n += (size_t)hop_rates_of(p, s);
    free(p->uniformised_walk);
    p->uniformised_walk = n > 0 ? malloc(n * sizeof *p->uniformised_walk) : NULL;
    p->world.n_uniformised_walk = 0;
    p->world.has_uniformised_walks = 0;
    bool ok =
        n == 0 || p->uniformised_walk || rd_fail(e, "out of memory for the tables of movement");
    for (int32_t s = 0; ok && s < p->world.n_species; s++) {
        struct rd_transport *const m = &p->transport[s];
        const int32_t n_hop_rates = hop_rates_of(p, s);
        const struct rd_hop_rate *const hop_rate =
            m->hop_rate_kind == RD_HOP_RATE_ALIKE ? &m->hop_rate : p->hop_rate + m->hop_rates;
        double most = 0.0;
        m->uniformised_walks = n_hop_rates > 0 ? (int32_t)p->world.n_uniformised_walk : -1;
        p->world.has_uniformised_walks |= n_hop_rates > 0 && !m->is_listed;
        for (int32_t i = 0; i < n_hop_rates; i++)
            most = hop_rate[i].total > most ? hop_rate[i].total : most;
        ok = add_uniformised_walks(p, hop_rate, n_hop_rates, most, time, e);
    }
    return ok;
}
