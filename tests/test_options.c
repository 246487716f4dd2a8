/* test_options - the command line: what each option does, help, and sentences on what is wrong. */
#include "options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WORDS = 16, LINE_BYTES = 256 };

/* A command line cut at its blanks. */
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

static void a_file_alone_is_run(void **state)
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

static void commands_are_told_apart(void **state)
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

static void options_are_obeyed(void **state)
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

static void a_bench_is_asked_for(void **state)
{
    (void)state;
    struct line l;
    struct rd_options o;
    read_right(&l, &o, "rdsim bench");
    assert_int_equal(o.command, RD_COMMAND_BENCH);
    assert_true(o.bench.n_names == 0 && o.bench.cells == 0 && o.bench.load == 0.0);
    assert_true(!o.json && !o.bench.quick && !o.list);
    rd_options_free(&o);
    read_right(&l, &o,
               "rdsim bench --case peer --load 0.5 --cells=64 --steps 100 --repeat 5 --json - "
               "--quick --case=exact");
    assert_int_equal(o.bench.n_names, 2);
    assert_string_equal(o.bench.name[0], "peer");
    assert_string_equal(o.bench.name[1], "exact");
    assert_true(o.bench.load == 0.5 && o.bench.cells == 64 && o.bench.steps == 100);
    assert_int_equal(o.bench.repeats, 5);
    assert_string_equal(o.json, "-");
    assert_true(o.bench.quick && !o.list);
    rd_options_free(&o);
}

static void a_sweep_is_asked_for(void **state)
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

static void there_is_one_way_to_set(void **state)
{
    (void)state;
    static const struct rd_set wanted[] = {
        {.path = "parameters.k", .value = "a=b"}, {.path = "run.seed", .value = "5000000000L"},
        {.path = "run.runs", .value = "7"},       {.path = "output.file", .value = "x.h5"},
        {.path = "title", .value = ""},           {.path = "run.runs", .value = "8"}};
    struct line l;
    struct rd_options o;
    read_right(&l, &o,
               "rdsim check --set parameters.k=a=b --seed 5000000000 --runs 7 a.cfg --output x.h5 "
               "--set=title= --runs=8");
    assert_int_equal(o.n_set, 6);
    for (int i = 0; i < o.n_set; i++) {
        assert_string_equal(o.set[i].path, wanted[i].path);
        assert_string_equal(o.set[i].value, wanted[i].value);
    }
    rd_options_free(&o);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *say;
    } cases[] = {
        {"rdsim", "CONFIG is missing; it is written rdsim run CONFIG"},
        {"rdsim info", "FILE is missing; it is written rdsim info FILE"},
        {"rdsim keys a", "keys takes no file, but has 'a'"},
        {"rdsim run a b", "rdsim run takes one CONFIG, and has 2"},
        {"rdsim diff", "A B is missing; it is written rdsim diff A B"},
        {"rdsim diff a", "a file is missing; it is written rdsim diff A B"},
        {"rdsim diff a b c d", "rdsim diff takes two files A B, and has 4"},
        {"rdsim chekc a.cfg", "'chekc' is not a command; did you mean 'check'?"},
        {"rdsim keyz", "'keyz' is not a command; did you mean 'keys'?"},
        {"rdsim banana a.cfg", "'banana' is not a command; rdsim --help lists them"},
        {"rdsim sweep", "SWEEP is missing; it is written rdsim sweep SWEEP"},
        {"rdsim sweep s.cfg --list --count", "--list and --count: a sweep does one of them at a"},
        {"rdsim sweep s.cfg --status --retry", "--retry makes no sense with --status, which runs"},
        {"rdsim sweep s.cfg --timeout 5", "--timeout 5: must be a duration above 0, as 200ms, 30s"},
        {"rdsim sweep s.cfg --timeout -5s", "--timeout -5s: must be a duration above 0"},
        {"rdsim bench --load 0", "--load 0: must be a number above 0, and at most 1000000"},
        {"rdsim a.cfg b.cfg", "rdsim run takes one CONFIG, and has 2"},
        {"rdsim sweep s.cfg --force", "--force is for --collect; results of tasks are not"},
        {"rdsim a.cfg --resume --force", "--force begins again and --resume goes on; give one"},
        {"rdsim check a.cfg --resume", "--resume is not an option of rdsim check"},
        {"rdsim a.cfg --checkpoint-every 10", "--checkpoint-every 10: must be a duration above 0"},
        {"rdsim a.cfg --checkpoint-every 0s", "--checkpoint-every 0s: must be a duration above 0"},
        {"rdsim a.cfg --forse", "--forse is not an option; did you mean --force?"},
        {"rdsim a.cfg --banana=3", "--banana is not an option; rdsim --help lists them"},
        {"rdsim a.cfg -x", "-x is not an option; rdsim --help lists them"},
        {"rdsim a.cfg --seed", "--seed needs an argument: --seed N"},
        {"rdsim a.cfg --seed x", "--seed x: must be an integer from 0 to 281474976710655"},
        {"rdsim a.cfg --seed 281474976710656", "--seed 281474976710656: must be an integer from"},
        {"rdsim a.cfg --runs 0", "--runs 0: must be an integer from 1 to 268435456"},
        {"rdsim a.cfg --threads=-1", "--threads -1: must be an integer from 0 to 4096"},
        {"rdsim a.cfg --threads=", "--threads : must be an integer"},
        {"rdsim a.cfg --threads 99999999999999999999", "--threads 99999999999999999999: must be"},
        {"rdsim a.cfg --backend gpuu", "--backend gpuu: must be auto, cpu or cuda"},
        {"rdsim a.cfg --backend cpuu",
         "--backend cpuu: must be auto, cpu or cuda; did you mean 'cpu'?"},
        {"rdsim a.cfg --force=1", "--force takes no argument, but has '1'"},
        {"rdsim a.cfg --set k", "--set k: has no '='; it is written --set path=value"},
        {"rdsim check a.cfg --force",
         "--force is not an option of rdsim check; rdsim check --help"},
        {"rdsim a.cfg --markdown", "--markdown is not an option of rdsim run"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct line l;
        struct rd_options o;
        struct rd_error e = {0};
        cut(&l, cases[i].text);
        assert_false(rd_options_read(&o, l.argc, l.argv, &e));
        assert_true(e.wrong);
        assert_int_equal(e.n, 1);
        if (strncmp(e.text, cases[i].say, strlen(cases[i].say)) != 0)
            fail_msg("of '%s' is said '%s'", cases[i].text, e.text);
        rd_options_free(&o);
        rd_error_free(&e);
    }
}

