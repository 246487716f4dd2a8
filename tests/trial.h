/* trial - runs a law's configuration under a seed of its own, and judges how far what was seen
   lies out. */
#ifndef RD_TRIAL_H
#define RD_TRIAL_H

#include "lab.h"

#include <stdint.h>

/* A configuration, and how it is computed. */
struct trial {
    const char *test; /* its name; with step it makes the seed */
    const char *text;
    const char *step; /* time.step, or "exact": that solver */
    int runs;         /* 0: as many as the text says */
};
void trial_run(const struct trial *t, lab_look *look, void *to);
/* The same with births and deaths. */
void trial_follow(const struct trial *t, lab_look *look, lab_live *live, void *to);

/* Every comparison of a test, in standard errors. */
struct verdict {
    int64_t n;
    double worst;
    char what[128]; /* that lies out so far */
};
void verdict_hear(struct verdict *v, double z, const char *format, ...);
/* Fails the test if so far out would be met by probability, among so many comparisons, less than
   once in 50000 tests (Bonferroni): 50 tests flicker together once in 1000 changes of the streams.
 */
void verdict_give(const struct verdict *v);

#endif
