/* hop_words - collects calls of the random generator and computes them side by side. */
#include "kernels/cpu/hop_words.h"

#include "kernels/passes/movement/hop.h"

/* Sets the least calls that are computed side by side; fewer are faster one by one. */
enum { FEW = 16 };

/* Clears the counters too, since those that are not set are computed as well. */
void rd_calls_begin(struct rd_calls *c)
{
    memset(&c->counter, 0, sizeof c->counter);
    c->n = 0;
}

void rd_calls_add(struct rd_calls *c, const struct rd_world *w, int64_t voxel, uint32_t first,
                  int n)
{
    const struct rd_place p = rd_place_apart(&w->lattice, voxel);
    const struct rd_stream s = rd_hop_stream(w, &p, 0);
    for (int k = 0; k < n; k++, c->n++) {
        c->counter.w[0][c->n] = first + (uint32_t)k;
        for (int i = 1; i < 4; i++)
            c->counter.w[i][c->n] = s.counter[i];
    }
}

static void make_few(struct rd_calls *c, const uint32_t key[2])
{
    for (int k = 0; k < c->n; k++) {
        const uint32_t counter[4] = {c->counter.w[0][k], c->counter.w[1][k], c->counter.w[2][k],
                                     c->counter.w[3][k]};
        rd_philox(counter, key, &c->word[4 * k]);
    }
}

static void make_many(struct rd_calls *c, const uint32_t key[2])
{
    rd_bunch_call(&c->counter, key);
    for (int k = 0; k < RD_BUNCH; k++)
        for (int i = 0; i < 4; i++)
            c->word[4 * k + i] = c->counter.w[i][k];
}

void rd_calls_make(struct rd_calls *c, const struct rd_pass_parameters *pass, uint32_t purpose)
{
    const struct rd_stream s = rd_stream_of(pass->seed, 0, 0, purpose, pass->part, 0);
    if (c->n < FEW)
        make_few(c, s.key);
    else
        make_many(c, s.key);
    c->n = 0;
}
