/* random_words - words that no result depends on; its own file because rdsim-bench uses it, too.

   The rate at which a machine generates them is one of its limits. */
#ifndef RD_PASSES_TOTALS_RANDOM_WORDS_H
#define RD_PASSES_TOTALS_RANDOM_WORDS_H

#include "kernels/core/world.h"

enum { RD_WORDS_CALLS = 256 }; /* per item, each of four words */

RD_FN struct rd_stream rd_words_stream(const struct rd_pass_parameters *pass, int64_t i)
{
    return rd_stream_of(pass->seed, 0, 0, RD_FOR_BENCH, 0, i);
}

/* Combines all words of the item, so that each must be computed. */
RD_FN void rd_random_words(const struct rd_world *w, int64_t i)
{
    const struct rd_stream s = rd_words_stream(&w->pass, i);
    uint32_t sum = 0;
    for (uint32_t draw = 0; draw < RD_WORDS_CALLS; draw++) {
        uint32_t word[4];
        rd_stream_call(&s, draw, word);
        sum ^= word[0] ^ word[1] ^ word[2] ^ word[3];
    }
    w->counts.count[i] = (int32_t)sum;
}

#endif
