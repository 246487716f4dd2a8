/* test_eval - tests of each operation, of choices and of the full stack, in programs that the test
   writes itself. */
#include "formula.h"
#include "kernels/core/eval.h"
#include "probability.h"

#include <math.h>

static struct rd_op constant(double v)
{
    return (struct rd_op){.code = RD_OP_CONSTANT, .value = v};
}

static struct rd_op of(int32_t code)
{
    return (struct rd_op){.code = code};
}

static double unary(int32_t code, double a)
{
    const struct rd_op op[] = {constant(a), of(code)};
    return rd_eval(op, 2, &eval_context);
}

static double binary(int32_t code, double a, double b)
{
    const struct rd_op op[] = {constant(a), constant(b), of(code)};
    return rd_eval(op, 3, &eval_context);
}

static void test_empty_program_is_zero(void **state)
{
    (void)state;
    assert_true(is_same(rd_eval(NULL, 0, &eval_context), 0));
}

static void test_leaves(void **state)
{
    (void)state;
    static const int32_t spaced[] = {1, 2, 3, 4, 5};
    static const double attribute[] = {6, 7, 8};
    struct rd_eval_context at = eval_context;
    at.count = spaced;
    at.stride = 2;
    at.own = at.parent = attribute;
    at.own_stride = at.parent_stride = 2;
    static const struct {
        struct rd_op op;
        double value;
    } leaf[] = {
        {{.code = RD_OP_CONSTANT, .value = -0.5}, -0.5},
        {{.code = RD_OP_PARAMETER, .index = 1}, 2},
        {{.code = RD_OP_COUNT, .index = 2}, 5},
        {{.code = RD_OP_CONCENTRATION, .index = 1}, 6},
        {{.code = RD_OP_X}, 1.5},
        {{.code = RD_OP_Y}, -2},
        {{.code = RD_OP_Z}, 4},
        {{.code = RD_OP_T}, 10},
        {{.code = RD_OP_VOLUME}, 0.5},
        {{.code = RD_OP_OWN, .index = 1}, 8},
        {{.code = RD_OP_PARENT, .index = 1}, 8},
    };
    for (size_t i = 0; i < sizeof leaf / sizeof *leaf; i++) {
        assert_true(rd_eval(&leaf[i].op, 1, &at) == leaf[i].value);
        assert_int_equal(rd_op_height(leaf[i].op.code), 1);
    }
}

/* Tests gradients of two species in rows of five voxels: rising and falling, inside and at a
   wall. */
