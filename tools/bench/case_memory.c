/* case_memory - the machine memory that a simulation takes. */
#include "bench/cases.h"

#include <stdio.h>

/* Adds the bytes per additional item from two simulations; the difference removes what any
   simulation takes. */
static bool add_bytes(struct rd_bench *b, struct rd_trial *small, struct rd_trial *large,
                      double more, const char *unit, struct rd_error *e)
{
    struct rd_trial *const both[] = {small, large};
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        both[i]->more.least = both[i]->more.most = 1;
        ok = rd_trial(b, both[i], e);
    }
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g", large->size.voxels, large->size.load);
    const struct rd_figure f =
        rd_trial_value(large, what, (large->m.bytes - small->m.bytes) / more, unit);
    rd_error_free(&small->m.why);
    rd_error_free(&large->m.why);
    return ok && rd_report_add(&b->report, &f, e);
}

/* Compares a lattice with one of half as many voxels along each edge. */
static bool add_voxels(struct rd_bench *b, struct rd_size size, struct rd_error *e)
{
    struct rd_trial large = {.of = "memory", .text = rd_text_peer, .size = size, .steps = 1};
    struct rd_trial small = large;
    small.size.voxels = (size.voxels + 1) / 2;
    return add_bytes(b, &small, &large,
                     3.0 * (rd_size_voxels(&large.size) - rd_size_voxels(&small.size)),
                     "B per voxel and species", e);
}

/* Sets the maximum number of individuals of the trial. Returns it. */
static double set_memory_maximum(struct rd_trial *t)
{
    const double capacity = 1.05 * (double)rd_size_number(&t->size) + 1000.0;
    rd_settings_add(&t->set, "species.W.individuals.max", "%.0f", capacity);
    return capacity;
}

/* Compares all individuals with half as many on the same lattice. */
static bool add_individuals(struct rd_bench *b, struct rd_size size, struct rd_error *e)
{
    struct rd_trial large = {.of = "memory", .text = rd_text_turnover, .size = size, .steps = 1};
    struct rd_trial small = large;
    small.size.load /= 2.0;
    const double more = set_memory_maximum(&large) - set_memory_maximum(&small);
    return add_bytes(b, &small, &large, more, "B per individual", e);
}

bool rd_case_memory(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size large[] = {{128, 0.1}, {64, 8.0}}, small[] = {{64, 0.1}, {64, 4.0}};
    struct rd_size bulk, individuals;
    rd_sizes(b->of, b->of->is_quick ? &small[0] : &large[0], 1, 1, &bulk);
    rd_sizes(b->of, b->of->is_quick ? &small[1] : &large[1], 1, 1, &individuals);
    return add_voxels(b, bulk, e) && add_individuals(b, individuals, e);
}
