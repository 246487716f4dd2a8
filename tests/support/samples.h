/* samples - small models that together use every feature, for twin tests. */
#ifndef RD_SAMPLES_H
#define RD_SAMPLES_H

#include <stdbool.h>

/* Holds the sample that a loop has reached; it starts as {0}. The list of species, reactions or
   initial entries may have any order, and so may a list after the comment "in any order". */
struct sample {
    const char *name; /* of the file tests/models/support/NAME.cfg */
    char *text;
    bool suits_exact; /* the exact solver can run it: it has no individuals, no movement with
                         changing rates, and not billions of molecules whose hops are events */
    bool can_pause;   /* passes need capacity, and runs pause without it */
    int next;
};

/* Reads the next sample and returns true; or frees the last one and returns false. Leaves out
   samples if the environment variable RDSIM_DRAW selects a tenth of them. */
bool sample_next(struct sample *s);
/* Returns whether sample_next leaves out samples; then a test cannot expect every feature. */
bool samples_are_drawn(void);

/* Holds a model whose run fails with this message. */
struct sample_failing {
    const char *name; /* of the file tests/models/support/NAME.cfg */
    const char *message;
};

/* The array ends with a NULL name. */
extern const struct sample_failing samples_failing[];
/* Returns the text of tests/models/support/NAME.cfg; the caller frees it. */
char *sample_text(const char *name);

#endif
