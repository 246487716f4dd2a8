/* formula_functions - functions that expressions lack, as formulas of those that they have. */
#ifndef RD_FORMATS_FORMULA_FUNCTIONS_H
#define RD_FORMATS_FORMULA_FUNCTIONS_H

#include "formats/formula.h"

rd_formula rd_formula_tan(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_sinh(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_cosh(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_asinh(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_acosh(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_atanh(struct rd_formula_pool *p, rd_formula a);

#endif
