/* law - evaluates a compiled expression (rate laws, initial values, parameters) on either
   machine. expr.c compiles; this file alone says what each operation does. */
#ifndef RD_LAW_H
#define RD_LAW_H

#include "portable.h"
#include "real.h"

/* The stack holds this many values; expr.c refuses what would need more. */
enum { RD_LAW_DEPTH = 32 };

/* One instruction of the postfix program: what, of which, and its constant. */
struct rd_op {
    int32_t code;  /* enum rd_op_code */
    int32_t index; /* which parameter, species, or how far to jump */
    double value;  /* RD_OP_CONSTANT */
};

/* Where and when an expression is evaluated. Species s has count[s * stride] molecules here. */
struct rd_scene {
    double x, y, z, t, volume;
    const double *parameter;
    const int32_t *count;
    int64_t stride;
};
