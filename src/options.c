/* options - the command line; alone knows which commands and options there are. */
#include "options.h"
#include "rng.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The commands that an option belongs to, as bits. */
enum {
    OF_RUN = 1 << RD_COMMAND_RUN,
    OF_CHECK = 1 << RD_COMMAND_CHECK,
    OF_KEYS = 1 << RD_COMMAND_KEYS,
    OF_INFO = 1 << RD_COMMAND_INFO,
    OF_DIFF = 1 << RD_COMMAND_DIFF,
    OF_BENCH = 1 << RD_COMMAND_BENCH,
    OF_AGAIN = 1 << RD_COMMAND_AGAIN,
    OF_ALL = OF_RUN | OF_CHECK | OF_KEYS | OF_INFO | OF_DIFF | OF_BENCH | OF_AGAIN
};

static const struct command {
    enum rd_command command;
    const char *name, *argument, *meaning;
    int n_files;
} commands[] = {
    {RD_COMMAND_RUN, "run", "CONFIG", "run a configuration; the word run may be left out", 1},
    {RD_COMMAND_CHECK, "check", "CONFIG", "tell everything derived and every fault, run nothing",
     1},
    {RD_COMMAND_KEYS, "keys", NULL, "list every key of a configuration", 0},
    {RD_COMMAND_INFO, "info", "FILE", "tell what a result file holds", 1},
    {RD_COMMAND_DIFF, "diff", "A B",
     "tell where two results first differ (exit status 1), or that they do not", 2},
    {RD_COMMAND_BENCH, "bench", NULL, "time this machine against its own limits", 0},
    {RD_COMMAND_AGAIN, "again", "FILE",
     "run again what made a result, and tell whether the second one is the same", 1},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

enum option_id {
    SET,
    SEED,
    RUNS,
    OUTPUT,
    KEEP,
    FORCE,
    BACKEND,
    DEVICE,
    THREADS,
    TIMING,
    VERIFY,
    PROGRESS,
    MARKDOWN,
    CASE,
    LOAD,
    CELLS,
    STEPS,
    REPEAT,
    JSON,
    QUICK,
    LIST,
    HELP,
    VERSION,
    N_OPTIONS
};

static const struct option {
    const char *name, *argument;
    unsigned commands;
    long long least, most; /* of a number; most 0: the argument is none */
    const char *words[4];  /* that the argument may be; ends with NULL */
    const char *meaning;
} options[N_OPTIONS] = {
    [SET] = {"--set", "PATH=VALUE", OF_RUN | OF_CHECK | OF_BENCH,
             .meaning = "change a key, as in --set parameters.k=0.02"},
    [SEED] = {"--seed", "N", OF_RUN | OF_CHECK, 0, RD_SEED_END - 1,
              .meaning = "as --set run.seed=N"},
    [RUNS] = {"--runs", "N", OF_RUN | OF_CHECK, 1, RD_RUN_END, .meaning = "as --set run.runs=N"},
    [OUTPUT] = {"--output", "FILE", OF_RUN | OF_CHECK, .meaning = "where the result goes"},
    [KEEP] = {"--keep", "FILE", OF_AGAIN, .meaning = "where the second result goes, and stays"},
    [FORCE] = {"--force", NULL, OF_RUN | OF_BENCH, .meaning = "replace an earlier result"},
    [BACKEND] = {"--backend", "NAME", OF_RUN | OF_CHECK | OF_BENCH | OF_AGAIN,
                 .words = {"auto", "cpu", "cuda"},
                 .meaning = "auto (default: the GPU if there is one), cpu or cuda"},
    [DEVICE] = {"--device", "N", OF_RUN | OF_CHECK | OF_BENCH | OF_AGAIN, 0, 1023,
                .meaning = "which GPU (default 0)"},
    [THREADS] = {"--threads", "N", OF_RUN | OF_CHECK | OF_BENCH | OF_AGAIN, 0, 4096,
                 .meaning = "threads of the cpu back end (default 0: one for each core)"},
    [TIMING] = {"--timing", NULL, OF_RUN | OF_AGAIN,
                .meaning = "print the time that each part of a step took"},
    [VERIFY] = {"--verify", NULL, OF_RUN | OF_AGAIN,
                .meaning = "check the lists of individuals after every step"},
    [PROGRESS] = {"--progress", "HOW", OF_RUN | OF_AGAIN, .words = {"auto", "plain", "none"},
                  .meaning = "auto (default: redrawn on a terminal), plain lines, or none"},
    [MARKDOWN] = {"--markdown", NULL, OF_KEYS | OF_BENCH,
                  .meaning = "print for a page of documentation (of keys: docs/keys.md)"},
    [CASE] = {"--case", "NAME", OF_BENCH,
              .meaning = "only this case; may be given again (--list names all)"},
    [LOAD] = {"--load", "L", OF_BENCH,
              .meaning = "molecules or individuals in a cell, instead of each case's own"},
    [CELLS] = {"--cells", "N", OF_BENCH, 1, 2048, .meaning = "along each edge, likewise"},
    [STEPS] = {"--steps", "N", OF_BENCH, 1, 1000000, .meaning = "in each repeat, likewise"},
    [REPEAT] = {"--repeat", "N", OF_BENCH, 1, 60,
                .meaning = "so many (default: 3 to 9, by the time they take)"},
    [JSON] = {"--json", "FILE", OF_BENCH | OF_INFO,
              .meaning = "write all of it there, as JSON; - is stdout, instead of the page"},
    [QUICK] = {"--quick", NULL, OF_BENCH, .meaning = "small lattices alone, in a few seconds"},
    [LIST] = {"--list", NULL, OF_BENCH, .meaning = "list the cases, run nothing"},
    [HELP] = {"--help", NULL, OF_ALL, .meaning = "print this"},
    [VERSION] = {"--version", NULL, OF_ALL, .meaning = "print the program's version"},
};

/* The command line on its way through. */
struct reading {
    struct rd_options *o;
    int argc, at; /* next argument */
    char **argv;
    const char *word[3]; /* what is no option: a command and its files */
    int n_words;
    bool given[N_OPTIONS];
    struct rd_error *e;
};

static const char *command_name(const void *list, int i)
{
    return ((const struct command *)list)[i].name;
}

static const char *option_name(const void *list, int i)
{
    return ((const struct option *)list)[i].name;
}

static const char *word_of(const void *list, int i)
{
    return ((const char *const *)list)[i];
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

static bool to_integer(struct reading *r, const struct option *k, const char *argument, int *v)
{
    char *end;
    const long long number = strtoll(argument, &end, 10);
    if (*argument && !*end && number >= k->least && number <= k->most) {
        *v = (int)(number <= INT_MAX ? number : INT_MAX);
        return true;
    }
    return rd_fail(r->e, "%s %s: must be an integer from %lld to %lld", k->name, argument, k->least,
                   k->most);
}

/* The argument's number in the option's words. */
static bool to_word(struct reading *r, const struct option *k, const char *argument, int *v)
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

static bool to_load(struct reading *r, const char *argument)
{
    char *end;
    const double load = strtod(argument, &end);
    if (!*argument || *end || !(load > 0.0 && load <= 1e6))
        return rd_fail(r->e, "--load %s: must be a number above 0, and at most 1000000", argument);
    r->o->bench.load = load;
    return true;
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

/* What an option of rdsim bench asks; v is its number. */
static bool obey_bench(struct reading *r, enum option_id id, const char *argument, int v)
{
    struct rd_bench_options *const b = &r->o->bench;
    switch (id) {
    case CASE:
        return add_case(r, argument);
    case LOAD:
        return to_load(r, argument);
    case CELLS:
        b->cells = v;
        return true;
    case STEPS:
        b->steps = v;
        return true;
    case REPEAT:
        b->repeats = v;
        return true;
    case QUICK:
        b->quick = true;
        return true;
    case LIST:
        b->list = true;
        return true;
    default: /* --help and --version wait until the command is known */
        return true;
    }
}

/* Does what the option asks; the argument of one that takes none is "". */
static bool obey(struct reading *r, enum option_id id, const char *argument)
{
    const struct option *const k = &options[id];
    struct rd_options *const o = r->o;
    int v = 0;
    if (k->most > 0 && !to_integer(r, k, argument, &v))
        return false;
    if (k->words[0] && !to_word(r, k, argument, &v))
        return false;
    switch (id) {
    case SET:
        return add_assignment(r, argument);
    case SEED: /* L: a seed may need more than 32 bits */
        return add_set(r, "run.seed", strlen("run.seed"), argument, "L");
    case RUNS:
        return add_set(r, "run.runs", strlen("run.runs"), argument, "");
    case OUTPUT:
        return add_set(r, "output.file", strlen("output.file"), argument, "");
    case JSON:
        o->json = argument;
        return true;
    case KEEP:
        o->keep = argument;
        return true;
    case FORCE:
        o->force = true;
        return true;
    case BACKEND:
        o->backend = k->words[v];
        return true;
    case DEVICE:
        o->device = v;
        return true;
    case THREADS:
        o->threads = v;
        return true;
    case TIMING:
        o->timing = true;
        return true;
    case VERIFY:
        o->verify = true;
        return true;
    case PROGRESS:
        o->progress = (enum rd_progress_kind)v;
        return true;
    case MARKDOWN:
        o->markdown = true;
        return true;
    default:
        return obey_bench(r, id, argument, v);
    }
}

/* The number of the option in argument, "--name" or "--name=value"; -1 with a sentence. */
static int find_option(struct reading *r, const char *argument)
{
    char name[32] = "";
    const size_t length = strcspn(argument, "=");
    if (length < sizeof name)
        memcpy(name, argument, length);
    for (int i = 0; i < N_OPTIONS; i++) {
        if (strcmp(name, options[i].name) == 0)
            return i;
    }
    const char *const near = *name ? rd_nearest(name, N_OPTIONS, option_name, options) : NULL;
    if (near)
        rd_fail(r->e, "%.*s is not an option; did you mean %s?", (int)length, argument, near);
    else
        rd_fail(r->e, "%.*s is not an option; rdsim --help lists them", (int)length, argument);
    return -1;
}

static void read_option(struct reading *r, const char *text)
{
    const int i = find_option(r, text);
    if (i < 0)
        return;
    r->given[i] = true;
    const struct option *const k = &options[i];
    const char *const equals = strchr(text, '=');
    const char *argument = equals ? equals + 1 : NULL;
    if (k->argument && !argument && r->at < r->argc)
        argument = r->argv[r->at++];
    if (k->argument && !argument)
        rd_fail(r->e, "%s needs an argument: %s %s", k->name, k->name, k->argument);
    else if (!k->argument && argument)
        rd_fail(r->e, "%s takes no argument, but has '%s'", k->name, argument);
    else
        obey(r, (enum option_id)i, argument ? argument : "");
}

static void read_word(struct reading *r, const char *word)
{
    if (r->n_words < (int)(sizeof r->word / sizeof r->word[0]))
        r->word[r->n_words] = word;
    r->n_words++;
}

/* What the first word says; NULL if it is no command. */
static const struct command *find_command(const char *word)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

/* A first word that is no command is a configuration, unless it looks like a command's name: near
   to one, or before another word; a file's name has a point or a slash. */
static bool is_misspelt(const struct reading *r)
{
    const char *const word = r->word[0];
    return !strpbrk(word, "./") &&
           (r->n_words > 1 || rd_nearest(word, N_COMMANDS, command_name, commands));
}

static const struct command *settle_command(struct reading *r)
{
    const struct command *const first = r->n_words > 0 ? find_command(r->word[0]) : NULL;
    if (first || r->n_words == 0 || !is_misspelt(r))
        return first ? first : &commands[0];
    const char *const near = rd_nearest(r->word[0], N_COMMANDS, command_name, commands);
    rd_fail(r->e, "'%s' is not a command; %s%s%s", r->word[0],
            near ? "did you mean '" : "rdsim --help lists them", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

static void settle_file(struct reading *r, const struct command *k)
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

static void settle_options(struct reading *r, const struct command *k)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        if (r->given[i] && !(options[i].commands & 1u << k->command))
            rd_fail(r->e, "%s is not an option of rdsim %s; rdsim %s --help lists them",
                    options[i].name, k->name, k->name);
    }
}

/* Knows the command only when all words are read: options may stand before it. */
static void settle(struct reading *r)
{
    const struct command *const k = settle_command(r);
    if (!k)
        return;
    r->o->command = k->command;
    r->o->about = r->n_words > 0 ? k->command : RD_COMMAND_HELP;
    if (r->given[HELP])
        r->o->command = RD_COMMAND_HELP;
    else if (r->given[VERSION])
        r->o->command = RD_COMMAND_VERSION;
    else
        settle_file(r, k);
    settle_options(r, k);
}

bool rd_options_read(struct rd_options *o, int argc, char **argv, struct rd_error *e)
{
    *o = (struct rd_options){.backend = "auto"};
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

static void print_options(FILE *out, unsigned bits)
{
    fputs("\nOptions:\n", out);
    for (int i = 0; i < N_OPTIONS; i++) {
        const struct option *const k = &options[i];
        if (!(k->commands & bits))
            continue;
        const int width = fprintf(out, "  %s %s", k->name, k->argument ? k->argument : "");
        fprintf(out, "%*s%s\n", 24 - width, "", k->meaning);
    }
}

static void print_program(FILE *out)
{
    fputs("rdsim simulates molecules that move on a lattice and react where they meet.\n\n"
          "  rdsim CONFIG [options]\n",
          out);
    for (int i = 0; i < N_COMMANDS; i++) {
        const struct command *const k = &commands[i];
        const int width = fprintf(out, "  rdsim %s %s", k->name, k->argument ? k->argument : "");
        fprintf(out, "%*s%s\n", 24 - width, "", k->meaning);
    }
    fputs("\nrdsim COMMAND --help lists the options of one command.\n", out);
    print_options(out, OF_ALL);
    fputs("\nExit status: 0 done, 1 the run failed, 2 the command or configuration is wrong.\n",
          out);
}

void rd_options_help(FILE *out, enum rd_command about)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        const struct command *const k = &commands[i];
        if (k->command != about)
            continue;
        fprintf(out, "rdsim %s%s%s [options]: %s\n", k->name, k->argument ? " " : "",
                k->argument ? k->argument : "", k->meaning);
        print_options(out, 1u << about);
        return;
    }
    print_program(out);
}
