/* walkers - independent molecules compared with the master equation: the number in each voxel, and
   the number absorbed by each face, at every output time. These numbers are multinomial if all
   start in one voxel, and Poisson if they come from sources. */
#ifndef RD_WALKERS_H
#define RD_WALKERS_H

#include "theory.h"
#include "trial.h"

struct crowd {
    const struct theory_walk *walk;
    int64_t n;   /* molecules per run, all in one voxel at first; 0: all come from walk's source */
    int site;    /* the initial voxel */
    int species; /* number in the file */
    double from; /* time at which they are placed */
};

/* Compares each voxel's and face's sum over the runs (exact tails) and Pearson's sums over voxels,
   and over groups of two and eight voxels. These are second moments, which show whether molecules
   and voxels are independent. Compares also the correlation of each run with the next. */
void crowd_judge(const struct crowd *c, const struct trial *t, struct verdict *v);

/* Describes one way to compute the text of a test; the last one has step NULL. */
struct way {
    const char *step; /* as in struct trial */
    int runs;
};
void crowd_obeys(const struct crowd *c, const char *test, const char *text, const struct way *way);

#endif
