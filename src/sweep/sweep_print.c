/* sweep_print - a sweep on paper. */
#include "sweep_print.h"

#include <string.h>

static int wider(int a, size_t b)
{
    return (size_t)a > b ? a : (int)b;
}

/* The width of an axis' column. */
static int width_of(const struct rd_axis *a)
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

/* What differs between queueing systems: the head, how the number of the task and that of its cores
   are said, which signal comes before the end, and what is done with a task that stopped after a
   checkpoint (75). */
static const struct {
    const char *head, *number, *cores, *signal, *again;
} queues[RD_N_QUEUES] = {
    [RD_QUEUE_SLURM] = {"#SBATCH --job-name=%.*s\n#SBATCH --array=1-%lld\n#SBATCH --time=24:00:00\n"
                        "#SBATCH --cpus-per-task=1\n#SBATCH --signal=B:USR1@120\n"
                        "#SBATCH --requeue\n#SBATCH --open-mode=append\n"
                        "# for a GPU: #SBATCH --gres=gpu:1\n",
                        "SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK", "USR1",
                        "scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\""},
    [RD_QUEUE_PBS] = {"#PBS -N %.*s\n#PBS -J 1-%lld\n#PBS -l walltime=24:00:00\n"
                      "#PBS -l select=1:ncpus=1\n#PBS -r y\n"
                      "# for a GPU: #PBS -l select=1:ncpus=1:ngpus=1\n",
                      "PBS_ARRAY_INDEX", "NCPUS", "TERM",
                      "echo 'submit the script again: what is done is left out'"},
    [RD_QUEUE_SGE] = {"#$ -N %.*s\n#$ -t 1-%lld\n#$ -l h_rt=24:00:00\n#$ -cwd\n#$ -notify\n"
                      "#$ -r y\n",
                      "SGE_TASK_ID", "NSLOTS", "USR2",
                      "exit 99 # the queue's sign for: run it again"},
};

/* A word that the shell takes as it is. */
static void print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' ? "'\\''" : "%c", *text);
    fputc('\'', out);
}

void rd_sweep_script(FILE *out, const struct rd_sweep *s, enum rd_queue queue, const char *program)
{
    const char *const slash = strrchr(s->file, '/');
    const char *const name = slash ? slash + 1 : s->file;
    fprintf(out, "#!/bin/bash\n");
    fprintf(out, queues[queue].head, (int)strcspn(name, "."), name, (long long)s->n_tasks);
    if (queue == RD_QUEUE_PBS)
        fprintf(out, "cd \"$PBS_O_WORKDIR\" || exit 1\n");
    fprintf(out,
            "\n# Stops at a checkpoint when the queue asks for its end; then it is run again "
            "and goes on.\n"
            "# Where the queue does not count far enough, BEFORE=1000 in its environment makes "
            "job 1 task 1001.\n");
    fprintf(out,
            "again=yes told= job=\n"
            "trap 'again=$told; kill -TERM $job' TERM # untold of the end of its time: cancelled\n"
            "trap 'told=yes; again=yes; kill -TERM $job' %s\n"
            "(\n    trap '' USR1 USR2 # they are for this script, wherever the queue sends them\n"
            "    exec ",
            queues[queue].signal);
    print_quoted(out, program);
    fprintf(out, " sweep ");
    print_quoted(out, s->file);
    fprintf(out,
            " --task $((${BEFORE:-0} + %s)) --threads \"${%s:-1}\"\n) &\njob=$!\n"
            "wait $job\nstatus=$?\n"
            "while kill -0 $job 2>/dev/null; do # a signal ended the wait, not the job\n"
            "    wait $job\n    status=$?\ndone\n"
            "# 75: stopped at a checkpoint; 143: before it listened\n"
            "if [ $again ] && { [ $status = 75 ] || [ $status = 143 ]; }; then\n"
            "    %s\nfi\nexit $status\n",
            queues[queue].number, queues[queue].cores, queues[queue].again);
}
