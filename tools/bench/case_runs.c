/* case_runs - events of the exact solver, many runs of a well-mixed model against a direct method
   written for this model, and threads. */
#include "base/clock.h"
#include "bench/cases.h"
#include "bench/plain_direct_method.h"

#include <stdio.h>

enum { HOPS = 6 }; /* per molecule and unit of time, with D = h = 1 */

bool rd_case_exact(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size list[] = {{32, 10.0}, {128, 10.0}};
    struct rd_size size[RD_SIZES_MOST];
    const int n = rd_sizes(b->of, list, 2, 1, size);
    for (int i = 0; i < n; i++) {
        struct rd_trial t = {.of = "exact", .text = rd_text_equilibrium, .size = size[i]};
        t.steps = size[i].voxels > 64 ? 1 : 3;
        if (size[i].voxels > 64)
            rd_settings_add(&t.set, "parameters.tau", "0.02");
        rd_settings_add(&t.set, "solver", "exact");
        if (!rd_trial(b, &t, e))
            return false;
        const double unit = t.m.time / (double)t.m.steps;
        struct rd_figure f =
            rd_trial_figure(b, &t, HOPS * t.m.molecules * unit + t.m.fired, "events/s");
        snprintf(f.what, sizeof f.what, "%d^3, load %g: %.3g time units", size[i].voxels,
                 size[i].load, unit);
        rd_error_free(&t.m.why);
        if (!rd_report_add(&b->report, &f, e))
            return false;
    }
    return true;
}

/* Adds the time of one thread divided by that of all threads. */
static bool add_speedup(struct rd_bench *b, struct rd_trial one, const char *what,
                        struct rd_error *e)
{
    struct rd_trial all = one;
    one.more.on = all.more.on = b->of->machine;
    one.more.on.threads = 1;
    if (!rd_trial(b, &one, e) || !rd_trial(b, &all, e))
        return false;
    const double seconds = rd_sample_median(&all.m.seconds);
    struct rd_figure f = rd_trial_value(
        &all, what, seconds > 0.0 ? rd_sample_median(&one.m.seconds) / seconds : 0.0, "x");
    if (b->report.threads == 1)
        snprintf(f.note, sizeof f.note, "there is one thread only");
    rd_error_free(&one.m.why);
    rd_error_free(&all.m.why);
    return rd_report_add(&b->report, &f, e);
}

bool rd_case_threads(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size bulk[] = {{64, 10.0}}, quick[] = {{32, 10.0}},
                                voxels[] = {{16, 10.0}};
    struct rd_trial split = {.of = "threads", .text = rd_text_equilibrium, .steps = 3};
    struct rd_trial exact = {.of = "threads", .text = rd_text_equilibrium, .steps = 3};
    rd_sizes(b->of, b->of->is_quick ? quick : bulk, 1, 1, &split.size);
    rd_sizes(b->of, voxels, 1, 1, &exact.size);
    rd_settings_add(&exact.set, "solver", "exact");
    rd_settings_add(&exact.set, "run.runs", "8");
    char text[2][64];
    snprintf(text[0], sizeof text[0], "%d against 1: split, %d^3, load %g", b->report.threads,
             split.size.voxels, split.size.load);
    snprintf(text[1], sizeof text[1], "%d against 1: exact, 8 runs of %d^3", b->report.threads,
             exact.size.voxels);
    return add_speedup(b, split, text[0], e) && add_speedup(b, exact, text[1], e);
}

enum {
    RANDOM_WORDS = 4,
    PEER_REPEATS = 5
}; /* words per event; number of times that the peer is timed */

/* Returns the events per second of plain_direct_method on one core. */
static double direct_method_rate(int runs, double load)
{
    struct rd_sample rate = {0};
    for (int i = 0; i < PEER_REPEATS; i++) {
        const double begin = rd_clock();
        const struct rd_direct_method h = rd_direct_method_run(runs, load, (uint64_t)i);
        rd_sample_add(&rate, (double)h.events / (rd_clock() - begin));
    }
    return rd_sample_median(&rate);
}

static bool add_peer(struct rd_bench *b, const struct rd_trial *t, double rate, struct rd_error *e)
{
    const double direct = direct_method_rate(b->of->is_quick ? 200 : 1000, t->size.load);
    struct rd_figure f = rd_trial_value(t, "    against one core, hand-written",
                                        t->m.has_run ? rate / direct : 0.0, "x");
    if (t->m.has_run)
        snprintf(f.note, sizeof f.note, "Gillespie's direct method for this model only: %.3g M/s",
                 direct * 1e-6);
    return rd_report_add(&b->report, &f, e);
}

bool rd_case_ensemble(struct rd_bench *b, struct rd_error *e)
{
    struct rd_trial t = {.of = "ensemble", .text = rd_text_expression, .steps = 10};
    t.size = (struct rd_size){1, b->of->load > 0.0 ? b->of->load : 10.0};
    rd_settings_add(&t.set, "run.runs", "%d", b->of->is_quick ? 2000 : 10000);
    if (!rd_trial(b, &t, e))
        return false;
    struct rd_figure f = rd_trial_figure(b, &t, t.m.fired, "events/s");
    f.floor = b->limits.words > 0.0 ? RANDOM_WORDS * t.m.fired / b->limits.words : 0.0;
    snprintf(f.what, sizeof f.what, "runs of five reactions: a time unit");
    const bool ok = rd_report_add(&b->report, &f, e) && add_peer(b, &t, f.value, e);
    rd_error_free(&t.m.why);
    return ok;
}
