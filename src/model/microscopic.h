/* microscopic - reactions whose rate is that of two molecules which touch: the keys `rate_model`,
   `radius` and `reverse`. */
#ifndef RD_MODEL_MICROSCOPIC_H
#define RD_MODEL_MICROSCOPIC_H

#include "model/reader.h"

/* Reads the keys of a reaction whose equation and rate are read, and rejects what has no such
   rate. */
void rd_microscopic_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
/* Finds the reverse of reaction number i, if it has the key, after all reactions are read. */
void rd_microscopic_pair(struct rd_reader *r, const rd_node *group, int i);

#endif
