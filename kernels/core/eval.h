/* eval - evaluates a compiled expression (rate laws, initial values, parameters) on either
   machine. expr.c compiles; this file alone says what each operation does. */
#ifndef RD_CORE_EVAL_H
#define RD_CORE_EVAL_H

#include "kernels/core/draw.h"
#include "kernels/core/portable.h"

/* The stack holds this many values; expr.c refuses what would need more. */
enum { RD_EVAL_DEPTH = 32 };

/* One instruction of the postfix program: what, of which, and its constant. */
struct rd_op {
    int32_t code;  /* enum rd_op_code */
    int32_t index; /* which parameter, species, region, facet of a field, attribute, sum, or how
                      many operations a jump leaves out */
    double value;  /* RD_OP_CONSTANT; RD_OP_SUM: how many operations of its own follow */
};

/* How to look at the voxels beside: count[ahead[axis]] stands at the next voxel's,
   count[behind[axis]] at the one before; 0 where there is a wall. Their centres lie 1 /
   per_length[axis] apart. */
struct rd_sight {
    int64_t ahead[3], behind[3];
    double per_length[3];
};

/* How far on in the numbering the voxel ahead or behind is, from number `at` of an axis' voxels; 0
   where there is none. */
RD_FN int64_t rd_beside(bool is_ahead, int64_t stride, int32_t size, int32_t at, bool wraps)
{
    const int32_t end = is_ahead ? size - 1 : 0;
    const int64_t on = is_ahead ? stride : -stride;
    return at != end ? on : wraps ? -on * (size - 1) : 0;
}

/* By what a difference of the voxels ahead and behind becomes a slope. */
RD_FN double rd_per_length(int64_t ahead, int64_t behind, double edge)
{
    const int n = (ahead != 0) + (behind != 0);
    return n == 0 ? 0.0 : 1.0 / (n * edge);
}

/* Where and when an expression is evaluated. Species s has count[s * stride] molecules here. The
   last ones are for expressions of individuals; others need not set them. */
struct rd_eval_context {
    double x, y, z, t, volume;
    uint64_t regions; /* bit r: the place lies in region r */
    const double *parameter;
    const int32_t *count;
    int64_t stride;
    const double *field, *varying; /* facet k is field[k * field_stride] */
    int64_t field_stride, varying_stride;
    const double *mean;         /* place of species s along an axis: mean[3 * s + axis] */
    const double *own, *parent; /* attribute k is own[k * own_stride] */
    int64_t own_stride, parent_stride;
    const double *sum;    /* over the voxel's individuals, as RD_OP_SUM numbers them */
    const int64_t *total; /* of species s in all voxels: total[s * stride] */
    const struct rd_sight *sight;
    struct rd_stream *stream; /* for numbers that are drawn */
};

/* How steeply the number of species s rises along the axis: by the voxels on both sides, or by one
   and the voxel itself at a wall. */
RD_FN double rd_slope(const struct rd_eval_context *at, int32_t s, int axis)
{
    const int32_t *const here = at->count + s * at->stride;
    const int64_t ahead = at->sight->ahead[axis], behind = at->sight->behind[axis];
    return ((double)here[ahead] - (double)here[behind]) * at->sight->per_length[axis];
}

/* THE OPERATIONS, as O(CODE, result). Leaves put a value on the stack. */
#define RD_OP_LEAVES(O)                                                                            \
    O(CONSTANT, o->value)                                                                          \
    O(PARAMETER, at->parameter[o->index])                                                          \
    O(COUNT, at->count[o->index * at->stride])                                                     \
    O(CONCENTRATION, at->count[o->index * at->stride] / at->volume)                                \
    O(TOTAL, (double)at->total[o->index * at->stride])                                             \
    O(X, at->x)                                                                                    \
    O(Y, at->y)                                                                                    \
    O(Z, at->z)                                                                                    \
    O(T, at->t)                                                                                    \
    O(VOLUME, at->volume)                                                                          \
    O(IN, (double)(at->regions >> o->index & 1))                                                   \
    O(FIELD, at->field[o->index * at->field_stride])                                               \
    O(VARYING, at->varying[o->index * at->varying_stride])                                         \
    O(MEAN_X, at->mean[3 * o->index])                                                              \
    O(MEAN_Y, at->mean[3 * o->index + 1])                                                          \
    O(MEAN_Z, at->mean[3 * o->index + 2])                                                          \
    O(OWN, at->own[o->index * at->own_stride])                                                     \
    O(PARENT, at->parent[o->index * at->parent_stride])                                            \
    O(SLOPE_X, rd_slope(at, o->index, 0))                                                          \
    O(SLOPE_Y, rd_slope(at, o->index, 1))                                                          \
    O(SLOPE_Z, rd_slope(at, o->index, 2))                                                          \
    O(OVER, 0.0)

