/* test_eval_simd - tests that the lanes give the same values as the plain evaluation, to the
   bit. */
#include "kernels/cpu/eval_simd.h"

#include "formula.h"

enum { N_SPECIES = 5 };

/* Returns small and large counts that differ between species s and lanes k. */
static int32_t count_of(int s, int k)
{
    static const int32_t some[] = {0, 1, 2, 3, 7, 30, 1000, INT32_MAX};
    return k % (s + 2) == 0 ? some[k / 8] : (k * (s + 3) + s) % 23;
}

static void assert_lanes(const char *text, bool is_bound)
{
    struct rd_expr x = compiled(text);
    if (is_bound) {
        struct rd_expr y = bound(&x);
        rd_expr_free(&x);
        x = y;
    }
    if (!is_bound && (x.uses & RD_USES_PARAMETERS)) { /* a parameter may be a value of each run */
        assert_false(rd_lanes_suit(x.op, x.n));
        rd_expr_free(&x);
        return;
    }
    int32_t n[N_SPECIES][RD_BUNCH];
    double count[N_SPECIES][RD_BUNCH], value[RD_BUNCH];
    for (int s = 0; s < N_SPECIES; s++)
        for (int k = 0; k < RD_BUNCH; k++)
            count[s][k] = n[s][k] = count_of(s, k);
    assert_true(rd_lanes_suit(x.op, x.n));
    rd_eval_lanes(x.op, x.n, &eval_context, count, value);
    struct rd_eval_context at = eval_context;
    at.stride = RD_BUNCH;
    for (int k = 0; k < RD_BUNCH; k++) {
        at.count = &n[0][k];
        const double expected = rd_eval(x.op, x.n, &at);
        if (!is_same(value[k], expected))
            fail_msg("%s in lane %d: %.17g, not %.17g", text, k, value[k], expected);
    }
    rd_expr_free(&x);
}

static void lanes_match_plain_evaluation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "A",
        "[S]",
        "volume",
        "t",
        "k",
        "0.1",
        "vmax * A / (km + A)",
        "vmax / (1 + (A / km)^2)",
        "A^4 / (7^4 + A^4)",
        "k * [A] * [S] / (km + [A])",
        "A^0.5",
        "A^-2",
        "(A - 5)^3",
        "(A - 5)^64",
        "A^64",
        "A^33",
        "(A / 1e77)^4",
        "S^(A + 1)",
        "S^km",
        "A^S",
        "S^A",
        "2^A",
        "0^A",
        "(S - S)^2",
        "A^0",
        "exp(-A / 10)",
        "log(A)",
        "log10(1 + S)",
        "sqrt(A * S)",
        "sin(A) + cos(S)",
        "tanh(A / 3)",
        "if(A > 3, S, 2 * A + 1)",
        "S + 2 * if(A - 2, if(S > 1, A, -A), if(S > 4, 1 / A, S) - 1) / 3",
        "if(if(A > 2, S, A), 1, if(S == 2, 5, if(A == 1, 6, 7)))",
        "if(0 / A, 1, 2)",
        "if(A > 2, 1, 0) + if(S > 2, if(A > 5, 2, 4), 8) * if(A == S, 3, 5)",
        "floor(A / 4)",
        "abs(A - S)",
        "min(A, S) + max(A, 5)",
        "max(0 / A, 1)",
        "-A + S - 2 * k",
        "(A < S) + 2 * (A <= S) + 4 * (A > S) + 8 * (A >= S) + 16 * (A == S) + 32 * (A != S)",
        "1 / (1 + (2 + (3 + (A + (S * (A - (S / (1 + A))))))))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_lanes(texts[i], false);
        assert_lanes(texts[i], true);
    }
}

static const char nine_choices[] =
    "if(A > 1, 1, if(A > 2, 1, if(A > 3, 1, if(A > 4, 1, if(A > 5, 1, "
    "if(A > 6, 1, if(A > 7, 1, if(A > 8, 1, if(A > 9, 1, 2)))))))))";

/* Tests that lanes refuse expressions that use more of a voxel than its counts, random numbers, or
   too many choices. */
static void unsuitable_expressions_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"A + x",
                                        "y",
                                        "z",
                                        nine_choices,
                                        "if(A > 3, x, 2)",
                                        "food * A",
                                        "uniform(0, 1) * A",
                                        "normal(0, 1)",
                                        "slope_x(A)",
                                        "speed",
                                        "parent.speed",
                                        "sum(walker.speed)",
                                        "mean_x(A)",
                                        "tide"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rd_expr x = compiled(texts[i]);
        if (rd_lanes_suit(x.op, x.n))
            fail_msg("%s suits", texts[i]);
        rd_expr_free(&x);
    }
    assert_true(rd_lanes_suit(NULL, 0));
}

int test_eval_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_match_plain_evaluation),
        cmocka_unit_test(unsuitable_expressions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
