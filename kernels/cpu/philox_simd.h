/* philox_simd - many calls of the random generator side by side, so that the compiler can use wide
   registers, for tuned passes on the CPU. */
#ifndef RD_CPU_PHILOX_SIMD_H
#define RD_CPU_PHILOX_SIMD_H

#include "kernels/core/rng.h"

enum { RD_BUNCH = 64 };

/* Holds one word of each call in a row: counters before, random words after. */
struct rd_bunch {
    uint32_t w[4][RD_BUNCH];
};

/* Computes rd_philox of every column. */
void rd_bunch_call(struct rd_bunch *c, const uint32_t key[2]);

#endif