/* These turn the top value a into another. Truth is 1, falsehood 0; all but 0 is true. */
#define RD_OP_UNARY(O)                                                                             \
    O(NEGATE, -a)                                                                                  \
    O(NOT, a == 0)                                                                                 \
    O(TRUTH, a != 0)                                                                               \
    O(ABS, a > 0 ? a : 0 - a)                                                                      \
    O(EXP, rd_exp(a))                                                                              \
    O(LOG, rd_log(a))                                                                              \
    O(LOG10, rd_log10(a))                                                                          \
    O(SQRT, rd_sqrt(a))                                                                            \
    O(SIN, rd_sin(a))                                                                              \
    O(COS, rd_cos(a))                                                                              \
    O(TANH, rd_tanh(a))                                                                            \
    O(FLOOR, rd_floor(a))

/* These turn the two top values, a below b, into one. min and max of what is not a number are
   not a number either, so that no fault is hidden. */
#define RD_OP_BINARY(O)                                                                            \
    RD_OP_PLAIN_BINARY(O)                                                                          \
    O(POWER, rd_pow(a, b))                                                                         \
    O(UNIFORM, (a + (b - a) * rd_uniform(at->stream)))                                             \
    O(NORMAL, (a + b * rd_normal(at->stream)))
#define RD_OP_PLAIN_BINARY(O)                                                                      \
    O(ADD, a + b)                                                                                  \
    O(SUBTRACT, a - b)                                                                             \
    O(MULTIPLY, (a * b))                                                                           \
    O(DIVIDE, a / b)                                                                               \
    O(MIN, a < b ? a : a >= b ? b : a + b)                                                         \
    O(MAX, a > b ? a : a <= b ? b : a + b)                                                         \
    O(LESS, a < b)                                                                                 \
    O(LESS_OR_EQUAL, a <= b)                                                                       \
    O(MORE, a > b)                                                                                 \
    O(MORE_OR_EQUAL, a >= b)                                                                       \
    O(EQUAL, a == b)                                                                               \
    O(UNEQUAL, a != b)

/* A choice is: condition, UNLESS (takes it, and leaves out the first branch if it is 0), first
   branch, JUMP (leaves out the other), other branch. Jumps only lead forward: programs end.

   A sum over the individuals of a species in the voxel is: SUM (puts the number that was computed
   beforehand, and leaves out what follows), OVER (of which species), the summand's operations. */
enum rd_op_code {
#define RD_OP_CODE(CODE, result) RD_OP_##CODE,
    RD_OP_LEAVES(RD_OP_CODE) RD_OP_UNARY(RD_OP_CODE) RD_OP_BINARY(RD_OP_CODE) RD_OP_UNLESS,
    RD_OP_JUMP,
    RD_OP_SUM
#undef RD_OP_CODE
};

/* How many values more there are on the stack after the operation; JUMP counts what its branch
   leaves, since the other branch leaves it as well. */
RD_FN int32_t rd_op_async_copy(int32_t code)
{
    return code < RD_OP_NEGATE || code == RD_OP_SUM ? 1 : code < RD_OP_ADD ? 0 : -1;
}

/* Gives the jumps of a choice, at op[unless] and op[jump], their lengths; its end is op[end]. */
RD_FN void rd_op_join(struct rd_op *op, int32_t unless, int32_t jump, int32_t end)
{
    op[unless].index = jump - unless;
    op[jump].index = end - 1 - jump;
}

/* The value of a program as rd_expr_compile and rd_expr_bind make them; 0 for an empty one. */
RD_FN double rd_eval(const struct rd_op *op, int32_t n, const struct rd_eval_context *at)
{
    double stack[RD_EVAL_DEPTH];
    double *below = stack; /* the top value has a register; the others end before this */
    double a = 0, b;
    for (int32_t i = 0; i < n; i++) {
        const struct rd_op *const o = op + i;
        switch (o->code) {
#define RD_OP_CASE_LEAF(CODE, result)                                                              \
    case RD_OP_##CODE:                                                                             \
        *below++ = a;                                                                              \
        a = (result);                                                                              \
        break;
#define RD_OP_CASE_UNARY(CODE, result)                                                             \
    case RD_OP_##CODE:                                                                             \
        a = (result);                                                                              \
        break;
#define RD_OP_CASE_BINARY(CODE, result)                                                            \
    case RD_OP_##CODE:                                                                             \
        b = a;                                                                                     \
        a = *--below;                                                                              \
        a = (result);                                                                              \
        break;
            RD_OP_LEAVES(RD_OP_CASE_LEAF)
            RD_OP_UNARY(RD_OP_CASE_UNARY)
            RD_OP_BINARY(RD_OP_CASE_BINARY)
#undef RD_OP_CASE_LEAF
#undef RD_OP_CASE_UNARY
#undef RD_OP_CASE_BINARY
        case RD_OP_UNLESS:
            i += a != 0 ? 0 : o->index;
            a = *--below;
            break;
        case RD_OP_JUMP:
            i += o->index;
            break;
        case RD_OP_SUM:
            *below++ = a;
            a = at->sum[o->index];
            i += (int32_t)o->value;
            break;
        }
    }
    return a;
}

#endif
