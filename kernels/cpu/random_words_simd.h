/* random_words_simd - the hand-written twin of words for the CPU: a portion of the items at once.
 */
#ifndef RD_CPU_RANDOM_WORDS_SIMD_H
#define RD_CPU_RANDOM_WORDS_SIMD_H

#include "kernels/core/world.h"

/* What rd_words does to the items begin ... end - 1, to the bit. */
void rd_random_words_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
