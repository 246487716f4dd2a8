/* rng - Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): random bits as a pure function of
   (seed, run, step, purpose, part, item, draw). The list of purposes and the layout of the counter,
   with their limits, belong to the stream version. */
#ifndef RD_CORE_RNG_H
#define RD_CORE_RNG_H

#include "kernels/core/portable.h"

#ifdef __CUDACC__
#include <curand_philox4x32_x.h>
#endif

/* Lists the purposes of random numbers. A number never changes its meaning; new ones are
   appended. */
enum rd_purpose {
    RD_FOR_START = 1,       /* placing the initial molecules; the step is a block of voxels */
    RD_FOR_EVENT = 2,       /* adding and removing molecules at events */
    RD_FOR_REACT = 3,       /* reactions: part 0 begins a stretch, part 1 follows a movement */
    RD_FOR_STAY = 5,        /* hop: one word for each molecule, to leave or stay */
    RD_FOR_TIE = 6,         /* hop: the low word, if the high one equals the threshold */
    RD_FOR_WHERE = 7,       /* hop: one call for each leaver, for its destination */
    RD_FOR_MANY = 8,        /* hop: binomial batches */
    RD_FOR_WALK = 9,        /* walks hop by hop, and uniformised walks */
    RD_FOR_FIRST = 10,      /* the first wall, if several absorbed one molecule */
    RD_FOR_ENTER = 11,      /* molecules entering from reservoirs, and their walks */
    RD_FOR_EXACT = 12,      /* the exact solver */
    RD_FOR_INDIVIDUAL = 13, /* reactions: selection of individuals */
    RD_FOR_BIRTH = 14,      /* attributes of the newborn of a voxel */
    RD_FOR_TRAIT = 15,      /* attributes at placement: part = list, item = id */
    RD_FOR_SWEEP =
        16, /* values of a parameter sweep: part = axis, item = index; seeds of its tasks */
    RD_FOR_SUBSTEP_HOP = 17, /* substeps at changing hop rates: part = number in the step */
    RD_FOR_CONDITION = 18,   /* events on conditions: as RD_FOR_EVENT, with the number of the firing
                                in   place of the step */
    RD_FOR_EXCHANGE = 19, /* reactions between voxels and compartments: part 1 follows movement */
    RD_FOR_MIX = 20,      /* instant mixing: part 0 for all voxels, part 1 for a block of them */
    RD_FOR_EDIT = 21,  /* edits of a program: as RD_FOR_EVENT, with the number of the edit in place
                          of the step */
    RD_FOR_BENCH = 99, /* benchmark: words that no result depends on */
    RD_FOR_MOVE = 128  /* + list: movement of individuals; must be the last */
};

/* Lists the items of RD_FOR_MOVE: the two top bits distinguish three kinds of stream. */
enum {
    RD_MOVE_VOXEL = 0, /* + site: one call for each of its individuals, by number */
    RD_MOVE_MORE = 1,  /* + site: a second call, if one is needed */
    RD_MOVE_SELF = 2   /* + id: a stream for one individual */
};
#define RD_MOVE_ITEM(kind, item) ((int64_t)(kind) << 34 | (item))
#define RD_ID_END                (INT64_C(1) << 34)

/* Sets limits of the fields. The key holds seed (48 bits), purpose and part (8 bits each); the
   counter holds draw (32 bits), item (36), step (32), run (28). A draw is one call: four words. */
#define RD_SEED_END (UINT64_C(1) << 48)
#define RD_RUN_END  (INT64_C(1) << 28)
#define RD_STEP_END (INT64_C(1) << 32)
#define RD_ITEM_END (INT64_C(1) << 36)
enum { RD_PART_END = 256 };

/* Holds the sequence of words that one purpose has for one item. */
struct rd_stream {
    uint32_t key[2];
    uint32_t counter[4]; /* counter[0] is the next draw */
    uint32_t word[4];    /* of the last call, the next one first */
    int32_t left;        /* number of them that are not yet taken */
};

enum { RD_PHILOX_ROUNDS = 10 };

