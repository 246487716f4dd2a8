/* means - the equations for means on a lattice: diffusion, drift and reactions, integrated by
   Heun's method. They are the limit of many molecules. It shares no code with the program. */
#ifndef RD_MEANS_H
#define RD_MEANS_H

enum { MEANS_SPECIES = 5 };

struct means {
    int size[2];
    double edge;
    int n_species;
    double diffusion[MEANS_SPECIES];
    double drift[2]; /* of all species */
    /* Computes the rate of change by reactions, per time, of the numbers n of a voxel. */
    void (*react)(const double *n, double *change);
    double step; /* the longest step */
};

/* Advances number[species][voxel] by time t; all walls reflect. */
void means_advance(const struct means *m, double t, double *number);

#endif
