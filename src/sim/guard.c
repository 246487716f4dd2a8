/* guard - holds the conservation laws against the totals of every snapshot. */
#include "guard.h"

#include <math.h>
#include <stdlib.h>

bool rd_guard_open(struct rd_guard *g, const struct rd_sim *s, struct rd_error *e)
{
    const size_t n_laws = (size_t)s->plan->conserved.law.n;
    *g = (struct rd_guard){.conserved = &s->plan->conserved, .good = NAN};
    if (n_laws == 0)
        return true;
    g->apart = calloc(n_laws * (size_t)s->world.n_runs, sizeof *g->apart);
    return g->apart || rd_fail(e, "out of memory for the conservation laws of %lld runs",
                               (long long)s->world.n_runs);
}

void rd_guard_close(struct rd_guard *g)
{
    free(g->apart);
    *g = (struct rd_guard){0};
}

/* Molecules of a species that are there, or were taken by walls and did not come through them. */
static int64_t number_of(const struct rd_sim *s, const struct rd_snapshot *now, int64_t run,
                         int32_t species)
{
    const int64_t at = run * s->world.n_species + species;
    int64_t number = now->totals[at];
    for (int face = 0; face < RD_FACES; face++) {
        number += now->lost[at * RD_FACES + face];
        number -= now->entered ? now->entered[at * RD_FACES + face] : 0;
    }
    return number;
}

static rd_i128 placed_of(const struct rd_sim *s, int64_t run, const struct rd_balance *law)
{
    rd_i128 sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += (rd_i128)s->placed[run * s->world.n_species + law->term[i].species] *
               law->term[i].number;
    return sum;
}

static rd_i128 found_of(const struct rd_sim *s, const struct rd_snapshot *now, int64_t run,
                        const struct rd_balance *law)
{
    rd_i128 sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += (rd_i128)number_of(s, now, run, law->term[i].species) * law->term[i].number;
    return sum;
}

/* More than 64 bits are nearly told: the digits of a breach are what matters. */
static bool tell(const struct rd_guard *g, const struct rd_sim *s, const struct rd_snapshot *now,
                 int64_t run, const struct rd_balance *law, rd_i128 found, rd_i128 expected,
                 struct rd_error *e)
{
    char *const text = rd_conserve_text(s->plan->model, law);
    char since[64] = "";
    if (!isnan(g->good))
        snprintf(since, sizeof since, " after t = %.9g", g->good);
    rd_fail(e,
            "run %lld, t = %.9g: no reaction changes %s, which was %.20g and is %.20g: the program "
            "or the machine's memory failed%s; this snapshot is not kept",
            (long long)(run + s->world.first_run), now->time, text ? text : "a sum",
            (double)expected, (double)found, since);
    free(text);
    return false;
}

bool rd_guard_check(struct rd_guard *g, const struct rd_sim *s, const struct rd_snapshot *now,
                    struct rd_error *e)
{
    const struct rd_balances *const law = &g->conserved->law;
    const bool is_first = isnan(g->good) && !s->is_begun;
    bool ok = true;
    for (int64_t run = 0; law->n > 0 && run < s->world.n_runs; run++)
        for (int i = 0; i < law->n; i++) {
            rd_i128 *const apart = &g->apart[run * law->n + i];
            const rd_i128 found = found_of(s, now, run, &law->of[i]);
            const rd_i128 placed = placed_of(s, run, &law->of[i]);
            if (is_first)
                *apart = found - placed;
            if (found != placed + *apart)
                ok = tell(g, s, now, run, &law->of[i], found, placed + *apart, e);
        }
    if (ok)
        g->good = now->time;
    return ok;
}
