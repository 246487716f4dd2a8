/* persistent_kernel - the arguments of consecutive fused steps that one persistent kernel does.
   Each of them but the last one includes a hop. */
#ifndef RD_CUDA_FUSED_STEP_PERSISTENT_KERNEL_CUH
#define RD_CUDA_FUSED_STEP_PERSISTENT_KERNEL_CUH

#include "kernels/cuda/fused_step/tile.cuh"

/* Limits the fused steps of a persistent kernel. RD_TURNS: a flag is set in one fused step, read in
   the next one and cleared in the one after that. RD_LATER: the passes of a fused step whose faults
   are first kept apart are react and hop. */
enum { RD_PERSISTENT_KERNEL_MOST = 34, RD_TURNS = 4, RD_LATER = 2 };

/* Holds the numbers of the step clocks of the passes of one fused step, counted from 1; 0: the pass
   is not done. */
struct rd_kernel_substep {
    uint8_t lands, reacts, hops;
};

struct rd_persistent_kernel {
    struct rd_fused_step s;
    struct rd_world w, react;
    struct rd_outbox outbox[2]; /* outbox[turn % 2] is the inbox of that turn */
    uint32_t *spilled;          /* [RD_TURNS] */
    struct rd_fault *fault;     /* [RD_LATER], of passes that follow others in their fused step */
    const struct rd_step_clock *first_clock;
    uint32_t *n_arrived;  /* number of arrivals of blocks at the grid barrier */
    int32_t turn;         /* of the first fused step */
    int32_t reads_arrive; /* other passes have sent to the `arrive` of its inbox */
    int32_t n;
    struct rd_kernel_substep kernel_substep[RD_PERSISTENT_KERNEL_MOST];
};
/* Checks the limit for the arguments of a kernel in CUDA 12.1 and later. */
static_assert(sizeof(struct rd_persistent_kernel) <= 32764, "a kernel's argument");

static inline __host__ __device__ const struct rd_step_clock *
rd_step_clock_of(const struct rd_persistent_kernel *m, uint8_t number)
{
    return number > 0 ? m->first_clock + number - 1 : NULL;
}

/* Sets the arguments of fused step i, and the members of its passes' worlds that differ between
   fused steps. */
static inline __host__ __device__ void
rd_persistent_kernel_aim(const struct rd_persistent_kernel *m, int i, struct rd_round *r,
                         struct rd_world *w, struct rd_world *react)
{
    const struct rd_kernel_substep kernel_substep = m->kernel_substep[i];
    const int turn = m->turn + i;
    r->in = m->outbox[turn % 2];
    r->in.spilled = m->spilled + turn % RD_TURNS;
    r->out = m->outbox[(turn + 1) % 2];
    r->out.spilled = m->spilled + (turn + 1) % RD_TURNS;
    r->unspilled = m->spilled + (turn + 2) % RD_TURNS;
    r->land_step_clock = rd_step_clock_of(m, kernel_substep.lands);
    r->react_step_clock = rd_step_clock_of(m, kernel_substep.reacts);
    r->hop_step_clock = rd_step_clock_of(m, kernel_substep.hops);
    r->reads_arrive = i == 0 && m->reads_arrive;
    w->pass.step_clock = r->hop_step_clock     ? r->hop_step_clock
                         : r->react_step_clock ? r->react_step_clock
                                               : r->land_step_clock;
    w->pass.fused_step = r->land_step_clock    ? r->land_step_clock
                         : r->react_step_clock ? r->react_step_clock
                                               : r->hop_step_clock;
    w->pass.fused_step_place = (kernel_substep.lands > 0) + (kernel_substep.reacts > 0);
    w->counts.arrive = r->out.arrive;
    w->runs.fault = w->pass.fused_step_place > 0 ? m->fault + RD_N_FAULTS : m->s.land_fault;
    react->pass.step_clock = r->react_step_clock;
    react->pass.fused_step = w->pass.fused_step;
    react->pass.fused_step_place = kernel_substep.lands > 0;
    react->runs.fault = kernel_substep.lands > 0 ? m->fault : m->s.land_fault;
}

#endif
