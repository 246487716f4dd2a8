/* kernel - the nullspace of a compressed system, exact: all vectors v with N v = 0. */
#ifndef RD_KERNEL_H
#define RD_KERNEL_H

#include "cone/compress.h"

/* A basis in reduced echelon form: flux[i] = sum over k of value[i][k] * x[k] / denominator[i],
   and x[k] is the flow of column basis[k]. Zero-initialised is empty. */
struct rd_kernel {
    int n, n_basis;
    int *basis;           /* [n_basis], owned */
    int *basis_of;        /* [n]: k of a column of the basis, -1 of others; owned */
    int64_t *value;       /* [n][n_basis], owned */
    int64_t *denominator; /* [n], above 0; owned */
};

/* False if a number does not fit into 64 bits at the end or 128 bits on the way, or there is no
   memory. */
bool rd_kernel_make(struct rd_kernel *k, const struct rd_core_column *column, int n, int n_rows);
bool rd_kernel_is_zero(const struct rd_kernel *k, int column);
/* Returns whether flux[i] / flux[j] is above / below in every solution. */
bool rd_kernel_ratio(const struct rd_kernel *k, int i, int j, int64_t *above, int64_t *below);
/* Sets flux[column] to the only solution, up to a factor, that is 0 where way[column] is; with its
   first value in the direction of way. False if it is not the only one, or does not fit. */
bool rd_kernel_flux(const struct rd_kernel *k, const signed char *way, int64_t *flux);
void rd_kernel_free(struct rd_kernel *k);

#endif
