/* test_options - tests of the command line: the effect of each option, help, and messages about
   wrong input. */
#include "command_line/options.h"
#include "printed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WORDS = 16, LINE_BYTES = 256 };

/* Holds the words of a command line, which is split at its blanks. */
struct line {
    char text[LINE_BYTES];
    char *argv[MOST_WORDS];
    int argc;
};

static void cut(struct line *l, const char *text)
{
    *l = (struct line){0};
    assert_true(strlen(text) < sizeof l->text);
    strcpy(l->text, text);
    for (char *word = strtok(l->text, " "); word; word = strtok(NULL, " "))
        l->argv[l->argc++] = word;
}

static void read_right(struct line *l, struct rd_options *o, const char *text)
{
    struct rd_error e = {0};
    cut(l, text);
    if (!rd_options_read(o, l->argc, l->argv, &e))
        fail_msg("%s: %s", text, e.text);
    assert_false(e.wrong);
}

static void single_file_is_run(void **state)
{
    (void)state;
    struct line l;
    struct rd_options o;
    read_right(&l, &o, "rdsim a.cfg");
    assert_int_equal(o.command, RD_COMMAND_RUN);
    assert_string_equal(o.file, "a.cfg");
    assert_string_equal(o.backend, "auto");
    assert_int_equal(o.device, 0);
    assert_int_equal(o.threads, 0);
    assert_int_equal(o.n_set, 0);
    assert_int_equal(o.progress, RD_PROGRESS_AUTO);
    assert_false(o.force || o.resume || o.timing || o.verify || o.markdown);
    assert_true(o.checkpoint_every == 600);
    rd_options_free(&o);
}

