/* options - reads the command line according to the tables of options_table.c. */
#include "command_line/options_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds the command line while it is read. */
struct argv {
    struct rd_options *o;
    int argc, at; /* index of the next argument */
    char **argv;
    const char *word[3]; /* arguments that are no options: a command and its files */
    int n_words;
    bool given[RD_OPTIONS_MOST];
    int n_own;            /* settings of options other than --set, which come last */
    const char *borrowed; /* the argument after --json: its file, or the command's file if that is
                             missing otherwise */
    int n_before;         /* number of words before it */
    struct rd_error *e;
};

static const char *option_name(const void *list, int i)
{
    return ((const struct rd_option_row *)list)[i].name;
}

/* Adds path=value; length is that of the path, and the value is followed by a suffix. Settings of
   options of their own, as --output, come after those of --set, which may replace a whole group. */
static bool add_setting_word(struct argv *r, const char *path, size_t length, const char *value,
                             const char *suffix, bool is_own)
{
    const size_t bytes = ((size_t)r->o->n_set + 1) * sizeof *r->o->set;
    struct rd_set *const set = realloc(r->o->set, bytes);
    if (set)
        r->o->set = set;
    char *const copy = malloc(length + strlen(value) + strlen(suffix) + 2);
    if (!set || !copy) {
        free(copy);
        return rd_fail(r->e, "out of memory for the command line");
    }
    memcpy(copy, path, length);
    copy[length] = 0;
    char *const end = copy + length + 1;
    strcat(strcpy(end, value), suffix);
    struct rd_set *const at = set + r->o->n_set++ - (is_own ? 0 : r->n_own);
    memmove(at + 1, at, is_own ? 0 : (size_t)r->n_own * sizeof *at);
    *at = (struct rd_set){.path = copy, .value = end};
    r->n_own += is_own;
    return true;
}

static bool add_assignment(struct argv *r, const char *argument)
{
    const char *const equals = strchr(argument, '=');
    if (!equals)
        return rd_fail(r->e, "--set %s: has no '='; write --set path=value", argument);
    return add_setting_word(r, argument, (size_t)(equals - argument), equals + 1, "", false);
}

static bool to_integer(struct argv *r, const struct rd_option_row *k, const char *argument,
                       int64_t *v)
{
    char *end;
    *v = strtoll(argument, &end, 10);
    return (*argument && !*end && *v >= k->least && *v <= k->most) ||
           rd_fail(r->e, "%s %s: is not valid; give an integer from %lld to %lld", k->name,
                   argument, k->least, k->most);
}

static bool to_seconds(struct argv *r, const struct rd_option_row *k, const char *argument,
                       double *v)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}};
    char *end;
    const double number = strtod(argument, &end);
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        *v = number * unit[i].seconds;
        if (end > argument && strcmp(end, unit[i].name) == 0 && *v > 0.0 && isfinite(*v))
            return true;
    }
    return rd_fail(r->e, "%s %s: is not valid; give a duration above 0, as 200ms, 30s, 10min or 2h",
                   k->name, argument);
}

/* Finds the index of the argument in the option's words. */
static bool to_word(struct argv *r, const struct rd_option_row *k, const char *argument, int *v)
{
    for (*v = 0; k->words[*v]; ++*v) {
        if (strcmp(argument, k->words[*v]) == 0)
            return true;
    }
    return rd_fail(r->e, "%s %s: is not valid; give %s, %s or %s", k->name, argument, k->words[0],
                   k->words[1], k->words[2]);
}

static bool to_set(struct argv *r, const struct rd_option_row *k, const char *argument)
{
    int64_t unused;
    if (k->most > 0 && !to_integer(r, k, argument, &unused))
        return false;
    return k->path ? add_setting_word(r, k->path, strlen(k->path), argument, k->tail, true)
                   : add_assignment(r, argument);
}

