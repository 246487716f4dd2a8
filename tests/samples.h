/* samples - small configurations that together use every feature: for twins. */
#ifndef RD_SAMPLES_H
#define RD_SAMPLES_H

#include <stdbool.h>

struct sample {
    const char *name, *text;
};

/* Ends with a NULL name. A list that begins a line means the same in any order. */
extern const struct sample samples[];

/* The exact solver knows no individuals and no movement by what changes, and looks at one cell at a
   time. */
bool sample_suits_exact(const struct sample *s);

#endif
