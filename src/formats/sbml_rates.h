/* sbml_rates - rate rules with an exact solution. */
#ifndef RD_FORMATS_SBML_RATES_H
#define RD_FORMATS_SBML_RATES_H

#include "formats/sbml_model.h"

/* Makes expressions of the time of the variables whose rate is a + b x with constant a and b. */
void rd_sbml_solve_rates(struct rd_sbml *s);

#endif
