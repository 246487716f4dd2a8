/* queue - sends calls to the GPU, as a graph if possible. A graph is made of calls that came twice,
   byte for byte. The step clocks, which differ from step to step, are sent before them. So changes
   of tables, arrays or bounds need no notice: other calls make another graph. */
#include "kernels/core/fused_passes.h"
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/backend/queue.cuh"

#include <stdlib.h>
#include <string.h>

/* Limits the calls that wait, and the number of their steps. An idle GPU gets the first calls
   sooner. A graph of fewer than CALLS_LEAST calls gains nothing. Making a graph takes 5 to 10 us
   per launch, in which the GPU may become idle, so a graph should have at most LAUNCHES_MOST. */
enum {
    CALLS_MOST = 192,
    STEPS_MOST = 32,
    STEPS_FIRST = 4,
    LAUNCHES_MOST = 144,
    CALLS_LEAST = 4,
    GRAPHS_MOST = 16
};

struct step_clocks {
    struct rd_step_clock step_clock[CALLS_MOST];
};

/* Holds calls that were sent, and their graph once they came again. */
struct pass_graph {
    struct rd_call *call; /* NULL: unused */
    int n;
    int begin, end; /* states of rd_fusion before and after */
    cudaGraphExec_t exec;
    int64_t last_used;
};

struct rd_queue {
    struct rd_call call[CALLS_MOST];
    struct step_clocks clocks;
    rd_fuser *fuser;                        /* holds passes that may belong to a fused pass */
    int n, n_steps, step_begin;             /* step_begin: first call of the last step */
    int n_launches;                         /* of the waiting calls, estimated */
    uint32_t step;                          /* of the last requested pass */
    bool is_at_work;                        /* calls were sent, and the host has not waited since */
    struct rd_step_clock *step_clock_there; /* in device memory */
    struct pass_graph graph[GRAPHS_MOST];
    int64_t n_sent;
};

static void drop_graph(struct pass_graph *g)
{
    free(g->call);
    if (g->exec)
        cudaGraphExecDestroy(g->exec);
    *g = {};
}

void rd_queue_invalidate(rd_machine *m)
{
    for (int i = 0; i < GRAPHS_MOST; i++)
        drop_graph(&m->queue->graph[i]);
}

static __global__ void set_step_clocks(struct rd_step_clock *to,
                                       const __grid_constant__ struct step_clocks from)
{
    to[threadIdx.x] = from.step_clock[threadIdx.x];
}

static void issue_all(rd_machine *m)
{
    for (int i = 0; i < m->queue->n;)
        i += rd_cuda_run(m, &m->queue->call[i], m->queue->n - i);
    rd_cuda_join(m);
    rd_fusion_flush(m->fusion);
}

/* Returns the graph of the waiting calls, if they came before; otherwise NULL. */
static struct pass_graph *find_graph(const rd_queue *q, int state)
{
    const size_t bytes = (size_t)q->n * sizeof *q->call;
    for (int i = 0; i < GRAPHS_MOST; i++) {
        const struct pass_graph *const g = &q->graph[i];
        if (g->n == q->n && (!g->exec || g->begin == state) && memcmp(g->call, q->call, bytes) == 0)
            return (struct pass_graph *)g;
    }
    return NULL;
}

/* Stores the waiting calls, in place of those not used for longest. */
static void store_graph(rd_queue *q)
{
    struct pass_graph *g = &q->graph[0];
    for (int i = 1; i < GRAPHS_MOST; i++)
        if (q->graph[i].last_used < g->last_used)
            g = &q->graph[i];
    drop_graph(g);
    const size_t bytes = (size_t)q->n * sizeof *q->call;
    g->call = (struct rd_call *)malloc(bytes);
    if (!g->call)
        return; /* without memory there is no graph */
    memcpy(g->call, q->call, bytes);
    g->n = q->n;
    g->last_used = q->n_sent;
}

/* Captures the launches of the waiting calls as a graph. */
static bool capture(rd_machine *m, struct pass_graph *g)
{
    cudaGraph_t graph = NULL;
    if (!rd_cuda_keep(m, cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal),
                      "begin a graph"))
        return false;
    g->begin = rd_fusion_state(m->fusion);
    issue_all(m);
    g->end = rd_fusion_state(m->fusion);
    bool ok = rd_cuda_keep(m, cudaStreamEndCapture(m->stream, &graph), "end a graph");
    ok = ok && rd_cuda_keep(m, cudaGraphInstantiate(&g->exec, graph, 0), "make a graph");
    if (graph)
        cudaGraphDestroy(graph);
    return ok;
}

static void send_waiting(rd_machine *m)
{
    rd_queue *const q = m->queue;
    if (q->n == 0)
        return;
    q->is_at_work = true;
    q->n_sent++;
    set_step_clocks<<<1, (unsigned)q->n, 0, m->stream>>>(q->step_clock_there, q->clocks);
    struct pass_graph *const g =
        q->n < CALLS_LEAST ? NULL : find_graph(q, rd_fusion_state(m->fusion));
    if (g) {
        g->last_used = q->n_sent;
        if (g->exec || capture(m, g))
            rd_cuda_keep(m, cudaGraphLaunch(g->exec, m->stream), "run a graph");
        rd_fusion_resume(m->fusion, g->end);
    } else {
        issue_all(m);
        if (q->n >= CALLS_LEAST)
            store_graph(q);
    }
    q->n = q->n_launches = q->n_steps = q->step_begin = 0;
}

