/* amount - a number of molecules of a species at a place: an entry of `initial`, or what an event
   adds or removes. */
#ifndef RD_MODEL_AMOUNT_H
#define RD_MODEL_AMOUNT_H

#include "model/reader.h"

enum rd_amount_use { RD_AMOUNT_INITIAL, RD_AMOUNT_ADD, RD_AMOUNT_REMOVE };

void rd_amount_read(struct rd_reader *r, const rd_node *group, enum rd_amount_use use,
                    struct rd_amount *a);
/* Frees the amount; m must still have its species. */
void rd_amount_free(const struct rd_model *m, struct rd_amount *a);

#endif
