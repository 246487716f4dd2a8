/* sbml_counted - assignment rules that give a whole number of molecules, as total := A + 2 B. The
   result has it: of a species, as a species which every reaction updates; of a parameter, as an
   observable. */
#ifndef RD_FORMATS_SBML_COUNTED_H
#define RD_FORMATS_SBML_COUNTED_H

#include "formats/sbml_model.h"

/* Holds the sum of counts of species, each times its weight, and a constant. */
struct rd_sbml_counted_rule {
    struct rd_sbml_symbol *species; /* of an observable: a parameter */
    int *weight;                    /* [symbol], owned */
    int constant;
};

struct rd_sbml_counted {
    struct rd_sbml_counted_rule *rule; /* owned */
    int n;
    struct rd_sbml_counted_rule *observable; /* owned; the constant is 0 */
    int n_observables;
};

/* Finds these rules, and sets is_counted and the count of their species. The caller calls
   rd_sbml_counted_free. */
void rd_sbml_counted_find(struct rd_sbml *s, struct rd_sbml_counted *c);
void rd_sbml_counted_free(struct rd_sbml_counted *c);

/* Returns the weight of a species in a rule. */
int rd_sbml_counted_weight(const struct rd_sbml *s, const struct rd_sbml_counted_rule *r,
                           const struct rd_sbml_symbol *x);

#endif
