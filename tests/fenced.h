/* fenced - a machine whose memory is out of the host's reach, as a GPU's is: the CPU's, but whoever
   looks into it but by its verbs dies. */
#ifndef RD_FENCED_H
#define RD_FENCED_H

#include "backend.h"

/* One at a time. */
extern const struct rd_backend fenced;

#endif
