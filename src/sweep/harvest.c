/* harvest - the results of a sweep in one file. */
#include "harvest.h"

#include "same.h"
#include "store_collect.h"
#include "worker.h"

#include <stdlib.h>

/* What is collected, by task. */
struct basket {
    struct rd_task *task;
    const char **result;
    int64_t *seed;
    struct rd_varied *varied;
};

static bool open_basket(struct basket *b, const struct rd_sweep *s, struct rd_error *e)
{
    const size_t n = (size_t)s->n_tasks, axes = (size_t)s->n_axes;
    b->task = calloc(n, sizeof *b->task);
    b->result = calloc(n, sizeof *b->result);
    b->seed = calloc(n, sizeof *b->seed);
    b->varied = calloc(axes, sizeof *b->varied);
    bool ok = b->task && b->result && b->seed && b->varied;
    for (int i = 0; ok && i < s->n_axes; i++) {
        b->varied[i].name = s->axis[i].name;
        b->varied[i].value = calloc((size_t)s->n_points, sizeof *b->varied[i].value);
        ok = b->varied[i].value != NULL;
        for (int64_t point = 1; ok && point <= s->n_points; point++)
            b->varied[i].value[point - 1] = rd_sweep_value(s, i, point);
    }
    return ok || rd_fail(e, "out of memory for %lld tasks", (long long)s->n_tasks);
}

static void close_basket(struct basket *b, const struct rd_sweep *s)
{
    for (int64_t i = 0; b->task && i < s->n_tasks; i++)
        rd_task_free(&b->task[i]);
    for (int i = 0; b->varied && i < s->n_axes; i++)
        free(b->varied[i].value);
    free(b->task);
    free(b->result);
    free(b->seed);
    free(b->varied);
}

/* The collected file must not take the place of what it is made from. */
static bool spares(const char *path, const char *file, struct rd_error *e)
{
    return !rd_same_file(path, file) ||
           rd_fail(e, "%s: the collected file would replace what the sweep needs; name another",
                   path);
}

/* A sentence for each task that is not complete. */
static bool take(struct basket *b, const struct rd_sweep *s, const char *path, struct rd_error *e)
{
    const int before = e->n;
    for (int64_t i = 0; i < s->n_tasks; i++) {
        struct rd_standing is;
        if (!rd_sweep_task(&b->task[i], s, i + 1, e) || !spares(path, b->task[i].output, e))
            return false;
        rd_task_look(&is, &b->task[i], s);
        if (is.state != RD_STATE_COMPLETE)
            rd_fail(e, "task %lld: %s: is %s; only complete results are collected",
                    (long long)(i + 1), b->task[i].output, rd_state_name(is.state));
        b->result[i] = b->task[i].output;
        b->seed[i] = (int64_t)b->task[i].seed;
        rd_standing_free(&is);
    }
    return e->n == before;
}

bool rd_harvest(const struct rd_sweep *s, const char *path, bool force, const char *command,
                struct rd_error *e)
{
    struct basket b = {0};
    const bool ok = rd_collect_may(path, force, e) && spares(path, s->file, e) &&
                    spares(path, s->base, e) && open_basket(&b, s, e) && take(&b, s, path, e);
    const struct rd_collection all = {.title = s->file,
                                      .command = command,
                                      .n_points = s->n_points,
                                      .n_repeats = s->n_repeats,
                                      .n_varied = s->n_axes,
                                      .varied = b.varied,
                                      .result = b.result,
                                      .seed = b.seed};
    const bool collected = ok && rd_collect_write(path, &all, e);
    close_basket(&b, s);
    return collected;
}
