/* far - a back end that holds passes and fuses them, as a GPU does, but runs on the CPU. */
#include "far.h"

#include "kernels/core/fused_passes.h"
#include "kernels/core/lattice.h"
#include "probability.h"

#include <string.h>

static const struct rd_backend *const cpu = &rd_backend_cpu;
static struct rd_backend far;
static rd_fuser *fuser;

/* Runs a pass. A sort overwrites the source arrays, as a GPU's sort does. */
static void run_and_lose(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    const struct rd_lists *const l = &w->lists;
    cpu->run(m, w, pass);
    if (pass != RD_SORT)
        return;
    memset(l->key + l->now.base, 0x5a, (size_t)l->live[l->at_list] * sizeof *l->key);
    memset(l->slot + l->now.base, 0x5a, (size_t)l->live[l->at_list] * sizeof *l->slot);
}

/* Declines some fused steps of rows, as a GPU does if it cannot do them: the passes pause at the
   first one of the step. */
static bool declines_step(const struct rd_world *w)
{
    enum { EACH = 3 };
    if (w->runs.n_first_faulting_pass == 0 || rd_is_halted(w) || w->pass.step_clock->step % EACH)
        return false;
    w->rows.capacity->declined = RD_DECLINED_STATE;
    rd_min_i64(w->runs.first_faulting_pass, w->pass.step_clock->pass);
    return true;
}

/* Runs the parts of a fused pass, in the place of the fused pass. */
static void run_parts(void *to, enum rd_pass pass, const struct rd_request *request, int n)
{
    if (pass == RD_ROW_STEP && declines_step(&request[0].world))
        return;
    for (int i = 0; i < n; i++)
        run_and_lose(to, &request[i].world, request[i].pass);
}

static void far_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    const bool reacts = !w->reactions.has_expressions && w->items.n_maintained == 0;
    if (!fuser)
        assert_non_null(fuser = rd_fuser_open(run_parts, m));
    rd_fuser_take(fuser, w, pass, (struct rd_fusible){w->runs.n_frozen == 0, reacts, true});
}

static void end(void)
{
    if (fuser)
        rd_fuser_end(fuser);
}

static void far_close(rd_machine *m)
{
    rd_fuser_close(fuser);
    fuser = NULL;
    cpu->close(m);
}

static void *far_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    end();
    return cpu->alloc(m, bytes, e);
}

static void far_free(rd_machine *m, void *p)
{
    end();
    cpu->free(m, p);
}

static bool far_put(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    end();
    return cpu->put(m, to, from, bytes, e);
}

static bool far_zero(rd_machine *m, void *p, size_t bytes, struct rd_error *e)
{
    end();
    return cpu->zero(m, p, bytes, e);
}

static void far_copy(rd_machine *m, void *to, const void *from, size_t bytes)
{
    end();
    cpu->copy(m, to, from, bytes);
}

static void far_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length)
{
    end();
    cpu->sum(m, to, from, n, length);
}

static bool far_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                       int64_t n, struct rd_error *e)
{
    end();
    return cpu->gather(m, to, from, index, n, e);
}

static bool far_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                        int64_t n, struct rd_error *e)
{
    end();
    return cpu->scatter(m, to, from, index, n, e);
}

static bool far_get_sums(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                         struct rd_error *e)
{
    end();
    return cpu->get_sums(m, to, from, n, length, e);
}

static bool far_get_marks(rd_machine *m, uint8_t *to, const int32_t *from, int64_t n, int32_t low,
                          int32_t high, struct rd_error *e)
{
    end();
    return cpu->get_marks(m, to, from, n, low, high, e);
}

static bool far_sync(rd_machine *m, struct rd_error *e)
{
    end();
    return cpu->sync(m, e);
}

static void far_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n)
{
    end();
    cpu->async_copy(m, l, piece, n);
}

const struct rd_backend *far_of(const struct rd_backend *near)
{
    far = *near;
    far.shares_host_memory = false;
    if (near != cpu)
        return &far;
    far.run = far_run;
    far.close = far_close;
    far.alloc = far_alloc;
    far.free = far_free;
    far.put = far.get = far_put;
    far.zero = far_zero;
    far.copy = far_copy;
    far.sum = far_sum;
    far.gather = far_gather;
    far.scatter = far_scatter;
    far.get_sums = far_get_sums;
    far.get_marks = far_get_marks;
    far.sync = far_sync;
    far.async_copy = far_async_copy;
    return &far;
}
