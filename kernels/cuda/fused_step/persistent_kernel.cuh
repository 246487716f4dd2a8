/* persistent_kernel - sweeps that follow each other, as one kernel does them: what each is told.
   Those before the last one all hop. */
#ifndef RD_CUDA_FUSED_STEP_PERSISTENT_KERNEL_CUH
#define RD_CUDA_FUSED_STEP_PERSISTENT_KERNEL_CUH

#include "kernels/cuda/fused_step/tile.cuh"

/* Sweeps of a march at most; flags that are set in a sweep, read in the next one, and cleared in
   the one after that; the passes of a sweep whose faults are kept apart at first: react, hop. */
enum { RD_MARCH_MOST = 34, RD_TURNS = 4, RD_LATER = 2 };

/* Which beats the passes of a sweep have, counted from 1; 0: it is not done. */
struct rd_leg {
    uint8_t lands, reacts, hops;
};

struct rd_march {
    struct rd_sweep s;
    struct rd_world w, react;
    struct rd_post post[2]; /* post[turn % 2] has those on their way */
    uint32_t *spilled;      /* [RD_TURNS] */
    struct rd_fault *fault; /* [RD_LATER] of passes that follow others in their sweep */
    const struct rd_beat *beats;
    uint32_t *met;        /* blocks that have ended a sweep */
    int32_t turn;         /* of the first sweep */
    int32_t reads_arrive; /* and whether others have sent to its arrive */
    int32_t n;
    struct rd_leg leg[RD_MARCH_MOST];
};
static_assert(sizeof(struct rd_march) <= 4096, "a kernel's argument");

static inline __host__ __device__ const struct rd_beat *rd_beat_of(const struct rd_march *m,
                                                                   uint8_t number)
{
    return number > 0 ? m->beats + number - 1 : NULL;
}

/* One of its sweeps: what it is told, and the worlds of its passes, but for what they share. */
static inline __host__ __device__ void rd_march_aim(const struct rd_march *m, int i,
                                                    struct rd_round *r, struct rd_world *w,
                                                    struct rd_world *react)
{
    const struct rd_leg leg = m->leg[i];
    const int turn = m->turn + i;
    r->in = m->post[turn % 2];
    r->in.spilled = m->spilled + turn % RD_TURNS;
    r->out = m->post[(turn + 1) % 2];
    r->out.spilled = m->spilled + (turn + 1) % RD_TURNS;
    r->unspilled = m->spilled + (turn + 2) % RD_TURNS;
    r->land_beat = rd_beat_of(m, leg.lands);
    r->react_beat = rd_beat_of(m, leg.reacts);
    r->hop_beat = rd_beat_of(m, leg.hops);
    r->reads_arrive = i == 0 && m->reads_arrive;
    w->beat = r->hop_beat ? r->hop_beat : r->react_beat ? r->react_beat : r->land_beat;
    w->sweep = r->land_beat ? r->land_beat : r->react_beat ? r->react_beat : r->hop_beat;
    w->sweep_place = (leg.lands > 0) + (leg.reacts > 0);
    w->arrive = r->out.arrive;
    w->fault = w->sweep_place > 0 ? m->fault + RD_N_FAULTS : m->s.land_fault;
    react->beat = r->react_beat;
    react->sweep = w->sweep;
    react->sweep_place = leg.lands > 0;
    react->fault = leg.lands > 0 ? m->fault : m->s.land_fault;
}

#endif
