/* options - the command line, read by the tables of options_table.c. */
#include "options_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The command line on its way through. */
struct reading {
    struct rd_options *o;
    int argc, at; /* next argument */
    char **argv;
    const char *word[3]; /* what is no option: a command and its files */
    int n_words;
    bool given[RD_OPTIONS_MOST];
    struct rd_error *e;
};

static const char *command_name(const void *list, int i)
{
    return ((const struct rd_command_row *)list)[i].name;
}

static const char *option_name(const void *list, int i)
{
    return ((const struct rd_option_row *)list)[i].name;
}

static const char *word_of(const void *list, int i)
{
    return ((const char *const *)list)[i];
}

/* The command nearest to a word, or NULL. */
static const char *near_command(const char *word)
{
    int n = 0;
    while (rd_commands[n].name)
        n++;
    return rd_nearest(word, n, command_name, rd_commands);
}

/* Adds path=value, where the path has so many letters and the value two parts. */
static bool add_set(struct reading *r, const char *path, size_t length, const char *value,
                    const char *suffix)
{
    const size_t bytes = ((size_t)r->o->n_set + 1) * sizeof *r->o->set;
    struct rd_set *const set = realloc(r->o->set, bytes);
    if (set)
        r->o->set = set;
    char *const copy = malloc(length + strlen(value) + strlen(suffix) + 2);
    if (!set || !copy) {
        free(copy);
        return rd_fail(r->e, "there is no memory for the command line");
    }
    memcpy(copy, path, length);
    copy[length] = 0;
    char *const end = copy + length + 1;
    strcat(strcpy(end, value), suffix);
    set[r->o->n_set++] = (struct rd_set){.path = copy, .value = end};
    return true;
}

static bool add_assignment(struct reading *r, const char *argument)
{
    const char *const equals = strchr(argument, '=');
    if (!equals)
        return rd_fail(r->e, "--set %s: has no '='; it is written --set path=value", argument);
    return add_set(r, argument, (size_t)(equals - argument), equals + 1, "");
}

static bool to_integer(struct reading *r, const struct rd_option_row *k, const char *argument,
                       int64_t *v)
{
    char *end;
    *v = strtoll(argument, &end, 10);
    return (*argument && !*end && *v >= k->least && *v <= k->most) ||
           rd_fail(r->e, "%s %s: must be an integer from %lld to %lld", k->name, argument, k->least,
                   k->most);
}

static bool to_real(struct reading *r, const struct rd_option_row *k, const char *argument,
                    double *v)
{
    char *end;
    *v = strtod(argument, &end);
    return (*argument && !*end && *v > (double)k->least && *v <= (double)k->most) ||
           rd_fail(r->e, "%s %s: must be a number above %lld, and at most %lld", k->name, argument,
                   k->least, k->most);
}

static bool to_seconds(struct reading *r, const struct rd_option_row *k, const char *argument,
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
    return rd_fail(r->e, "%s %s: must be a duration above 0, as 200ms, 30s, 10min or 2h", k->name,
                   argument);
}

/* The argument's number in the option's words. */
static bool to_word(struct reading *r, const struct rd_option_row *k, const char *argument, int *v)
{
    for (*v = 0; k->words[*v]; ++*v) {
        if (strcmp(argument, k->words[*v]) == 0)
            return true;
    }
    const char *const near = rd_nearest(argument, *v, word_of, k->words);
    return rd_fail(r->e, "%s %s: must be %s, %s or %s%s%s%s", k->name, argument, k->words[0],
                   k->words[1], k->words[2], near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static bool add_case(struct reading *r, const char *name)
{
    struct rd_bench_options *const b = &r->o->bench;
    const char **const names = realloc(b->name, ((size_t)b->n_names + 1) * sizeof *names);
    if (!names)
        return rd_fail(r->e, "there is no memory for the command line");
    b->name = names;
    b->name[b->n_names++] = name;
    return true;
}

static bool to_set(struct reading *r, const struct rd_option_row *k, const char *argument)
{
    int64_t unused;
    if (k->most > 0 && !to_integer(r, k, argument, &unused))
        return false;
    return k->path ? add_set(r, k->path, strlen(k->path), argument, k->tail)
                   : add_assignment(r, argument);
}

/* Does what the option asks; the argument of one that takes none is "". */
static bool obey(struct reading *r, const struct rd_option_row *k, const char *argument)
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
    case RD_OPTION_REAL:
        return to_real(r, k, argument, at);
    case RD_OPTION_SECONDS:
        return to_seconds(r, k, argument, at);
    case RD_OPTION_SET:
        return to_set(r, k, argument);
    case RD_OPTION_CASE:
        return add_case(r, argument);
    }
    return false;
}

/* The option in argument, "--name" or "--name=value"; NULL with a sentence. */
static const struct rd_option_row *find_option(struct reading *r, const char *argument)
{
    char name[32] = "";
    const size_t length = strcspn(argument, "=");
    if (length < sizeof name)
        memcpy(name, argument, length);
    int n = 0;
    for (; rd_options_table[n].name; n++)
        if (strcmp(name, rd_options_table[n].name) == 0)
            return &rd_options_table[n];
    const char *const near = *name ? rd_nearest(name, n, option_name, rd_options_table) : NULL;
    if (near)
        rd_fail(r->e, "%.*s is not an option; did you mean %s?", (int)length, argument, near);
    else
        rd_fail(r->e, "%.*s is not an option; rdsim --help lists them", (int)length, argument);
    return NULL;
}

