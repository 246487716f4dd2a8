/* philox_simd - many calls of the random generator side by side, so that the compiler can use wide
   registers, for tuned passes on the CPU; and random_words made of them. */
#ifndef RD_CPU_PHILOX_SIMD_H
#define RD_CPU_PHILOX_SIMD_H

#include "kernels/core/world.h"

enum { RD_BUNCH = 64 };

/* Holds one word of each call in a row: counters before, random words after. */
struct rd_bunch {
    uint32_t w[4][RD_BUNCH];
};

/* Computes rd_philox of every column. */
void rd_bunch_call(struct rd_bunch *c, const uint32_t key[2]);

/* Does the same as rd_random_words to the items begin ... end - 1, to the bit. */
void rd_random_words_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
