/* test_progress - tests of what a progress line contains, and when it is printed.

   The tests redirect stderr to a file and set the start time of the run back. */
#define _XOPEN_SOURCE 700
#include "base/progress.h"

#include "base/clock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Holds the original stderr, and the text that was written to it meanwhile. */
struct caught {
    FILE *file;
    int before;
    char text[1024];
};

static void catch_begin(struct caught *c)
{
    c->file = tmpfile();
    assert_non_null(c->file);
    fflush(stderr);
    c->before = dup(2);
    assert_true(c->before >= 0 && dup2(fileno(c->file), 2) == 2);
}

static void catch_end(struct caught *c)
{
    fflush(stderr);
    dup2(c->before, 2);
    close(c->before);
    rewind(c->file);
    c->text[fread(c->text, 1, sizeof c->text - 1, c->file)] = 0;
    fclose(c->file);
}

/* Returns the progress of a run to t = 8 in 1000 steps, which began `begun` seconds ago and last
   reported `reported` seconds ago. */
static struct rd_progress aged(enum rd_progress_kind kind, double begun, double reported)
{
    struct rd_progress p = rd_progress_begin(kind, 8.0, 1000);
    p.begun -= begun;
    p.reported -= reported;
    return p;
}

static void assert_printed(struct rd_progress *p, double time, int64_t steps, const char *expected)
{
    struct caught c;
    catch_begin(&c);
    rd_progress_report(p, time, steps);
    catch_end(&c);
    assert_string_equal(c.text, expected);
}

static void assert_end(const struct rd_progress *p, const char *expected)
{
    struct caught c;
    catch_begin(&c);
    rd_progress_end(p);
    catch_end(&c);
    assert_string_equal(c.text, expected);
}

static void lines_are_printed(void **state)
{
    (void)state;
    struct rd_progress p = aged(RD_PROGRESS_PLAIN, 1000, 11);
    assert_false(p.is_terminal);
    assert_printed(&p, 2.0, 250, " 25.0 %  t = 2 of 8  0.25 steps/s  50 min left\n");
    assert_end(&p, "");
}

static void nothing_is_printed_too_early(void **state)
{
    (void)state;
    struct rd_progress p = rd_progress_begin(RD_PROGRESS_PLAIN, 8.0, 1000);
    assert_printed(&p, 2.0, 250, "");
    p = aged(RD_PROGRESS_PLAIN, 1000, 5);
    assert_printed(&p, 2.0, 250, "");
    p = aged(RD_PROGRESS_PLAIN, 1000, 10.5);
    const double before = rd_clock();
    assert_printed(&p, 4.0, 500, " 50.0 %  t = 4 of 8  0.5 steps/s  17 min left\n");
    assert_true(p.reported >= before);
    assert_printed(&p, 4.0, 501, ""); /* it has just reported */
}

static void no_progress_prints_nothing(void **state)
{
    (void)state;
    struct rd_progress p = aged(RD_PROGRESS_NONE, 1000, 500);
    assert_printed(&p, 2.0, 250, "");
    p.is_terminal = true;
    assert_printed(&p, 2.0, 250, "");
    assert_end(&p, "");
}

/* Checks the remaining time: when nine tenths are done, a ninth of the elapsed time is left. */
static void assert_left(double seconds, const char *words)
{
    struct rd_progress p = aged(RD_PROGRESS_PLAIN, 9.0 * seconds, 11);
    struct caught c;
    catch_begin(&c);
    rd_progress_report(&p, 7.2, 900);
    catch_end(&c);
    const char *const at = strstr(c.text, " steps/s  ");
    assert_non_null(at);
    assert_string_equal(at + strlen(" steps/s  "), words);
}

static void remaining_time_has_a_suitable_unit(void **state)
{
    (void)state;
    assert_left(42, "42 s left\n");
    assert_left(99, "99 s left\n");
    assert_left(101, "2 min left\n");
    assert_left(420, "7 min left\n");
    assert_left(5980, "100 min left\n");
    assert_left(6010, "1.7 h left\n");
    assert_left(11160, "3.1 h left\n");
}

static void terminal_line_is_redrawn_and_cleared(void **state)
{
    (void)state;
    struct rd_progress p = aged(RD_PROGRESS_AUTO, 1000, 0.25);
    p.is_terminal = true;
    assert_printed(&p, 2.0, 250, "\r 25.0 %  t = 2 of 8  0.25 steps/s  50 min left\033[K");
    /* Puts the last report into the future: no report is due, however busy the machine is. */
    p.reported += 5;
    assert_printed(&p, 2.0, 251, "");
    assert_end(&p, "\r\033[K");
    p = rd_progress_begin(RD_PROGRESS_AUTO, 8.0, 1000);
    p.is_terminal = true;
    assert_end(&p, ""); /* it has reported nothing */
}

/* Tests that a file gets lines of a log, and that only auto mode uses a terminal. */
static void auto_detects_a_terminal(void **state)
{
    (void)state;
    struct caught c;
    catch_begin(&c);
    const bool file = rd_progress_begin(RD_PROGRESS_AUTO, 8.0, 1000).is_terminal;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const bool is_there = terminal >= 0 && dup2(terminal, 2) == 2;
    const bool automatic = rd_progress_begin(RD_PROGRESS_AUTO, 8.0, 1000).is_terminal;
    const bool plain = rd_progress_begin(RD_PROGRESS_PLAIN, 8.0, 1000).is_terminal;
    const bool none = rd_progress_begin(RD_PROGRESS_NONE, 8.0, 1000).is_terminal;
    catch_end(&c);
    assert_false(file);
    assert_false(plain || none);
    if (!is_there)
        skip(); /* the system has no pseudoterminals */
    close(terminal);
    assert_true(automatic);
}

int test_progress(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_printed),
        cmocka_unit_test(nothing_is_printed_too_early),
        cmocka_unit_test(no_progress_prints_nothing),
        cmocka_unit_test(remaining_time_has_a_suitable_unit),
        cmocka_unit_test(terminal_line_is_redrawn_and_cleared),
        cmocka_unit_test(auto_detects_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