/* Stores the option's value; the argument of a flag is "". */
static bool apply_option(struct argv *r, const struct rd_option_row *k, const char *argument)
{
    void *const at = (char *)r->o + k->at;
    int64_t number = 0;
    int word = 0;
    switch (k->kind) {
    case RD_OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case RD_OPTION_TEXT:
        *(const char **)at = argument;
        return true;
    case RD_OPTION_MAYBE:
        *(const char **)at = *argument ? argument : "-";
        return true;
    case RD_OPTION_WORD:
        if (!to_word(r, k, argument, &word))
            return false;
        *(const char **)at = k->words[word];
        return true;
    case RD_OPTION_CHOICE:
        return to_word(r, k, argument, at);
    case RD_OPTION_INTEGER:
        if (!to_integer(r, k, argument, &number))
            return false;
        *(int *)at = (int)number;
        return true;
    case RD_OPTION_LONG:
        return to_integer(r, k, argument, at);
    case RD_OPTION_SECONDS:
        return to_seconds(r, k, argument, at);
    case RD_OPTION_SET:
        return to_set(r, k, argument);
    }
    return false;
}

/* Returns the command that was read, or else the first that is to come, or NULL. */
static const struct rd_command_row *find_command(const struct argv *r)
{
    const struct rd_command_row *k = r->n_words > 0 ? rd_command_find(r->word[0]) : NULL;
    for (int i = r->at; r->n_words == 0 && !k && i < r->argc; i++)
        k = rd_command_find(r->argv[i]);
    return k;
}

/* Returns the only one of n options that begins with the name, else a near one, else NULL. */
static const char *likely_option(const char *name, int n)
{
    const char *longer = NULL;
    int n_longer = 0;
    for (int i = 0; i < n; i++)
        if (strncmp(rd_options_table[i].name, name, strlen(name)) == 0) {
            n_longer += !longer || strcmp(longer, rd_options_table[i].name) != 0;
            longer = rd_options_table[i].name;
        }
    return n_longer == 1 ? longer : rd_text_nearest(name, n, option_name, rd_options_table);
}

/* Returns the option in argument, "--name" or "--name=value"; NULL with a message. */
static const struct rd_option_row *find_option(struct argv *r, const char *argument)
{
    char name[32] = "";
    const size_t length = strcspn(argument, "=");
    if (length < sizeof name)
        memcpy(name, argument, length);
    const struct rd_command_row *const command = find_command(r);
    const struct rd_option_row *found = NULL;
    int n = 0;
    /* two commands may have different options of one name */
    for (; rd_options_table[n].name; n++) {
        const struct rd_option_row *const k = &rd_options_table[n];
        if (strcmp(name, k->name) == 0 &&
            (!found || (command && k->commands & 1u << command->command)))
            found = k;
    }
    if (found)
        return found;
    const char *const near = *name ? likely_option(name, n) : NULL;
    if (near)
        rd_fail(r->e, "%.*s is not an option; did you mean %s?", (int)length, argument, near);
    else
        rd_fail(r->e, "%.*s is not an option; see rdsim --help", (int)length, argument);
    return NULL;
}

/* Returns the option that has this letter, or NULL: that of the command, if several have it. */
static const struct rd_option_row *find_letter(char letter, const struct rd_command_row *command)
{
    const struct rd_option_row *found = NULL;
    for (const struct rd_option_row *k = rd_options_table; k->name; k++)
        if (k->letters && strchr(k->letters, letter) &&
            (!found || (command && k->commands & 1u << command->command)))
            found = k;
    return found;
}

/* Returns whether a word is an option, and so not the argument of the option before it. */
static bool is_option(const char *word)
{
    const size_t length = strcspn(word, "=");
    for (const struct rd_option_row *k = rd_options_table; k->name; k++)
        if (strlen(k->name) == length && strncmp(k->name, word, length) == 0)
            return true;
    return strcmp(word, "--") == 0 ||
           (word[0] == '-' && word[1] && !word[2] && find_letter(word[1], NULL) != NULL);
}

/* Reads the argument of an option that is written as `shown`. attached: an argument in the same
   word, or NULL. */
