/* cluster_script - `rdsim sweep --slurm`, --pbs and --sge: prints scripts that submit the tasks to
   a cluster as an array of jobs, and makes the folder for their output. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "plan/step_limit.h"
#include "record/record.h"
#include "sweep/sweep_command.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Lists what differs between queueing systems: the head; the variables with the number of the task
   and of its cores; the signal before the time limit; and the command after a stop at a checkpoint
   (75). The second head takes the memory of a job and the folder of its output. */
static const struct {
    const char *head, *second, *number, *cores, *signal, *again;
} queues[RD_N_QUEUES] = {
    [RD_QUEUE_SLURM] = {"#SBATCH --job-name=%s\n#SBATCH --array=1-%lld\n#SBATCH --time=24:00:00\n"
                        "#SBATCH --cpus-per-task=1\n#SBATCH --signal=B:USR1@120\n"
                        "#SBATCH --requeue\n#SBATCH --open-mode=append\n"
                        "# for a GPU: #SBATCH --gres=gpu:1\n",
                        "#SBATCH --mem=%s\n#SBATCH --output=%s/%%A_%%a.txt\n",
                        "SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK", "USR1",
                        "scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\""},
    [RD_QUEUE_PBS] = {"#PBS -N %s\n#PBS -S /bin/bash\n#PBS -J 1-%lld\n#PBS -l walltime=24:00:00\n"
                      "#PBS -r y\n# for a GPU: add :ngpus=1 to select\n",
                      "#PBS -l select=1:ncpus=1:mem=%sB\n#PBS -j oe\n#PBS -o %s/\n",
                      "PBS_ARRAY_INDEX", "NCPUS", "TERM",
                      "echo 'submit the script again: it skips complete tasks'"},
    [RD_QUEUE_SGE] =
        {"#$ -N %s\n#$ -S /bin/bash\n#$ -t 1-%lld\n#$ -l h_rt=24:00:00\n#$ -cwd\n#$ -notify\n"
         "#$ -r y\n",
         "#$ -l mem_free=%s\n#$ -j y\n#$ -o %s\n", "SGE_TASK_ID", "NSLOTS", "USR2",
         "exit 99 # the queueing system runs the job again"},
};

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            return true;
    return false;
}

/* Prints a word quoted for bash, on one line, since Grid Engine interprets every line that begins
   with #$. */
static void print_quoted(FILE *out, const char *text)
{
    const bool is_escaped = has_control(text);
    fputs(is_escaped ? "$'" : "'", out);
    for (; *text; text++)
        if (is_escaped && ((unsigned char)*text < ' ' || *text == 127))
            fprintf(out, "\\%03o", (unsigned)*text);
        else if (is_escaped && (*text == '\'' || *text == '\\'))
            fprintf(out, "\\%c", *text);
        else
            fprintf(out, *text == '\'' ? "'\\''" : "%c", *text);
    fputc('\'', out);
}

/* Prints a path so that no program takes it for an option. */
static void print_path(FILE *out, const char *path)
{
    if (*path == '-')
        fputs("./", out);
    print_quoted(out, path);
}

/* Holds a name that every queueing system accepts: a letter, and then letters, digits, - and _. No
   shell reads the head of a script, so nothing can be quoted in it. */
struct job_name {
    char text[64];
};

static struct job_name job_name_of(const char *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "0123456789-_";
    const char *const slash = strrchr(file, '/'), *const name = slash ? slash + 1 : file;
    struct job_name job = {{0}};
    size_t n = 0;
    if (!*name || !strchr(letters, *name))
        n = (size_t)snprintf(job.text, sizeof job.text, "sweep_");
    for (const char *c = name; *c && *c != '.' && n + 1 < sizeof job.text; c++)
        job.text[n++] = strchr(letters, *c) || strchr(others, *c) ? *c : '_';
    return job;
}

