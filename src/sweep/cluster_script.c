/* cluster_script - `rdsim sweep --slurm`, --pbs and --sge: prints a script and makes its folder. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/cluster_script.h"

#include "plan/step_limit.h"
#include "record/record.h"
#include "sweep/print_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* number of tasks whose memory is estimated; MiB for the program itself (libraries, HDF5's
   buffers); and the step to which a job's memory is rounded up, in MiB */
enum { LOOKED_AT = 9, PROGRAM_MB = 256, STEP_MB = 100 };
/* factor of safety for the estimated memory */
static const double margin = 1.5;

static const char *own_path(char *path, size_t bytes)
{
    const ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    if (n <= 0)
        return "rdsim";
    path[n] = 0;
    return path;
}

/* Returns the bytes of a task, or 0 with a message. */
static double task_bytes(const struct rd_sweep *s, int64_t number, struct rd_error *e)
{
    struct rd_task t;
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_plan p = {0};
    struct rd_forecast o;
    const bool ok = rd_sweep_task(&t, s, number, e) &&
                    rd_config_read(&c, s->base, t.set, s->n_axes, e) && rd_model_make(&m, c, e) &&
                    rd_plan_open(&p, &m, e) && rd_forecast_take(&o, &p, e);
    const double bytes = ok ? rd_sim_memory(&p, 1) + rd_record_memory(&p) : 0.0;
    rd_plan_free(&p);
    rd_model_free(&m);
    rd_config_free(c);
    rd_task_free(&t);
    return bytes;
}

/* Writes the memory of a job in MiB: the largest need among evenly spaced tasks, including the
   first and the last. */
static bool estimate(char *text, size_t length, const struct rd_sweep *s, struct rd_error *e)
{
    double most = 0.0;
    const int64_t n = s->n_tasks < LOOKED_AT ? s->n_tasks : LOOKED_AT;
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = n > 1 ? 1 + (s->n_tasks - 1) * i / (n - 1) : 1;
        const double bytes = task_bytes(s, number, e);
        if (bytes <= 0.0)
            return false;
        most = bytes > most ? bytes : most;
    }
    const double all = PROGRAM_MB + margin * most / 0x1p20;
    snprintf(text, length, "%.0fM", ceil(all / STEP_MB) * STEP_MB);
    return true;
}

/* Writes the name of the folder: the sweep's name in letters that every queueing system accepts. */
static void name_folder(char *text, size_t length, const char *file)
{
    const char *const slash = strrchr(file, '/'), *const name = slash ? slash + 1 : file;
    size_t n = 0;
    for (const char *c = name; *c && *c != '.' && n + 1 < length / 2; c++)
        text[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c)
                        ? *c
                        : '_';
    snprintf(text + n, length - n, "%s.logs", n > 0 ? "" : "sweep");
}

bool rd_script_write(FILE *out, const struct rd_sweep *s, const struct rd_sweep_options *how,
                     struct rd_error *e)
{
    char program[4096], memory[40], folder[128];
    name_folder(folder, sizeof folder, s->file);
    if (!how->memory && !estimate(memory, sizeof memory, s, e))
        return false;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return rd_fail(e, "%s: the folder for the output of jobs cannot be made: %s", folder,
                       strerror(errno));
    const struct rd_script_options o = {.program = own_path(program, sizeof program),
                                        .memory = how->memory ? how->memory : memory,
                                        .folder = folder,
                                        .per_job = how->per_job > 0 ? how->per_job : 1};
    rd_sweep_script(out, s,
                    how->slurm ? RD_QUEUE_SLURM
                    : how->pbs ? RD_QUEUE_PBS
                               : RD_QUEUE_SGE,
                    &o);
    return true;
}
