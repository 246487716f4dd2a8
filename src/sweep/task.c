/* task - one job of a sweep: what it sets, and what its result is called; and whether all of them
   can be. */
#define _POSIX_C_SOURCE 200809L
#include "model.h"
#include "sweep.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* More values than these are not tried before the sweep; each task checks its own. */
enum { TRIED_MOST = 1000 };

static int digits_of(int64_t n)
{
    int digits = 1;
    for (; n > 9; n /= 10)
        digits++;
    return digits;
}

/* What stands in a name of a file for a value: letters, digits and what is usual beside them. */
static void write_tame(FILE *out, const char *value)
{
    for (const char *c = value; *c; c++)
        if (*c != '"')
            fputc(strchr("/ \t\n(){},*?'\\$&|;<>:", *c) ? '_' : *c, out);
}

static bool write_word(FILE *out, const struct rd_sweep *s, const struct rd_task *t,
                       const char *word, size_t length)
{
    const struct {
        const char *name;
        int64_t number, most;
    } own[] = {{"task", t->number, s->n_tasks},
               {"point", t->point, s->n_points},
               {"repeat", t->repeat, s->n_repeats}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i].name) == length && strncmp(word, own[i].name, length) == 0)
            return fprintf(out, "%0*lld", digits_of(own[i].most), (long long)own[i].number) > 0;
    for (int i = 0; i < s->n_axes; i++) {
        const char *const name = s->axis[i].name;
        if (strlen(name) != length || strncmp(word, name, length) != 0)
            continue;
        write_tame(out, rd_sweep_value(s, i, t->point));
        return true;
    }
    return false;
}

/* The pattern with what its braces stand for. */
static bool write_name(FILE *out, const struct rd_sweep *s, const struct rd_task *t,
                       struct rd_error *e)
{
    for (const char *at = s->pattern; *at;) {
        const size_t plain = strcspn(at, "{");
        fwrite(at, 1, plain, out);
        at += plain;
        const size_t length = *at ? strcspn(++at, "}") : 0;
        if (length == 0 && !*at)
            return true;
        if (at[length] != '}' || !write_word(out, s, t, at, length))
            return rd_fail(e,
                           "%s: output: {%.*s} stands for nothing; in braces may stand task, "
                           "point, repeat, or the name of what is varied",
                           s->file, (int)length, at);
        at += length + 1;
    }
    return true;
}

bool rd_sweep_task(struct rd_task *t, const struct rd_sweep *s, int64_t number, struct rd_error *e)
{
    const int64_t point = (number - 1) / s->n_repeats + 1, repeat = (number - 1) % s->n_repeats + 1;
    *t = (struct rd_task){.number = number,
                          .point = point,
                          .repeat = repeat,
                          .seed = rd_sweep_seed(s->seed, point, repeat)};
    size_t length = 0;
    FILE *const out = open_memstream(&t->output, &length);
    t->set = calloc((size_t)s->n_axes, sizeof *t->set);
    if (!out || !t->set) {
        if (out)
            fclose(out);
        return rd_fail(e, "out of memory for a task");
    }
    for (int i = 0; i < s->n_axes; i++)
        t->set[i] = (struct rd_set){s->axis[i].path, rd_sweep_value(s, i, point), s->axis[i].place};
    const bool ok = write_name(out, s, t, e);
    return fclose(out) == 0 && t->output ? ok : rd_fail(e, "out of memory for a task");
}

void rd_task_free(struct rd_task *t)
{
    free(t->output);
    free(t->set);
    *t = (struct rd_task){0};
}

/* The base with these values makes a model. */
static bool makes_model(const struct rd_sweep *s, const struct rd_set *set, struct rd_error *e)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    const bool ok = rd_config_read(&c, s->base, set, s->n_axes, e) && rd_model_make(&m, c, e);
    rd_model_free(&m);
    rd_config_free(c);
    return ok;
}

/* Every value of every axis once, beside the first ones of the others. */
static bool check_values(const struct rd_sweep *s, const struct rd_task *first, struct rd_error *e)
{
    if (!makes_model(s, first->set, e))
        return false;
    const int before = e->n;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_set kept = first->set[i];
        const int64_t stride = 1 + s->axis[i].n / TRIED_MOST;
        for (int64_t k = stride; k < s->axis[i].n; k += stride) {
            first->set[i].value = s->axis[i].value[k];
            makes_model(s, first->set, e);
        }
        first->set[i] = kept;
    }
    return e->n == before;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct rd_task *)a)->output, ((const struct rd_task *)b)->output);
}

static bool are_apart(const struct rd_sweep *s, struct rd_task *task, int64_t n, struct rd_error *e)
{
    qsort(task, (size_t)n, sizeof *task, by_name);
    for (int64_t i = 1; i < n; i++)
        if (strcmp(task[i - 1].output, task[i].output) == 0)
            return rd_fail(e,
                           "%s: output: tasks %lld and %lld would both write %s; put {task} into "
                           "the name, or {point} and {repeat}, or what is varied",
                           s->file, (long long)task[i - 1].number, (long long)task[i].number,
                           task[i].output);
    return true;
}

/* No two tasks write the same file. */
static bool check_outputs(const struct rd_sweep *s, struct rd_error *e)
{
    if (strstr(s->pattern, "{task}") ||
        (strstr(s->pattern, "{point}") && (s->n_repeats == 1 || strstr(s->pattern, "{repeat}"))))
        return true;
    struct rd_task *const task = calloc((size_t)s->n_tasks, sizeof *task);
    if (!task)
        return rd_fail(e, "out of memory for %lld tasks", (long long)s->n_tasks);
    bool ok = true;
    int64_t n = 0;
    while (ok && n < s->n_tasks) {
        ok = rd_sweep_task(&task[n], s, n + 1, e);
        n++;
    }
    ok = ok && are_apart(s, task, n, e);
    for (int64_t i = 0; i < n; i++)
        rd_task_free(&task[i]);
    free(task);
    return ok;
}

bool rd_sweep_check(const struct rd_sweep *s, struct rd_error *e)
{
    struct rd_task first;
    const bool ok =
        rd_sweep_task(&first, s, 1, e) && check_outputs(s, e) && check_values(s, &first, e);
    rd_task_free(&first);
    e->wrong |= !ok;
    return ok;
}
