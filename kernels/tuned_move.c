/* tuned_move - see the header. The calls of a bunch of individuals are made side by side, so that
   the compiler can use wide registers; and those of one cell look up its rows but once. */
#include "tuned_move.h"

#include "move.h"

enum { BUNCH = 64 };

/* One word of the calls of a bunch, each a column. */
struct words {
    uint32_t w[4][BUNCH];
};

/* The ten rounds of rd_philox on every column of a bunch of counters. */
RD_WIDE static void call_bunch(struct words *c, const uint32_t key[2])
{
    for (int k = 0; k < BUNCH; k++) {
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

/* The counter of each entry's call, as rd_stream_of lays it out; columns behind the last are 0. */
static void count_bunch(const struct rd_world *w, int64_t begin, int n, struct words *c)
{
    const uint32_t *const key = w->key + w->now.base + begin;
    const int32_t *const first = w->first + w->now.cells;
    for (int k = 0; k < BUNCH; k++) {
        const int64_t cell = k < n ? (int64_t)key[k] : 0;
        const int64_t run = w->n_runs == 1 ? 0 : cell / w->n_sites;
        const struct rd_stream s =
            rd_stream_of(w->seed, w->first_run + run, w->step, RD_FOR_MOVE + (uint32_t)w->at_list,
                         w->part, RD_MOVE_ITEM(RD_MOVE_CELL, cell - run * w->n_sites));
        c->w[0][k] = (uint32_t)(begin + k - first[cell]);
        for (int i = 1; i < 4; i++)
            c->w[i][k] = s.counter[i];
    }
}

/* A bunch of n entries whose species moves by rows. */
static void move_bunch(const struct rd_world *w, int64_t begin, int n)
{
    struct words words;
    const struct rd_stream s =
        rd_stream_of(w->seed, 0, 0, RD_FOR_MOVE + (uint32_t)w->at_list, w->part, 0);
    count_bunch(w, begin, n, &words);
    uint32_t number[BUNCH];
    memcpy(number, words.w[0], sizeof number);
    call_bunch(&words, s.key);
    struct rd_mover_of h;
    int64_t at = -1;
    for (int k = 0; k < n; k++) {
        h.entry = w->now.base + begin + k;
        h.number = (int32_t)number[k];
        if (w->key[h.entry] != at) {
            at = w->key[h.entry];
            rd_move_aim(&h, w, at);
        }
        const uint32_t word[4] = {words.w[0][k], words.w[1][k], words.w[2][k], words.w[3][k]};
        rd_move_by_words(&h, word);
    }
}

void rd_move_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    if (w->mover[w->now.species].kind != RD_MOVE_ROWS) {
        for (int64_t i = begin; i < end; i++)
            rd_move(w, i);
        return;
    }
    for (int64_t i = begin; i < end; i += BUNCH)
        move_bunch(w, i, (int)(end - i < BUNCH ? end - i : BUNCH));
}
