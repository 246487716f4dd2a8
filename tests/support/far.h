/* far - a back end that holds passes and fuses them, as a GPU does, but runs on the CPU; separate
   because it stands for a machine. */
#ifndef RD_FAR_H
#define RD_FAR_H

#include "kernels/core/backend.h"

/* Returns a back end for machines of `near`, which does not share the host's memory. If `near` is
   the CPU, sequences of passes that a GPU fuses run in the places of the fused passes. One machine
   at a time; closing it frees it. */
const struct rd_backend *far_of(const struct rd_backend *near);

#endif
