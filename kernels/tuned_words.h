/* tuned_words - the hand-written twin of words for the CPU: a portion of the items at once. */
#ifndef RD_TUNED_WORDS_H
#define RD_TUNED_WORDS_H

#include "world.h"

/* What rd_words does to the items begin ... end - 1, to the bit. */
void rd_words_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
