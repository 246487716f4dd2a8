/* tuned_events - the events of simple worlds on the GPU: where all is mass action, and individuals
   have neither attributes nor weights nor a lineage, the plain bodies shrink to what is left. */
#define RD_SIMPLE_ONLY 1
#include "events_cuda.cuh"

void rd_simple_react(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    rd_do_aside<rd_react><<<RD_EVENT_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}

void rd_simple_maintain(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    rd_maintain_aside<<<RD_EVENT_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
