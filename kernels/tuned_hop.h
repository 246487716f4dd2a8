/* tuned_hop - the hand-written twin of hop for the CPU: a portion of the cells at once. */
#ifndef RD_TUNED_HOP_H
#define RD_TUNED_HOP_H

#include "world.h"

/* What rd_hop does to the cells begin ... end - 1, to the bit. */
void rd_hop_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