/* Computes one round of Philox4x32 with the key (k0, k1). */
RD_FN void rd_philox_mix(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t k0,
                         uint32_t k1)
{
    const uint64_t a = (uint64_t)0xD2511F53u * *c0;
    const uint64_t b = (uint64_t)0xCD9E8D57u * *c2;
    *c0 = (uint32_t)(b >> 32) ^ *c1 ^ k0;
    *c1 = (uint32_t)b;
    *c2 = (uint32_t)(a >> 32) ^ *c3 ^ k1;
    *c3 = (uint32_t)a;
}

/* Computes one round and the key of the next one. */
RD_FN void rd_philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t *k0,
                           uint32_t *k1)
{
    rd_philox_mix(c0, c1, c2, c3, *k0, *k1);
    *k0 += 0x9E3779B9u;
    *k1 += 0xBB67AE85u;
}

/* Computes the ten rounds. The GPU uses cuRAND's own function; tests compare both with the
   published known answers. */
RD_FN void rd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
#ifdef __CUDA_ARCH__
    const uint4 word = curand_Philox4x32_10(
        make_uint4(counter[0], counter[1], counter[2], counter[3]), make_uint2(key[0], key[1]));
    out[0] = word.x;
    out[1] = word.y;
    out[2] = word.z;
    out[3] = word.w;
#else
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_round(&c0, &c1, &c2, &c3, &k0, &k1);
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
#endif
}

/* Holds the keys of all rounds, for many streams of one purpose. */
struct rd_keys {
    uint32_t key[RD_PHILOX_ROUNDS][2];
};

/* Returns the keys of all rounds. */
RD_FN struct rd_keys rd_keys_of(uint64_t seed, uint32_t purpose, uint32_t part)
{
    struct rd_keys k;
    uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32) | purpose << 16 | part << 24;
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++) {
        k.key[round][0] = low;
        k.key[round][1] = high;
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    return k;
}

/* Opens the stream of a purpose and part for one item of a run and step, at draw 0. */
RD_FN struct rd_stream rd_stream_of(uint64_t seed, int64_t run, uint32_t step, uint32_t purpose,
                                    uint32_t part, int64_t item)
{
    struct rd_stream s;
    s.key[0] = (uint32_t)seed;
    s.key[1] = (uint32_t)(seed >> 32) | purpose << 16 | part << 24;
    s.counter[0] = 0;
    s.counter[1] = (uint32_t)item;
    s.counter[2] = step;
    s.counter[3] = (uint32_t)run | (uint32_t)(item >> 32) << 28;
    s.left = 0;
    return s;
}

/* Computes call number `draw` of the stream without consuming it, for words that belong to an
   indexed item. */
RD_FN void rd_stream_call(const struct rd_stream *s, uint32_t draw, uint32_t out[4])
{
    const uint32_t counter[4] = {draw, s->counter[1], s->counter[2], s->counter[3]};
    rd_philox(counter, s->key, out);
}

/* Computes the next four words. */
RD_FN void rd_stream_fill(struct rd_stream *s)
{
    rd_philox(s->counter, s->key, s->word);
    s->counter[0]++;
    s->left = 4;
}

/* Returns the next word of the stream. */
RD_FN uint32_t rd_word(struct rd_stream *s)
{
    if (s->left == 0)
        rd_stream_fill(s);
    const uint32_t next = s->word[0];
    s->word[0] = s->word[1]; /* shifted, so that no index keeps the words out of registers */
    s->word[1] = s->word[2];
    s->word[2] = s->word[3];
    s->left--;
    return next;
}

/* Returns a uniform number in (0, 1) from two words: the middle of one of 2^52 equal parts, so that
   0 and 1 are excluded. */
RD_FN double rd_uniform_of(uint32_t high, uint32_t low)
{
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return ((double)bits + 0.5) * (1.0 / 4503599627370496.0);
}

/* Returns a uniform number in (0, 1); it takes two words. */
RD_FN double rd_uniform(struct rd_stream *s)
{
    const uint32_t high = rd_word(s);
    return rd_uniform_of(high, rd_word(s));
}

#endif
