/* walkers - independent molecules compared with the master equation: the number in each voxel, and
   the number absorbed by each face, at every output time. These numbers are multinomial if all
   start in one voxel, and Poisson if they come from sources. */
#ifndef RD_WALKERS_H
#define RD_WALKERS_H

#include "theory.h"
#include "trial.h"

struct walkers {
    const struct theory_walk *walk;
    int64_t n;   /* molecules per run, all in one voxel at first; 0: all come from walk's source */
    int site;    /* the initial voxel */
    int species; /* number in the file */
    double from; /* time at which they are placed */
};

/* Compares each voxel's and face's sum over the runs (exact tails) and Pearson's sums over voxels,
   and over groups of two and eight voxels. These are second moments, which show whether molecules
   and voxels are independent. Compares also the correlation of each run with the next. */
void walkers_compare(const struct walkers *w, const struct trial *t, struct verdict *v);

/* Holds how to compute the model of a test; the last one of an array has step NULL. */
struct method {
    const char *step; /* as in struct trial */
    int runs;
};
/* Compares a test's model with these settings (or NULL) by each method, and fails if one of the
   deviations is too large. */
void walkers_test(const struct walkers *w, const char *test, const char *model,
                  const char *const *sets, const struct method *method);

/* Returns the displacement of a walker in a step of 0.5 at D = h = 1, or whether it stayed, minus
   the mean and divided by the standard deviation: displacements have variance 1, and e^{-1} I_0(1)
   = .4657596 stay. */
double walkers_deviate(int displacement, bool stays);

#endif
