/* main - `rdsim-bench`: reads the command line of the benchmark, runs it, prints errors. */
#define _POSIX_C_SOURCE 200809L
#include "bench/cases.h"

#include <stdlib.h>
#include <string.h>

/* Names the type of an option's argument, and so of its member of rd_bench_of. */
enum case_kind { FLAG, TEXT, PAGE, INTEGER, REAL, CASE, SET };

struct row {
    const char *name, *argument;
    enum case_kind kind;
    size_t at;
    long long least, most;
    const char *meaning;
};

#define AT(member) offsetof(struct rd_bench_of, member)

static const struct row rows[] = {
    {"--case", "NAME", CASE, 0, 0, 0, "only this case; repeat it for more (--list prints all)"},
    {"--model", "FILE", TEXT, AT(model), 0, 0,
     "instead of the cases: time the steps of a configuration between its outputs"},
    {"--load", "L", REAL, AT(load), 0, 1000000, "molecules or individuals in a voxel"},
    {"--voxels", "N", INTEGER, AT(voxels), 1, 2048, "voxels along each edge"},
    {"--steps", "N", INTEGER, AT(steps), 1, 1000000, "steps in each repeat"},
    {"--repeat", "N", INTEGER, AT(repeats), 1, 60, "repeats (default: 3 to 9, by their time)"},
    {"--set", "PATH=VALUE", SET, 0, 0, 0, "change a key of the configurations"},
    {"--backend", "NAME", TEXT, AT(machine.backend), 0, 0,
     "auto (default: the GPU if there is one), cpu or cuda"},
    {"--device", "N", INTEGER, AT(machine.device), 0, 1023, "number of the GPU (default 0)"},
    {"--threads", "N", INTEGER, AT(machine.threads), 0, 4096,
     "threads of the cpu back end (default 0: one for each core)"},
    {"--json", "[FILE]", PAGE, AT(json), 0, 0,
     "write all figures to FILE as JSON; - or no FILE: to stdout, instead of the table"},
    {"--markdown", NULL, FLAG, AT(is_markdown), 0, 0, "print the table in Markdown"},
    {"--quick", NULL, FLAG, AT(is_quick), 0, 0, "only small lattices"},
    {"--force", NULL, FLAG, AT(force), 0, 0, "replace the file of --json"},
    {NULL, NULL, FLAG, 0, 0, 0, NULL},
};

struct command_line {
    struct rd_bench_of of;
    const char **name;
    struct rd_set *set;
    bool lists, helps;
    struct rd_error e;
};

static bool add_case(struct command_line *r, const char *name)
{
    const char **const names = realloc(r->name, ((size_t)r->of.n_names + 1) * sizeof *names);
    if (!names)
        return rd_fail(&r->e, "out of memory for the command line");
    r->of.name = r->name = names;
    names[r->of.n_names++] = name;
    return true;
}

/* Adds path=value; it cuts the text at the '='. */
static bool add_set(struct command_line *r, char *text)
{
    char *const equals = strchr(text, '=');
    if (!equals)
        return rd_fail(&r->e, "--set %s: has no '='; write --set path=value", text);
    struct rd_set *const set = realloc(r->set, ((size_t)r->of.n_set + 1) * sizeof *set);
    if (!set)
        return rd_fail(&r->e, "out of memory for the command line");
    *equals = 0;
    r->of.set = r->set = set;
    set[r->of.n_set++] = (struct rd_set){.path = text, .value = equals + 1};
    return true;
}

static bool set_number(struct command_line *r, const struct row *k, const char *text)
{
    void *const at = (char *)&r->of + k->at;
    char *end;
    if (k->kind == REAL) {
        const double real = strtod(text, &end);
        *(double *)at = real;
        return (*text && !*end && real > (double)k->least && real <= (double)k->most) ||
               rd_fail(&r->e, "%s %s: is not valid; give a number above %lld, and at most %lld",
                       k->name, text, k->least, k->most);
    }
    const long long number = strtoll(text, &end, 10);
    *(int *)at = (int)number;
    return (*text && !*end && number >= k->least && number <= k->most) ||
           rd_fail(&r->e, "%s %s: is not valid; give an integer from %lld to %lld", k->name, text,
                   k->least, k->most);
}

static bool take_argument(struct command_line *r, const struct row *k, char *text)
{
    void *const at = (char *)&r->of + k->at;
    switch (k->kind) {
    case FLAG:
        *(bool *)at = true;
        return true;
    case TEXT:
    case PAGE:
        *(const char **)at = text ? text : "-";
        return true;
    case CASE:
        return add_case(r, text);
    case SET:
        return add_set(r, text);
    default:
        return set_number(r, k, text);
    }
}

/* Reads one option, as "--name argument" or "--name=argument". Returns the number of words read. */
static int read_bench_option(struct command_line *r, char **word)
{
    const size_t length = strcspn(word[0], "=");
    char *argument = word[0][length] ? word[0] + length + 1 : NULL;
    if (strcmp(word[0], "--list") == 0 || strcmp(word[0], "--help") == 0) {
        *(word[0][2] == 'l' ? &r->lists : &r->helps) = true;
        return 1;
    }
    const struct row *k = rows;
    while (k->name && (strlen(k->name) != length || strncmp(word[0], k->name, length) != 0))
        k++;
    if (!k->name) {
        rd_fail(&r->e, "%s%s%s is not an option; see rdsim-bench --help",
                word[0][0] == '-' ? "" : "'", word[0], word[0][0] == '-' ? "" : "'");
        return 1;
    }
    const bool has_next = !argument && k->argument && word[1] &&
                          (k->kind != PAGE || word[1][0] != '-' || !word[1][1]) &&
                          strncmp(word[1], "--", 2) != 0;
    if (has_next)
        argument = word[1];
    if (!k->argument && argument)
        rd_fail(&r->e, "%s takes no argument, but has '%s'; leave it out", k->name, argument);
    else if (k->argument && !argument && k->kind != PAGE)
        rd_fail(&r->e, "%s has no argument; write %s %s", k->name, k->name, k->argument);
    else
        take_argument(r, k, argument);
    return has_next ? 2 : 1;
}

static void print_help(void)
{
    puts("rdsim-bench [options]: time this machine against its own limits\n\nOptions:");
    for (const struct row *k = rows; k->name; k++) {
        const int width =
            printf("  %s%s%s", k->name, k->argument ? " " : "", k->argument ? k->argument : "");
        printf("%*s%s\n", 24 - width, "", k->meaning);
    }
    puts("  --list                list the cases\n  --help                print this");
}

static bool run_simulation_line(struct command_line *r)
{
    if (r->e.n > 0) {
        r->e.wrong = true;
        return false;
    }
    if (r->helps)
        print_help();
    else if (r->lists)
        rd_cases_list(stdout);
    else
        return rd_bench(&r->of, stdout, &r->e);
    return true;
}

int main(int argc, char **argv)
{
    struct command_line r = {.of = {.machine = {.backend = "auto"}}};
    for (int i = 1; i < argc;)
        i += read_bench_option(&r, argv + i);
    const bool ok = run_simulation_line(&r) && fflush(stdout) == 0;
    int length;
    for (const char *at = NULL; (at = rd_error_next(&r.e, at, &length));)
        fprintf(stderr, "rdsim-bench: %.*s\n", length, at);
    const bool is_wrong = r.e.wrong;
    rd_error_free(&r.e);
    free(r.name);
    free(r.set);
    return ok ? 0 : is_wrong ? 2 : 1;
}
