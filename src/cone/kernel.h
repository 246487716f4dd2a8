/* kernel - the nullspace of a compressed system, exact: all vectors v with N v = 0. */
#ifndef RD_KERNEL_H
#define RD_KERNEL_H

#include "cone/compress.h"

/* Holds a basis in reduced echelon form: flux[i] = sum over k of value[i][k] * x[k] /
   denominator[i], and x[k] is a multiple of the flow of column basis[k]. A zero-initialised struct
   is empty. */
struct rd_kernel {
    int n, n_basis;
    int *basis;             /* [n_basis], owned */
    int *basis_of;          /* [n]: k of a column of the basis, -1 of others; owned */
    rd_int128 *value;       /* [n][n_basis], owned */
    rd_int128 *denominator; /* [n], above 0; owned */
};

/* Computes the basis. Returns false if a number does not fit into 128 bits; or with a
   message if there is no memory. */
bool rd_kernel_make(struct rd_kernel *k, const struct rd_core_column *column, int n, int n_rows,
                    struct rd_error *e);
bool rd_kernel_is_zero(const struct rd_kernel *k, int column);
/* Returns whether flux[i] / flux[j] is above / below in every solution. */
bool rd_kernel_ratio(const struct rd_kernel *k, int i, int j, int64_t *above, int64_t *below);
/* Sets flux[column] to the smallest integers of the only solution, up to a factor, that is 0 where
   way[column] is; with its first value in the direction of way. Returns false if it is not the only
   one, or does not fit; or with a message if there is no memory. */
bool rd_kernel_flux(const struct rd_kernel *k, const signed char *way, rd_int128 *flux,
                    struct rd_error *e);
void rd_kernel_free(struct rd_kernel *k);

#endif
