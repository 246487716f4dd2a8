/* case_regions - the same molecules with borders and rates by region, and without. */
#include "bench/case_texts.h"
#include "bench/cases.h"

#include <stdio.h>

/* Sets the smallest lattice with room for a nucleus and the outside. */
enum { VOXELS_LEAST = 6 };

/* Opens all borders and makes C as fast everywhere: regions then have no effect on movement. */
static void open_all(struct rd_settings *set)
{
    rd_settings_add(set, "parameters.enter", "1");
    rd_settings_add(set, "parameters.leave", "1");
    rd_settings_add(set, "parameters.shut", "1");
    rd_settings_add(set, "parameters.d", "1");
}

/* Adds the time of a step with regions, and its ratio to that without. */
static bool add_ratio(struct rd_bench *b, struct rd_size size, struct rd_error *e)
{
    struct rd_trial with = {
        .of = "regions", .text = rd_text_regions, .size = size, .steps = b->is_gpu ? 120 : 12};
    rd_settings_add(&with.set, "parameters.n", "%d", size.voxels);
    struct rd_trial without = with;
    open_all(&without.set);
    if (!rd_trial(b, &without, e) || !rd_trial(b, &with, e))
        return false;
    const double voxels = (double)size.voxels * size.voxels * size.voxels;
    struct rd_figure step = rd_trial_figure(b, &with, voxels, "voxels/s");
    snprintf(step.what, sizeof step.what, "%d^3, load %g", size.voxels, size.load);
    const double plain = rd_sample_median(&without.m.seconds);
    struct rd_figure ratio = rd_figure_beside(
        &with, "", plain > 0.0 ? rd_sample_median(&with.m.seconds) / plain : 0.0, "x");
    snprintf(ratio.what, sizeof ratio.what, "%d^3, load %g: the time without regions", size.voxels,
             size.load);
    rd_error_free(&with.m.why);
    rd_error_free(&without.m.why);
    return rd_report_add(&b->report, &step, e) && rd_report_add(&b->report, &ratio, e);
}

bool rd_case_regions(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{64, 1.0}, {64, 14.0}, {128, 1.0}};
    static const struct rd_size cpu[] = {{32, 1.0}, {32, 14.0}, {32, 100.0}};
    struct rd_size size[RD_SIZES_MOST];
    const int n = rd_sizes(b->of, b->is_gpu ? gpu : cpu, 3, 1, size);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        if (size[i].voxels < VOXELS_LEAST)
            size[i].voxels = VOXELS_LEAST;
        ok = add_ratio(b, size[i], e);
    }
    return ok;
}
