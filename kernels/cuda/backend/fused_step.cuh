/* fused_step - land, react and hop of counted species on the GPU, fused into one kernel over tiles.
   Consecutive fused steps can be one kernel, too. */
#ifndef RD_CUDA_BACKEND_FUSED_STEP_CUH
#define RD_CUDA_BACKEND_FUSED_STEP_CUH

#include "kernels/core/backend.h"
#include "kernels/core/fused_passes.h"

#include <cuda_runtime.h>

typedef struct rd_fusion rd_fusion;

/* Returns a new object that uses the machine's memory and stream; NULL if the host is out of
   memory. The caller closes it. */
rd_fusion *rd_fusion_open(rd_machine *m);
void rd_fusion_close(rd_fusion *s);

/* Returns the bytes of device memory that fused steps need for this world, 0 if they cannot run.
   The second function returns whether no pass over the voxels is left to other kernels, as far as
   the host's tables of reactions show. */
size_t rd_fusion_capacity(const struct rd_world *w);
bool rd_fusion_does_all(const struct rd_world *w);

/* Marks the table cache as outdated, because the world's tables may have changed; but not if the
   host wrote the counts. */
void rd_fusion_invalidate(rd_fusion *s, const void *written);
/* Updates the table cache and takes memory if the world requires it; call it before passes. Returns
   false if the set of passes that can be fused has changed. */
bool rd_fusion_load(rd_fusion *s, const struct rd_world *w);

/* Returns what fused steps can do for the world of the last load. */
struct rd_fusible rd_fusion_fusible(const rd_fusion *s);

/* Adds a part of a fused step: LAND, REACT, HOP, or some of them, in this order. The last part
   completes it, and launches it unless later ones may join it in one kernel. */
void rd_fusion_add(rd_fusion *s, const struct rd_world *w, enum rd_pass part, bool is_last);
/* Launches the fused steps that are not launched yet. */
void rd_fusion_flush(rd_fusion *s);
/* Returns the world for a pass outside the fused step: its `arrive` is the array that the next
   landing reads. */
struct rd_world rd_fusion_world(rd_fusion *s, const struct rd_world *w, enum rd_pass pass);
/* Copies the faults of fused passes to the world's faults. */
void rd_fusion_report(rd_fusion *s);

/* Launches the fused steps of m in their order: one kernel, or one persistent kernel. The tiles
   have one form: portions of consecutive voxels (LINE), or boxes. */
struct rd_persistent_kernel;
template <bool LINE>
void rd_fused_step_launch_in(const struct rd_persistent_kernel *m, cudaStream_t stream);
/* Returns how many blocks of a persistent kernel fit on a multiprocessor together, with so many
   bytes of shared memory each; 0 if no persistent kernel takes so many species. */
template <bool LINE> int rd_fused_step_capacity_in(size_t bytes, int64_t n_species);

/* Returns, or sets, the state that selects outbox and inbox while no pass is held. The same passes
   launch the same kernels from the same state. */
int rd_fusion_state(const rd_fusion *s);
void rd_fusion_resume(rd_fusion *s, int state);

#endif
