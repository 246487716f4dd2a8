/* collect_sweep - collects the results of a sweep in one file. */
#include "sweep/sweep_command.h"

#include "base/file.h"
#include "result/read/result_reader.h"
#include "result/write/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds what is collected, by task. */
struct collection {
    struct rd_task *task;
    const char **result;
    int64_t *seed;
    struct rd_varied *varied;
};

static bool open_collection(struct collection *b, const struct rd_sweep *s, struct rd_error *e)
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

static void close_collection(struct collection *b, const struct rd_sweep *s)
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

/* Returns whether the collected file would replace no file that it is made from. */
static bool is_replaceable(const char *path, const char *file, struct rd_error *e)
{
    return !rd_file_is_same(path, file) ||
           rd_fail(e, "%s: the collected file would replace a file of the sweep; name another",
                   path);
}

/* Sets SEARCHED_MOST, the number of incomplete tasks after which the search stops before a
   refusal, since a sweep may have millions */
enum { SEARCHED_MOST = 10000, RANGES_REPORTED = 8 };

/* Holds the numbers of tasks in one state, as "3, 7-12". */
struct ranges {
    char text[400];
    int64_t n, begin, end; /* begin and end of the last range */
    int n_ranges;
};

static void report_range(struct ranges *r)
{
    const size_t used = strlen(r->text), capacity = sizeof r->text - used;
    if (r->n == 0 || r->n_ranges > RANGES_REPORTED)
        return;
    if (r->n_ranges++ == RANGES_REPORTED)
        snprintf(r->text + used, capacity, ", ...");
    else if (r->begin == r->end)
        snprintf(r->text + used, capacity, "%s%lld", used ? ", " : "", (long long)r->begin);
    else
        snprintf(r->text + used, capacity, "%s%lld-%lld", used ? ", " : "", (long long)r->begin,
                 (long long)r->end);
}

static void add_task(struct ranges *r, int64_t number)
{
    if (r->n > 0 && number == r->end + 1) {
        r->end = number;
    } else {
        report_range(r);
        r->begin = r->end = number;
    }
    r->n++;
}

/* Holds all incomplete tasks by state. */
struct incomplete {
    struct ranges of[RD_N_STATES];
    int64_t n, n_examined;
};

/* Finds the incomplete tasks. If stops is true, ends the search when enough are found. */
static bool find_incomplete(struct incomplete *l, const struct rd_sweep *s, const char *path,
                            bool stops, struct rd_error *e)
{
    for (int64_t number = 1; number <= s->n_tasks && (!stops || l->n < SEARCHED_MOST); number++) {
        struct rd_task t;
        struct rd_task_status is = {0};
        bool ok = rd_sweep_task(&t, s, number, e) && is_replaceable(path, t.output, e);
        if (ok)
            rd_task_status_get(&is, &t, s);
        if (ok && is.state == RD_STATE_FOREIGN && rd_result_has_old_names(t.output, e)) {
            e->wrong = true;
            ok = false;
        }
        if (ok && is.state != RD_STATE_COMPLETE) {
            add_task(&l->of[is.state], number);
            l->n++;
        }
        l->n_examined = number;
        rd_task_status_free(&is);
        rd_task_free(&t);
        if (!ok)
            return false;
    }
    for (int state = 0; state < RD_N_STATES; state++)
        report_range(&l->of[state]);
    return true;
}

/* Writes which tasks are in that state. */
static void write_state(const struct incomplete *l, const struct rd_sweep *s, enum rd_state state,
                        char *text, size_t bytes)
{
    const struct ranges *const r = &l->of[state];
    snprintf(text, bytes, "task%s %s of %lld %s %s%s", r->n == 1 ? "" : "s", r->text,
             (long long)s->n_tasks, r->n == 1 ? "is" : "are", rd_state_name(state),
             l->n_examined < s->n_tasks ? ", and perhaps more" : "");
}

/* Returns the option of `rdsim sweep` that helps tasks in this state: it prints the reason why one
   is no result, or runs failed ones again. */
