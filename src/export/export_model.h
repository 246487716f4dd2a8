/* export_model - a model while it is written as SBML: the identifiers of its parts, and its
   expressions as formulas in these identifiers. */
#ifndef RD_EXPORT_EXPORT_MODEL_H
#define RD_EXPORT_EXPORT_MODEL_H

#include "config/config.h"
#include "export/identifiers.h"
#include "formats/formula.h"
#include "model/model.h"

struct rd_export {
    const struct rd_model *model;
    const rd_config *config;
    struct rd_error *notes, *e;
    struct rd_formula_pool pool;
    struct rd_identifiers ids;
    /* identifiers, owned by ids */
    const char **species, **parameter, **compartment, **observable, **reaction, **event;
    const char **value;       /* [named value]: NULL: it is the parameter of that name */
    const char **counter;     /* [event]: parameter that counts its occurrences; NULL: none */
    const char *voxel;        /* the voxel as a compartment; NULL: no species lives in it */
    const char *least, *most; /* functions of two arguments */
    bool uses_least, uses_most;
    const struct rd_event *after; /* formulas are for the parameters that it sets; or NULL */
};

/* Reports everything of the model that SBML cannot say; returns whether there is nothing. Adds a
   note for each part that has no effect and is left out. (unsayable.c) */
bool rd_export_check(struct rd_export *x);

/* ---- export_formulas.c ---- */

/* Returns the compiled expression as a formula. Its calls are the functions of expressions, and
   "time" without parts. */
rd_formula rd_export_formula(struct rd_export *x, const struct rd_expr *from);
/* Returns the value of an expression in the voxel at the start. */
double rd_export_value(const struct rd_model *m, const struct rd_expr *from);
/* Returns the molecules of a species at the start; the entries of `initial` add up. */
double rd_export_start(const struct rd_model *m, int species);
/* Returns whether the value of the expression is the same at all times, in all runs. */
bool rd_export_is_fixed(const struct rd_model *m, const struct rd_expr *from);
/* Returns whether the formula is 1 or 0: a comparison, or made of them. */
bool rd_export_is_boolean(rd_formula f);
/* Returns whether an event or an ODE changes the parameter. */
bool rd_export_is_set(const struct rd_model *m, int parameter);

/* Writes a formula as MathML, with the element around it. (mathml.c) */
void rd_mathml_write(struct rd_export *x, FILE *out, rd_formula f);
/* Does the same for a condition. */
void rd_mathml_write_condition(struct rd_export *x, FILE *out, rd_formula f);
/* Writes the definition of a function of two arguments: the one for which the operator, an element
   of MathML, holds. */
void rd_mathml_define(FILE *out, const char *id, const char *operator);

/* Writes the list of reactions (export_reactions.c) or events (export_events.c), if there are
   any. */
void rd_export_reactions(struct rd_export *x, FILE *out);
void rd_export_events(struct rd_export *x, FILE *out);
/* Returns whether the reaction has a species, which SBML requires. (export_reactions.c) */
bool rd_export_has_sides(const struct rd_reaction *r);
/* Returns whether the event needs a parameter that counts its occurrences. (export_events.c) */
bool rd_export_has_counter(const struct rd_event *event);

/* Writes ` name="TEXT"`, escaped, unless the text is NULL. (export.c) */
void rd_export_name(FILE *out, const char *text);

#endif
