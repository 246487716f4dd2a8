/* queue - sends calls to the GPU, as a graph if possible. A graph is made of calls that came twice,
   byte for byte. The step clocks, which differ from step to step, are sent before them. So changes
   of tables, arrays or bounds need no notice: other calls make another graph. */
#include "kernels/cuda/backend/fused_passes.h"
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/backend/queue.cuh"

#include <stdlib.h>
#include <string.h>

/* Limits the calls that wait, and the number of their steps; their step clocks are one kernel's
   argument of at most 4096 bytes. An idle GPU gets the first calls sooner. A graph of fewer than
   CALLS_LEAST calls gains nothing. */
enum { CALLS_MOST = 96, STEPS_MOST = 16, STEPS_FIRST = 4, CALLS_LEAST = 4, GRAPHS_MOST = 16 };

struct beats {
    struct rd_step_clock step_clock[CALLS_MOST];
};

/* Holds calls that were sent, and their graph once they came again. */
struct graph {
    struct rd_call *call; /* NULL: unused */
    int n;
    int begin, end; /* states of rd_fusion before and after */
    cudaGraphExec_t exec;
    int64_t last_used;
};

struct rd_queue {
    struct rd_call call[CALLS_MOST];
    struct beats beats;
    int n, n_passes, n_steps, step_begin;   /* step_begin: first call of the last step */
    uint32_t step;                          /* of the last call */
    bool updates;                           /* see rd_fuse */
    bool is_at_work;                        /* calls were sent, and the host has not waited since */
    struct rd_step_clock *step_clock_there; /* in device memory */
    struct graph graph[GRAPHS_MOST];
    int64_t n_sent;
};

rd_queue *rd_queue_open(struct rd_error *e)
{
    rd_queue *const q = (rd_queue *)calloc(1, sizeof *q);
    if (!q) {
        rd_fail(e, "out of memory for the back end");
        return NULL;
    }
    if (rd_cuda_report(e, cudaMalloc(&q->step_clock_there, sizeof q->beats), "make room for beats"))
        return q;
    free(q);
    return NULL;
}

static void drop_graph(struct graph *g)
{
    free(g->call);
    if (g->exec)
        cudaGraphExecDestroy(g->exec);
    *g = {};
}

void rd_queue_close(rd_queue *q)
{
    if (!q)
        return;
    for (int i = 0; i < GRAPHS_MOST; i++)
        drop_graph(&q->graph[i]);
    cudaFree(q->step_clock_there);
    free(q);
}

void rd_queue_invalidate(rd_machine *m)
{
    for (int i = 0; i < GRAPHS_MOST; i++)
        drop_graph(&m->queue->graph[i]);
}

static __global__ void set_beats(struct rd_step_clock *to,
                                 const __grid_constant__ struct beats from)
{
    to[threadIdx.x] = from.step_clock[threadIdx.x];
}

static void issue(rd_machine *m, const struct rd_call *c)
{
    uint32_t *const *const a = (uint32_t *const *)c->array;
    switch (c->kind) {
    case RD_CALL_PASS:
        rd_cuda_run(m, &c->world, c->pass);
        break;
    case RD_CALL_SCAN:
        rd_cuda_scan(m, (int32_t *)a[0], c->most, c->with_itself);
        break;
    case RD_CALL_SEGMENTS:
        rd_cuda_scan_segments(m, (int32_t *)a[0], (const int32_t *)a[1], (const uint8_t *)c->flag,
                              c->most);
        break;
    case RD_CALL_SORT:
        rd_cuda_sort(m, a[0], a[1], a[2], a[3], c->most, c->bits);
        break;
    }
}

static void issue_all(rd_machine *m)
{
    for (int i = 0; i < m->queue->n; i++) {
        if (m->queue->call[i].kind != RD_CALL_PASS)
            rd_fusion_flush(m->fusion);
        issue(m, &m->queue->call[i]);
    }
    rd_fusion_flush(m->fusion);
}

/* Returns the graph of the waiting calls, if they came before; otherwise NULL. */
static struct graph *find_graph(const rd_queue *q, int state)
{
    const size_t bytes = (size_t)q->n * sizeof *q->call;
    for (int i = 0; i < GRAPHS_MOST; i++) {
        const struct graph *const g = &q->graph[i];
        if (g->n == q->n && (!g->exec || g->begin == state) && memcmp(g->call, q->call, bytes) == 0)
            return (struct graph *)g;
    }
    return NULL;
}

