/* case_bulk - counted species by the split solver: the peer's case, movement only, and a time unit
   at equilibrium. */
#include "bench/case_texts.h"
#include "bench/cases.h"

#include <stdio.h>

/* Returns the least seconds of a step: each count (4 bytes) read and written once. */
static double floor_of(const struct rd_bench *b, const struct rd_size *size, int n_species)
{
    const double voxels = (double)size->voxels * size->voxels * size->voxels;
    return b->ceiling.copy > 0.0 ? 8.0 * n_species * voxels / b->ceiling.copy : 0.0;
}

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
    const double voxels = (double)size.voxels * size.voxels * size.voxels;
    struct rd_figure f = rd_trial_figure(b, &t, voxels, "voxels/s");
    f.floor = floor_of(b, &size, 3);
    snprintf(f.what, sizeof f.what, "%d^3, load %g", size.voxels, size.load);
    rd_error_free(&t.m.why);
    return rd_report_add(&b->report, &f, e);
}

static bool add_all(struct rd_bench *b, const char *of, const char *text,
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
    return b->is_gpu ? add_all(b, "peer", rd_text_peer, gpu, 12, 8, e)
                     : add_all(b, "peer", rd_text_peer, cpu, 5, 1, e);
}

bool rd_case_movement(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{64, 1.0}, {128, 1.0}, {256, 1.0}};
    static const struct rd_size cpu[] = {{32, 1.0}, {64, 1.0}};
    return b->is_gpu ? add_all(b, "movement", rd_text_movement, gpu, 3, 2, e)
                     : add_all(b, "movement", rd_text_movement, cpu, 2, 1, e);
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

bool rd_case_laws(struct rd_bench *b, struct rd_error *e)
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
        const double voxels = (double)size[i].voxels * size[i].voxels * size[i].voxels;
        struct rd_figure f = rd_trial_figure(b, &t, voxels, "laws/s");
        ok = ok && rd_report_add(&b->report, &f, e);
        rd_error_free(&t.m.why);
    }
    return ok;
}
