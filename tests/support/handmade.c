/* handmade - fills the tables of a world without a plan, for tests. */
#include "handmade.h"

#include <stdlib.h>
#include <string.h>

void handmade_open(struct handmade *h, const char *name, const int32_t size[3], int64_t runs)
{
    *h = (struct handmade){0};
    struct rd_world *const w = &h->world;
    w->pass.step_clock = &h->step_clock;
    w->lattice.n_sites = 1;
    for (int axis = 0; axis < 3; axis++) {
        w->lattice.size[axis] = size[axis];
        w->lattice.edge[axis] = 1;
        w->lattice.n_sites *= size[axis];
    }
    w->lattice.volume = 1;
    w->lattice.n_runs = runs;
    w->lattice.n_voxels = runs * w->lattice.n_sites;
    w->counts.n_species = HANDMADE_SPECIES;
    w->lattice.n_stripes = 1;
    w->lattice.stripe_shift = 40;
    w->pass.seed = seed_of(name);
    w->reactions.max_events = 1 << 28;
    for (int s = 0; s < HANDMADE_SPECIES; s++)
        h->transport[s].region = h->transport[s].borders = h->transport[s].uniformised_walks = -1;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        h->fault[kind].first = INT64_MAX;
    const size_t walls = (size_t)runs * HANDMADE_SPECIES * RD_N_FACES;
    w->lattice.mask = h->mask = malloc((size_t)w->lattice.n_sites * sizeof *h->mask);
    w->counts.count = h->count =
        calloc((size_t)w->lattice.n_voxels * HANDMADE_SPECIES, sizeof *h->count);
    w->counts.fired = h->fired = calloc((size_t)runs * HANDMADE_REACTIONS, sizeof *h->fired);
    w->counts.lost = h->lost = calloc(walls, sizeof *h->lost);
    w->counts.entered = h->entered = calloc(walls, sizeof *h->entered);
    assert_true(h->mask && h->count && h->fired && h->lost && h->entered);
    for (int64_t site = 0; site < w->lattice.n_sites; site++)
        h->mask[site] = 1;
    w->movement.transport = h->transport;
    w->reactions.channel = h->channel;
    w->reactions.reactant = h->reactant;
    w->reactions.change = h->change;
    w->expressions.program = h->law;
    w->runs.fault = h->fault;
}

void handmade_close(struct handmade *h)
{
    free(h->mask);
    free(h->count);
    free(h->fired);
    free(h->lost);
    free(h->entered);
}

int32_t *handmade_count(const struct handmade *h, int64_t run, char species, int64_t site)
{
    return &h->count[(species - 'A') * h->world.lattice.n_voxels + run * h->world.lattice.n_sites +
                     site];
}

void handmade_put(struct handmade *h, char species, int64_t site, int32_t number)
{
    for (int64_t run = 0; run < h->world.lattice.n_runs; run++)
        *handmade_count(h, run, species, site) = number;
}

void handmade_move(struct handmade *h, char species, const double rate[RD_N_FACES],
                   const double pass[RD_N_FACES])
{
    struct rd_transport *const m = &h->transport[species - 'A'];
    m->kind = RD_MOVE_DISPLACEMENTS;
    m->hop_rate.total = 0;
    for (int face = 0; face < RD_N_FACES; face++) {
        m->hop_rate.rate[face] = rate[face];
        m->pass[face] = pass[face];
        m->hop_rate.total += rate[face];
    }
}

/* Returns how often the letter occurs in the text. */
int32_t handmade_number(const char *text, char letter)
{
    int32_t n = 0;
    for (; *text; text++)
        n += *text == letter;
    return n;
}

struct rd_channel *handmade_react(struct handmade *h, const char *from, const char *to, double rate)
{
    const int32_t r = h->world.reactions.n_reactions++, first = r * HANDMADE_SPECIES;
    assert_true(r < HANDMADE_REACTIONS);
    struct rd_channel *const c = &h->channel[r];
    *c = (struct rd_channel){.rate = rate, .reactant = first, .change = first, .region = -1};
    for (int32_t s = 0; s < HANDMADE_SPECIES; s++) {
        const int32_t out = handmade_number(from, (char)('A' + s));
        const int32_t net = handmade_number(to, (char)('A' + s)) - out;
        if (out > 0)
            h->reactant[first + c->n_reactants++] = (struct rd_reactant){s, out};
        if (net != 0)
            h->change[first + c->n_changes++] = (struct rd_reactant){s, net};
    }
    return c;
}

int64_t handmade_total(const struct handmade *h, int64_t run, char species)
{
    int64_t sum = 0;
    for (int64_t site = 0; site < h->world.lattice.n_sites; site++)
        sum += *handmade_count(h, run, species, site);
    return sum;
}
