/* event_draws - the random numbers of the events of one voxel, drawn many events ahead. */
#include "kernels/cpu/event_draws.h"

/* Sets the expected events for which a bunch of random numbers is drawn at once. */
enum { EVENTS_AHEAD = 24 };

/* Computes the logarithms of the numbers that select times. */
static RD_WIDE void find_waits(struct rd_event_draws *x)
{
    for (int k = 0; k < RD_BUNCH; k++)
        x->wait[k] = rd_log_and(x->time_u[k], 0);
}

static void keep_draw(struct rd_event_draws *x, int k, const uint32_t word[4])
{
    x->time_u[k] = rd_uniform_of(word[0], word[1]);
    x->aim_u[k] = rd_uniform_of(word[2], word[3]);
}

static void draw_one(struct rd_event_draws *x)
{
    uint32_t word[4];
    rd_stream_call(&x->stream, x->stream.counter[0], word);
    keep_draw(x, 0, word);
    x->wait[0] = rd_log(x->time_u[0]);
}

static void draw_many(struct rd_event_draws *x)
{
    struct rd_bunch call;
    for (int k = 0; k < RD_BUNCH; k++) {
        call.w[0][k] = x->stream.counter[0] + (uint32_t)k;
        for (int i = 1; i < 4; i++)
            call.w[i][k] = x->stream.counter[i];
    }
    rd_bunch_call(&call, x->stream.key);
    for (int k = 0; k < RD_BUNCH; k++) {
        const uint32_t word[4] = {call.w[0][k], call.w[1][k], call.w[2][k], call.w[3][k]};
        keep_draw(x, k, word);
    }
    find_waits(x);
}

void rd_event_draws_fill(struct rd_event_draws *x, double expected)
{
    x->at_ahead = 0;
    x->n_ahead = expected > EVENTS_AHEAD ? RD_BUNCH : 1;
    if (x->n_ahead == 1)
        draw_one(x);
    else
        draw_many(x);
}
