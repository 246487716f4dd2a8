/* case_model - steps of a configuration that the command line names. It is a file of its own
   because the other cases set lattice and load of a text. */
#include "bench/cases.h"

#include <string.h>

enum { REPEATS_LEAST = 3, REPEATS_MOST = 60 };

/* Returns the file's name without its folders. */
static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns whether there were enough outputs: the first stretch warms up. */
static bool has_repeats(const struct rd_measure *m, const char *path, int least, struct rd_error *e)
{
    e->wrong = m->has_run && m->seconds.n < least;
    return !e->wrong || rd_fail(e,
                                "%s: stretches between outputs after the first: %d, too few for "
                                "%d repeats; shorten output.every, or set --repeat",
                                path, m->seconds.n, least);
}

bool rd_case_model(struct rd_bench *b, struct rd_error *e)
{
    const struct rd_bench_of *const of = b->of;
    const int least = of->repeats > 0 ? of->repeats : REPEATS_LEAST;
    struct rd_trial t = {.of = "model"};
    const struct rd_measure_of m = {.backend = b->backend,
                                    .machine = b->machine,
                                    .on = of->machine,
                                    .name = of->model,
                                    .set = of->set,
                                    .n_set = of->n_set,
                                    .least = least,
                                    .most = of->repeats > 0 ? least : REPEATS_MOST,
                                    .seconds = 10.0,
                                    .by_parts = b->is_gpu};
    if (!rd_measure(&t.m, &m, e) || !has_repeats(&t.m, of->model, least, e))
        return false;
    struct rd_figure f = rd_trial_figure(b, &t, t.m.molecules, "molecules/s");
    snprintf(f.what, sizeof f.what, "%s", base_name(of->model));
    rd_error_free(&t.m.why);
    return rd_report_add(&b->report, &f, e);
}
