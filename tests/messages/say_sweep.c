/* say_sweep - tests the messages about wrong sweeps. */
#include "quotes.h"
#include "sweep/sweep.h"
#include "write_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Is the base of all sweeps. In all texts, ' stands for ". */
static const char base[] = "grid = { voxels = (4, 3); edge = 1.0; }; parameters = { k = 1.0; };\n"
                           "species = ( { name = 'A'; diffusion = 'k'; } );\n"
                           "time = { end = 1.0; };\n";

#define VARY(values) "base = 'b.cfg'; vary = ( { path = 'parameters.k'; values = " values "; } );"

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "s.cfg: is empty; give at least base and vary"},
    {"base = 'b.cfg';", "s.cfg: vary is missing; give a list of groups ({ ... }, { ... })"},
    {"base = 'b.cfg'; vary = ();", "s.cfg:1: vary is empty; give at least one key"},
    {"bse = 'b.cfg'; vary = ();", "s.cfg:1: 'bse' is not a key of a sweep; did you mean 'base'?"},
    {"base = 'c.cfg'; vary = ( { path = 'parameters.k'; values = (1, 2); } );",
     "c.cfg: cannot be opened: No such file or directory"},
    {"base = ''; vary = ( { path = 'parameters.k'; values = (1, 2); } );",
     "s.cfg:1: base names no file; give a configuration"},
    {"base = 'b.cfg'; vary = ( { path = 'k'; values = (1, 2); } );",
     "s.cfg:1: 'k' is a parameter; write parameters.k"},
    {VARY("()"), "s.cfg:1: vary[0].values is a list of 0; give a list of values, or a group"},
    {VARY("({a = 1;})"), "s.cfg:1: parameters.k is a group; give a number or"},
    {VARY("{ points = 3; }"), "s.cfg:1: vary 'k': values is a group without 'from' and 'to'"},
    {VARY("{ from = 1; points = 3; }"), "s.cfg:1: vary 'k': values is a group without 'from' and"},
    {VARY("{ from = 1; to = 2; }"), "s.cfg:1: vary[0].values.points is missing; give an"},
    {VARY("{ from = 0; to = 2; points = 2; scale = 'log'; }"),
     "s.cfg:1: vary 'k': a series with scale 'log' has an end <= 0; give ends > 0"},
    {VARY("{ from = 1; to = 2; points = 1; }"),
     "s.cfg:1: vary 'k': a series of 1 point does not reach its end 'to'; give 2 points"},
    {"base = 'b.cfg';\nvary = ( { path = 'run.seed'; values = (1, 2); } );",
     "s.cfg:2: vary 'seed': a sweep cannot vary the seed, which each task gets from its point"},
    {"base = 'b.cfg'; vary = ( { path = 'output.file'; values = ('a', 'b'); } );",
     "s.cfg:1: vary 'file': a sweep cannot vary the name of the result; set 'output' of the sweep"},
    {VARY("{ from = '1 / 0'; to = 2; points = 2; }"),
     "s.cfg:1: vary 'k': an end of the series is not a finite number; give a finite one"},
    {VARY("{ from = 'k'; to = 2; points = 2; }"), "'k'"},
    {VARY("{ random = '1 / 0'; points = 2; }"),
     "s.cfg:1: vary 'k': a drawn number is not finite; give another expression"},
    {VARY("{ random = 'uniform(0, 1)'; from = 1; points = 2; }"),
     "s.cfg:1: vary 'k': values has both 'random' and 'from' or 'to'; give one of them"},
    {VARY("(1, -2, 'zz')"), "s.cfg:1: parameter 'k'"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.k'; values = (1, -2); } );",
     "s.cfg: with k = -2: b.cfg:2: species 'A': diffusion is -2; give a finite number"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.kk'; values = (1, 2); } );",
     "s.cfg:1: the configuration has no 'kk' in parameters; did you mean 'k'?"},
    {"base = 'b.cfg';\nvary = ( { path = 'species.A.diffusion'; values = (1, 2, -3); } );",
     "s.cfg:2: species[0].diffusion is -3; give a number or"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.k'; values = (1); },\n"
     "{ path = 'parameters.k'; values = (2); } );",
     "s.cfg:2: vary 'k': parameters.k has the same name; give another 'name'"},
    {"base = 'b.cfg'; vary = ( { path = 'time.end'; name = 'time'; values = (1); } );",
     "s.cfg:1: vary 'time': this name is reserved; give another 'name'"},
    {"base = 'b.cfg'; vary = ( { path = 'time.end'; name = 't-1'; values = (1); } );",
     "s.cfg:1: vary 't-1': this is not a name; give a 'name' of letters, digits and _"},
    {"base = 'b.cfg'; combine = 'zip'; vary = ( { path = 'parameters.k'; values = (1, 2); },"
     "{ path = 'time.end'; values = (1, 2, 3); } );",
     "s.cfg:1: vary 'end' has 3 values, and 'k' has 2; give equal numbers for combine = \"zip\""},
    {"base = 'b.cfg'; output = 'x{kk}.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: {kk} has no meaning; write task, point, repeat or a varied name"},
    {"base = 'b.cfg'; output = 'x{k.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: '{k.h5' has no closing '}'; add it"},
    {"base = 'b.cfg'; vary = ( { path = 'time.end'; name = 'total_mean'; values = (1); },\n"
     "{ path = 'parameters.k'; name = 'seed'; values = (1); } );",
     "s.cfg:1: vary 'total_mean': this name is reserved; give another 'name'\n"
     "s.cfg:2: vary 'seed': this name is reserved; give another 'name'"},
    {"base = 'b.cfg'; repeats = 2; output = 'x{k}.h5'; vary = ( { path = 'parameters.k';"
     " values = (1, 2); } );",
     "s.cfg: output: tasks 1 and 2 would both write x1.h5; put {task} into the name"},
    {"base = 'b.cfg'; vary = ( { path = 'parameters.k'; values ="
     " { from = 0; to = 1; points = 100000; }; },"
     "{ path = 'time.end'; values = { from = 1; to = 2; points = 100000; }; } );",
     "s.cfg: the sweep has more than 268435456 points; vary fewer keys"},
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
