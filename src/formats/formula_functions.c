/* formula_functions - functions that expressions lack, as formulas of those that they have. */
#include "formats/formula_functions.h"

rd_formula rd_formula_tan(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_pair(p, RD_FORMULA_QUOTIENT, rd_formula_call(p, "sin", a),
                           rd_formula_call(p, "cos", a));
}

static rd_formula half(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_pair(p, RD_FORMULA_QUOTIENT, a, rd_formula_number(p, 2.0));
}

rd_formula rd_formula_sinh(struct rd_formula_pool *p, rd_formula a)
{
    const rd_formula back = rd_formula_call(p, "exp", rd_formula_negative(p, a));
    return half(p, rd_formula_pair(p, RD_FORMULA_DIFFERENCE, rd_formula_call(p, "exp", a), back));
}

rd_formula rd_formula_cosh(struct rd_formula_pool *p, rd_formula a)
{
    const rd_formula back = rd_formula_call(p, "exp", rd_formula_negative(p, a));
    return half(p, rd_formula_pair(p, RD_FORMULA_SUM, rd_formula_call(p, "exp", a), back));
}

/* Returns log(a + sqrt(square + shift)). */
static rd_formula log_of_sum(struct rd_formula_pool *p, rd_formula a, rd_formula square,
                             double shift)
{
    const rd_formula shifted =
        rd_formula_pair(p, RD_FORMULA_SUM, square, rd_formula_number(p, shift));
    const rd_formula root = rd_formula_call(p, "sqrt", shifted);
    return rd_formula_call(p, "log", rd_formula_pair(p, RD_FORMULA_SUM, a, root));
}

static rd_formula square_of(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_pair(p, RD_FORMULA_POWER, a, rd_formula_number(p, 2.0));
}

/* Returns the function of |a| with the sign of a: the sum of a negative a and the root would lose
   all digits. */
rd_formula rd_formula_asinh(struct rd_formula_pool *p, rd_formula a)
{
    const rd_formula square = square_of(p, a);
    const rd_formula below = log_of_sum(p, rd_formula_negative(p, a), square, 1.0);
    return rd_formula_if(p, rd_formula_compared(p, a, "<", rd_formula_number(p, 0.0)),
                         rd_formula_negative(p, below), log_of_sum(p, a, square, 1.0));
}

rd_formula rd_formula_acosh(struct rd_formula_pool *p, rd_formula a)
{
    return log_of_sum(p, a, square_of(p, a), -1.0);
}

rd_formula rd_formula_atanh(struct rd_formula_pool *p, rd_formula a)
{
    const rd_formula one = rd_formula_number(p, 1.0);
    const rd_formula ratio =
        rd_formula_pair(p, RD_FORMULA_QUOTIENT, rd_formula_pair(p, RD_FORMULA_SUM, one, a),
                        rd_formula_pair(p, RD_FORMULA_DIFFERENCE, one, a));
    return half(p, rd_formula_call(p, "log", ratio));
}
