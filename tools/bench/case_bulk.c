/* case_bulk - counted species by the split solver: the peer's case, movement only, a time unit at
   equilibrium, propensities of expressions, and regions. */
#include "bench/cases.h"

#include <stdio.h>

/* Times a step of three species on one lattice; each repeat begins with the initial counts. */
static bool add_steps(struct rd_bench *b, const char *of, const char *text, struct rd_size size,
                      struct rd_error *e)
{
    struct rd_trial t = {.of = of,
                         .text = text,
                         .size = size,
                         .steps = b->is_gpu ? 100 : 20,
                         .more = {.starts_over = true, .by_parts = b->is_gpu}};
    if (!rd_trial(b, &t, e))
        return false;
    const double voxels = rd_size_voxels(&size);
    struct rd_figure f = rd_trial_figure(b, &t, voxels, "voxels/s");
    /* each count of the three species (4 bytes) is read and written once */
    f.floor = b->limits.copy > 0.0 ? 24.0 * voxels / b->limits.copy : 0.0;
    snprintf(f.what, sizeof f.what, "%d^3, load %g", size.voxels, size.load);
    rd_error_free(&t.m.why);
    return rd_report_add(&b->report, &f, e);
}

static bool add_bulk_sizes(struct rd_bench *b, const char *of, const char *text,
                           const struct rd_size *list, int n, int n_quick, struct rd_error *e)
{
    struct rd_size size[RD_SIZES_MOST];
    const int n_sizes = rd_sizes(b->of, list, n, n_quick, size);
    bool ok = true;
    for (int i = 0; ok && i < n_sizes; i++)
        ok = add_steps(b, of, text, size[i], e);
    return ok;
}

bool rd_case_peer(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{64, 0.1},  {64, 0.5},  {64, 1.0},  {64, 2.0},
                                         {128, 0.1}, {128, 0.5}, {128, 1.0}, {128, 2.0},
                                         {256, 0.1}, {256, 0.5}, {256, 1.0}, {256, 2.0}};
    static const struct rd_size cpu[] = {{32, 1.0}, {64, 0.1}, {64, 0.5}, {64, 1.0}, {64, 2.0}};
    return b->is_gpu ? add_bulk_sizes(b, "peer", rd_text_peer, gpu, 12, 8, e)
                     : add_bulk_sizes(b, "peer", rd_text_peer, cpu, 5, 1, e);
}

bool rd_case_movement(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{64, 1.0}, {128, 1.0}, {256, 1.0}};
    static const struct rd_size cpu[] = {{32, 1.0}, {64, 1.0}};
    return b->is_gpu ? add_bulk_sizes(b, "movement", rd_text_movement, gpu, 3, 2, e)
                     : add_bulk_sizes(b, "movement", rd_text_movement, cpu, 2, 1, e);
}

/* Times a time unit, in steps that the program chooses. */
bool rd_case_split(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size list[] = {{32, 10.0}, {32, 1.0}};
    struct rd_size size[RD_SIZES_MOST];
    const int n = rd_sizes(b->of, list, 2, 1, size);
    for (int i = 0; i < n; i++) {
        struct rd_trial t = {.of = "split",
                             .text = rd_text_equilibrium,
                             .size = size[i],
                             .steps = b->is_gpu ? 120 : 6};
        if (!rd_trial(b, &t, e))
            return false;
        const double units = t.m.time / (double)t.m.steps; /* time units per step */
        for (int k = 0; k < t.m.seconds.n; k++)
            t.m.seconds.value[k] /= units;
        struct rd_figure f = rd_trial_figure(b, &t, t.m.molecules / units, "molecules/s");
        snprintf(f.what, sizeof f.what, "%d^3, load %g: a time unit", size[i].voxels, size[i].load);
        rd_error_free(&t.m.why);
        if (!rd_report_add(&b->report, &f, e))
            return false;
    }
    return true;
}

bool rd_case_propensities(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size list[] = {{64, 10.0}, {128, 10.0}};
    struct rd_size size[RD_SIZES_MOST];
    const int n = rd_sizes(b->of, list, b->is_gpu ? 2 : 1, 1, size);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        struct rd_trial t = {.of = "propensities",
                             .text = rd_text_expressions,
                             .size = size[i],
                             .steps = b->is_gpu ? 100 : 20};
        ok = rd_trial(b, &t, e);
        const double voxels = rd_size_voxels(&size[i]);
        struct rd_figure f = rd_trial_figure(b, &t, voxels, "propensities/s");
        ok = ok && rd_report_add(&b->report, &f, e);
        rd_error_free(&t.m.why);
    }
    return ok;
}

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
static bool add_region_ratio(struct rd_bench *b, struct rd_size size, struct rd_error *e)
{
    struct rd_trial with = {
        .of = "regions", .text = rd_text_regions, .size = size, .steps = b->is_gpu ? 120 : 12};
    rd_settings_add(&with.set, "parameters.n", "%d", size.voxels);
    struct rd_trial without = with;
    open_all(&without.set);
    if (!rd_trial(b, &without, e) || !rd_trial(b, &with, e))
        return false;
    const double voxels = rd_size_voxels(&size);
    struct rd_figure step = rd_trial_figure(b, &with, voxels, "voxels/s");
    snprintf(step.what, sizeof step.what, "%d^3, load %g", size.voxels, size.load);
    const double plain = rd_sample_median(&without.m.seconds);
    struct rd_figure ratio = rd_trial_value(
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
        ok = add_region_ratio(b, size[i], e);
    }
    return ok;
}
