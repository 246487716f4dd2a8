/* print_sweep - prints the table of a sweep's tasks, and scripts for queueing systems. */
#include "sweep/print_sweep.h"

#include <string.h>

static int wider(int a, size_t b)
{
    return (size_t)a > b ? a : (int)b;
}

/* Returns the width of an axis' column. */
static int width_of(const struct rd_sweep_axis *a)
{
    int width = wider(0, strlen(a->name));
    for (int64_t i = 0; i < a->n; i++)
        width = wider(width, strlen(a->value[i]));
    return width;
}

bool rd_sweep_print(FILE *out, const struct rd_sweep *s, struct rd_error *e)
{
    fprintf(out, "%8s %8s %6s", "task", "point", "repeat");
    for (int i = 0; i < s->n_axes; i++)
        fprintf(out, "  %*s", width_of(&s->axis[i]), s->axis[i].name);
    fprintf(out, "  %15s  result\n", "seed");
    bool ok = true;
    for (int64_t number = 1; ok && number <= s->n_tasks; number++) {
        struct rd_task t;
        ok = rd_sweep_task(&t, s, number, e);
        fprintf(out, "%8lld %8lld %6lld", (long long)t.number, (long long)t.point,
                (long long)t.repeat);
        for (int i = 0; i < s->n_axes; i++)
            fprintf(out, "  %*s", width_of(&s->axis[i]), rd_sweep_value(s, i, t.point));
        fprintf(out, "  %15llu  %s\n", (unsigned long long)t.seed, ok ? t.output : "");
        rd_task_free(&t);
    }
    return ok;
}

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

void rd_sweep_script(FILE *out, const struct rd_sweep *s, enum rd_queueing_system queue,
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