static void take_option(struct argv *r, const struct rd_option_row *k, const char *shown,
                        const char *attached)
{
    const char *argument = attached;
    r->given[k - rd_options_table] = true;
    const bool has_next = r->at < r->argc && !is_option(r->argv[r->at]);
    if (k->argument && !argument && has_next) {
        argument = r->argv[r->at++];
        if (k->kind == RD_OPTION_MAYBE) {
            r->borrowed = argument;
            r->n_before = r->n_words;
        }
    }
    if (k->argument && !argument && k->kind != RD_OPTION_MAYBE)
        rd_fail(r->e, "%s has no argument; write %s %s", shown, shown, k->argument);
    else if (argument && !*argument && k->argument)
        rd_fail(r->e, "%s has an empty argument; write %s %s", shown, shown, k->argument);
    else if (argument && strcmp(argument, "-") == 0 && k->argument &&
             strcmp(k->argument, "FILE") == 0 && !k->takes_stdout)
        rd_fail(r->e, "%s -: cannot write to standard output; name a file", shown);
    else if (!k->argument && argument)
        rd_fail(r->e, "%s takes no argument, but has '%s'; leave it out", shown, argument);
    else
        apply_option(r, k, argument ? argument : "");
}

static void read_option(struct argv *r, const char *text)
{
    const struct rd_option_row *const k = find_option(r, text);
    const char *const equals = strchr(text, '=');
    if (k)
        take_option(r, k, k->name, equals ? equals + 1 : NULL);
}

/* Returns whether a long option is written with one minus, and reports it. */
static bool lacks_minus(struct argv *r, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (const struct rd_option_row *k = rd_options_table; k->name; k++)
        if (strlen(k->name) == length + 1 && strncmp(k->name + 1, text, length) == 0)
            return !rd_fail(r->e, "%.*s is not an option; did you mean %s?", (int)length, text,
                            k->name);
    return false;
}

/* Reads letters after one minus. The first option with an argument takes the rest, or the next
   word. */
static void read_letters(struct argv *r, const char *text)
{
    if (lacks_minus(r, text))
        return;
    for (const char *at = text + 1; *at; at++) {
        const struct rd_option_row *const k = find_letter(*at, find_command(r));
        const char shown[] = {'-', *at, 0};
        if (!k) {
            rd_fail(r->e, "%s is not an option; see rdsim --help", at > text + 1 ? shown : text);
            return;
        }
        const char *const rest = at[1] == '=' ? at + 2 : at[1] && k->argument ? at + 1 : NULL;
        take_option(r, k, shown, rest);
        if (rest)
            return;
    }
}

static void read_word(struct argv *r, const char *word)
{
    if (r->n_words < (int)(sizeof r->word / sizeof r->word[0]))
        r->word[r->n_words] = word;
    r->n_words++;
}

/* ---- the command, its files, and options that exclude each other ---- */

/* Returns whether an unknown first word is a misspelt command, not a configuration: it has no point
   or slash, and it resembles a command or is followed by another word. */
static bool is_misspelt(const struct argv *r)
{
    const char *const word = r->word[0];
    return !strpbrk(word, "./") && (r->n_words > 1 || rd_command_near(word));
}

static void refuse_command(struct argv *r, const char *word)
{
    const char *const near = rd_command_near(word);
    rd_fail(r->e, "'%s' is not a command; %s%s%s", word,
            near ? "did you mean '" : "see rdsim --help", near ? near : "", near ? "'?" : "");
}

static const struct rd_command_row *resolve_command(struct argv *r)
{
    const struct rd_command_row *const first = r->n_words > 0 ? rd_command_find(r->word[0]) : NULL;
    if (first || r->n_words == 0 || !is_misspelt(r))
        return first ? first : &rd_commands[0];
    refuse_command(r, r->word[0]);
    return NULL;
}

/* Handles `rdsim check --json CONFIG`: the word after --json becomes the command's file if no other
   word names one. */
static void return_borrowed(struct argv *r, const struct rd_command_row *k)
{
    const bool named = r->n_words > 0 && rd_command_find(r->word[0]);
    if (!r->borrowed || r->n_words - named >= k->n_least)
        return;
    const int at = r->n_before > named ? r->n_before : named;
    for (int i = r->n_words++; i > at; i--)
        r->word[i] = r->word[i - 1];
    r->word[at] = r->borrowed;
    r->o->json = "-";
}

