/* options_table - THE TABLES of commands and options; no other file lists them. */
#include "command_line/options_table.h"

#include "kernels/core/rng.h"

#include <string.h>

enum {
    RUN = 1 << RD_COMMAND_RUN,
    CHECK = 1 << RD_COMMAND_CHECK,
    KEYS = 1 << RD_COMMAND_KEYS,
    INFO = 1 << RD_COMMAND_INFO,
    DIFF = 1 << RD_COMMAND_DIFF,
    COMPARE = 1 << RD_COMMAND_COMPARE,
    AGAIN = 1 << RD_COMMAND_AGAIN,
    SWEEP = 1 << RD_COMMAND_SWEEP,
    MODES = 1 << RD_COMMAND_MODES,
    IMPORT = 1 << RD_COMMAND_IMPORT,
    EXPORT = 1 << RD_COMMAND_EXPORT,
    TABLE = 1 << RD_COMMAND_TABLE,
    PLOT = 1 << RD_COMMAND_PLOT,
    MOVIE = 1 << RD_COMMAND_MOVIE,
    EVERY = RUN | CHECK | KEYS | INFO | DIFF | COMPARE | AGAIN | SWEEP | MODES | IMPORT | EXPORT |
            TABLE | PLOT | MOVIE | 1 << RD_COMMAND_HELP | 1 << RD_COMMAND_VERSION
};

const struct rd_command_row rd_commands[] = {
    {RD_COMMAND_RUN, "run", "CONFIG", "run a configuration; the word run may be left out", 1, 1},
    {RD_COMMAND_CHECK, "check", "CONFIG",
     "print all derived quantities and every error; run nothing", 1, 1},
    {RD_COMMAND_KEYS, "keys", "[NAME]", "list every key of a configuration, or explain one", 0, 1},
    {RD_COMMAND_INFO, "info", "FILE", "print the contents of a result", 1, 1},
    {RD_COMMAND_DIFF, "diff", "A B",
     "compare two results and print the first difference (exit status 1 if any)", 2, 2},
    {RD_COMMAND_COMPARE, "compare", "A B",
     "compare two ensembles statistically (exit status 1 if they differ)", 2, 2},
    {RD_COMMAND_AGAIN, "again", "FILE",
     "run the configuration of a result again, and compare the two results", 1, 1},
    {RD_COMMAND_SWEEP, "sweep", "SWEEP",
     "run a configuration with many values, or list, submit or collect them", 1, 1},
    {RD_COMMAND_MODES, "modes", "NETWORK",
     "list flux modes and laws of a configuration, .net or SBML model; a report", 1, 1},
    {RD_COMMAND_IMPORT, "import", "MODEL",
     "print a model of another program (SBML) as a configuration", 1, 1},
    {RD_COMMAND_EXPORT, "export", "CONFIG",
     "print a configuration of one voxel or of compartments as SBML", 1, 1},
    {RD_COMMAND_TABLE, "table", "RESULT", "print the totals of a result as a table", 1, 1},
    {RD_COMMAND_PLOT, "plot", "RESULT",
     "draw a result, a sweep, or the difference of two results (needs Python)", RD_FOREIGN, 2},
    {RD_COMMAND_MOVIE, "movie", "RESULT", "write a movie of a result (needs Python)", RD_FOREIGN,
     1},
    {RD_COMMAND_HELP, "help", "[COMMAND]", "print help on the program, or on one command", 0, 1},
    {RD_COMMAND_VERSION, "version", NULL, "print the program's version", 0, 0},
    {.name = NULL},
};

#define TO(member)   .at = offsetof(struct rd_options, member)
#define FLAG(member) .kind = RD_OPTION_FLAG, TO(member)
#define TEXT(member) .kind = RD_OPTION_TEXT, TO(member)
#define INTEGER(member, from, to)                                                                  \
    .kind = RD_OPTION_INTEGER, TO(member), .least = (from), .most = (to)