/* Stores the waiting calls, in place of those not used for longest. */
static void remember(rd_queue *q)
{
    struct graph *g = &q->graph[0];
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
static bool capture(rd_machine *m, struct graph *g)
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

/* Returns whether the call's world is one that fused steps are made for; other worlds may lack
   tables. */
static bool concerns_fused_steps(const struct rd_call *c)
{
    return c->kind == RD_CALL_PASS &&
           (c->pass == RD_REACT || c->pass == RD_ENTER || c->pass == RD_HOP || c->pass == RD_LAND);
}

/* Updates the tables of fused steps for the waiting passes. Graphs with outdated fused steps are
   dropped. */
static void load(rd_machine *m)
{
    const rd_queue *const q = m->queue;
    for (int i = 0; i < q->n; i++) {
        if (!concerns_fused_steps(&q->call[i]))
            continue;
        if (!rd_fusion_load(m->fusion, &q->call[i].world))
            rd_queue_invalidate(m);
        return;
    }
}

static void send(rd_machine *m)
{
    rd_queue *const q = m->queue;
    q->is_at_work = true;
    q->n_sent++;
    load(m);
    set_beats<<<1, CALLS_MOST, 0, m->stream>>>(q->step_clock_there, q->beats);
    struct graph *const g = q->n < CALLS_LEAST ? NULL : find_graph(q, rd_fusion_state(m->fusion));
    if (g) {
        g->last_used = q->n_sent;
        if (g->exec || capture(m, g))
            rd_cuda_keep(m, cudaGraphLaunch(g->exec, m->stream), "run a graph");
        rd_fusion_resume(m->fusion, g->end);
    } else {
        issue_all(m);
        if (q->n >= CALLS_LEAST)
            remember(q);
    }
    q->n = q->n_passes = q->n_steps = q->step_begin = 0;
}

void rd_queue_send(rd_machine *m)
{
    if (m->queue->n > 0)
        send(m);
    m->queue->is_at_work = false;
}

/* Returns a place for one more call. Calls of a step stay together if possible, so that the same
   sequences come again. */
static struct rd_call *next_call(rd_machine *m, enum rd_call_kind kind)
{
    rd_queue *const q = m->queue;
    if (q->n == CALLS_MOST)
        send(m);
    struct rd_call *const c = &q->call[q->n++];
    memset(c, 0, sizeof *c);
    c->kind = kind;
    return c;
}

/* Sends the waiting calls before a new step if there is no room for as many calls as in the last
   step. */
static void begin_step(rd_machine *m, uint32_t step)
{
    rd_queue *const q = m->queue;
    const int in_last = q->n - q->step_begin, most = q->is_at_work ? STEPS_MOST : STEPS_FIRST;
    if (q->n > 0 && (q->n_steps == most || q->n + in_last > CALLS_MOST))
        send(m);
    q->step_begin = q->n;
    q->n_steps++;
    q->step = step;
}

void rd_queue_run(rd_machine *m, const struct rd_world *w, enum rd_pass requested)
{
    rd_queue *const q = m->queue;
    const enum rd_pass pass = rd_fuse(w, requested, &q->updates);
    if (pass == RD_NO_PASS)
        return;
    if (q->n == 0 || w->pass.step_clock->step != q->step)
        begin_step(m, w->pass.step_clock->step);
    struct rd_call *const c = next_call(m, RD_CALL_PASS);
    q->beats.step_clock[q->n_passes] = *w->pass.step_clock;
    c->pass = pass;
    memcpy(&c->world, w, sizeof *w);
    c->world.pass.step_clock = q->step_clock_there + q->n_passes++;
}

void rd_queue_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    (void)n;
    if (m->queue->updates)
        return;
    struct rd_call *const c = next_call(m, RD_CALL_SCAN);
    c->array[0] = x;
    c->most = most;
    c->with_itself = with_itself;
}

void rd_queue_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                            int64_t n)
{
    if (m->queue->updates)
        return;
    struct rd_call *const c = next_call(m, RD_CALL_SEGMENTS);
    c->array[0] = to;
    c->array[1] = (void *)from;
    c->flag = flag;
    c->most = n;
}

void rd_queue_sort(rd_machine *m, const struct rd_world *w, uint32_t *key, uint32_t *value,
                   uint32_t *key_to, uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    (void)n;
    if (rd_fuses_sort(w))
        return;
    struct rd_call *const c = next_call(m, RD_CALL_SORT);
    c->array[0] = key;
    c->array[1] = value;
    c->array[2] = key_to;
    c->array[3] = value_to;
    c->most = most;
    c->bits = bits;
}