static void resolve_file(struct argv *r, const struct rd_command_row *k)
{
    const bool named = r->n_words > 0 && rd_command_find(r->word[0]);
    const int n_files = r->n_words - named;
    if (k->n_most == 0 && n_files > 0)
        rd_fail(r->e, "%s takes no file, but has '%s'; leave it out", k->name, r->word[1]);
    else if (n_files < k->n_least)
        rd_fail(r->e, "%s is missing; write rdsim %s %s", n_files == 0 ? k->argument : "a file",
                k->name, k->argument);
    else if (n_files > k->n_most)
        rd_fail(r->e, "rdsim %s takes %s %s, but has %d; leave out the others", k->name,
                k->n_most == 1 ? "one" : "two files", k->argument, n_files);
    else if (k->n_least > 0 && (!*r->word[named] || !*r->word[r->n_words - 1]))
        rd_fail(r->e, "the name of a file is empty; write rdsim %s %s", k->name, k->argument);
    else if (n_files > 0) {
        r->o->file = r->word[named];
        r->o->other = n_files > 1 ? r->word[named + 1] : NULL;
    }
}

/* Finds the command that `rdsim help COMMAND` names. */
static void resolve_help(struct argv *r)
{
    const char *const word = r->o->file;
    const struct rd_command_row *const k = word ? rd_command_find(word) : NULL;
    r->o->file = NULL;
    if (k)
        r->o->about = k->command;
    else if (word)
        refuse_command(r, word);
}

/* Refuses two actions of one sweep, and options about running tasks with an action that runs
   none. */
static void resolve_actions(struct argv *r)
{
    const struct rd_option_row *act = NULL;
    for (int i = 0; rd_options_table[i].name; i++) {
        const struct rd_option_row *const k = &rd_options_table[i];
        if (!r->given[i] || !k->acts)
            continue;
        if (act)
            rd_fail(r->e, "%s and %s are different actions of a sweep; give one of them", act->name,
                    k->name);
        act = k;
    }
    for (int i = 0; act && act->idles && rd_options_table[i].name; i++)
        if (r->given[i] && rd_options_table[i].works)
            rd_fail(r->e, "%s has no effect with %s, which runs no task; leave it out",
                    rd_options_table[i].name, act->name);
}

static void resolve_options(struct argv *r, const struct rd_command_row *k)
{
    bool has_device = false;
    for (int i = 0; rd_options_table[i].name; i++) {
        const struct rd_option_row *const option = &rd_options_table[i];
        has_device |= r->given[i] && option->at == offsetof(struct rd_options, device);
        if (r->given[i] && !(option->commands & 1u << k->command))
            rd_fail(r->e, "%s is not an option of rdsim %s; see rdsim %s --help", option->name,
                    k->name, k->name);
    }
    if (k->command == RD_COMMAND_SWEEP)
        resolve_actions(r);
    rd_options_refuse_conflicts(r->o, k->command, has_device, r->e);
}

/* Determines the command and its files, and refuses wrong combinations. */
static void resolve(struct argv *r)
{
    const struct rd_command_row *const k = resolve_command(r);
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
        resolve_file(r, k);
    if (k->command == RD_COMMAND_HELP)
        resolve_help(r);
    resolve_options(r, k);
}

bool rd_options_read(struct rd_options *o, int argc, char **argv, struct rd_error *e)
{
    *o = (struct rd_options){.backend = "auto", .checkpoint_every = 600.0, .grace = 5.0};
    const struct rd_command_row *const first = argc > 1 ? rd_command_find(argv[1]) : NULL;
    o->command = first && first->n_least == RD_FOREIGN ? first->command : RD_COMMAND_RUN;
    if (o->command != RD_COMMAND_RUN)
        return true;
    struct argv r = {.o = o, .argc = argc, .at = 1, .argv = argv, .e = e};
    const int before = e->n;
    bool only_words = false;
    while (r.at < argc) {
        const char *const text = argv[r.at++];
        if (!only_words && strcmp(text, "--") == 0)
            only_words = true;
        else if (!only_words && strncmp(text, "--", 2) == 0)
            read_option(&r, text);
        else if (!only_words && text[0] == '-' && text[1])
            read_letters(&r, text);
        else
            read_word(&r, text);
    }
    if (argc > 1)
        resolve(&r);
    else
        o->command = RD_COMMAND_USAGE;
    if (o->quiet)
        o->progress = RD_PROGRESS_NONE;
    e->wrong |= e->n > before;
    return e->n == before;
}

void rd_options_free(struct rd_options *o)
{
    for (int i = 0; i < o->n_set; i++)
        free((char *)o->set[i].path); /* its value is in the same block */
    free(o->set);
    *o = (struct rd_options){0};
}
