/* check_units - prints rates, densities and diffusivities in units of the field, and the mean time
   in which a molecule crosses a voxel; separate because check and its JSON document share it. */
#ifndef RD_APP_CHECK_UNITS_H
#define RD_APP_CHECK_UNITS_H

#include "plan/plan.h"

#include <stdio.h>

/* Prints a number of that dimension in nM, 1/(M s), um^2/s, ... if units are known and not these:
   " = 1e+06 1/(M s)". */
void rd_check_usual_unit(FILE *out, const struct rd_model *m, double value, struct rd_dimension d);
/* Prints the diffusivity of the species, for each axis if they differ, and the mean time in which
   it crosses a voxel: h^2 / (2 D), with D at least |v| h / 2. Prints nothing if the diffusivity is
   not the same everywhere. */
void rd_check_crossing(FILE *out, const struct rd_model *m, const struct rd_species *s);
/* Prints the rate constant of the reaction if units are known. */
void rd_check_rate(FILE *out, const struct rd_model *m, const struct rd_reaction *x);
/* Prints the density of each entry of `initial` if units are known. */
void rd_check_densities(FILE *out, const struct rd_model *m);
/* Prints the same figures as members of a JSON document. */
void rd_check_units_json(FILE *out, const struct rd_model *m);

#endif
