/* prints - a fingerprint of every run of a configuration, for twins. */
#include "prints.h"

#include "chance.h"

#include <string.h>

static uint64_t hash(const char *name, double time)
{
    uint64_t h = CHANCE_HASH_START, bits;
    memcpy(&bits, &time, sizeof bits);
    for (; *name; name++)
        h = hash_step(h, (unsigned char)*name);
    return hash_step(h, bits);
}

/* All of one species in a run. */
static uint64_t species_print(const struct rd_model *m, const struct rd_snapshot *s, int64_t run,
                              int species)
{
    const int64_t n_sites = m->grid.n_sites, row = run * m->n_species + species;
    uint64_t h = hash(m->species[species].name, s->time);
    for (int64_t site = 0; site < n_sites; site++)
        h = hash_step(h, (uint64_t)s->counts[row * n_sites + site]);
    h = hash_step(h, (uint64_t)s->totals[row]);
    for (int face = 0; face < RD_FACES; face++) {
        h = hash_step(h, (uint64_t)s->lost[row * RD_FACES + face]);
        h = hash_step(h, s->entered ? (uint64_t)s->entered[row * RD_FACES + face] : 0);
    }
    return h;
}

/* Sums do not depend on the order. */
static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct prints *const p = to;
    assert_true(m->n_runs <= PRINTS_MOST);
    p->n_runs = m->n_runs;
    for (int64_t run = 0; run < m->n_runs; run++) {
        for (int i = 0; i < m->n_species; i++)
            p->run[run] += species_print(m, s, run, i);
        for (int r = 0; r < m->n_reactions; r++)
            p->run[run] += hash_step(hash(m->reaction[r].equation, s->time),
                                     (uint64_t)s->fired[run * m->n_reactions + r]);
    }
}

void prints_take(struct prints *p, const struct lab *lab, const char *text, const char *const *sets)
{
    struct lab printing = *lab;
    printing.look = look;
    printing.to = p;
    memset(p, 0, sizeof *p);
    lab_run(&printing, text, sets);
}
