/* walkers - molecules that move without seeing each other, against the master equation: how many
   are in each voxel, and were taken by each face, at every output time. From one voxel they are
   multinomial numbers, from sources Poisson numbers. */
#ifndef RD_WALKERS_H
#define RD_WALKERS_H

#include "theory.h"
#include "trial.h"

struct crowd {
    const struct theory_walk *walk;
    int64_t n;   /* molecules a run, all in one voxel at first; 0: all come from walk's source */
    int site;    /* that voxel */
    int species; /* number in the file */
    double from; /* when they are put there */
};

/* Hears each voxel's and face's sum over the runs (exact tails), Pearson's sums over voxels, over
   voxels by twos and by eights (second moments: whether molecules and voxels are independent), and
   the correlation of each run with the next. */
void crowd_judge(const struct crowd *c, const struct trial *t, struct verdict *v);

/* One test: the text computed in each of these ways, the last with step NULL. */
struct way {
    const char *step; /* as in struct trial */
    int runs;
};
void crowd_obeys(const struct crowd *c, const char *test, const char *text, const struct way *way);

#endif
