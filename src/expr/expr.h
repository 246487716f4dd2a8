/* expr - compiles, binds and evaluates expressions. grammar.c defines the syntax,
   kernels/core/eval.h the operations. */
#ifndef RD_EXPR_EXPR_H
#define RD_EXPR_EXPR_H

#include "base/error.h"
#include "base/name_index.h"
#include "expr/units.h"
#include "kernels/core/eval.h"

/* Names what an expression reads, as bits. */
enum {
    RD_USES_PARAMETERS = 1,
    RD_USES_SPACE = 2,      /* x y z */
    RD_USES_TIME = 4,       /* t */
    RD_USES_COUNTS = 8,     /* A, or [A] = A / volume */
    RD_USES_VOLUME = 16,    /* volume of a voxel */
    RD_USES_OWN = 32,       /* attributes of an individual: speed, or walker.speed */
    RD_USES_PARENT = 64,    /* parent.speed */
    RD_USES_RANDOM = 128,   /* uniform(a, b), normal(mean, deviation): drawn anew at each
                               evaluation */
    RD_USES_SUMS = 256,     /* sum(walker.speed): sum over the individuals of the voxel */
    RD_USES_SLOPES = 512,   /* slope_x(A), slope_y, slope_z: derivative of the count of A along an
                               axis */
    RD_USES_REGIONS = 1024, /* in(left): whether the voxel lies in the region */
    RD_USES_FIELDS = 2048,  /* food, gradient_x(food) */
    RD_USES_VARYING = 4096, /* the same, for fields that change in time */
    RD_USES_MEANS = 8192,   /* mean_x(A): mean coordinate of the molecules of A */
    RD_USES_TOTALS =
        16384, /* total(A), total(A, cell): molecules of A in the run, or in a region */
};

/* Numbers the components of a field: its value, and its slope along x, y and z. Operations refer to
   component RD_FIELD_COMPONENTS * field + component. */
enum { RD_FIELD_COMPONENT_VALUE, RD_FIELD_COMPONENT_SLOPE, RD_FIELD_COMPONENTS = 4 };

/* Gives a bit beyond those of a scope: the expression reads a parameter that events on conditions
   set. Such a RD_OP_PARAMETER has a value other than 0, and binding keeps it. */
enum { RD_USES_RUN_VALUES = 32768 };

/* Gives the index of RD_OP_TOTAL in a compiled expression: species + RD_TOTALS_SPAN * (region + 1),
   where region -1 is the whole run. */
enum { RD_TOTALS_SPAN = 1 << 16 };

/* Limits the sums and the values of tables in one expression, and the values in a table. */
enum { RD_SUMS_MOST = 8, RD_LOOKS_MOST = 16, RD_TABLE_MOST = 1 << 16 };

/* Holds a compiled expression. The zero-initialised struct is the constant 0. */
struct rd_expr {
    struct rd_op *op; /* owned */
    int32_t n;
    unsigned uses;    /* RD_USES_ bits, including those of summands */
    int32_t of;       /* with RD_USES_OWN outside of sums: the species that has the attributes; else
                         -1 */
    bool is_vector;   /* contains gradient() along the axis of the scope: each axis has its own
                         expression */
    bool is_quantity; /* it is a number with units, */
    struct rd_dimension dimension; /* of this dimension */
    char *text; /* owned: as the user wrote it (numbers: shortest form that reads back) */
};

/* Returns whether the expression has one value in all voxels of a run. */
static inline bool rd_expr_is_uniform(const struct rd_expr *x)
{
    const unsigned uniform =
        RD_USES_PARAMETERS | RD_USES_RUN_VALUES | RD_USES_TIME | RD_USES_VOLUME | RD_USES_TOTALS;
    return !(x->uses & ~uniform);
}

struct rd_names {
    int n;
    char *const *name;
};

/* Holds numbers that expressions look up by an index from 0. */
struct rd_lookup {
    char *name, *place; /* owned, as the following */
    char *file;         /* that has the values; or NULL */
    double *value;
    int32_t n;
    bool is_linear;                /* real indices give values between two of them */
    char *unit;                    /* as it was given; or NULL */
    struct rd_dimension dimension; /* of the values, if there is a unit */
};

