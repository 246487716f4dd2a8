/* modes_report - a page that explains a network to a modeller. */
#ifndef RD_MODES_REPORT_H
#define RD_MODES_REPORT_H

#include "cone/engine.h"
#include "model/model.h"
#include "modes/network.h"

/* Prints the page. m: the model that the network is of, for counts and rates; NULL: there is none.
 */
bool rd_modes_report(const struct rd_network *n, const struct rd_model *m,
                     const struct rd_engine_options *o, FILE *out, struct rd_error *e);

#endif
