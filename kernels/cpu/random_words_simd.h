/* random_words_simd - the tuned version of random_words for the CPU, for a portion of the items. */
#ifndef RD_CPU_RANDOM_WORDS_SIMD_H
#define RD_CPU_RANDOM_WORDS_SIMD_H

#include "kernels/core/world.h"

/* Does the same as rd_random_words to the items begin ... end - 1, to the bit. */
void rd_random_words_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