static void commands_are_distinguished(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file;
        enum rd_command command, about;
    } cases[] = {
        {"rdsim run a.cfg", "a.cfg", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim check a.cfg", "a.cfg", RD_COMMAND_CHECK, RD_COMMAND_CHECK},
        {"rdsim --set k=1 check a.cfg", "a.cfg", RD_COMMAND_CHECK, RD_COMMAND_CHECK},
        {"rdsim info a.h5", "a.h5", RD_COMMAND_INFO, RD_COMMAND_INFO},
        {"rdsim diff a.h5 b.h5", "a.h5", RD_COMMAND_DIFF, RD_COMMAND_DIFF},
        {"rdsim again a.h5", "a.h5", RD_COMMAND_AGAIN, RD_COMMAND_AGAIN},
        {"rdsim keys", NULL, RD_COMMAND_KEYS, RD_COMMAND_KEYS},
        {"rdsim run check", "check", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim banana", "banana", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim ./chekc", "./chekc", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim -- --odd", "--odd", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim -", "-", RD_COMMAND_RUN, RD_COMMAND_RUN},
        {"rdsim --help", NULL, RD_COMMAND_HELP, RD_COMMAND_HELP},
        {"rdsim check --help", NULL, RD_COMMAND_HELP, RD_COMMAND_CHECK},
        {"rdsim --version", NULL, RD_COMMAND_VERSION, RD_COMMAND_HELP},
        {"rdsim -h", NULL, RD_COMMAND_HELP, RD_COMMAND_HELP},
        {"rdsim sweep -h", NULL, RD_COMMAND_HELP, RD_COMMAND_SWEEP},
        {"rdsim -v", NULL, RD_COMMAND_VERSION, RD_COMMAND_HELP},
        {"rdsim -V", NULL, RD_COMMAND_VERSION, RD_COMMAND_HELP},
        {"rdsim version", NULL, RD_COMMAND_VERSION, RD_COMMAND_VERSION},
        {"rdsim help", NULL, RD_COMMAND_HELP, RD_COMMAND_HELP},
        {"rdsim help keys", NULL, RD_COMMAND_HELP, RD_COMMAND_KEYS},
        {"rdsim keys grid.voxels", "grid.voxels", RD_COMMAND_KEYS, RD_COMMAND_KEYS},
        {"rdsim", NULL, RD_COMMAND_USAGE, RD_COMMAND_RUN},
        {"rdsim check -", "-", RD_COMMAND_CHECK, RD_COMMAND_CHECK},
        {"rdsim run -- --help", "--help", RD_COMMAND_RUN, RD_COMMAND_RUN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct line l;
        struct rd_options o;
        read_right(&l, &o, cases[i].text);
        assert_int_equal(o.command, cases[i].command);
        assert_int_equal(o.about, cases[i].about);
        if (cases[i].file)
            assert_string_equal(o.file, cases[i].file);
        else
            assert_null(o.file);
        assert_true((o.other != NULL) == (o.command == RD_COMMAND_DIFF));
        if (o.other)
            assert_string_equal(o.other, "b.h5");
        rd_options_free(&o);
    }
}

static void options_are_read(void **state)
{
    (void)state;
    struct line l;
    struct rd_options o;
    read_right(&l, &o,
               "rdsim a.cfg --backend cpu --device=3 --threads 8 --force --timing --progress=none");
    assert_string_equal(o.backend, "cpu");
    assert_int_equal(o.device, 3);
    assert_int_equal(o.threads, 8);
    assert_true(o.force && o.timing && !o.markdown);
    assert_int_equal(o.progress, RD_PROGRESS_NONE);
    rd_options_free(&o);
    read_right(&l, &o, "rdsim a.cfg --progress plain --backend=cuda");
    assert_string_equal(o.backend, "cuda");
    assert_int_equal(o.progress, RD_PROGRESS_PLAIN);
    rd_options_free(&o);
    static const struct {
        const char *text;
        double seconds;
    } times[] = {{"rdsim a.cfg --resume --checkpoint-every 200ms", 0.2},
                 {"rdsim a.cfg --resume --checkpoint-every=30s", 30},
                 {"rdsim a.cfg --resume --checkpoint-every 1.5min", 90},
                 {"rdsim a.cfg --resume --checkpoint-every 2h", 7200},
                 {"rdsim a.cfg --resume --checkpoint-every 5s", 5}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        read_right(&l, &o, times[i].text);
        assert_true(o.resume && !o.force && o.checkpoint_every == times[i].seconds);
        rd_options_free(&o);
    }
    read_right(&l, &o, "rdsim run a.cfg --verify");
    assert_true(o.verify && !o.timing);
    rd_options_free(&o);
    read_right(&l, &o, "rdsim again a.h5 --keep b.h5 --threads 2");
    assert_string_equal(o.keep, "b.h5");
    assert_int_equal(o.threads, 2);
    rd_options_free(&o);
    read_right(&l, &o, "rdsim keys --markdown");
    assert_true(o.markdown);
    rd_options_free(&o);
}

static void letters_are_short_options(void **state)
{
    (void)state;
    static const struct {
        const char *text, *output;
        bool quiet;
    } cases[] = {
        {"rdsim a.cfg -o x.h5", "x.h5", false},
        {"rdsim a.cfg -ox.h5", "x.h5", false},
        {"rdsim a.cfg -o=x.h5", "x.h5", false},
        {"rdsim -qo x.h5 a.cfg", "x.h5", true},
        {"rdsim a.cfg -qox.h5", "x.h5", true},
        {"rdsim a.cfg -qqo x.h5 -q", "x.h5", true},
        {"rdsim a.cfg -o y.h5 -o x.h5", "x.h5", false},
        {"rdsim -q -o -.h5 -- a.cfg", "-.h5", true},
        {"rdsim a.cfg --output=--quiet", "--quiet", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct line l;
        struct rd_options o;
        read_right(&l, &o, cases[i].text);
        assert_string_equal(o.file, "a.cfg");
        assert_true(o.n_set > 0 && o.quiet == cases[i].quiet);
        assert_string_equal(o.set[o.n_set - 1].path, "output.file");
        assert_string_equal(o.set[o.n_set - 1].value, cases[i].output);
        rd_options_free(&o);
    }
}

/* Tests that the argument of --json is optional: if the command has no file otherwise, the next
   word is that file. */
static void json_has_an_optional_file(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file, *json;
    } cases[] = {
        {"rdsim check a.cfg --json", "a.cfg", "-"},
        {"rdsim check --json a.cfg", "a.cfg", "-"},
        {"rdsim check --json --runs 3 a.cfg", "a.cfg", "-"},
        {"rdsim check a.cfg --json b.json", "a.cfg", "b.json"},
        {"rdsim check --json=b.json a.cfg", "a.cfg", "b.json"},
        {"rdsim check --json -", "-", "-"},
        {"rdsim check - --json -", "-", "-"},
        {"rdsim info --json a.h5", "a.h5", "-"},
        {"rdsim info a.h5 --json b.json", "a.h5", "b.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct line l;
        struct rd_options o;
        read_right(&l, &o, cases[i].text);
        assert_string_equal(o.json, cases[i].json);
        assert_true((o.file != NULL) == (cases[i].file != NULL));
        if (o.file)
            assert_string_equal(o.file, cases[i].file);
        rd_options_free(&o);
    }
}

static void sweep_options_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } times[] = {{"200ms", 0.2}, {"30s", 30.0}, {"1.5min", 90.0}, {"2h", 7200.0}};
    struct line l;
    struct rd_options o;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[80];
        snprintf(text, sizeof text, "rdsim sweep s.cfg --jobs 3 --retry --timeout %s",
                 times[i].text);
        read_right(&l, &o, text);
        assert_int_equal(o.command, RD_COMMAND_SWEEP);
        assert_true(o.sweep.jobs == 3 && o.sweep.retry && !o.sweep.task && !o.sweep.status);
        assert_true(o.sweep.timeout == times[i].seconds);
        rd_options_free(&o);
    }
    read_right(&l, &o, "rdsim sweep s.cfg --task array --timeout=1s");
    assert_string_equal(o.sweep.task, "array");
    rd_options_free(&o);
}