static void all_that_is_wrong_is_said(void **state)
{
    (void)state;
    struct line l;
    struct rd_options o;
    struct rd_error e = {0};
    cut(&l, "rdsim keys x --forse --seed=x --threads 2");
    assert_false(rd_options_read(&o, l.argc, l.argv, &e));
    assert_int_equal(e.n, 5);
    rd_options_free(&o);
    rd_error_free(&e);
}

static char *help(enum rd_command about)
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    rd_options_help(file, about);
    const long length = ftell(file);
    char *const printed = calloc((size_t)length + 1, 1);
    assert_non_null(printed);
    rewind(file);
    assert_int_equal(fread(printed, 1, (size_t)length, file), length);
    fclose(file);
    return printed;
}

static void help_has_the_options_of_its_command(void **state)
{
    (void)state;
    char *const all = help(RD_COMMAND_HELP), *const keys = help(RD_COMMAND_KEYS);
    assert_non_null(strstr(all, "  rdsim check CONFIG"));
    assert_non_null(strstr(all, "  --seed N"));
    assert_non_null(strstr(all, "  --markdown"));
    assert_non_null(strstr(keys, "rdsim keys [options]: "));
    assert_non_null(strstr(keys, "  --markdown"));
    assert_null(strstr(keys, "  --seed"));
    for (const char *line = all; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 100);
    free(all);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_alone_is_run),
        cmocka_unit_test(commands_are_told_apart),
        cmocka_unit_test(options_are_obeyed),
        cmocka_unit_test(a_bench_is_asked_for),
        cmocka_unit_test(a_sweep_is_asked_for),
        cmocka_unit_test(there_is_one_way_to_set),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(all_that_is_wrong_is_said),
        cmocka_unit_test(help_has_the_options_of_its_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
