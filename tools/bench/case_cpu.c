/* case_cpu - cases for the CPU only: events of the exact solver, and threads. */
#include "bench/case_texts.h"
#include "bench/cases.h"

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
    struct rd_figure f = rd_figure_beside(
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
