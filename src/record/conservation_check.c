/* conservation_check - checks the conservation laws against the totals of every snapshot. */
#include "record/conservation_check.h"

#include <math.h>
#include <stdlib.h>

bool rd_conservation_check_open(struct rd_conservation_check *g, const struct rd_plan *p,
                                struct rd_error *e)
{
    const size_t n_laws = (size_t)p->conserved.law.n;
    *g = (struct rd_conservation_check){.plan = p,
                                        .n_runs = p->world.lattice.n_runs,
                                        .n_species = p->world.counts.n_species,
                                        .good = NAN};
    if (n_laws == 0)
        return true;
    g->apart = calloc(n_laws * (size_t)g->n_runs, sizeof *g->apart);
    return g->apart ||
           rd_fail(e, "out of memory for the conservation laws of %lld runs", (long long)g->n_runs);
}

void rd_conservation_check_close(struct rd_conservation_check *g)
{
    free(g->apart);
    *g = (struct rd_conservation_check){0};
}

/* Returns the number of molecules of a species that are present or were absorbed by walls, less
   those that entered through walls. It counts modulo 2^64 as rd_sim_placed does: more may pass
   through than can be present. */
static int64_t conserved_number_of(const struct rd_conservation_check *g,
                                   const struct rd_snapshot *now, int64_t run, int32_t species)
{
    const int64_t at = run * g->n_species + species;
    uint64_t number = (uint64_t)now->totals[at];
    for (int face = 0; face < RD_FACES; face++) {
        number += now->lost ? (uint64_t)now->lost[at * RD_FACES + face] : 0;
        number -= now->entered ? (uint64_t)now->entered[at * RD_FACES + face] : 0;
    }
    return (int64_t)number;
}

static rd_i128 placed_of(const struct rd_conservation_check *g, const int64_t *placed, int64_t run,
                         const struct rd_sparse *law)
{
    rd_i128 sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += (rd_i128)placed[run * g->n_species + law->entry[i].at] * law->entry[i].value;
    return sum;
}

static rd_i128 found_of(const struct rd_conservation_check *g, const struct rd_snapshot *now,
                        int64_t run, const struct rd_sparse *law)
{
    rd_i128 sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += (rd_i128)conserved_number_of(g, now, run, law->entry[i].at) * law->entry[i].value;
    return sum;
}

/* Adds a message about a broken law; always returns false. The sums are rounded to doubles. */
static bool report_broken_law(const struct rd_conservation_check *g, const struct rd_snapshot *now,
                              int64_t run, const struct rd_sparse *law, rd_i128 found,
                              rd_i128 expected, struct rd_error *e)
{
    char *const text = rd_conservation_text(g->plan->model, law);
    char since[64] = "";
    if (!isnan(g->good))
        snprintf(since, sizeof since, " after t = %.9g", g->good);
    rd_fail(e,
            "run %lld, t = %.9g: the conserved sum %s is %.20g instead of %.20g: the program or "
            "the machine's memory failed%s, and the snapshot is discarded; test the memory, or "
            "report the error",
            (long long)(run + g->plan->model->first_run), now->time, text ? text : "a sum",
            (double)found, (double)expected, since);
    free(text);
    return false;
}

bool rd_conservation_check_check(struct rd_conservation_check *g, const int64_t *placed,
                                 bool is_begun, const struct rd_snapshot *now, struct rd_error *e)
{
    const struct rd_weighted_sums *const law = &g->plan->conserved.law;
    const bool is_first = isnan(g->good) && !is_begun;
    bool ok = true;
    for (int64_t run = 0; law->n > 0 && run < g->n_runs; run++)
        for (int i = 0; i < law->n && !(now->out && now->out[run]); i++) {
            rd_i128 *const apart = &g->apart[run * law->n + i];
            const rd_i128 found = found_of(g, now, run, &law->of[i]);
            const rd_i128 expected = placed_of(g, placed, run, &law->of[i]);
            if (is_first)
                *apart = found - expected;
            if (found != expected + *apart)
                ok = report_broken_law(g, now, run, &law->of[i], found, expected + *apart, e);
        }
    if (ok)
        g->good = now->time;
    return ok;
}
