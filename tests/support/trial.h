/* trial - runs the configuration of a physics test with a seed of its own, and judges the
   deviations in standard errors. */
#ifndef RD_TRIAL_H
#define RD_TRIAL_H

#include "lab.h"

#include <stdint.h>

/* Holds a model and how it is computed. */
struct trial {
    const char *test;        /* name of the test; with step it makes the seed */
    const char *model;       /* the file tests/models/MODEL */
    const char *const *sets; /* settings of the model, or NULL */
    const char *step;        /* time.step, or "exact" for the exact solver */
    int runs;                /* 0: as many as the model says */
};
void trial_run(const struct trial *t, lab_look *look, void *to);
/* Does the same and also passes on births and deaths. */
void trial_run_lineage(const struct trial *t, lab_look *look, lab_live *live, void *to);

/* Collects the comparisons of a test, in standard errors. */
struct verdict {
    int64_t n;
    double worst;
    char what[128]; /* description of the largest deviation so far */
};
/* Adds a deviation; `format` describes it. */
void verdict_add(struct verdict *v, double z, const char *format, ...);
/* Adds the deviations of the mean and the variance from their expectations; `format` says of what.
 */
void verdict_add_sums(struct verdict *v, const struct lab_sums *s, double variance, double excess,
                      const char *format, ...);
/* Fails the test if the largest of so many deviations would occur by chance less than once in 50000
   tests (Bonferroni). 50 tests together then fail by chance once in 1000 changes of the random
   streams. */
void verdict_check(const struct verdict *v);

#endif
