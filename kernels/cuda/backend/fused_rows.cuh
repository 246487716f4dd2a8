/* fused_rows - consecutive steps of rare species on the GPU, fused into one kernel: movement,
   arrival and reactions. It does not handle all models, and in those that it handles not every
   state: then nothing changes, and the passes pause at the first one of these steps. */
#ifndef RD_CUDA_BACKEND_FUSED_ROWS_CUH
#define RD_CUDA_BACKEND_FUSED_ROWS_CUH

#include "kernels/core/backend.h"
#include "kernels/core/fused_passes.h"

typedef struct rd_fused_rows rd_fused_rows;

/* Sets the least steps of a kernel: it reads the rows first, and writes them in the end. */
enum { RD_FUSED_ROWS_LEAST = 3 };

/* Returns a new object that uses the machine's memory and stream; NULL if the host is out of
   memory. The caller closes it. */
rd_fused_rows *rd_fused_rows_open(rd_machine *m);
void rd_fused_rows_close(rd_fused_rows *f);

/* Returns the bytes of device memory that the kernel needs for this world, 0 if it cannot run. */
size_t rd_fused_rows_capacity(const rd_machine *m, const struct rd_world *w);
/* Takes memory if the world requires it; call it before passes. Returns whether the kernel can run
   for the world. */
bool rd_fused_rows_load(rd_fused_rows *f, const struct rd_world *w);
/* Launches the kernel for the first of these n steps, of RD_ROW_STEP_PASSES calls each.
   Returns their number, 0 if there are too few that differ in their step clocks only. */
struct rd_call;
int rd_fused_rows_run(rd_fused_rows *f, const struct rd_call *c, int n);

#endif
