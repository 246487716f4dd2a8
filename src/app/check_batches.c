/* check_batches - batches of runs that an ensemble would need, and the reason. */
#include "app/check_batches.h"

#include "app/batches.h"

#include <stdio.h>

/* Writes the runs of the first batches: "runs 0 to 3999, then 4000 to 7999 and so on". */
static void list_runs(const struct rd_batch *b, char *text, size_t bytes)
{
    const int64_t first = b->all->first_run, end = first + b->all->n_runs, n = rd_batch_count(b);
    const int64_t second = first + b->size, third = second + b->size;
    if (b->size == 1)
        snprintf(text, bytes, "run %lld, then %lld%s", (long long)first, (long long)second,
                 n > 2 ? " and so on" : "");
    else
        snprintf(text, bytes, "runs %lld to %lld, then %lld to %lld%s", (long long)first,
                 (long long)second - 1, (long long)second,
                 (long long)(third < end ? third : end) - 1, n > 2 ? " and so on" : "");
}

/* Makes the batches so small that one fits. Returns false if none does, or if this is unknown. */
static bool fit(struct rd_batch *b, const struct rd_machine_of *how, struct rd_fit *most)
{
    struct rd_error ignored = {0};
    bool ok = true;
    for (struct rd_fit now = {0}; ok && now.runs < b->size;) {
        struct rd_machine_of machine = *how;
        const struct rd_plan *const p = rd_batch_open(b, &ignored);
        if (p)
            rd_batch_beside(b, p, &machine);
        ok = p && rd_sim_fits(p, &machine, &now, &ignored);
        rd_batch_close(b);
        if (ok && most->runs == 0)
            *most = now;
        if (ok && now.runs < b->size)
            ok = rd_batch_shrink(b, now.runs);
    }
    rd_error_free(&ignored);
    return ok;
}

void rd_check_batches(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                      int64_t at_once)
{
    const struct rd_model *const m = p->model;
    struct rd_batch b = {.all = m, .plan_of_all = p, .size = rd_batch_first_size(m, at_once)};
    const int64_t before = b.size;
    struct rd_fit of_all = {0};
    char runs[120], why[160];
    *text = 0;
    if (m->n_runs == 1 || (at_once == 0 && !fit(&b, how, &of_all)) || b.size == m->n_runs)
        return;
    if (b.size < before)
        snprintf(why, sizeof why, "%lld runs need %.3g GB, and %.3g GB are free", (long long)before,
                 of_all.need / 1e9, of_all.has / 1e9);
    else if (b.size == at_once)
        snprintf(why, sizeof why, "so many are asked for at once");
    else
        snprintf(why, sizeof why,
                 "at once there can be 2^31 - 1 individuals of a kind, and 2^32 - 2 voxels");
    list_runs(&b, runs, sizeof runs);
    snprintf(text, bytes, "%s, %lld batches: %s", runs, (long long)rd_batch_count(&b), why);
}