static void read_option(struct reading *r, const char *text)
{
    const struct rd_option_row *const k = find_option(r, text);
    if (!k)
        return;
    r->given[k - rd_options_table] = true;
    const char *const equals = strchr(text, '=');
    const char *argument = equals ? equals + 1 : NULL;
    if (k->argument && !argument && r->at < r->argc)
        argument = r->argv[r->at++];
    if (k->argument && !argument)
        rd_fail(r->e, "%s needs an argument: %s %s", k->name, k->name, k->argument);
    else if (!k->argument && argument)
        rd_fail(r->e, "%s takes no argument, but has '%s'", k->name, argument);
    else
        obey(r, k, argument ? argument : "");
}

static void read_word(struct reading *r, const char *word)
{
    if (r->n_words < (int)(sizeof r->word / sizeof r->word[0]))
        r->word[r->n_words] = word;
    r->n_words++;
}

/* What the first word says; NULL if it is no command. */
static const struct rd_command_row *find_command(const char *word)
{
    for (const struct rd_command_row *k = rd_commands; k->name; k++) {
        if (strcmp(word, k->name) == 0)
            return k;
    }
    return NULL;
}

/* A first word that is no command is a configuration, unless it looks like a command's name: near
   to one, or before another word; a file's name has a point or a slash. */
static bool is_misspelt(const struct reading *r)
{
    const char *const word = r->word[0];
    return !strpbrk(word, "./") && (r->n_words > 1 || near_command(word));
}

static const struct rd_command_row *settle_command(struct reading *r)
{
    const struct rd_command_row *const first = r->n_words > 0 ? find_command(r->word[0]) : NULL;
    if (first || r->n_words == 0 || !is_misspelt(r))
        return first ? first : &rd_commands[0];
    const char *const near = near_command(r->word[0]);
    rd_fail(r->e, "'%s' is not a command; %s%s%s", r->word[0],
            near ? "did you mean '" : "rdsim --help lists them", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

static void settle_file(struct reading *r, const struct rd_command_row *k)
{
    const bool named = r->n_words > 0 && find_command(r->word[0]);
    const int n_files = r->n_words - named;
    if (k->n_files == 0 && n_files > 0)
        rd_fail(r->e, "%s takes no file, but has '%s'", k->name, r->word[1]);
    else if (n_files < k->n_files)
        rd_fail(r->e, "%s is missing; it is written rdsim %s %s",
                n_files == 0 ? k->argument : "a file", k->name, k->argument);
    else if (n_files > k->n_files)
        rd_fail(r->e, "rdsim %s takes %s %s, and has %d", k->name,
                k->n_files == 1 ? "one" : "two files", k->argument, n_files);
    else if (n_files > 0) {
        r->o->file = r->word[named];
        r->o->other = n_files > 1 ? r->word[named + 1] : NULL;
    }
}

/* Of all that a sweep writes only what it collects may take the place of another file. */
static bool is_forced_in_vain(const struct rd_options *o)
{
    return o->command == RD_COMMAND_SWEEP && o->force && !o->sweep.collect;
}

/* A sweep does one thing at a time, and what is said of tasks that run needs some. */
static void settle_actions(struct reading *r)
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

static void settle_options(struct reading *r, const struct rd_command_row *k)
{
    for (int i = 0; rd_options_table[i].name; i++) {
        const struct rd_option_row *const option = &rd_options_table[i];
        if (r->given[i] && !(option->commands & 1u << k->command))
            rd_fail(r->e, "%s is not an option of rdsim %s; rdsim %s --help lists them",
                    option->name, k->name, k->name);
    }
    if (k->command == RD_COMMAND_SWEEP)
        settle_actions(r);
    if (is_forced_in_vain(r->o))
        rd_fail(r->e, "--force is for --collect; results of tasks are not replaced: what is "
                      "complete is left out, and what is to be run again must be moved away");
    if (r->o->force && r->o->resume)
        rd_fail(r->e, "--force begins again and --resume goes on; give one of them");
}

/* Knows the command only when all words are read: options may stand before it. */
static void settle(struct reading *r)
{
    const struct rd_command_row *const k = settle_command(r);
    if (!k)
        return;
    r->o->command = k->command;
    r->o->about = r->n_words > 0 ? k->command : RD_COMMAND_HELP;
    if (r->o->help)
        r->o->command = RD_COMMAND_HELP;
    else if (r->o->version)
        r->o->command = RD_COMMAND_VERSION;
    else
        settle_file(r, k);
    settle_options(r, k);
}

bool rd_options_read(struct rd_options *o, int argc, char **argv, struct rd_error *e)
{
    *o = (struct rd_options){.backend = "auto", .checkpoint_every = 600.0};
    struct reading r = {.o = o, .argc = argc, .at = 1, .argv = argv, .e = e};
    const int before = e->n;
    bool only_words = false;
    while (r.at < argc) {
        const char *const text = argv[r.at++];
        if (!only_words && strcmp(text, "--") == 0)
            only_words = true;
        else if (!only_words && text[0] == '-' && text[1])
            read_option(&r, text);
        else
            read_word(&r, text);
    }
    settle(&r);
    e->wrong |= e->n > before;
    return e->n == before;
}

void rd_options_free(struct rd_options *o)
{
    for (int i = 0; i < o->n_set; i++)
        free((char *)o->set[i].path); /* its value is in the same block */
    free(o->set);
    free(o->bench.name);
    *o = (struct rd_options){0};
}
