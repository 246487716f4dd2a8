/* eval_simd - evaluates a compiled expression for the voxels of many lanes together: the tuned
   version of rd_eval on the CPU, for expressions that read nothing of a voxel but its counts. */
#ifndef RD_CPU_EVAL_SIMD_H
#define RD_CPU_EVAL_SIMD_H

#include "kernels/core/eval.h"
#include "kernels/cpu/philox_simd.h"

/* Sets the most choices in one expression: both branches of each are evaluated. */
enum { RD_LANES_CHOICES = 8 };

/* Returns whether lanes can evaluate the program side by side. */
static inline bool rd_lanes_suit(const struct rd_op *op, int32_t n)
{
    int32_t n_choices = 0;
    for (int32_t i = 0; i < n; i++)
        switch (op[i].code) {
        case RD_OP_CONSTANT:
        case RD_OP_COUNT:
        case RD_OP_CONCENTRATION:
        case RD_OP_T:
        case RD_OP_VOLUME:
        case RD_OP_JUMP:
            break;
        case RD_OP_UNLESS:
            n_choices++;
            break;
        default:
            if (op[i].code < RD_OP_NEGATE || op[i].code >= RD_OP_UNIFORM)
                return false;
        }
    return n_choices <= RD_LANES_CHOICES;
}

/* Computes the value of a leaf in each lane. */
static inline void rd_lanes_leaf(const struct rd_op *o, const struct rd_eval_context *at,
                                 const double (*count)[RD_BUNCH], double *value)
{
    const bool is_count = o->code == RD_OP_COUNT, is_per_volume = o->code == RD_OP_CONCENTRATION;
    if (is_count || is_per_volume) {
        const double *const n = count[o->index], by = is_count ? 1.0 : at->volume;
        for (int k = 0; k < RD_BUNCH; k++)
            value[k] = n[k] / by;
        return;
    }
    const double same = o->code == RD_OP_CONSTANT ? o->value
                        : o->code == RD_OP_T      ? at->t
                                                  : at->volume;
    for (int k = 0; k < RD_BUNCH; k++)
        value[k] = same;
}

/* Computes a[k]^y in each lane: by multiplication like rd_pow if y is the same integer > 0 in all
   lanes, otherwise by rd_pow. */
static inline void rd_lanes_power(double *a, const double *y)
{
    bool is_same = y[0] > 0.0 && y[0] <= 64.0 && rd_floor(y[0]) == y[0];
    for (int k = 1; k < RD_BUNCH; k++)
        is_same &= y[k] == y[0];
    double power[RD_BUNCH], square[RD_BUNCH];
    for (int k = 0; k < RD_BUNCH; k++)
        power[k] = 1.0;
    memcpy(square, a, sizeof square);
    for (uint32_t n = is_same ? (uint32_t)y[0] : 0; n > 0; n >>= 1) {
        if (n & 1)
            for (int k = 0; k < RD_BUNCH; k++)
                power[k] *= square[k];
        for (int k = 0; k < RD_BUNCH; k++)
            square[k] *= square[k];
    }
    for (int k = 0; k < RD_BUNCH; k++)
        a[k] =
            is_same && power[k] > 0x1p-1000 && power[k] < 0x1p1000 ? power[k] : rd_pow(a[k], y[k]);
}

/* Applies one operation to the stacks of all lanes: a is the value below b for binary
   operations. */
static inline void rd_lanes_operate(int32_t code, double *restrict below, double *restrict top)
{
    switch (code) {
#define RD_LANES_UNARY(CODE, result)                                                               \
    case RD_OP_##CODE:                                                                             \
        for (int k = 0; k < RD_BUNCH; k++) {                                                       \
            const double a = top[k];                                                               \
            top[k] = (result);                                                                     \
        }                                                                                          \
        return;
#define RD_LANES_BINARY(CODE, result)                                                              \
    case RD_OP_##CODE:                                                                             \
        for (int k = 0; k < RD_BUNCH; k++) {                                                       \
            const double a = below[k], b = top[k];                                                 \
            below[k] = (result);                                                                   \
        }                                                                                          \
        return;
    case RD_OP_POWER:
        rd_lanes_power(below, top);
        return;
        RD_OP_UNARY(RD_LANES_UNARY)
        RD_OP_PLAIN_BINARY(RD_LANES_BINARY)
#undef RD_LANES_UNARY
#undef RD_LANES_BINARY
    default:
        return;
    }
}

/* Replaces the condition by the value of the first branch if it is not 0, otherwise of the
   other. */
static inline void rd_lanes_choose(double *restrict condition, const double *restrict first,
                                   const double *restrict other)
{
    for (int k = 0; k < RD_BUNCH; k++)
        condition[k] = condition[k] != 0.0 ? first[k] : other[k];
}

/* Computes rd_eval in each lane, if `at` is the same in all lanes but for the counts. A condition
   and the value of its first branch stay on the stack until the other branch has its value too. */
static inline void rd_eval_lanes(const struct rd_op *op, int32_t n,
                                 const struct rd_eval_context *at, const double (*count)[RD_BUNCH],
                                 double *value)
{
    double stack[RD_EVAL_DEPTH + 2 * RD_LANES_CHOICES][RD_BUNCH];
    int32_t height = 0, end[RD_LANES_CHOICES], n_open = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t async_copy = rd_op_height(op[i].code);
        if (op[i].code == RD_OP_JUMP) {
            end[n_open++] = i + op[i].index;
        } else if (async_copy > 0) {
            rd_lanes_leaf(&op[i], at, count, stack[height]);
            height += async_copy;
        } else if (op[i].code != RD_OP_UNLESS) {
            rd_lanes_operate(op[i].code, stack[height > 1 ? height - 2 : 0], stack[height - 1]);
            height += async_copy;
        }
        for (; n_open > 0 && end[n_open - 1] == i; n_open--, height -= 2)
            rd_lanes_choose(stack[height - 3], stack[height - 2], stack[height - 1]);
    }
    memcpy(value, stack[0], sizeof stack[0]);
}

#endif
