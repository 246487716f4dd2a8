/* say_sweep - tests the messages about wrong sweeps. */
#include "quotes.h"
#include "sweep/sweep.h"
#include "write_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The base of all sweeps. In all texts, ' stands for ". */
static const char base[] = "grid = { voxels = (4, 3); edge = 1.0; }; parameters = { k = 1.0; };\n"
                           "species = ( { name = 'A'; diffusion = 1.0; } );\n"
                           "time = { end = 1.0; };\n";

#define VARY(values) "base = 'b.cfg'; vary = ( { path = 'parameters.k'; values = " values "; } );"

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "s.cfg: the file is empty; the least sweep has base and vary"},
    {"base = 'b.cfg';", "s.cfg: vary is missing; it must be a list of groups ({ ... }, { ... })"},
    {"base = 'b.cfg'; vary = ();", "s.cfg:1: vary is empty; a sweep varies at least one key"},
    {"bse = 'b.cfg'; vary = ();", "s.cfg:1: 'bse' is not a key of a sweep; did you mean 'base'?"},
    {"base = 'c.cfg'; vary = ( { path = 'parameters.k'; values = (1, 2); } );",
     "c.cfg: cannot be opened: No such file or directory"},
    {VARY("()"), "s.cfg:1: vary[0].values is a list of 0; it must be a list of values, or a group"},
    {VARY("({a = 1;})"), "s.cfg:1: parameters.k is a group; it must be a number or"},
    {VARY("{ points = 3; }"), "s.cfg:1: vary 'k': values is a group without 'from' and 'to'"},
    {VARY("{ from = 1; points = 3; }"), "s.cfg:1: vary 'k': values is a group without 'from' and"},
    {VARY("{ from = 1; to = 2; }"), "s.cfg:1: vary[0].values.points is missing; it must be an"},
    {VARY("{ from = 0; to = 2; points = 2; scale = 'log'; }"),
     "s.cfg:1: vary 'k': a series by factors needs ends > 0"},
    {VARY("{ from = 1; to = 2; points = 1; }"),
     "s.cfg:1: vary 'k': a series of 1 point never comes to its end 'to'; it needs 2 points or"},
    {"base = 'b.cfg';\nvary = ( { path = 'run.seed'; values = (1, 2); } );",
     "s.cfg:2: vary 'seed': each task has a seed of its own, made from the sweep's 'seed', the"},
    {"base = 'b.cfg'; vary = ( { path = 'output.file'; values = ('a', 'b'); } );",
     "s.cfg:1: vary 'file': each task has a result of its own; the sweep's 'output' names them"},
    {VARY("{ from = '1 / 0'; to = 2; points = 2; }"),
     "s.cfg:1: vary 'k': an end of a series must be a finite number"},
    {VARY("{ from = 'k'; to = 2; points = 2; }"), "'k'"},
    {VARY("{ random = '1 / 0'; points = 2; }"),
     "s.cfg:1: vary 'k': a number that was drawn is not finite"},
    {VARY("{ random = 'uniform(0, 1)'; from = 1; points = 2; }"),
     "s.cfg:1: vary 'k': values has both 'random' and 'from' or 'to'; give one of them"},
    {VARY("(1, -2, 'zz')"), "s.cfg:1: parameter 'k'"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.kk'; values = (1, 2); } );",
     "s.cfg:1: the configuration has no 'kk' in parameters; did you mean 'k'?"},
    {"base = 'b.cfg';\nvary = ( { path = 'species.A.diffusion'; values = (1, 2, -3); } );",
     "s.cfg:2: species[0].diffusion is -3; it must be a number or"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.k'; values = (1); },\n"
     "{ path = 'parameters.k'; values = (2); } );",
     "s.cfg:2: vary 'k': parameters.k has this name too; give another 'name'"},
    {"base = 'b.cfg'; vary = ( { path = 'time.end'; name = 'time'; values = (1); } );",
     "s.cfg:1: vary 'time': every sweep has a 'time' of its own; give another 'name'"},
    {"base = 'b.cfg'; vary = ( { path = 'time.end'; name = 't-1'; values = (1); } );",
     "s.cfg:1: vary 't-1': this is no name; give one of letters, digits and _ as 'name'"},
    {"base = 'b.cfg'; combine = 'zip'; vary = ( { path = 'parameters.k'; values = (1, 2); },"
     "{ path = 'time.end'; values = (1, 2, 3); } );",
     "s.cfg:1: vary 'end' has 3 values, and 'k' has 2; where they go together (zip) both must"},
    {"base = 'b.cfg'; output = 'x{kk}.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: {kk} stands for nothing; in braces may stand task, point, repeat, or"},
    {"base = 'b.cfg'; output = 'x{k.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: {k.h5} stands for nothing"},
    {"base = 'b.cfg'; repeats = 2; output = 'x{k}.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: tasks 1 and 2 would both write x1.h5; put {task} into the name"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.k'; values ="
     " { from = 0; to = 1; points = 100000; }; },"
     "{ path = 'time.end'; values = { from = 1; to = 2; points = 100000; }; } );",
     "s.cfg: more than 268435456 points; a sweep has at most so many"},
};

/* Writes a file with ' in place of ". */
static void write_quoted(const char *name, const char *text)
{
    char *const quoted = with_quotes(text);
    write_file(name, quoted);
    free(quoted);
}

static void each_fault_is_reported(void **state)
{
    (void)state;
    write_quoted("b.cfg", base);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rd_sweep s;
        struct rd_error e = {0};
        write_quoted("s.cfg", wrong[i].text);
        if (rd_sweep_read(&s, "s.cfg", &e) && rd_sweep_check(&s, &e))
            fail_msg("no message about %s", wrong[i].text);
        assert_true(e.wrong);
        if (!strstr(e.text, wrong[i].message))
            fail_msg("the message about %s\nis: %s\nnot: %s", wrong[i].text, e.text,
                     wrong[i].message);
        rd_error_free(&e);
        rd_sweep_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fault_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
