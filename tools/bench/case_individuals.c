/* case_individuals - lists of individuals: the whole step, and its parts against one sort of the
   same list. */
#include "bench/cases.h"

#include <math.h>
#include <stdio.h>

int rd_individuals_sizes(const struct rd_bench *b, struct rd_size *size)
{
    static const struct rd_size gpu[] = {{64, 4.0}, {128, 4.0}, {256, 1.0}, {256, 4.0}};
    static const struct rd_size cpu[] = {{32, 4.0}, {64, 4.0}};
    return b->is_gpu ? rd_sizes(b->of, gpu, 4, 2, size) : rd_sizes(b->of, cpu, 2, 1, size);
}

/* Sets the maximum above the random number of individuals at the start and its later drift. */
static void set_trial_maximum(struct rd_trial *t)
{
    const double n = (double)rd_size_number(&t->size);
    rd_settings_add(&t->set, "species.W.individuals.max", "%.0f",
                    fmin(n + 0.02 * n + 20.0 * sqrt(n) + 1000.0, 2147483647.0));
}

static struct rd_trial trial_of(const struct rd_bench *b, const char *text, struct rd_size size)
{
    struct rd_trial t = {.of = "individuals",
                         .text = text,
                         .size = size,
                         .steps = b->is_gpu ? 50 : 10,
                         .more = {.by_parts = true}};
    set_trial_maximum(&t);
    return t;
}

/* Returns the seconds for keeping the list sorted after births and deaths: all but reactions,
   movement and its sort. */
static double maintenance_of(const struct rd_measure *m)
{
    static const int others[] = {RD_REACT, RD_MOVE,  RD_HOP,  RD_ENTER,      RD_LAND,
                                 RD_INDEX, RD_TALLY, RD_SORT, RD_TIME_EXACT, RD_TIME_PLACE};
    double sum = 0.0;
    for (int i = 0; i < RD_N_TIMES; i++)
        sum += m->pass[i];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        sum -= m->pass[others[i]];
    return sum;
}

static bool add_step(struct rd_bench *b, const struct rd_trial *t, const char *what,
                     struct rd_error *e)
{
    struct rd_figure f = rd_trial_figure(b, t, t->m.molecules, "individuals/s");
    f.floor = b->limits.copy > 0.0 ? 16.0 * t->m.molecules / b->limits.copy : 0.0;
    snprintf(f.what, sizeof f.what, "%.3g M in %d^3: %s", (double)rd_size_number(&t->size) / 1e6,
             t->size.voxels, what);
    return rd_report_add(&b->report, &f, e);
}

/* Adds a time as a multiple of that of one sort. */
static bool add_sort_ratio(struct rd_bench *b, const struct rd_trial *t, const char *what,
                           double seconds, struct rd_error *e)
{
    const double sort =
        rd_machine_limits_sort(&b->limits, rd_size_number(&t->size), t->size.voxels);
    if (sort == 0.0 || !t->m.has_run)
        return true;
    const struct rd_figure f = rd_trial_value(t, what, seconds / sort, "x one sort");
    return rd_report_add(&b->report, &f, e);
}

static bool add_size(struct rd_bench *b, struct rd_size size, struct rd_error *e)
{
    struct rd_trial whole = trial_of(b, rd_text_turnover, size);
    struct rd_trial moving = trial_of(b, rd_text_walkers, size);
    bool ok =
        rd_trial(b, &whole, e) && add_step(b, &whole, "1 % turnover", e) &&
        add_sort_ratio(b, &whole, "    the whole step", rd_sample_median(&whole.m.seconds), e) &&
        add_sort_ratio(b, &whole, "    list update: maintain ... index", maintenance_of(&whole.m),
                       e);
    ok = ok && rd_trial(b, &moving, e) && add_step(b, &moving, "movement only", e);
    rd_error_free(&whole.m.why);
    rd_error_free(&moving.m.why);
    return ok;
}

bool rd_case_individuals(struct rd_bench *b, struct rd_error *e)
{
    struct rd_size size[RD_SIZES_MOST];
    const int n = rd_individuals_sizes(b, size);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = add_size(b, size[i], e);
    return ok;
}
