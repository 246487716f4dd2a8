/* expr - a compiled expression from its text to its last use. The grammar knows how it is written,
   law.h what its operations mean. */
#ifndef RD_EXPR_EXPR_H
#define RD_EXPR_EXPR_H

#include "base/error.h"
#include "kernels/core/eval.h"

/* What an expression looks at, as bits. */
enum {
    RD_USES_PARAMETERS = 1,
    RD_USES_SPACE = 2,   /* x y z */
    RD_USES_TIME = 4,    /* t */
    RD_USES_COUNTS = 8,  /* A, or [A] = A / volume */
    RD_USES_VOLUME = 16, /* volume of a voxel */
    RD_USES_OWN = 32,    /* attributes of an individual: speed, or walker.speed */
    RD_USES_PARENT = 64, /* parent.speed */
    RD_USES_PROBABILITY =
        128,                /* uniform(a, b), normal(mean, deviation): another number each time */
    RD_USES_SUMS = 256,     /* sum(walker.speed): over the individuals of the voxel */
    RD_USES_SLOPES = 512,   /* slope_x(A), slope_y, slope_z: how steeply the number of A rises */
    RD_USES_REGIONS = 1024, /* in(left): whether the place lies in the region */
    RD_USES_FIELDS = 2048,  /* food, gradient_x(food) */
    RD_USES_VARYING = 4096, /* the same of fields that change */
    RD_USES_MEANS = 8192,   /* mean_x(A): where the molecules of A are on average */
};

/* A field has so many facets: its value, and its slope along x, y and z. An expression speaks of
   facet RD_FACETS * field + which. */
enum { RD_FIELD_COMPONENT_VALUE, RD_FIELD_COMPONENT_SLOPE, RD_FIELD_COMPONENTS = 4 };

/* At most so many sums in one expression. */
enum { RD_SUMS_MOST = 8 };

/* Zero-initialised is the constant 0. */
struct rd_expr {
    struct rd_op *op; /* owned */
    int32_t n;
    unsigned uses;  /* RD_USES_ bits; those of summands too */
    int32_t of;     /* with RD_USES_OWN outside of sums: the species whose attributes; else -1 */
    bool is_vector; /* it has gradient(), along the scope's axis: others are other expressions */
    char *text;     /* owned: as the user wrote it (numbers: shortest form that reads back) */
};

struct rd_names {
    int n;
    char *const *name;
};

/* The names an expression may use, and which kinds of them are allowed where it stands. */
struct rd_scope {
    int n_parameters;
    char *const *parameter;
    int n_species;
    char *const *species;
    int n_regions;
    char *const *region;
    int n_fields, n_fields_here; /* of all the first so many may be used */
    char *const *field;
    const bool *field_varies;
    int axis;         /* gradient() is that along axis - 1; 0: there is none */
    unsigned allowed; /* RD_USES_ bits */

    /* Of individuals. Zero where there are none. */
    const struct rd_names *attributes; /* of each species: n = 0 for bulk ones; or NULL */
    int32_t self;            /* attributes of species number self - 1 need no dot; 0: of none */
    struct rd_names parents; /* the names that may follow `parent.`; RD_OP_PARENT's index */
};

/* Compiles text. A fault is told with place ("file:line: reaction 'A -> B', rate"), the text and
   a caret's column, and what would be right. */
bool rd_expr_compile(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e);

/* The constant v as an expression. */
bool rd_expr_constant(struct rd_expr *x, double v, struct rd_error *e);

/* A deep copy with the values of the parameters put in, species s renumbered to species[s]
   (species may be NULL: no change) and constant parts computed. */
bool rd_expr_bind(struct rd_expr *to, const struct rd_expr *from, const double *parameter,
                  const int32_t *species, struct rd_error *e);

/* The sum number k: the species it is over, and the n operations of its summand; false if there are
   not so many. */
bool rd_expr_sums(const struct rd_expr *x, int k, int32_t *species, const struct rd_op **op,
                  int32_t *n);

double rd_expr_value(const struct rd_expr *x, const struct rd_eval_context *at);
/* Whether all that is computed on the way to the value is finite: a comparison would hide what is
   not. */
bool rd_expr_is_finite(const struct rd_expr *x, const struct rd_eval_context *at);
void rd_expr_free(struct rd_expr *x);

#endif