/* Describes the size of a region. A surface has an area, and no volume. */
struct rd_extent {
    double voxels;
    bool is_surface;
    double size; /* its volume, or its area */
    int axes;    /* power of length that the size has */
};

/* Lists the names that an expression may use, and the kinds that are allowed at its place. */
struct rd_scope {
    int n_parameters;
    char *const *parameter;
    int n_species;
    char *const *species;
    const struct rd_name_index *parameter_index, *species_index; /* NULL: names are compared */
    int n_regions;
    char *const *region;
    const struct rd_extent *extent; /* [region]; NULL: not known yet */
    int n_fields, n_fields_here;    /* all fields; only the first n_fields_here may be used */
    char *const *field;
    const bool *field_varies;
    int n_tables;
    const struct rd_lookup *table;
    int axis;         /* gradient() is along axis - 1; 0: it is not allowed */
    unsigned allowed; /* RD_USES_ bits */

    /* For individuals; zero if there are none. */
    const struct rd_names *attributes; /* [species]; n = 0 for counted ones; or NULL */
    int32_t self;            /* attributes of species number self - 1 need no prefix; 0: none do */
    struct rd_names parents; /* the names allowed after `parent.`; indices of RD_OP_PARENT */
};

/* Compiles text. An error message has the place ("file:line: reaction 'A -> B', rate"), the text,
   the column of the error, and what is expected there. */
bool rd_expr_compile(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e);

/* Returns whether the name, of that length, is a value that the scope allows. */
bool rd_expr_allows(const struct rd_scope *scope, const char *name, size_t length);

/* Makes an expression of the constant v. */
bool rd_expr_constant(struct rd_expr *x, double v, struct rd_error *e);

/* Makes a deep copy in which parameters are replaced by their values, species s is renumbered to
   species[s] (NULL: no change) and constant parts are computed. */
bool rd_expr_bind(struct rd_expr *to, const struct rd_expr *from, const double *parameter,
                  const int32_t *species, struct rd_error *e);

/* Finds sum number k: its species, and the n operations of its summand; false if there are not so
   many. */
bool rd_expr_sums(const struct rd_expr *x, int k, int32_t *species, const struct rd_op **op,
                  int32_t *n);

/* Multiplies the expression by the volume of a voxel; its text becomes "(text) * volume". */
bool rd_expr_times_volume(struct rd_expr *x, struct rd_error *e);

/* Returns whether the number or the concentration of the species is a factor of the expression as
   it stands: of a product, of the numerator of a quotient, or of a power with a positive number as
   its exponent, outside of functions and choices. */
bool rd_expr_has_factor(const struct rd_expr *x, int32_t species);

/* Writes ", and it divides by S and (a + b), and it has look(k, A)" with all divisors of the text
   that are no numbers and the first number of a table, or nothing. */
void rd_expr_divisors(const struct rd_expr *x, char *text, size_t bytes);

/* Writes ", since it divides by (a - b), which is 0" with the first divisor that is 0, if it is
   made of what is known (RD_USES_ bits), or nothing. The scope is that of the expression. */
void rd_expr_zero(const struct rd_expr *x, const struct rd_scope *scope, unsigned known,
                  const struct rd_eval_context *at, char *text, size_t bytes);

/* Writes ", since look(k, ...) has the index 7.5, and ..." with the first index that its table does
   not have, if the expression is made of what is known, or nothing. */
void rd_expr_missed(const struct rd_expr *x, const struct rd_scope *scope, unsigned known,
                    const struct rd_eval_context *at, char *text, size_t bytes);

double rd_expr_value(const struct rd_expr *x, const struct rd_eval_context *at);
/* Returns whether all intermediate values are finite: a comparison could hide one that is not. */
bool rd_expr_is_finite(const struct rd_expr *x, const struct rd_eval_context *at);
void rd_expr_free(struct rd_expr *x);

#endif
