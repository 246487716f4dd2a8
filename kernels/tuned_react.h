/* tuned_react - the hand-written twin of react for the CPU: a portion of the cells at once. */
#ifndef RD_TUNED_REACT_H
#define RD_TUNED_REACT_H

#include "world.h"

/* What rd_react does to the cells begin ... end - 1, to the bit. */
void rd_react_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
