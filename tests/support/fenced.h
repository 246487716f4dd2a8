/* fenced - a CPU back end whose memory the host cannot reach, as on a GPU. The process dies if
   anything but a function of the back end accesses the memory. */
#ifndef RD_FENCED_H
#define RD_FENCED_H

#include "kernels/core/backend.h"

/* Only one such machine may be open at a time. */
extern const struct rd_backend fenced;

/* Holds the bytes that were announced to the machine, and the bytes allocated since it was
   opened. */
struct fenced_capacity {
    size_t reported, taken;
};
struct fenced_capacity fenced_capacity(void);

#endif
