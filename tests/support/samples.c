/* samples - small models that together use every feature, for twin tests. */
#include "samples.h"

#include "model_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXACT = 1, PAUSES = 2 };

static const struct {
    const char *name;
    int uses;
} samples[] = {
    {"binding", EXACT},
    {"many_per_voxel", EXACT},
    {"absorbing_corners", EXACT},
    {"fast_movement", EXACT},
    {"regions", EXACT},
    {"expressions", EXACT},
    {"missing_reactants", EXACT},
    {"one_voxel", EXACT},
    {"lie_splitting", EXACT},
    {"slow_molecules", EXACT},
    {"borders", EXACT},
    {"rates_by_place", EXACT},
    {"changing_rates", PAUSES},
    {"individuals_and_substeps", PAUSES},
    {"alike_species", PAUSES},
    {"individuals_at_borders", PAUSES},
    {"lineage", PAUSES},
    {"epidemics", PAUSES},
    {"long_steps", PAUSES},
    {"ballistic_walls", PAUSES},
    {"chemotaxis", PAUSES},
    {"full_lists", PAUSES},
    {"many_individuals", 0},
    {"fields", EXACT},
    {"individuals_in_fields", PAUSES},
    {"changing_fields", PAUSES},
    {"field_and_reactions", 0},
    {"mean_places", PAUSES},
    {"totals", EXACT},
    {"totals_of_individuals", PAUSES},
    {"events_of_counts", EXACT},
    {"events_of_individuals", PAUSES},
    {"conditions", EXACT},
    {"conditions_of_individuals", PAUSES},
    {"stopped_runs", EXACT},
    {"stopped_individuals", PAUSES},
    {"faults_of_propensities", PAUSES},
    {"faults_of_counts", EXACT},
    {"faults_in_a_corner", 0},
    {"faults_of_diffusion", PAUSES},
    {"stops_and_faults", EXACT},
    {"faults_of_individuals", PAUSES},
    {"faults_of_full_lists", PAUSES},
    {"faults_of_attributes", PAUSES},
    {"faults_of_events", PAUSES},
    {"faults_of_removals", EXACT},
    {"faults_of_births", PAUSES},
    {"faults_of_weighted_births", PAUSES},
    {"faults_of_max_events", EXACT},
    {"faults_of_max_events_individuals", PAUSES},
    {"faults_at_the_start", PAUSES},
    {"busy_voxel", EXACT},
    {"crowded_voxels", EXACT},
    {"sums_above_64_bits", 0},
    {"stopped_crowded_voxels", EXACT},
    {"compartments", EXACT},
    {"mixing", 0},
    {"two_blocks", EXACT},
    {"three_blocks", EXACT},
};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

char *sample_text(const char *name)
{
    char file[256];
    snprintf(file, sizeof file, "support/%s.cfg", name);
    return model_text(file);
}

bool sample_next(struct sample *s)
{
    enum { PARTS = 10 };
    const char *const seed = getenv("RDSIM_DRAW");
    const int first = seed ? (int)(strtoul(seed, NULL, 10) % PARTS) : 0;
    const int i = s->next > first ? s->next : first;
    free(s->text);
    *s = (struct sample){.next = i + (seed ? PARTS : 1)};
    if (i >= N_SAMPLES)
        return false;
    s->name = samples[i].name;
    s->text = sample_text(s->name);
    s->suits_exact = samples[i].uses & EXACT;
    s->can_pause = samples[i].uses & PAUSES;
    return true;
}

bool samples_are_drawn(void)
{
    return getenv("RDSIM_DRAW") != NULL;
}

#define OVERFLOW_IN(line, voxel, time)                                                             \
    "lab.cfg:" line ": more than 2147483647 molecules of 'A' are in voxel " voxel                  \
    " of run 0, before t = " time                                                                  \
    "; use smaller voxels, or let each molecule of the model represent many"

const struct sample_failing samples_failing[] = {
    {"overflow_in_a_corner", OVERFLOW_IN("4", "(0, 0, 0)", "0.0625")},
    {"overflow_at_a_wall", OVERFLOW_IN("5", "0", "0.0625")},
    {"overflow_by_regions", OVERFLOW_IN("5", "(0, 0)", "0.2")},
    {NULL, NULL},
};
