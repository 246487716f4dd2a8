/* fenced - a machine whose memory is out of the host's reach, as a GPU's is: the CPU's, but whoever
   looks into it but by its verbs dies. */
#ifndef RD_FENCED_H
#define RD_FENCED_H

#include "kernels/core/backend.h"

/* One at a time. */
extern const struct rd_backend fenced;

/* What it was told that it must have room for, and what was taken since it was opened. */
struct fenced_capacity {
    size_t told, taken;
};
struct fenced_capacity fenced_capacity(void);

#endif
