/* test_rng - tests of Philox against its published values, of the layout of the counter, and of the
   independence of streams that differ in one field. */
#include "probability.h"

/* Holds the fields of a stream in the order in which rd_stream_of takes them. */
struct fields {
    uint64_t seed;
    int64_t run;
    uint32_t step, purpose, part;
    int64_t item;
};

static struct rd_stream stream_of_fields(const struct fields *f)
{
    return rd_stream_of(f->seed, f->run, f->step, f->purpose, f->part, f->item);
}

/* Tests the kat_vectors of Random123 (Salmon et al.): philox4x32 with 10 rounds. */
static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        rd_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

/* Returns the bit of key and counter in which the stream differs from the stream of zero fields;
   fails unless it is exactly one. */
static int only_bit_of(const struct fields *f)
{
    const struct fields none = {0};
    const struct rd_stream a = stream_of_fields(&none), b = stream_of_fields(f);
    const uint32_t other[6] = {a.key[0] ^ b.key[0],         a.key[1] ^ b.key[1],
                               a.counter[0] ^ b.counter[0], a.counter[1] ^ b.counter[1],
                               a.counter[2] ^ b.counter[2], a.counter[3] ^ b.counter[3]};
    int found = -1;
    for (int bit = 0; bit < 192; bit++)
        if (other[bit / 32] >> bit % 32 & 1) {
            assert_int_equal(found, -1);
            found = bit;
        }
    assert_int_not_equal(found, -1);
    return found;
}

/* Tests that every bit of every field within its limit has its own bit of key or counter, and that
   none overlaps the word of the draw. Distinct fields therefore never share a call. */
static void test_layout(void **state)
{
    (void)state;
    bool taken[192] = {false};
    for (int bit = 64; bit < 96; bit++)
        taken[bit] = true; /* counter[0]: number of the draw */
    int n_bits = 0;
    for (int bit = 0; bit < 64; bit++) {
        const uint64_t one = UINT64_C(1) << bit;
        const int64_t signed_one = bit < 63 ? INT64_C(1) << bit : 0;
        const struct fields single[] = {{.seed = one < RD_SEED_END ? one : 0},
                                        {.run = signed_one < RD_RUN_END ? signed_one : 0},
                                        {.step = (uint32_t)one},
                                        {.purpose = one < 256 ? (uint32_t)one : 0},
                                        {.part = one < RD_PART_END ? (uint32_t)one : 0},
                                        {.item = signed_one < RD_ITEM_END ? signed_one : 0}};
        for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
            const struct fields f = single[i];
            if (!(f.seed || f.run || f.step || f.purpose || f.part || f.item))
                continue;
            const int place = only_bit_of(&f);
            assert_false(taken[place]);
            taken[place] = true;
            n_bits++;
        }
    }
    assert_int_equal(n_bits, 48 + 28 + 32 + 8 + 8 + 36);
    assert_int_equal(RD_STEP_END, INT64_C(1) << 32);
}

static void test_words_are_in_order_of_calls(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, RD_ITEM_END - 1);
    const struct rd_stream start = s;
    for (uint32_t draw = 0; draw < 100; draw++) {
        uint32_t call[4];
        rd_stream_call(&start, draw, call);
        for (int i = 0; i < 4; i++)
            assert_int_equal(rd_word(&s), call[i]);
    }
}

/* Tests 10^6 numbers in 64 bins with chi-square; it detects a bin that is 4 % off. */
static void test_uniform(void **state)
{
    (void)state;
    enum { BINS = 64, SAMPLES = 1000000 };
    struct rd_stream s = stream_of(__func__, 0);
    int64_t seen[BINS] = {0};
    double expected[BINS];
    for (int i = 0; i < SAMPLES; i++) {
        const double u = rd_uniform(&s);
        assert_true(u > 0 && u < 1);
        seen[(int)(u * BINS)]++;
    }
    for (int i = 0; i < BINS; i++)
        expected[i] = (double)SAMPLES / BINS;
    assert_deviation("uniform", chi_square_deviate(seen, expected, BINS));
}

static void test_uniform_excludes_the_ends(void **state)
{
    (void)state;
    struct rd_stream none = {.left = 2}, all = {.word = {~0u, ~0u}, .left = 2};
    assert_true(rd_uniform(&none) == 0x1p-53);
    assert_true(rd_uniform(&all) == 1.0 - 0x1p-53);
}

/* Returns the correlation of n uniform numbers of two streams in standard errors. */
static double correlation(struct rd_stream a, struct rd_stream b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (rd_uniform(&a) - 0.5) * (rd_uniform(&b) - 0.5);
    return sum * 12 / sqrt(n);
}

/* Tests 20000 numbers of each pair; it detects correlations of 0.035. */
static void test_streams_are_independent(void **state)
{
    (void)state;
    const uint64_t seed = seed_of(__func__);
    const struct fields stream[] = {
        {.seed = seed, .run = 7, .step = 9, .purpose = 3, .part = 1, .item = 1000},
        {.seed = seed + 1, .run = 7, .step = 9, .purpose = 3, .part = 1, .item = 1000},
        {.seed = seed, .run = 8, .step = 9, .purpose = 3, .part = 1, .item = 1000},
        {.seed = seed, .run = 7, .step = 10, .purpose = 3, .part = 1, .item = 1000},
        {.seed = seed, .run = 7, .step = 9, .purpose = 4, .part = 1, .item = 1000},
        {.seed = seed, .run = 7, .step = 9, .purpose = 3, .part = 2, .item = 1000},
        {.seed = seed, .run = 7, .step = 9, .purpose = 3, .part = 1, .item = 1001},
        {.seed = 0, .purpose = 3},
        {.seed = 1, .purpose = 3},
        {.seed = 2, .purpose = 3}};
    const size_t n = sizeof stream / sizeof *stream;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_deviation("two streams", correlation(stream_of_fields(&stream[i]),
                                                        stream_of_fields(&stream[j]), 20000));
}

static void test_purposes_are_independent(void **state)
{
    (void)state;
    for (uint32_t a = RD_FOR_START; a <= RD_FOR_EXACT; a++)
        for (uint32_t b = RD_FOR_START; b < a; b++) {
            struct fields one = {.seed = seed_of(__func__), .purpose = a};
            struct fields other = {.seed = seed_of(__func__), .purpose = b};
            assert_deviation("two purposes",
                             correlation(stream_of_fields(&one), stream_of_fields(&other), 20000));
        }
}

/* Tests the first numbers of streams of neighbouring items, steps and runs, as a lattice uses
   them. */
static void test_neighbours_are_independent(void **state)
{
    (void)state;
    enum { SAMPLES = 100000 };
    for (int along = 0; along < 3; along++) {
        double last = 0, sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            const struct fields f = {.seed = seed_of(__func__),
                                     .purpose = RD_FOR_REACT,
                                     .item = along == 0 ? i : 0,
                                     .step = along == 1 ? (uint32_t)i : 0,
                                     .run = along == 2 ? i : 0};
            struct rd_stream s = stream_of_fields(&f);
            const double u = rd_uniform(&s) - 0.5;
            sum += u * last;
            last = u;
        }
        assert_deviation("neighbours", sum * 12 / sqrt(SAMPLES));
    }
}

int test_rng(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_words_are_in_order_of_calls),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_uniform_excludes_the_ends),
        cmocka_unit_test(test_streams_are_independent),
        cmocka_unit_test(test_purposes_are_independent),
        cmocka_unit_test(test_neighbours_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
