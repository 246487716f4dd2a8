/* samples - small configurations that together use every feature: for twins. */
#ifndef RD_SAMPLES_H
#define RD_SAMPLES_H

#include <stdbool.h>

struct sample {
    const char *name, *text;
};

/* All samples, up to a NULL name. */
const struct sample *all_samples(void);
/* The samples that a test runs, up to a NULL name: all, or the tenth that the number RDSIM_DRAW of
   the environment draws. A list that begins a line means the same in any order. */
const struct sample *drawn_samples(void);
/* Returns whether they are only a part: a test cannot expect each feature among them. */
bool samples_are_drawn(void);

/* A run that ends with this sentence. */
struct sample_ended {
    const char *name, *text, *message;
};

/* Ends with a NULL name. */
extern const struct sample_ended samples_ended[];

/* The exact solver knows no individuals and no movement by what changes, and looks at one voxel at
   a time; every hop is an event of its own, which billions in a corner are too many for. */
bool sample_suits_exact(const struct sample *s);

#endif