/* Checks that options of their own come after --set, which may replace their group. */
static void all_settings_are_sets(void **state)
{
    (void)state;
    static const struct rd_set expected[] = {
        {.path = "parameters.k", .value = "a=b"},     {.path = "title", .value = ""},
        {.path = "run.seed", .value = "5000000000L"}, {.path = "run.runs", .value = "7"},
        {.path = "output.file", .value = "x.h5"},     {.path = "run.runs", .value = "8"}};
    struct line l;
    struct rd_options o;
    read_right(&l, &o,
               "rdsim check --set parameters.k=a=b --seed 5000000000 --runs 7 a.cfg --output x.h5 "
               "--set=title= --runs=8");
    assert_int_equal(o.n_set, 6);
    for (int i = 0; i < o.n_set; i++) {
        assert_string_equal(o.set[i].path, expected[i].path);
        assert_string_equal(o.set[i].value, expected[i].value);
    }
    rd_options_free(&o);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"rdsim -q", "CONFIG is missing; write rdsim run CONFIG"},
    {"rdsim run", "CONFIG is missing; write rdsim run CONFIG"},
    {"rdsim help chekc", "'chekc' is not a command; did you mean 'check'?"},
    {"rdsim help banana", "'banana' is not a command; see rdsim --help"},
    {"rdsim help run check", "rdsim help takes one [COMMAND], but has 2; leave out the others"},
    {"rdsim version 3", "version takes no file, but has '3'; leave it out"},
    {"rdsim a.cfg -o", "-o has no argument; write -o FILE"},
    {"rdsim a.cfg -o -q", "-o has no argument; write -o FILE"},
    {"rdsim a.cfg --output --force", "--output has no argument; write --output FILE"},
    {"rdsim -o -- a.cfg", "-o has no argument; write -o FILE"},
    {"rdsim a.cfg -qx", "-x is not an option; see rdsim --help"},
    {"rdsim a.cfg -q=3", "-q takes no argument, but has '3'; leave it out"},
    {"rdsim a.cfg -output=x", "-output is not an option; did you mean --output?"},
    {"rdsim a.cfg -seed=3", "-seed is not an option; did you mean --seed?"},
    {"rdsim info a.h5 -q", "--quiet is not an option of rdsim info"},
    {"rdsim check --json", "CONFIG is missing; write rdsim check CONFIG"},
    {"rdsim info", "FILE is missing; write rdsim info FILE"},
    {"rdsim keys a b", "rdsim keys takes one [NAME], but has 2; leave out the others"},
    {"rdsim version a", "version takes no file, but has 'a'; leave it out"},
    {"rdsim run a b", "rdsim run takes one CONFIG, but has 2; leave out the others"},
    {"rdsim diff", "A B is missing; write rdsim diff A B"},
    {"rdsim diff a", "a file is missing; write rdsim diff A B"},
    {"rdsim diff a b c d", "rdsim diff takes two files A B, but has 4; leave out the others"},
    {"rdsim chekc a.cfg", "'chekc' is not a command; did you mean 'check'?"},
    {"rdsim keyz", "'keyz' is not a command; did you mean 'keys'?"},
    {"rdsim banana a.cfg", "'banana' is not a command; see rdsim --help"},
    {"rdsim sweep", "SWEEP is missing; write rdsim sweep SWEEP"},
    {"rdsim sweep s.cfg --list --count", "--list and --count are different actions of a sweep"},
    {"rdsim sweep s.cfg --status --retry", "--retry has no effect with --status, which runs"},
    {"rdsim sweep s.cfg --timeout 5",
     "--timeout 5: is not valid; give a duration above 0, as 200ms, 30s"},
    {"rdsim sweep s.cfg --timeout -5s", "--timeout -5s: is not valid; give a duration above 0"},
    {"rdsim a.cfg b.cfg", "rdsim run takes one CONFIG, but has 2; leave out the others"},
    {"rdsim sweep s.cfg --force",
     "--force has no effect without --collect, since a sweep replaces no results"},
    {"rdsim sweep s.cfg --mem 4G",
     "--mem has no effect without a script; add --slurm, --pbs or --sge"},
    {"rdsim modes m.net --mem 1.5G", "--mem 1.5G: is not valid; give"},
    {"rdsim sweep s.cfg --slurm --mem 4",
     "--mem 4: is not valid; give a whole number with K, M, G or T"},
    {"rdsim sweep s.cfg --sge --mem 1.5G",
     "--mem 1.5G: is not valid; give a whole number with K, M, G"},
    {"rdsim sweep s.cfg --pbs --mem 4GB",
     "--mem 4GB: is not valid; give a whole number with K, M, G or"},
    {"rdsim sweep s.cfg --per-job 4",
     "--per-job has no effect without a script; add --slurm, --pbs or --sge"},
    {"rdsim sweep s.cfg --slurm --per-job 0",
     "--per-job 0: is not valid; give an integer from 1 to"},
    {"rdsim sweep s.cfg --partial",
     "--partial has no effect without --collect; add --collect FILE"},
    {"rdsim a.cfg --resume --force", "--force begins again and --resume continues; give one"},
    {"rdsim check a.cfg --resume", "--resume is not an option of rdsim check"},
    {"rdsim a.cfg --checkpoint-every 10",
     "--checkpoint-every 10: is not valid; give a duration above 0"},
    {"rdsim a.cfg --checkpoint-every 0s",
     "--checkpoint-every 0s: is not valid; give a duration above 0"},
    {"rdsim a.cfg --forse", "--forse is not an option; did you mean --force?"},
    {"rdsim a.cfg --banana=3", "--banana is not an option; see rdsim --help"},
    {"rdsim a.cfg -x", "-x is not an option; see rdsim --help"},
    {"rdsim a.cfg --seed", "--seed has no argument; write --seed N"},
    {"rdsim a.cfg --seed x", "--seed x: is not valid; give an integer from 0 to 281474976710655"},
    {"rdsim a.cfg --seed 281474976710656",
     "--seed 281474976710656: is not valid; give an integer from"},
    {"rdsim a.cfg --runs 0", "--runs 0: is not valid; give an integer from 1 to 268435456"},
    {"rdsim a.cfg --threads=-1", "--threads -1: is not valid; give an integer from 0 to 4096"},
    {"rdsim a.cfg --threads=", "--threads has an empty argument; write --threads N"},
    {"rdsim a.cfg --output=", "--output has an empty argument; write --output FILE"},
    {"rdsim check a.cfg --json=", "--json has an empty argument; write --json [FILE]"},
    {"rdsim a.cfg -o -", "-o -: cannot write to standard output; name a file"},
    {"rdsim sweep a.cfg --collect=-", "--collect -: cannot write to standard output; name a file"},
    {"rdsim a.cfg --threads 99999999999999999999",
     "--threads 99999999999999999999: is not valid; give"},
    {"rdsim a.cfg --backend gpu", "--backend gpu: is not valid; give auto, cpu or cuda"},
    {"rdsim a.cfg --backend cpuu", "--backend cpuu: is not valid; give auto, cpu or cuda"},
    {"rdsim a.cfg --force=1", "--force takes no argument, but has '1'; leave it out"},
    {"rdsim a.cfg --set k", "--set k: has no '='; write --set path=value"},
    {"rdsim check a.cfg --force",
     "--force is not an option of rdsim check; see rdsim check --help"},
    {"rdsim a.cfg --markdown", "--markdown is not an option of rdsim run"},
};

