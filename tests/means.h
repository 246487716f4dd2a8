/* means - the equations for means on a lattice: diffusion, drift and rates of change, by Heun's
   steps. What molecules come to where they are many. Shares no code with the program. */
#ifndef RD_MEANS_H
#define RD_MEANS_H

enum { MEANS_SPECIES = 5 };

struct means {
    int size[2];
    double edge;
    int n_species;
    double diffusion[MEANS_SPECIES];
    double drift[2]; /* of all */
    /* What reactions add per time to the numbers n of a voxel. */
    void (*react)(const double *n, double *change);
    double step; /* the longest */
};

/* Brings number[species][voxel] forward by t; all walls reflect. */
void means_go_on(const struct means *m, double t, double *number);

#endif
