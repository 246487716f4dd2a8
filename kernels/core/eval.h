/* eval - evaluates a compiled expression (propensities, initial values, parameters) on the CPU and
   the GPU. src/expr/expr.c compiles expressions; this file defines the result of each operation. */
#ifndef RD_CORE_EVAL_H
#define RD_CORE_EVAL_H

#include "kernels/core/draw.h"
#include "kernels/core/entries.h"
#include "kernels/core/portable.h"

/* Gives the capacity of the stack, in values; the compiler refuses expressions that need more. */
enum { RD_EVAL_DEPTH = 32 };

/* Holds one operation of the postfix program. */
struct rd_op {
    int32_t code;  /* enum rd_op_code */
    int32_t index; /* of a parameter, species, region, field component, attribute, sum or total; of
                      a jump: operations that it skips; of a constant: 0, or the power of length
                      that it has, for checks of units; of LOOK: values of the table */
    double value;  /* RD_OP_CONSTANT; RD_OP_DENSITY: a volume; RD_OP_SUM: number of its own
                      operations, which follow; RD_OP_LOOK: twice the number of the table, plus 1 if
                      it is interpolated */
};

/* Describes the neighbouring voxels: count[ahead[axis]] is that of the next voxel along the axis,
   count[behind[axis]] that of the previous one; the offset is 0 at a wall. The centres of the two
   are 1 / per_length[axis] apart. */
struct rd_sight {
    int64_t ahead[3], behind[3];
    double per_length[3];
};

/* Returns the offset in the numbering to the voxel ahead or behind, from voxel number `at` of an
   axis; 0 if there is none. */
RD_FN int64_t rd_neighbour_offset(bool is_ahead, int64_t stride, int32_t size, int32_t at,
                                  bool wraps)
{
    const int32_t end = is_ahead ? size - 1 : 0;
    const int64_t on = is_ahead ? stride : -stride;
    return at != end ? on : wraps ? -on * (size - 1) : 0;
}

/* Returns the factor between the difference of the voxels ahead and behind, and the slope. */
RD_FN double rd_per_length(int64_t ahead, int64_t behind, double edge)
{
    const int n = (ahead != 0) + (behind != 0);
    return n == 0 ? 0.0 : 1.0 / (n * edge);
}

/* Holds the place, the time and the data of an evaluation. Species s has count[s * stride]
   molecules there. If there is a row, it has the counts of species whose column is -1, and the
   others have count[column[s] * stride]; without column it has all. The last members are for
   expressions of individuals; others need not set them. */
struct rd_eval_context {
    double x, y, z, t, volume;
    uint64_t regions; /* bit r: the place lies in region r */
    const double *parameter;
    const int32_t *count;
    int64_t stride;
    int64_t voxel;                  /* whose counts they are */
    const struct rd_row_entry *row; /* NULL: all counts are in count[] */
    int32_t n_row;
    const int32_t *column;
    const double *field, *varying; /* component k is field[k * field_stride] */
    int64_t field_stride, varying_stride;
    const double *mean;         /* mean position of species s along an axis: mean[3 * s + axis] */
    const double *own, *parent; /* attribute k is own[k * own_stride] */
    int64_t own_stride, parent_stride;
    const double *sum;    /* over the individuals of the voxel, numbered as in RD_OP_SUM */
    const int64_t *total; /* of the run: total[k], numbered as in RD_OP_TOTAL */
    const struct rd_sight *sight;
    struct rd_stream *stream; /* for random numbers */
};

/* Returns the count of the species in the voxel. */
RD_FN int32_t rd_count_here(const struct rd_eval_context *at, int32_t s)
{
    if (!at->row)
        return at->count[s * at->stride];
    if (at->column && at->column[s] >= 0)
        return at->count[at->column[s] * at->stride];
    return rd_entry_count(at->row, at->n_row, s);
}

/* Returns the slope of the count of species s along the axis, from the voxels on both sides; at a
   wall, from one neighbour and the voxel itself. The species has a column. */
RD_FN double rd_slope(const struct rd_eval_context *at, int32_t s, int axis)
{
    const int32_t *const here = at->count + (at->column ? at->column[s] : s) * at->stride;
    const int64_t ahead = at->sight->ahead[axis], behind = at->sight->behind[axis];
    return ((double)here[ahead] - (double)here[behind]) * at->sight->per_length[axis];
}

/* THE OPERATIONS, as O(CODE, result). Leaves push a value onto the stack. */
#define RD_OP_LEAVES(O)                                                                            \
    O(CONSTANT, o->value)                                                                          \
    O(PARAMETER, at->parameter[o->index])                                                          \
    O(COUNT, rd_count_here(at, o->index))                                                          \
    O(CONCENTRATION, rd_count_here(at, o->index) / at->volume)                                     \
    O(DENSITY, rd_count_here(at, o->index) / o->value)                                             \
    O(TOTAL, (double)at->total[o->index])                                                          \
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

/* Unary operations replace the top value a. True is 1, false is 0; every value but 0 counts as
   true. */
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

/* Binary operations replace the two top values, a below b, by one. min and max of NaN are NaN, so
   that no fault is hidden. */
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

/* A choice is: condition, UNLESS (pops the condition, and skips the first branch if it is 0), first
   branch, JUMP (skips the other), other branch. Jumps only lead forward: programs end.

   A sum over the individuals of a species in the voxel is: SUM (pushes the number that was computed
   beforehand, and skips what follows), OVER (the species), the operations of the summand.

   A value of a table is: the operations of the index, LOOK (replaces the index by the value, and
   skips what follows), a CONSTANT for each value of the table. */
enum rd_op_code {
#define RD_OP_CODE(CODE, result) RD_OP_##CODE,
    RD_OP_LEAVES(RD_OP_CODE) RD_OP_UNARY(RD_OP_CODE) RD_OP_BINARY(RD_OP_CODE) RD_OP_UNLESS,
    RD_OP_JUMP,
    RD_OP_SUM,
    RD_OP_LOOK
#undef RD_OP_CODE
};

/* Returns the change of the stack height by the operation. JUMP removes the value of its branch,
   since the other branch leaves one as well. */
RD_FN int32_t rd_op_height(int32_t code)
{
    return code < RD_OP_NEGATE || code == RD_OP_SUM ? 1
           : code < RD_OP_ADD || code == RD_OP_LOOK ? 0
                                                    : -1;
}

/* Sets the lengths of the jumps of a choice, at op[unless] and op[jump]; op[end] follows the
   choice. */
RD_FN void rd_op_join(struct rd_op *op, int32_t unless, int32_t jump, int32_t end)
{
    op[unless].index = jump - unless;
    op[jump].index = end - 1 - jump;
}

/* Returns the value of a table, whose values follow the operation, at an index from 0; between two
   of them if it is interpolated. Returns NaN if there is none, so that the fault is not hidden. */
RD_FN double rd_look(const struct rd_op *look, double x)
{
    if (!(x >= 0.0 && x <= (double)(look->index - 1)))
        return (double)NAN;
    const int32_t k = (int32_t)x;
    const double rest = x - (double)k;
    if (rest == 0.0)
        return look[1 + k].value;
    if (((int32_t)look->value & 1) == 0)
        return (double)NAN;
    return look[1 + k].value + (look[2 + k].value - look[1 + k].value) * rest;
}

/* Returns the value of a program of rd_expr_compile and rd_expr_bind; 0 for an empty one. */
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
        case RD_OP_LOOK:
            a = rd_look(o, a);
            i += o->index;
            break;
        }
    }
    return a;
}

#endif
