/* fused_passes - recognises sequences of plain passes that a machine can do at once, and replaces
   them by fused passes. The sequences and their conditions are one table, in fused_passes.c. A back
   end gives every requested pass to a fuser, which calls it back for what to run. */
#ifndef RD_CORE_FUSED_PASSES_H
#define RD_CORE_FUSED_PASSES_H

#include "kernels/core/passes.h"
#include "kernels/core/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_fuser rd_fuser;

/* Holds a requested pass, with copies of its world and step clock. */
struct rd_request {
    enum rd_pass pass;
    struct rd_world world; /* its step clock is the one below */
    struct rd_step_clock step_clock;
};

/* Describes what the machine can do in a fused step for the model of the requested pass. */
struct rd_fusible {
    bool steps;  /* fused steps are possible */
    bool reacts; /* they can include the reactions */
    bool rows;   /* fused steps of rows are possible */
};

/* Runs a pass that does the n requests in their order: a fused pass, or a plain one with n = 1. The
   requests are valid during the call. */
typedef void rd_fuser_run(void *to, enum rd_pass pass, const struct rd_request *request, int n);

/* Sets the passes of a fused step of rows. */
enum { RD_ROW_STEP_PASSES = 5 };

/* Sets limits of SORT_BY_VOXEL: voxels per individual, and individuals per voxel. */
enum { RD_SORT_VOXELS_MOST = 8, RD_SORT_LOAD_MOST = 4096 };

/* Sets the most individuals of a short list. */
enum { RD_SHORT_LIST = 1 << 18 };

/* Returns whether the selected list is short and one of several: its passes run beside those of the
   others, which is faster than fused passes one after the other. */
static inline bool rd_is_beside_others(const struct rd_world *w)
{
    return w->lists.n_list > 1 && w->lists.reach <= RD_SHORT_LIST;
}

/* Returns whether the pass has items in this world, as far as the host can compute. */
bool rd_has_items(const struct rd_world *w, enum rd_pass pass);

/* Returns a new fuser, which the caller closes; NULL if there is no memory. */
rd_fuser *rd_fuser_open(rd_fuser_run *run, void *to);
void rd_fuser_close(rd_fuser *f);

/* Takes the next requested pass. Runs it now, or holds it because it may belong to a sequence. Runs
   held passes before it if it ends their sequence. A pass without items does nothing. */
void rd_fuser_take(rd_fuser *f, const struct rd_world *w, enum rd_pass pass, struct rd_fusible can);
/* Ends all sequences: runs all held passes. A caller that uses the machine's memory does this
   first. */
void rd_fuser_end(rd_fuser *f);
/* Ends the sequences of which every part is a fused pass, too. */
void rd_fuser_end_parts(rd_fuser *f);
/* Returns the number of held passes. */
int rd_fuser_held(const rd_fuser *f);

#ifdef __cplusplus
}
#endif

#endif