/* Prints the task, or the range of tasks, that a job runs. */
static void print_tasks(FILE *out, const char *number, int64_t per_job)
{
    const long long n = (long long)per_job;
    if (n == 1)
        fprintf(out, " --task $((${BEFORE:-0} + %s))", number);
    else
        fprintf(out,
                " --task $((${BEFORE:-0} + (%s - 1) * %lld + 1))-$((${BEFORE:-0} + %s * %lld))",
                number, n, number, n);
}

void rd_script_print(FILE *out, const struct rd_sweep *s, enum rd_queueing_system queue,
                     const struct rd_script_options *o)
{
    fprintf(out, "#!/bin/bash\n");
    fprintf(out, queues[queue].head, job_name_of(s->file).text,
            (long long)((s->n_tasks + o->per_job - 1) / o->per_job));
    fprintf(out, queues[queue].second, o->memory, o->folder);
    if (queue == RD_QUEUE_PBS)
        fprintf(out, "cd \"$PBS_O_WORKDIR\" || exit 1\n");
    fprintf(out, "\n"
                 "# At a signal of the queueing system the job stops at a checkpoint; run again, "
                 "it continues.\n"
                 "# If the indices of arrays are limited, set BEFORE=1000 in the environment: job "
                 "1 is task 1001.\n");
    fprintf(out,
            "again=yes warned= job=\n"
            "trap 'again=$warned; kill -TERM $job' TERM # no signal before: cancelled\n"
            "trap 'warned=yes; again=yes; kill -TERM $job' %s\n"
            "(\n"
            "    trap '' USR1 USR2 # handled by this script, wherever they are sent\n"
            "    exec ",
            queues[queue].signal);
    print_path(out, o->program);
    fprintf(out, " sweep ");
    print_path(out, s->file);
    print_tasks(out, queues[queue].number, o->per_job);
    fprintf(out,
            " --threads \"${%s:-1}\"\n"
            ") &\n"
            "job=$!\n"
            "wait $job\n"
            "status=$?\n"
            "while kill -0 $job 2>/dev/null; do # a signal ended the wait, not the job\n"
            "    wait $job\n"
            "    status=$?\n"
            "done\n"
            "# 75: stopped at a checkpoint; 143: before it handled signals\n"
            "if [ $again ] && { [ $status = 75 ] || [ $status = 143 ]; }; then\n"
            "    %s\n"
            "fi\n"
            "exit $status\n",
            queues[queue].cores, queues[queue].again);
}

/* Sets the number of tasks whose memory is estimated; MiB for the program itself (libraries, HDF5's
   buffers); and the step to which a job's memory is rounded up, in MiB */
enum { ESTIMATED = 9, PROGRAM_MB = 256, STEP_MB = 100 };
/* Sets the factor of safety for the estimated memory. */
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
    const double bytes = ok ? rd_record_run_memory(&p) : 0.0;
    rd_plan_free(&p);
    rd_model_free(&m);
    rd_config_free(c);
    rd_task_free(&t);
    return bytes;
}

/* Writes the memory of a job in MiB: the largest need among evenly spaced tasks, including the
   first and the last. */
static bool estimate_memory(char *text, size_t length, const struct rd_sweep *s, struct rd_error *e)
{
    double most = 0.0;
    const int64_t n = s->n_tasks < ESTIMATED ? s->n_tasks : ESTIMATED;
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
    if (!how->memory && !estimate_memory(memory, sizeof memory, s, e))
        return false;
    if (!rd_file_make_folder(folder))
        return rd_fail(e,
                       "%s: the folder for the output of jobs cannot be made: %s; print the script "
                       "in another folder",
                       folder, strerror(errno));
    const struct rd_script_options o = {.program = own_path(program, sizeof program),
                                        .memory = how->memory ? how->memory : memory,
                                        .folder = folder,
                                        .per_job = how->per_job > 0 ? how->per_job : 1};
    rd_script_print(out, s,
                    how->slurm ? RD_QUEUE_SLURM
                    : how->pbs ? RD_QUEUE_PBS
                               : RD_QUEUE_SGE,
                    &o);
    return true;
}