/* Returns whether the fused pass has a call for each of its requests. */
static bool needs_all_requests(enum rd_pass pass)
{
    return pass == RD_FUSED_STEP || pass == RD_REACT_LANDED || pass == RD_ROW_STEP;
}

/* Returns the number of kernels and cleared arrays of a pass, for a typical model. */
static int launches_of(enum rd_pass pass)
{
    if (pass < RD_N_PASSES)
        return 2;
    return needs_all_requests(pass) ? 1 : 9;
}

/* Appends a pass that the fuser runs, with all requests if it needs them. Calls of a step
   stay together if possible, so that the same sequences come again. */
static void append_fused(void *to, enum rd_pass pass, const struct rd_request *request, int n)
{
    rd_machine *const m = (rd_machine *)to;
    rd_queue *const q = m->queue;
    const int first = needs_all_requests(pass) ? 0 : n - 1;
    if (q->n + n - first > CALLS_MOST)
        send_waiting(m);
    for (int i = first; i < n; i++) {
        struct rd_call *const c = &q->call[q->n];
        memset(c, 0, sizeof *c);
        c->pass = pass;
        c->part = request[i].pass;
        c->is_last = i == n - 1;
        memcpy(&c->world, &request[i].world, sizeof c->world);
        q->n_launches += launches_of(pass);
        q->clocks.step_clock[q->n] = request[i].step_clock;
        c->world.pass.step_clock = q->step_clock_there + q->n++;
    }
}

/* Sends the waiting calls, after which the GPU is waited for. */
static void send_last(rd_machine *m)
{
    rd_queue *const q = m->queue;
    send_waiting(m);
    q->n_steps = q->step_begin = 0;
    q->is_at_work = false;
}

void rd_queue_send(rd_machine *m)
{
    rd_fuser_end(m->queue->fuser);
    send_last(m);
}

void rd_queue_send_to_measure(rd_machine *m)
{
    rd_fuser_end_parts(m->queue->fuser);
    send_last(m);
}

rd_queue *rd_queue_open(rd_machine *m, struct rd_error *e)
{
    rd_queue *const q = (rd_queue *)calloc(1, sizeof *q);
    if (q)
        q->fuser = rd_fuser_open(append_fused, m);
    if (!q || !q->fuser)
        rd_fail(e, "out of memory for the back end");
    else if (rd_cuda_report(e, cudaMalloc(&q->step_clock_there, sizeof q->clocks),
                            "allocate memory for step clocks"))
        return q;
    rd_queue_close(q);
    return NULL;
}

void rd_queue_close(rd_queue *q)
{
    if (!q)
        return;
    for (int i = 0; i < GRAPHS_MOST; i++)
        drop_graph(&q->graph[i]);
    rd_fuser_close(q->fuser);
    cudaFree(q->step_clock_there);
    free(q);
}

/* Returns the number of calls that wait, with those that are held. */
static int n_waiting(const rd_queue *q)
{
    return q->n + rd_fuser_held(q->fuser);
}

/* Returns whether another step like those that wait would exceed LAUNCHES_MOST. */
static bool has_many_launches(const rd_queue *q)
{
    const int steps = q->n_steps > 0 ? q->n_steps : 1;
    return q->n_launches + q->n_launches / steps > LAUNCHES_MOST;
}

/* Sends the waiting calls before a new step if there is no room for as many calls as in the last
   step, or if they have many launches. Whole sequences stay held, since their fused pass reads less
   than their plain passes: a quiet voxel has no births. */
static void begin_queued_step(rd_machine *m, uint32_t step)
{
    rd_queue *const q = m->queue;
    const int n = n_waiting(q), in_last = n - q->step_begin;
    const int most = q->is_at_work ? STEPS_MOST : STEPS_FIRST;
    if (n > 0 && (q->n_steps == most || n + in_last > CALLS_MOST || has_many_launches(q))) {
        rd_fuser_end_parts(q->fuser);
        send_waiting(m);
    }
    q->step_begin = n_waiting(q);
    q->n_steps++;
    q->step = step;
}

static bool is_row_pass(enum rd_pass pass)
{
    return pass == RD_HOP_ROWS || pass == RD_LINK_ARRIVALS || pass == RD_LAND_ROWS ||
           pass == RD_CLOSE_ROWS || pass == RD_REACT_ROWS;
}

/* Returns what fused steps can do for the world of a pass, with their tables up to date. Graphs
   with outdated fused steps are dropped. */
static struct rd_fusible find_fusible(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    if (is_row_pass(pass))
        return {false, false, rd_fused_rows_load(m->fused_rows, w)};
    if (pass != RD_REACT && pass != RD_ENTER && pass != RD_HOP && pass != RD_LAND)
        return {}; /* the world may lack tables */
    if (!rd_fusion_load(m->fusion, w))
        rd_queue_invalidate(m);
    return rd_fusion_fusible(m->fusion);
}

void rd_queue_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    rd_queue *const q = m->queue;
    if (q->n_steps == 0 || w->pass.step_clock->step != q->step)
        begin_queued_step(m, w->pass.step_clock->step);
    rd_fuser_take(q->fuser, w, pass, find_fusible(m, w, pass));
}
