/* options_settle - determines the command and its files from the words of a command line, and
   refuses options that exclude each other. */
#include "command_line/options_reading.h"

#include <string.h>

/* Returns whether an unknown first word is a misspelt command, not a configuration: it has no point
   or slash, and it resembles a command or is followed by another word. */
static bool is_misspelt(const struct rd_reading *r)
{
    const char *const word = r->word[0];
    return !strpbrk(word, "./") && (r->n_words > 1 || rd_command_near(word));
}

static const struct rd_command_row *settle_command(struct rd_reading *r)
{
    const struct rd_command_row *const first = r->n_words > 0 ? rd_command_find(r->word[0]) : NULL;
    if (first || r->n_words == 0 || !is_misspelt(r))
        return first ? first : &rd_commands[0];
    const char *const near = rd_command_near(r->word[0]);
    rd_fail(r->e, "'%s' is not a command; %s%s%s", r->word[0],
            near ? "did you mean '" : "rdsim --help lists them", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

/* Handles `rdsim check --json CONFIG`: the word after --json becomes the command's file if no other
   word names one. */
static void return_borrowed(struct rd_reading *r, const struct rd_command_row *k)
{
    const bool named = r->n_words > 0 && rd_command_find(r->word[0]);
    if (!r->borrowed || r->n_words - named >= k->n_least)
        return;
    r->word[r->n_words++] = r->borrowed;
    r->o->json = "-";
}

static void settle_file(struct rd_reading *r, const struct rd_command_row *k)
{
    const bool named = r->n_words > 0 && rd_command_find(r->word[0]);
    const int n_files = r->n_words - named;
    if (k->n_most == 0 && n_files > 0)
        rd_fail(r->e, "%s takes no file, but has '%s'", k->name, r->word[1]);
    else if (n_files < k->n_least)
        rd_fail(r->e, "%s is missing; it is written rdsim %s %s",
                n_files == 0 ? k->argument : "a file", k->name, k->argument);
    else if (n_files > k->n_most)
        rd_fail(r->e, "rdsim %s takes %s %s, and has %d", k->name,
                k->n_most == 1 ? "one" : "two files", k->argument, n_files);
    else if (n_files > 0) {
        r->o->file = r->word[named];
        r->o->other = n_files > 1 ? r->word[named + 1] : NULL;
    }
}

/* Finds the command that `rdsim help COMMAND` names. */
static void settle_help(struct rd_reading *r)
{
    const char *const word = r->o->file;
    const struct rd_command_row *const k = word ? rd_command_find(word) : NULL;
    const char *const near = word && !k ? rd_command_near(word) : NULL;
    r->o->file = NULL;
    if (k)
        r->o->about = k->command;
    else if (word)
        rd_fail(r->e, "'%s' is not a command; %s%s%s", word,
                near ? "did you mean '" : "rdsim help lists them", near ? near : "",
                near ? "'?" : "");
}

/* Returns whether --force is useless: a sweep replaces only the file that --collect names. */
static bool is_forced_in_vain(const struct rd_options *o)
{
    return o->command == RD_COMMAND_SWEEP && o->force && !o->sweep.collect;
}

/* Refuses two actions of one sweep, and options about running tasks with an action that runs
   none. */
static void settle_actions(struct rd_reading *r)
{
    const struct rd_option_row *act = NULL;
    for (int i = 0; rd_options_table[i].name; i++) {
        const struct rd_option_row *const k = &rd_options_table[i];
        if (!r->given[i] || !k->acts)
            continue;
        if (act)
            rd_fail(r->e, "%s and %s: a sweep does one of them at a time", act->name, k->name);
        act = k;
    }
    for (int i = 0; act && act->idles && rd_options_table[i].name; i++)
        if (r->given[i] && rd_options_table[i].works)
            rd_fail(r->e, "%s makes no sense with %s, which runs no task", rd_options_table[i].name,
                    act->name);
}

/* Returns whether a text is a memory size as queueing systems write it: 500M, 4G. */
static bool is_size(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[0] != '0' && digits < 10 && text[digits] &&
           strchr("KMGT", text[digits]) && !text[digits + 1];
}

/* Refuses options about scripts without a script, and --partial without --collect. */
static void settle_scripts(struct rd_reading *r)
{
    const struct rd_sweep_options *const o = &r->o->sweep;
    const bool has_script = o->slurm || o->pbs || o->sge;
    if (o->memory && !has_script)
        rd_fail(r->e, "--mem is for a script; add --slurm, --pbs or --sge");
    else if (o->memory && !is_size(o->memory))
        rd_fail(r->e, "--mem %s: must be a whole number with K, M, G or T, as 500M or 4G",
                o->memory);
    if (o->per_job > 0 && !has_script)
        rd_fail(r->e, "--per-job is for a script; add --slurm, --pbs or --sge");
    if (o->partial && !o->collect)
        rd_fail(r->e, "--partial is for --collect FILE");
}

/* Refuses options of `rdsim modes` that contradict each other. */
static void settle_modes(struct rd_reading *r)
{
    const struct rd_modes_options *const o = &r->o->modes;
    const int n_pages = o->report + o->laws + o->semiflows;
    if (o->memory && !is_size(o->memory))
        rd_fail(r->e, "--mem %s: must be a whole number with K, M, G or T, as 500M or 4G",
                o->memory);
    if (n_pages > 1)
        rd_fail(r->e, "--report, --laws and --semiflows print different pages; give one of them");
    if (o->steps && !o->plain)
        rd_fail(r->e, "--steps is for the reference algorithm; add --plain");
    if (o->csv && o->net)
        rd_fail(r->e, "--net is for text; leave out --csv");
    if (n_pages > 0 && (o->plain || o->csv || o->hdf5 || o->net || o->count))
        rd_fail(r->e, "--report, --laws and --semiflows print no modes; leave out --plain, --csv, "
                      "--hdf5, --net and --count");
}

static void settle_options(struct rd_reading *r, const struct rd_command_row *k)
{
    for (int i = 0; rd_options_table[i].name; i++) {
        const struct rd_option_row *const option = &rd_options_table[i];
        if (r->given[i] && !(option->commands & 1u << k->command))
            rd_fail(r->e, "%s is not an option of rdsim %s; rdsim %s --help lists them",
                    option->name, k->name, k->name);
    }
    if (k->command == RD_COMMAND_SWEEP) {
        settle_actions(r);
        settle_scripts(r);
    }
    if (k->command == RD_COMMAND_MODES)
        settle_modes(r);
    if (is_forced_in_vain(r->o))
        rd_fail(r->e, "--force is for --collect; results of tasks are not replaced: what is "
                      "complete is left out, and what is to be run again must be moved away");
    if (r->o->force && r->o->resume)
        rd_fail(r->e, "--force begins again and --resume goes on; give one of them");
}

void rd_options_settle(struct rd_reading *r)
{
    const struct rd_command_row *const k = settle_command(r);
    if (!k)
        return;
    return_borrowed(r, k);
    r->o->command = k->command;
    r->o->about = r->n_words > 0 ? k->command : RD_COMMAND_HELP;
    if (r->o->help)
        r->o->command = RD_COMMAND_HELP;
    else if (r->o->version)
        r->o->command = RD_COMMAND_VERSION;
    else
        settle_file(r, k);
    if (k->command == RD_COMMAND_HELP)
        settle_help(r);
    settle_options(r, k);
}
