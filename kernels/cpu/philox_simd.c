/* philox_simd - computes many calls of the random generator side by side. */
#include "kernels/cpu/philox_simd.h"

#include "kernels/passes/totals/random_words.h"

RD_WIDE void rd_bunch_call(struct rd_bunch *c, const uint32_t key[2])
{
    for (int k = 0; k < RD_BUNCH; k++) {
        uint32_t c0 = c->w[0][k], c1 = c->w[1][k], c2 = c->w[2][k], c3 = c->w[3][k];
        uint32_t k0 = key[0], k1 = key[1];
        for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
            rd_philox_round(&c0, &c1, &c2, &c3, &k0, &k1);
        c->w[0][k] = c0;
        c->w[1][k] = c1;
        c->w[2][k] = c2;
        c->w[3][k] = c3;
    }
}

/* Combines all words of calls first ... first + RD_BUNCH - 1 of the stream. */
static uint32_t sum_bunch(const struct rd_stream *s, uint32_t first)
{
    struct rd_bunch c;
    for (uint32_t k = 0; k < RD_BUNCH; k++) {
        c.w[0][k] = first + k;
        for (int i = 1; i < 4; i++)
            c.w[i][k] = s->counter[i];
    }
    rd_bunch_call(&c, s->key);
    uint32_t sum = 0;
    for (int k = 0; k < RD_BUNCH; k++)
        sum ^= c.w[0][k] ^ c.w[1][k] ^ c.w[2][k] ^ c.w[3][k];
    return sum;
}

void rd_random_words_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        const struct rd_stream s = rd_words_stream(&w->pass, i);
        uint32_t sum = 0;
        for (uint32_t first = 0; first < RD_WORDS_CALLS; first += RD_BUNCH)
            sum ^= sum_bunch(&s, first);
        w->counts.count[i] = (int32_t)sum;
    }
}