static void test_slopes(void **state)
{
    (void)state;
    static const int32_t rows[] = {1, 2, 4, 8, 16, 20, 15, 10, 5, 0};
    static const struct {
        int64_t voxel, behind, ahead;
        int32_t species;
        double per_length, value;
    } cases[] = {
        {2, -1, 1, 0, 0.25, 1.5}, {2, -1, 1, 1, 0.25, -2.5}, {2, 0, 0, 0, 1, 0},
        {0, 0, 1, 0, 0.5, 0.5},   {4, -1, 0, 1, 0.5, -2.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_eval_context at = eval_context;
        at.count = rows + cases[i].voxel;
        at.stride = 5;
        for (int axis = 0; axis < 3; axis++) {
            struct rd_sight along = {0};
            along.ahead[axis] = cases[i].ahead;
            along.behind[axis] = cases[i].behind;
            along.per_length[axis] = cases[i].per_length;
            at.sight = &along;
            const struct rd_op op = {.code = RD_OP_SLOPE_X + axis, .index = cases[i].species};
            assert_true(rd_eval(&op, 1, &at) == cases[i].value);
            assert_int_equal(rd_op_height(op.code), 1);
        }
    }
}

static void test_operations_on_one_value(void **state)
{
    (void)state;
    static const double values[] = {-INFINITY, -2.5, -1, -0.0, 0, 0.3, 1, 2, 700, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double a = values[i];
        assert_true(is_same(unary(RD_OP_NEGATE, a), -a));
        assert_true(is_same(unary(RD_OP_NOT, a), a == 0));
        assert_true(is_same(unary(RD_OP_TRUTH, a), a != 0));
        assert_true(is_same(unary(RD_OP_ABS, a), fabs(a)));
        assert_true(is_same(unary(RD_OP_EXP, a), rd_exp(a)));
        assert_true(is_same(unary(RD_OP_LOG, a), rd_log(a)));
        assert_true(is_same(unary(RD_OP_LOG10, a), rd_log10(a)));
        assert_true(is_same(unary(RD_OP_SQRT, a), sqrt(a)));
        assert_true(is_same(unary(RD_OP_SIN, a), rd_sin(a)));
        assert_true(is_same(unary(RD_OP_COS, a), rd_cos(a)));
        assert_true(is_same(unary(RD_OP_TANH, a), rd_tanh(a)));
        assert_true(is_same(unary(RD_OP_FLOOR, a), floor(a)));
    }
    for (int32_t code = RD_OP_NEGATE; code < RD_OP_ADD; code++)
        assert_int_equal(rd_op_height(code), 0);
}

static void test_operations_on_two_values(void **state)
{
    (void)state;
    static const double values[] = {-INFINITY, -3, -0.5, 0, 0.5, 2, 3, INFINITY};
    enum { N = sizeof values / sizeof *values };
    for (int i = 0; i < N * N; i++) {
        const double a = values[i / N], b = values[i % N];
        assert_true(is_same(binary(RD_OP_ADD, a, b), a + b));
        assert_true(is_same(binary(RD_OP_SUBTRACT, a, b), a - b));
        assert_true(is_same(binary(RD_OP_MULTIPLY, a, b), a * b));
        assert_true(is_same(binary(RD_OP_DIVIDE, a, b), a / b));
        assert_true(is_same(binary(RD_OP_POWER, a, b), rd_pow(a, b)));
        assert_true(is_same(binary(RD_OP_MIN, a, b), fmin(a, b)));
        assert_true(is_same(binary(RD_OP_MAX, a, b), fmax(a, b)));
        assert_true(is_same(binary(RD_OP_LESS, a, b), a < b));
        assert_true(is_same(binary(RD_OP_LESS_OR_EQUAL, a, b), a <= b));
        assert_true(is_same(binary(RD_OP_MORE, a, b), a > b));
        assert_true(is_same(binary(RD_OP_MORE_OR_EQUAL, a, b), a >= b));
        assert_true(is_same(binary(RD_OP_EQUAL, a, b), a == b));
        assert_true(is_same(binary(RD_OP_UNEQUAL, a, b), a != b));
    }
    for (int32_t code = RD_OP_ADD; code <= RD_OP_JUMP; code++)
        assert_int_equal(rd_op_height(code), -1);
}

/* Tests uniform(2, 6) and normal(1, 0.5) against the words that draw.h takes for them. */
static void test_drawn_numbers(void **state)
{
    (void)state;
    const struct rd_op op[] = {constant(2),   constant(6),      of(RD_OP_UNIFORM), constant(1),
                               constant(0.5), of(RD_OP_NORMAL), of(RD_OP_ADD)};
    struct rd_stream drawn = stream_of("test_drawn_numbers", 0), again = drawn;
    struct rd_eval_context at = eval_context;
    at.stream = &drawn;
    for (int i = 0; i < 100; i++) {
        const double uniform = 2 + 4 * rd_uniform(&again);
        assert_true(uniform > 2 && uniform < 6);
        assert_true(rd_eval(op, 7, &at) == uniform + (1 + 0.5 * rd_normal(&again)));
    }
}

/* Tests that the stored sum is read, and the operations that compute it are skipped. */
static void test_sums_are_read_not_computed(void **state)
{
    (void)state;
    static const double sum[] = {10, 20};
    struct rd_eval_context at = eval_context;
    at.sum = sum;
    at.own = NULL; /* reading it would crash */
    const struct rd_op op[] = {of(RD_OP_T),
                               {.code = RD_OP_SUM, .index = 1, .value = 2},
                               of(RD_OP_OVER),
                               of(RD_OP_OWN),
                               of(RD_OP_ADD)};
    assert_true(rd_eval(op, 5, &at) == 30);
    assert_int_equal(rd_op_height(RD_OP_SUM), 1);
}

static void test_min_and_max_keep_nan(void **state)
{
    (void)state;
    static const int32_t codes[] = {RD_OP_MIN, RD_OP_MAX};
    for (int i = 0; i < 2; i++) {
        assert_true(isnan(binary(codes[i], NAN, 1)));
        assert_true(isnan(binary(codes[i], 1, NAN)));
    }
}

static void test_choices_evaluate_one_branch(void **state)
{
    (void)state;
    struct rd_eval_context at = eval_context;
    at.parameter = NULL; /* reading it would crash */
    for (int truth = 0; truth <= 1; truth++) {
        struct rd_op op[] = {constant(10),     constant(truth),
                             of(RD_OP_UNLESS), of(truth ? RD_OP_T : RD_OP_PARAMETER),
                             of(RD_OP_JUMP),   of(truth ? RD_OP_PARAMETER : RD_OP_X),
                             of(RD_OP_ADD)};
        rd_op_join(op, 2, 4, 6);
        assert_true(rd_eval(op, 7, &at) == (truth ? 20 : 11.5));
    }
}

static void test_full_stack(void **state)
{
    (void)state;
    struct rd_op op[2 * RD_EVAL_DEPTH - 1];
    for (int i = 0; i < RD_EVAL_DEPTH; i++)
        op[i] = constant(i);
    for (int i = RD_EVAL_DEPTH; i < 2 * RD_EVAL_DEPTH - 1; i++)
        op[i] = of(RD_OP_ADD);
    assert_true(rd_eval(op, 2 * RD_EVAL_DEPTH - 1, &eval_context) ==
                RD_EVAL_DEPTH * (RD_EVAL_DEPTH - 1) / 2);
}

int test_eval(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_program_is_zero),
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_operations_on_one_value),
        cmocka_unit_test(test_operations_on_two_values),
        cmocka_unit_test(test_drawn_numbers),
        cmocka_unit_test(test_sums_are_read_not_computed),
        cmocka_unit_test(test_min_and_max_keep_nan),
        cmocka_unit_test(test_choices_evaluate_one_branch),
        cmocka_unit_test(test_full_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
