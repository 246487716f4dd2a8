/* say_faults - tests that all faults are reported, each one once, and that sizes beyond the limits
   are refused. */
#include "config_messages.h"
#include "model_file.h"
#include "quotes.h"

#include <stdio.h>
#include <string.h>

/* In texts, ' stands for ". */
static const char grid[] = "grid = { voxels = (8, 4); edge = 0.5; };";

static void five_faults_give_five_messages(void **state)
{
    (void)state;
    static const char *const part[] = {
        "m.cfg:1: grid: edge is -1; give a finite number > 0",
        ("m.cfg:2: species 'A': drift has 1 number, but the grid has 2 dimensions; give one for "
         "each"),
        "m.cfg:4: equation 'A -> C', column 6: species 'C' is not declared",
        "m.cfg:5: initial[0]: count is 0.5; give a whole number",
        "m.cfg:6: output: has both every and times; give one of them",
    };
    char *const text = model_text("messages/five_faults.cfg");
    messages_are(text, part, 5);
    free(text);
}

/* Tests that a fault of a parameter is reported once, not for everything that uses it. */
static void a_wrong_parameter_is_reported_once(void **state)
{
    (void)state;
    char *const text = model_text("messages/wrong_parameter.cfg");
    struct rd_error e = messages_on(text);
    assert_int_equal(e.n, 1);
    assert_string_equal(
        e.text,
        "m.cfg:4: parameter 'a': value is inf, since it divides by 0; give a finite number");
    rd_error_free(&e);
    free(text);
}

/* Tests an invalid time.end, from which output.every has its default of a hundredth. */
static void a_wrong_end_is_reported_once(void **state)
{
    (void)state;
    static const char *const end[] = {"10 *", "0 - 1", "T"};
    for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\nspecies = ( { name = 'A'; } );\n%s'%s'; };\n", grid,
                 "time = { end = ", end[i]);
        put_quotes(text);
        struct rd_error e = messages_on(text);
        assert_int_equal(e.n, 1);
        assert_non_null(strstr(e.text, "m.cfg:3: time"));
        rd_error_free(&e);
    }
}

/* Tests that such a fault is not repeated for each species, with or without own walls. */
static void a_wall_of_the_grid_is_reported_once(void **state)
{
    (void)state;
    static const char *const part[] = {
        "m.cfg:2: grid: walls.xmin is periodic, but walls.xmax is not; make both periodic, or none",
        "m.cfg:3: grid, walls.y: probability is 2; give a probability from 0 to 1",
    };
    char *const text = model_text("messages/wrong_walls.cfg");
    messages_are(text, part, 2);
    free(text);
}

enum { MOST = 16384, MOST_SPECIES = 65536 };

static void long_chains_of_parameters_are_reported(void **state)
{
    (void)state;
    char *const text = malloc(400 + 40 * MOST), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s\nspecies = ( { name = 'A'; } ); time = { end = 1; };\nparameters = {\n",
                  grid);
    for (int i = 0; i < MOST; i++)
        at += sprintf(at, "p%d = 'p%d';\n", i, (i + 1) % MOST);
    sprintf(at, "};\n");
    put_quotes(text);
    struct rd_error e = messages_on(text);
    free(text);
    assert_int_equal(e.n, 1);
    assert_non_null(strstr(e.text, "parameter 'p0': depends on itself (a long circle: ... -> p0)"));
    rd_error_free(&e);
}

static void too_many_species_are_refused(void **state)
{
    (void)state;
    char *const text = malloc(400 + 40 * MOST_SPECIES), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s\ntime = { end = 1; };\nspecies = (\n", grid);
    for (int i = 0; i <= MOST_SPECIES; i++)
        at += sprintf(at, "%s{ name = 's%d'; }", i > 0 ? ",\n" : "", i);
    sprintf(at, " );\n");
    put_quotes(text);
    struct rd_error e = messages_on(text);
    free(text);
    assert_int_equal(e.n, 1);
    assert_non_null(strstr(e.text, "there are 65537 species; use at most 65536"));
    rd_error_free(&e);
}

/* Tests the limits on all fields, and on varying fields, of which a voxel keeps the old values on
   the stack. */
static void too_many_fields_are_refused(void **state)
{
    (void)state;
    static const struct {
        int n;
        const char *rate, *message;
    } cases[] = {
        {257, "", "there are 257 fields; use at most 256"},
        {17, "rate = 1;", "17 fields have a rate; use at most 16 such fields"},
    };
    for (int c = 0; c < 2; c++) {
        char *const text = malloc(400 + 60 * 257), *at = text;
        assert_non_null(text);
        at += sprintf(at, "%s\ntime = { end = 1; }; species = ( { name = 'A'; } );\nfields = (\n",
                      grid);
        for (int i = 0; i < cases[c].n; i++)
            at += sprintf(at, "%s{ name = 'f%d'; value = 1; %s }", i > 0 ? ",\n" : "", i,
                          cases[c].rate);
        sprintf(at, " );\n");
        put_quotes(text);
        struct rd_error e = messages_on(text);
        free(text);
        assert_int_equal(e.n, 1);
        assert_non_null(strstr(e.text, cases[c].message));
        rd_error_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_faults_give_five_messages),
        cmocka_unit_test(a_wrong_parameter_is_reported_once),
        cmocka_unit_test(a_wrong_end_is_reported_once),
        cmocka_unit_test(a_wall_of_the_grid_is_reported_once),
        cmocka_unit_test(long_chains_of_parameters_are_reported),
        cmocka_unit_test(too_many_species_are_refused),
        cmocka_unit_test(too_many_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
