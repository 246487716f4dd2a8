/* samples - small configurations that together use every feature, for twin tests. */
#ifndef RD_SAMPLES_H
#define RD_SAMPLES_H

#include <stdbool.h>

struct sample {
    const char *name, *text;
};

/* Returns all samples, up to one with a NULL name. */
const struct sample *all_samples(void);
/* Returns the samples that a test runs, up to one with a NULL name: all, or the tenth of them that
   the environment variable RDSIM_DRAW selects. A list of a sample that begins a line has the same
   meaning in any order. */
const struct sample *drawn_samples(void);
/* Returns whether drawn_samples() is only a part; then a test cannot expect every feature in it. */
bool samples_are_drawn(void);

/* Holds a run that ends with this message. */
struct sample_ended {
    const char *name, *text, *message;
};

/* The array ends with a NULL name. */
extern const struct sample_ended samples_ended[];

/* Returns whether the exact solver can run the sample. It has no individuals and no movement with
   changing rates, and it handles every hop as an event, which takes too long for billions of
   molecules in a corner. */
bool sample_suits_exact(const struct sample *s);

#endif
