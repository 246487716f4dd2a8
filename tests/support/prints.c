/* prints - a fingerprint of every run of a configuration, for twin tests. */
#include "prints.h"

#include "probability.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_double(uint64_t h, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_step(h, bits);
}

static uint64_t hash(const char *name, double time)
{
    uint64_t h = PROBABILITY_HASH_START;
    for (; *name; name++)
        h = hash_step(h, (unsigned char)*name);
    return hash_double(h, time);
}

/* Returns the hash of a species in a run. */
static uint64_t species_print(const struct rd_model *m, const struct rd_snapshot *s, int64_t run,
                              int species)
{
    const int64_t n_sites = m->grid.n_sites, row = run * m->n_species + species;
    uint64_t h = hash(m->species[species].name, s->time);
    for (int64_t site = 0; site < n_sites; site++)
        h = hash_step(h, (uint64_t)s->counts[row * n_sites + site]);
    h = hash_step(h, (uint64_t)s->totals[row]);
    if (s->stopped)
        h = hash_double(h, s->stopped[run]);
    for (int face = 0; face < RD_FACES; face++) {
        h = hash_step(h, s->lost ? (uint64_t)s->lost[row * RD_FACES + face] : 0);
        h = hash_step(h, s->entered ? (uint64_t)s->entered[row * RD_FACES + face] : 0);
    }
    return h;
}

/* Returns the hash of individuals of one species and run: rows begin to end - 1, in their order. */
static uint64_t rows_print(const struct rd_model *m, const struct rd_individuals *of, int64_t begin,
                           int64_t end, double time)
{
    const struct rd_species *const species = &m->species[of->species];
    uint64_t h = hash(species->name, time), sum = 0;
    for (int64_t i = begin; i < end; i++) {
        h = hash_step(h, (uint64_t)of->id[i]);
        h = hash_step(h, (uint64_t)of->parent[i]);
        h = hash_step(h, (uint64_t)of->site[i]);
        h = hash_double(h, of->born[i]);
    }
    for (int a = 0; a < species->n_attributes; a++) {
        uint64_t own = hash(species->attribute[a].name, time);
        for (int64_t i = begin; i < end; i++)
            own = hash_double(own, of->attribute[a][i]);
        sum += own;
    }
    return hash_step(h, sum);
}

static void look_at_individuals(struct prints *p, const struct rd_model *m,
                                const struct rd_snapshot *s, const struct rd_individuals *of)
{
    int64_t begin = 0;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int64_t end = begin + of->row_count[run];
        if (s->out && s->out[run])
            assert_int_equal(of->row_count[run], 0);
        else
            p->run[run] += rows_print(m, of, begin, end, s->time);
        begin = end;
    }
}

/* Returns the hash of a varying field in a run. */
static uint64_t field_print(const struct rd_model *m, const struct rd_snapshot *s, int64_t run,
                            int i)
{
    uint64_t h = hash(m->field[i].name, s->time);
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        h = hash_double(h, s->field[i][run * m->grid.n_sites + site]);
    return h;
}

/* Adds up the hashes, since a sum does not depend on the order. */
static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct prints *const p = to;
    assert_true(m->n_runs <= PRINTS_MOST);
    p->n_runs = m->n_runs;
    for (int64_t i = 0; i < s->n_faulted; i++)
        p->fault[s->faulted[i].run - m->first_run] = hash(s->faulted[i].text, 0.0);
    for (int64_t run = 0; run < m->n_runs; run++) {
        if (s->out && s->out[run]) { /* the lineage continues up to the fault */
            p->run[run] = p->before[run];
            continue;
        }
        for (int i = 0; i < m->n_species; i++)
            p->run[run] += species_print(m, s, run, i);
        for (int r = 0; r < m->n_reactions; r++)
            p->run[run] += hash_step(hash(m->reaction[r].equation, s->time),
                                     (uint64_t)s->fired[run * m->n_reactions + r]);
        for (int i = 0; i < m->n_fields; i++)
            p->run[run] += m->field_varies[i] ? field_print(m, s, run, i) : 0;
    }
    for (int i = 0; i < s->n_individuals; i++)
        look_at_individuals(p, m, s, &s->individuals[i]);
    memcpy(p->before, p->run, sizeof p->before);
}

/* Chains the hashes of a run's lineage, whose order matters. */
static void live(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    struct prints *const p = to;
    for (const struct rd_life *l = life; l < life + n; l++) {
        uint64_t h = hash_step(hash(l->species < 0 ? "" : m->species[l->species].name, l->time),
                               (uint64_t)l->site);
        h = hash_step(hash_step(h, (uint64_t)l->id), (uint64_t)l->is_birth);
        h = hash_step(h, l->is_birth ? (uint64_t)l->parent : 0);
        p->run[l->run] = hash_step(p->run[l->run], h);
    }
}

/* Runs the text and returns the messages, which the caller frees. */
static char *take(struct prints *p, const struct lab *lab, const char *text,
                  const char *const *sets)
{
    struct lab printing = *lab;
    printing.look = look;
    printing.live = live;
    printing.to = p;
    memset(p, 0, sizeof *p);
    return lab_try(&printing, text, sets);
}

void prints_take(struct prints *p, const struct lab *lab, const char *text, const char *const *sets)
{
    char *const message = take(p, lab, text, sets);
    if (*message)
        fail_msg("%s", message);
    free(message);
}

void prints_take_one(struct prints *p, const struct lab *lab, const char *text,
                     const char *const *sets)
{
    char *const message = take(p, lab, text, sets);
    assert_true(p->n_runs == 1 || *message); /* the run may fail before it starts */
    p->fault[0] = *message ? hash(message, 0.0) : 0;
    free(message);
}
