/* sweep_command - `rdsim sweep`: does what the options select. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep_command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names the variables that hold the index of a job in an array. */
static const char *const arrays[] = {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "SGE_TASK_ID",
                                     "LSB_JOBINDEX"};
enum { N_ARRAYS = sizeof arrays / sizeof *arrays };

/* Returns the index of this job in an array, and in *variable what holds it; NULL: it is no job of
   an array. */
static const char *array_index(const char **variable)
{
    for (int i = 0; i < N_ARRAYS; i++) {
        const char *const text = getenv(arrays[i]);
        *variable = arrays[i];
        if (text && *text && strcmp(text, "undefined") != 0) /* Grid Engine's value for none */
            return text;
    }
    return NULL;
}

/* Reads one task, "7", or a range, "7-12", which may exceed the last task; NULL or "array": that of
   this job in an array. */
static bool find_tasks(const struct rd_sweep *s, const char *text, int64_t *first, int64_t *last,
                       struct rd_error *e)
{
    const char *variable = NULL;
    const bool is_array = !text || strcmp(text, "array") == 0;
    if (is_array && !(text = array_index(&variable)))
        return rd_fail(
            e, "--task array: none of %s, %s, %s and %s is set; name the task with --task N",
            arrays[0], arrays[1], arrays[2], arrays[3]);
    char *end;
    *first = *last = strtoll(text, &end, 10);
    const bool is_range = end > text && *end == '-' && end[1] >= '0' && end[1] <= '9';
    if (is_range)
        *last = strtoll(end + 1, &end, 10);
    if (is_range && *last > s->n_tasks)
        *last = s->n_tasks;
    if (*text && !*end && *first >= 1 && *last <= s->n_tasks && *first <= *last)
        return true;
    if (is_array)
        return rd_fail(e, "%s=%s: %s has no such task; submit an array from 1 to %lld", variable,
                       text, s->file, (long long)s->n_tasks);
    return rd_fail(e, "%s: has no task %s; give a number from 1 to %lld", s->file, text,
                   (long long)s->n_tasks);
}

/* Returns the number of tasks that run at a time: as --jobs sets, else one for each GPU of a list,
   or for each core. */
static int n_jobs(const struct rd_sweep *s, const struct rd_options *o)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = o->sweep.jobs > 0      ? o->sweep.jobs
                     : o->device_list.n > 0 ? o->device_list.n
                     : cores > 0            ? (int)cores
                                            : 1;
    return (int)(most < s->n_tasks ? most : s->n_tasks);
}

/* Runs one task of an array, or all tasks. */
static int run_tasks(const struct rd_sweep *s, const struct rd_options *o, struct rd_error *e)
{
    const bool may_be_array = o->sweep.jobs == 0 && o->device_list.n == 0;
    const char *variable;
    const bool is_task = o->sweep.task || (may_be_array && array_index(&variable));
    const int jobs = is_task ? 1 : n_jobs(s, o);
    const struct rd_device_list one = {.n = 1, .number = {o->device}};
    const struct rd_scheduler_options how = {.backend = o->backend,
                                             .devices = o->device_list.n > 0 ? o->device_list : one,
                                             .threads =
                                                 o->threads == 0 && jobs > 1 ? 1 : o->threads,
                                             .timeout = o->sweep.timeout,
                                             .at_once = o->at_once,
                                             .grace = o->grace,
                                             .retry = o->sweep.retry,
                                             .strict = o->strict,
                                             .is_quiet = !is_task || o->quiet,
                                             .says_stop = !o->quiet};
    int64_t first = 1, last = s->n_tasks;
    if (is_task && !find_tasks(s, o->sweep.task, &first, &last, e)) {
        e->wrong = true;
        return 1;
    }
    return rd_scheduler_run(s, first, last, jobs, &how,
                            is_task && first == last ? RD_PROGRESS_NONE : o->progress, e);
}

static int act(const struct rd_sweep *s, const struct rd_options *o, const char *command, FILE *out,
               struct rd_error *e)
{
    const struct rd_sweep_options *const how = &o->sweep;
    if (o->list)
        return rd_sweep_print(out, s, e) ? 0 : 1;
    if (how->count)
        return fprintf(out, "%lld\n", (long long)s->n_tasks) > 0 ? 0 : 1;
    if (how->status)
        return rd_scheduler_print(out, s, e) ? 0 : 1;
    if (how->collect)
        return rd_collect_sweep(s, how->collect, o, command, e) ? 0 : 1;
    if (how->slurm || how->pbs || how->sge)
        return rd_script_write(out, s, how, e) ? 0 : 1;
    return run_tasks(s, o, e);
}

int rd_sweep_run_command(const struct rd_options *o, const char *command, FILE *out,
                         struct rd_error *e)
{
    struct rd_sweep s;
    const bool is_right = rd_sweep_read(&s, o->file, e) && rd_sweep_check(&s, e);
    const int status = is_right ? act(&s, o, command, out, e) : 1;
    rd_sweep_free(&s);
    return status;
}