const struct rd_option_row rd_options_table[] = {
    {"--set", "PATH=VALUE", RUN | CHECK | EXPORT, RD_OPTION_SET,
     .meaning = "change a key, as in --set parameters.k=0.02"},
    {"--seed", "N", RUN | CHECK, RD_OPTION_SET, .path = "run.seed", .most = RD_SEED_END - 1,
     .tail = "L", /* a seed may need more than 32 bits */
     .meaning = "the same as --set run.seed=N"},
    {"--runs", "N", RUN | CHECK, RD_OPTION_SET, .path = "run.runs", .least = 1, .most = RD_RUN_END,
     .tail = "", .meaning = "the same as --set run.runs=N"},
    {"--output", "FILE", RUN | CHECK, RD_OPTION_SET, .path = "output.file", .tail = "",
     .letters = "o", .meaning = "path of the result"},
    {"--output", "FILE", EXPORT, TEXT(written), .letters = "o", .takes_stdout = true,
     .meaning = "path of the model, which must be new (default: standard output)"},
    {"--keep", "FILE", AGAIN, TEXT(keep), .meaning = "path of the second result, which is kept"},
    {"--list", NULL, SWEEP, FLAG(list), .acts = true, .idles = true,
     .meaning = "list the tasks; run nothing"},
    {"--count", NULL, SWEEP, FLAG(sweep.count), .acts = true, .idles = true,
     .meaning = "print the number of tasks"},
    {"--task", "N", SWEEP, TEXT(sweep.task), .acts = true,
     .meaning = "run one task, or several as 7-12; array: the one of the queueing system"},
    {"--jobs", "N", SWEEP, INTEGER(sweep.jobs, 1, 4096), .acts = true,
     .meaning = "run all tasks here, N at a time (default: one for each core or device)"},
    {"--timeout", "TIME", SWEEP, RD_OPTION_SECONDS, TO(sweep.timeout), .works = true,
     .meaning = "stop each task at a checkpoint after this time: 200ms, 30s, 10min, 2h"},
    {"--retry", NULL, SWEEP, FLAG(sweep.retry), .works = true, .meaning = "run failed tasks again"},
    {"--status", NULL, SWEEP, FLAG(sweep.status), .acts = true, .idles = true,
     .meaning = "print which tasks are done, running, missing, or failed and why"},
    {"--collect", "FILE", SWEEP, TEXT(sweep.collect), .acts = true, .idles = true,
     .meaning = "write the totals of all tasks to one file"},
    {"--partial", NULL, SWEEP, FLAG(sweep.partial),
     .meaning = "with --collect: collect what is complete, and mark what is missing"},
    {"--slurm", NULL, SWEEP, FLAG(sweep.slurm), .acts = true, .idles = true,
     .meaning = "print a script that submits the tasks to Slurm as a job array"},
    {"--pbs", NULL, SWEEP, FLAG(sweep.pbs), .acts = true, .idles = true,
     .meaning = "the same for PBS"},
    {"--sge", NULL, SWEEP, FLAG(sweep.sge), .acts = true, .idles = true,
     .meaning = "the same for Grid Engine"},
    {"--per-job", "N", SWEEP, INTEGER(sweep.per_job, 1, 1 << 28),
     .meaning = "for these scripts: N tasks in each job, one after the other"},
    {"--mem", "SIZE", SWEEP, TEXT(sweep.memory),
     .meaning = "for these scripts: memory of a job, as 4G (default: what the model needs)"},
    {"--force", NULL, RUN | SWEEP, FLAG(force),
     .meaning = "replace an earlier result (of a sweep: the file that --collect names)"},
    {"--resume", NULL, RUN, FLAG(resume), .meaning = "continue from the last checkpoint, or begin"},
    {"--checkpoint-every", "TIME", RUN, RD_OPTION_SECONDS, TO(checkpoint_every),
     .meaning = "time between checkpoints (default 10min)"},
    {"--grace", "TIME", RUN | AGAIN | SWEEP, RD_OPTION_SECONDS, TO(grace), .works = true,
     .meaning = "after a signal abandon a step that takes longer than this (default 5s)"},
    {"--at-once", "N", RUN | CHECK | AGAIN | SWEEP, RD_OPTION_LONG, TO(at_once), .least = 1,
     .most = RD_RUN_END, .works = true,
     .meaning = "simulate N runs simultaneously, batch after batch (default: all that fit)"},
    {"--backend", "NAME", RUN | CHECK | AGAIN | SWEEP, RD_OPTION_WORD, TO(backend),
     .words = {"auto", "cpu", "cuda"},
     .meaning = "auto (default: the GPU if there is one, except for short runs), cpu or cuda"},
    {"--device", "N", RUN | CHECK | AGAIN | SWEEP, INTEGER(device, 0, 1023),
     .meaning = "number of the GPU (default 0)"},
    {"--devices", "LIST", RUN, TEXT(devices),
     .meaning = "divide the runs among GPUs: all, or as 0,1,3; cpu: each number is a process"},
    {"--devices", "LIST", SWEEP, TEXT(devices),
     .meaning = "divide the tasks among GPUs: all, or their numbers, as 0,1,3"},
    {"--report", NULL, MODES, FLAG(modes.report),
     .meaning = "print a page for modellers: laws, bounds, reactions that never run, siphons"},
    {"--laws", NULL, MODES, FLAG(modes.laws), .meaning = "print the conservation laws instead"},
    {"--semiflows", NULL, MODES, FLAG(modes.semiflows),
     .meaning = "print all minimal laws without negative weights instead"},
    {"--count", NULL, MODES, FLAG(modes.count), .meaning = "print the number of modes"},
    {"--mem", "SIZE", MODES, TEXT(modes.memory),
     .meaning = "limit of memory, bytes or as 4G; beyond it the modes are partial (status 3)"},
    {"--through", "REACTION", MODES, TEXT(modes.through),
     .meaning = "only modes that use this reaction"},
    {"--without", "REACTION", MODES, TEXT(modes.without),
     .meaning = "only modes that do not use this reaction"},
    {"--longest", "L", MODES, INTEGER(modes.longest, 1, 1 << 30),
     .meaning = "only modes of at most L reactions"},
    {"--most", "N", MODES, RD_OPTION_LONG, TO(modes.most), .least = 1, .most = INT64_MAX,
     .meaning = "only the N shortest modes, and whether there are more"},
    {"--reversible", NULL, MODES, FLAG(modes.reversible),
     .meaning = "join reactions that are each other's reverse into reversible ones"},
    {"--net", NULL, MODES, FLAG(modes.net), .meaning = "add the net conversion of each mode"},
    {"--csv", NULL, MODES, FLAG(modes.csv), .meaning = "print a table of comma-separated values"},
    {"--hdf5", "FILE", MODES, TEXT(modes.hdf5), .meaning = "write the modes to a new HDF5 file"},
    {"--plain", NULL, MODES, FLAG(modes.plain),
     .meaning = "use the slow reference algorithm, on one thread"},
    {"--steps", NULL, MODES, FLAG(modes.steps),
     .meaning = "with --plain: print a line for each species that is eliminated"},
    {"--csv", NULL, TABLE, FLAG(table.csv), .meaning = "comma-separated values, for spreadsheets"},
    {"--mean", NULL, TABLE, FLAG(table.mean),
     .meaning = "means and standard deviations over the runs in place of single runs"},
    {"--group", "NAME", TABLE, TEXT(table.group),
     .meaning = "group of the output (default: the one with most totals)"},
    {"--region", "NAME", TABLE, TEXT(table.region),
     .meaning = "totals in this region or surface (default: in all voxels)"},
    {"--by", "NAME", TABLE, TEXT(table.by),
     .meaning = "individuals by an attribute, an entry of output.by (default: totals)"},
    {"--threads", "N", RUN | CHECK | AGAIN | SWEEP | MODES, INTEGER(threads, 0, 4096),
     .meaning = "threads of the cpu back end (default 0: one for each core)"},
    {"--timing", NULL, RUN | AGAIN, FLAG(timing),
     .meaning = "print the time that each part of a step took"},
    {"--strict", NULL, RUN | AGAIN | SWEEP, FLAG(strict), .works = true,
     .meaning = "end all runs when the first one faults"},
    {"--verify", NULL, RUN | AGAIN, FLAG(verify),
     .meaning = "check the lists of individuals after every step"},
    {"--progress", "HOW", RUN | AGAIN | SWEEP | MODES, RD_OPTION_CHOICE, TO(progress),
     .words = {"auto", "plain", "none"},
     .meaning = "auto (default: redrawn on a terminal), plain lines, or none"},
    {"--quiet", NULL, RUN | CHECK | DIFF | COMPARE | AGAIN | SWEEP | MODES | IMPORT | EXPORT,
     FLAG(quiet), .works = true, .letters = "q", .meaning = "print errors only"},
    {"--markdown", NULL, KEYS, FLAG(markdown), .meaning = "print the page docs/keys.md"},
    {"--json", "[FILE]", CHECK | INFO | COMPARE, RD_OPTION_MAYBE, TO(json),
     .meaning = "write the contents as JSON; - or no FILE: to stdout, instead of the page"},
    {"--all", NULL, COMPARE, FLAG(all),
     .meaning = "print every comparison, not only the largest difference of each species"},
    {"--halve", NULL, CHECK, FLAG(halve),
     .meaning = "run at the step and at half of it, and compare the totals at the end"},
    {"--quick", NULL, RUN | SWEEP, FLAG(quick),
     .meaning = "skip the check of stored results (--resume, --collect)"},
    {"--help", NULL, EVERY, FLAG(help), .letters = "h", .meaning = "print this help"},
    {"--version", NULL, EVERY, FLAG(version), .letters = "vV",
     .meaning = "print the program's version"},
    {.name = NULL},
};
_Static_assert(sizeof rd_options_table / sizeof *rd_options_table <= RD_OPTIONS_MOST,
               "raise RD_OPTIONS_MOST");

const struct rd_command_row *rd_command_find(const char *word)
{
    for (const struct rd_command_row *k = rd_commands; k->name; k++)
        if (strcmp(word, k->name) == 0)
            return k;
    return NULL;
}

static const char *command_name(const void *list, int i)
{
    return ((const struct rd_command_row *)list)[i].name;
}

const char *rd_command_near(const char *word)
{
    int n = 0;
    while (rd_commands[n].name)
        n++;
    return rd_text_nearest(word, n, command_name, rd_commands);
}
