/* sbml_laws - kinetic laws as rates of mass action or propensities, in one direction or two. */
#ifndef RD_FORMATS_SBML_LAWS_H
#define RD_FORMATS_SBML_LAWS_H

#include "formats/sbml_model.h"

/* Describes a species that a direction of a reaction takes or makes, and how many of it. */
struct rd_sbml_term {
    const struct rd_sbml_symbol *species;
    int number;
};

/* Describes one direction of a reaction. */
struct rd_sbml_direction {
    struct rd_sbml_term *reactant, *product; /* not owned */
    int n_reactants, n_products;
    rd_formula propensity;       /* events per time */
    struct rd_sbml_symbol *home; /* the compartment in which it happens; NULL: the voxel */
};

/* Removes from both sides the molecules without which the law is not 0: a reaction of the
   configuration needs all its reactants, but a law is valid as it stands. */
void rd_sbml_drop_catalysts(struct rd_sbml *s, struct rd_sbml_direction *d);

/* Returns the rate constant if the propensity is that of mass action, k n (n - 1) ...; or NULL. */
rd_formula rd_sbml_mass_action(struct rd_sbml *s, const struct rd_sbml_direction *d);

/* Returns the propensity, as 0 where there are too few molecules for the reaction. A law that is 0
   there stays as it is. */
rd_formula rd_sbml_guarded(struct rd_sbml *s, const struct rd_sbml_direction *d);

/* Returns whether the formula is never negative, as far as its form shows. */
bool rd_sbml_is_never_negative(struct rd_sbml *s, rd_formula f);

/* Writes a formula as the difference of two that are never negative; false if its form does not
   show how. */
bool rd_sbml_split(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back);

#endif