static void wrong_options_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct line l;
        struct rd_options o;
        struct rd_error e = {0};
        cut(&l, wrong[i].text);
        assert_false(rd_options_read(&o, l.argc, l.argv, &e));
        assert_true(e.wrong);
        assert_int_equal(e.n, 1);
        if (strncmp(e.text, wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("'%s' gives '%s'", wrong[i].text, e.text);
        rd_options_free(&o);
        rd_error_free(&e);
    }
}

static void all_wrong_options_are_reported(void **state)
{
    (void)state;
    struct line l;
    struct rd_options o;
    struct rd_error e = {0};
    cut(&l, "rdsim version x --forse --seed=x --threads 2");
    assert_false(rd_options_read(&o, l.argc, l.argv, &e));
    assert_int_equal(e.n, 5);
    rd_options_free(&o);
    rd_error_free(&e);
}

static char *help(enum rd_command about)
{
    FILE *const file = open_printed();
    rd_options_help(file, about);
    return close_printed(file);
}

static void help_has_the_options_of_its_command(void **state)
{
    (void)state;
    char *const all = help(RD_COMMAND_HELP), *const keys = help(RD_COMMAND_KEYS);
    assert_non_null(strstr(all, "  rdsim check CONFIG"));
    assert_non_null(strstr(all, "  --seed N"));
    assert_non_null(strstr(all, "  --markdown"));
    assert_non_null(strstr(keys, "rdsim keys [NAME] [options]: "));
    assert_non_null(strstr(keys, "  --markdown"));
    assert_null(strstr(keys, "  --seed"));
    assert_non_null(strstr(all, "  -o, --output FILE"));
    assert_non_null(strstr(all, "  -v, -V, --version"));
    assert_non_null(strstr(keys, "  -h, --help"));
    const char *const of_run = strstr(all, "\nOptions of rdsim run CONFIG:\n");
    const char *const of_sweep = strstr(all, "\nOptions of rdsim sweep SWEEP:\n");
    const char *const of_all = strstr(all, "\nOptions of every command:\n");
    assert_true(of_run && of_sweep && of_all && of_run < of_sweep && of_sweep < of_all);
    const char *const seed = strstr(all, "  --seed N"), *const collect = strstr(all, "  --collect");
    assert_true(of_run < seed && seed < of_sweep && of_sweep < collect && collect < of_all);
    assert_null(strstr(seed + 1, "  --seed N"));
    for (const char *line = all; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 100);
    free(all);
    free(keys);
}

int test_options(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_file_is_run),
        cmocka_unit_test(commands_are_distinguished),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(letters_are_short_options),
        cmocka_unit_test(json_has_an_optional_file),
        cmocka_unit_test(sweep_options_are_read),
        cmocka_unit_test(all_settings_are_sets),
        cmocka_unit_test(wrong_options_are_reported),
        cmocka_unit_test(all_wrong_options_are_reported),
        cmocka_unit_test(help_has_the_options_of_its_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