static const char *option_for(enum rd_state state)
{
    return state == RD_STATE_FOREIGN                               ? " --status"
           : state == RD_STATE_FAILED || state == RD_STATE_FAULTED ? " --retry"
                                                                   : "";
}

static bool refuse_incomplete(const struct incomplete *l, const struct rd_sweep *s,
                              struct rd_error *e)
{
    for (int state = 0; state < RD_N_STATES; state++) {
        char text[600];
        if (l->of[state].n == 0)
            continue;
        write_state(l, s, (enum rd_state)state, text, sizeof text);
        rd_fail(e, "%s: %s; run 'rdsim sweep %s%s', or collect the other results with --partial",
                s->file, text, s->file, option_for((enum rd_state)state));
    }
    return false;
}

/* Joins the texts of all states. */
static void write_states(const struct incomplete *l, const struct rd_sweep *s, char *text,
                         size_t bytes)
{
    *text = 0;
    for (int state = 0; state < RD_N_STATES; state++) {
        const size_t used = strlen(text);
        if (l->of[state].n == 0)
            continue;
        snprintf(text + used, bytes - used, "%s", used ? "; " : "");
        write_state(l, s, (enum rd_state)state, text + strlen(text), bytes - strlen(text));
    }
}

/* Collects the results that are complete now, and leaves out the others. Reads them whole, unless
   is_quick, and reports each damaged one. */
static bool collect_complete(struct collection *b, const struct rd_sweep *s, bool is_quick,
                             struct rd_error *e)
{
    const int before = e->n;
    for (int64_t i = 0; i < s->n_tasks; i++) {
        struct rd_task_status is;
        if (!rd_sweep_task(&b->task[i], s, i + 1, e))
            return false;
        rd_task_status_get(&is, &b->task[i], s);
        const bool is_complete = is.state == RD_STATE_COMPLETE;
        if (is_complete && !is_quick)
            rd_store_verify(b->task[i].output, e);
        b->result[i] = is_complete ? b->task[i].output : NULL;
        b->seed[i] = (int64_t)b->task[i].seed;
        rd_task_status_free(&is);
    }
    return e->n == before;
}

static bool collect_results(const struct rd_sweep *s, const char *path, const char *command,
                            const char *missing, bool is_quick, struct rd_error *e)
{
    struct collection b = {0};
    const bool ok = open_collection(&b, s, e) && collect_complete(&b, s, is_quick, e);
    const struct rd_collection all = {.title = s->file,
                                      .command = command,
                                      .missing = missing,
                                      .n_points = s->n_points,
                                      .n_repeats = s->n_repeats,
                                      .n_varied = s->n_axes,
                                      .varied = b.varied,
                                      .result = b.result,
                                      .seed = b.seed};
    const bool collected = ok && rd_collect_write(path, &all, e);
    close_collection(&b, s);
    return collected;
}

bool rd_collect_sweep(const struct rd_sweep *s, const char *path, const struct rd_options *o,
                      const char *command, struct rd_error *e)
{
    struct incomplete tasks = {0};
    char missing[2400];
    if (!rd_collect_may(path, o->force, e) || !is_replaceable(path, s->file, e) ||
        !is_replaceable(path, s->base, e) ||
        !find_incomplete(&tasks, s, path, !o->sweep.partial, e))
        return false;
    if (tasks.n > 0 && !o->sweep.partial)
        return refuse_incomplete(&tasks, s, e);
    const bool has_failed = tasks.of[RD_STATE_FAILED].n > 0 || tasks.of[RD_STATE_FAULTED].n > 0;
    const char *const option = option_for(has_failed ? RD_STATE_FAILED : RD_STATE_NONE);
    if (tasks.n == s->n_tasks)
        return rd_fail(e, "%s: no task of %lld is complete; run 'rdsim sweep %s%s'", s->file,
                       (long long)s->n_tasks, s->file, option);
    write_states(&tasks, s, missing, sizeof missing);
    if (tasks.n > 0 && !o->quiet)
        fprintf(stderr, "rdsim: warning: %s: %s; run 'rdsim sweep %s%s' to complete %s\n", s->file,
                missing, s->file, option, path);
    return collect_results(s, path, command, missing, o->quick, e);
}
