/* fused_step - land, react and hop of counted species on the GPU in one sweep over tiles. The
   queue hands over pass after pass; what can wait is held, until the hop that goes with it comes.
 */
#ifndef RD_CUDA_BACKEND_FUSED_STEP_CUH
#define RD_CUDA_BACKEND_FUSED_STEP_CUH

#include "kernels/core/backend.h"

#include <cuda_runtime.h>

typedef struct rd_fusion rd_fusion;

/* Of the machine's memory and stream; NULL without memory of the host. */
rd_fusion *rd_fusion_open(rd_machine *m);
void rd_fusion_close(rd_fusion *s);

/* Bytes that it takes for such a world; and whether, as far as the host can tell by its tables of
   reactions, no pass over its voxels is left to others. */
size_t rd_fusion_capacity(const struct rd_world *w);
bool rd_fusion_does_all(const struct rd_world *w);

/* Tables may have changed. */
void rd_fusion_invalidate(rd_fusion *s);
/* What sweeps need of tables is looked up, and room is taken; false: other passes than before can
   be taken over. To be called before passes. */
bool rd_fusion_load(rd_fusion *s, const struct rd_world *w);

/* Whether the pass is taken over: it is held, or happens with what is held. */
bool rd_fusion_take(rd_fusion *s, const struct rd_world *w, enum rd_pass pass);
/* What is held happens. */
void rd_fusion_flush(rd_fusion *s);
/* The world for other passes: with where to send those who are on their way. */
struct rd_world rd_fusion_world(rd_fusion *s, const struct rd_world *w, enum rd_pass pass);
/* Faults of what was swept are told where all faults are. */
void rd_fusion_report(rd_fusion *s);

/* Sweeps one after the other, now; and whether several of them can be one kernel. */
struct rd_fused_step;
struct rd_persistent_kernel;
void rd_fused_step_launch(const struct rd_persistent_kernel *m, cudaStream_t stream);
bool rd_fused_step_can_persist(const struct rd_fused_step *s, int64_t n_species);

/* The same for tiles of one form: stretches of voxels in their order (LINE), or boxes. */
template <bool LINE>
void rd_fused_step_launch_in(const struct rd_persistent_kernel *m, cudaStream_t stream);
/* Returns how many blocks of a march a multiprocessor has room for at once, with so many bytes of
   shared memory each; 0 if no march takes so many species. */
template <bool LINE> int rd_fused_step_capacity_in(size_t bytes, int64_t n_species);

/* Where those on their way are, while nothing is held: the same passes launch the same from there.
 */
int rd_fusion_state(const rd_fusion *s);
void rd_fusion_resume(rd_fusion *s, int state);

#endif
