/* test_include - tests which value stands in a configuration that includes others, and where
   messages find it. */
#include "config/config.h"
#include "quotes.h"
#include "write_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put(const char *name, const char *text)
{
    char *const quoted = with_quotes(text);
    write_file(name, quoted);
    free(quoted);
}

/* Reads a text, called m.cfg, that includes files. */
static rd_config *read_text(const char *text)
{
    struct rd_error e = {0};
    rd_config *c = NULL;
    char *const quoted = with_quotes(text);
    if (!rd_config_parse(&c, "m.cfg", quoted, NULL, 0, &e))
        fail_msg("%s", e.text);
    free(quoted);
    return c;
}

/* Fails unless both texts have the same effective configuration. */
static void assert_same(const char *text, const char *expected)
{
    rd_config *const c = read_text(text), *const other = read_text(expected);
    char *const here = rd_config_identity(c), *const there = rd_config_identity(other);
    assert_string_equal(here, there);
    free(here);
    free(there);
    rd_config_free(c);
    rd_config_free(other);
}

/* Fails unless the text is refused with a message that begins so. */
static void assert_refused(const char *text, const char *message)
{
    struct rd_error e = {0};
    rd_config *c = NULL;
    char *const quoted = with_quotes(text);
    assert_false(rd_config_parse(&c, "m.cfg", quoted, NULL, 0, &e));
    if (strncmp(e.text, message, strlen(message)) != 0)
        fail_msg("%s\nis not: %s", e.text, message);
    assert_true(e.wrong);
    free(quoted);
    rd_config_free(c);
    rd_error_free(&e);
}

#define GRID "grid = { voxels = 4; edge = 1; }; time = { end = 3; };"

/* Checks that the storage of a species is no part of the identity, and other keys are. */
static void identity_leaves_out_storage(void **state)
{
    (void)state;
    assert_same(GRID "species = ( { name = 'A'; store = 'list'; }, { name = 'B'; } );",
                GRID "species = ( { name = 'A'; }, { name = 'B'; store = 'grid'; } );");
    rd_config *const c =
        read_text(GRID "parameters = { store = 7; }; species = ( { name = 'A'; } );");
    char *const here = rd_config_identity(c);
    assert_non_null(strstr(here, "store = 7"));
    free(here);
    rd_config_free(c);
}

static void write_model(void)
{
    put("a.cfg",
        "grid = { voxels = 9; edge = 1; walls = { xmin = 'absorb'; }; };\n"
        "parameters = { k = 1; q = 2; };\n"
        "species = ( { name = 'A'; diffusion = 2; },\n"
        "            { name = 'B'; individuals = { max = 5; attributes = (\n"
        "                { name = 'u'; initial = 1; }, { name = 'v'; initial = 2; } ); }; } );\n"
        "reactions = ( { equation = 'A -> B'; rate = 'k'; } );\n"
        "regions = ( { name = 'r'; box = { from = 0; to = 2; }; } );\n"
        "initial = ( { species = 'A'; count = 7; at = 1.5; } );\n"
        "time = { end = 3; };\n"
        "output = { every = 1; quantiles = (0.5, 0.6); };\n");
}

static void groups_and_entries_are_merged(void **state)
{
    (void)state;
    write_model();
    assert_same("include = 'a.cfg';", "grid = { voxels = 9; edge = 1; walls = { xmin = 'absorb'; "
                                      "}; }; parameters = { k = 1; q = 2; };"
                                      "species = ( { name = 'A'; diffusion = 2; }, { name = 'B';"
                                      "individuals = { max = 5; attributes = ( { name = 'u'; "
                                      "initial = 1; }, { name = 'v'; initial = 2; } ); }; } );"
                                      "reactions = ( { equation = 'A -> B'; rate = 'k'; } );"
                                      "regions = ( { name = 'r'; box = { from = 0; to = 2; }; } );"
                                      "initial = ( { species = 'A'; count = 7; at = 1.5; } );"
                                      "time = { end = 3; };"
                                      "output = { every = 1; quantiles = (0.5, 0.6); };");
    assert_same("include = ('a.cfg'); grid = { voxels = 3; walls = { xmax = 'absorb'; }; };"
                "parameters = { q = 'k'; z = 1; };"
                "species = ( { name = 'C'; }, { name = 'B'; diffusion = 1; individuals = "
                "    { attributes = ( { name = 'v'; initial = 8; }, { name = 'w'; initial = 0; } "
                "); }; } );"
                "reactions = ( { equation = 'B -> C'; rate = 4; } );"
                "regions = ( { name = 'r'; sphere = { centre = 0; radius = 2; }; } );"
                "initial = ( { species = 'A'; count = 1; } );"
                "output = { times = (1, 2); quantiles = (0.1); };",
                "grid = { voxels = 3; edge = 1; walls = { xmin = 'absorb'; xmax = 'absorb'; }; };"
                "parameters = { k = 1; q = 'k'; z = 1; };"
                "species = ( { name = 'A'; diffusion = 2; },"
                "    { name = 'B'; diffusion = 1; individuals = { max = 5; attributes = ("
                "        { name = 'u'; initial = 1; }, { name = 'v'; initial = 8; },"
                "        { name = 'w'; initial = 0; } ); }; }, { name = 'C'; } );"
                "reactions = ( { equation = 'A -> B'; rate = 'k'; },"
                "              { equation = 'B -> C'; rate = 4; } );"
                "regions = ( { name = 'r'; sphere = { centre = 0; radius = 2; }; } );"
                "initial = ( { species = 'A'; count = 7; at = 1.5; },"
                "            { species = 'A'; count = 1; } );"
                "time = { end = 3; }; output = { times = (1, 2); quantiles = (0.1); };");
}

/* Tests the files m.cfg > b.cfg, c.cfg > common.cfg: the common one is read once. */
static void a_file_wins_over_those_that_it_includes(void **state)
{
    (void)state;
    put("common.cfg", GRID "parameters = { k = 1; q = 1; z = 1; };"
                           "species = ( { name = 'A'; } );"
                           "initial = ( { species = 'A'; count = 5; } );");
    put("b.cfg", "include = 'common.cfg'; parameters = { k = 2; };");
    put("c.cfg", "include = 'common.cfg'; parameters = { q = 3; };");
    assert_same("include = ('b.cfg', 'c.cfg', './b.cfg'); parameters = { z = 4; };",
                GRID "parameters = { k = 2; q = 3; z = 4; }; species = ( { name = 'A'; } );"
                     "initial = ( { species = 'A'; count = 5; } );");
}

static void files_that_differ_are_refused(void **state)
{
    (void)state;
    put("b.cfg", GRID "\nparameters = {\n k = 2; };\nspecies = ( { name = 'A'; } );");
    put("c.cfg", "parameters = { k = 3; };\nspecies = ( { name = 'A'; diffusion = 1; } );");
    assert_refused("include = ('b.cfg', 'c.cfg');",
                   "c.cfg:1: parameters.k is 3, but 2 in b.cfg:3; give it in the file that "
                   "includes both");
    assert_same("include = ('b.cfg', 'c.cfg'); parameters = { k = 4; };",
                GRID "parameters = { k = 4; }; species = ( { name = 'A'; diffusion = 1; } );");
    put("c.cfg", "parameters = { k = 2; };\nspecies = ( { name = 'A'; diffusion = 1; } );");
    put("d.cfg", "species = ( { name = 'B'; },\n { name = 'A'; diffusion = 2; } );");
    assert_refused("include = ('b.cfg', 'c.cfg', 'd.cfg');",
                   "d.cfg:2: species.A.diffusion is 2, but 1 in c.cfg:2; give it in");
}

static void paths_count_from_the_including_file(void **state)
{
    (void)state;
    mkdir("parts", 0777);
    mkdir("parts/more", 0777);
    put("parts/b.cfg", GRID "include = 'more/c.cfg';");
    put("parts/more/c.cfg", "include = '../d.cfg'; parameters = { k = 5; };");
    put("parts/d.cfg", "species = ( { name = 'A'; } );");
    assert_same("include = 'parts/b.cfg';",
                GRID "parameters = { k = 5; }; species = ( { name = 'A'; } );");
    put("parts/more/c.cfg", "include = '../d.cfg';\nparameters = { k = 5 6; };");
    assert_refused("include = 'parts/b.cfg';", "parts/more/c.cfg:2: found '6'; expected ';'");
    put("parts/more/c.cfg", "\ninclude = ( '../d.cfg',\n'e.cfg' );");
    assert_refused("include = 'parts/b.cfg';",
                   "parts/more/c.cfg:3: include: parts/more/e.cfg: cannot be opened: No such file");
    put("parts/more/c.cfg",
        "include = '../d.cfg';\n\nspecies = ( { name = 'A'; difusion = 1; } );");
    assert_refused("include = 'parts/b.cfg';", "parts/more/c.cfg:3: 'difusion' is not a key of "
                                               "species[0]; did you mean 'diffusion'?");
}

static void circles_and_long_rows_are_refused(void **state)
{
    (void)state;
    mkdir("parts", 0777);
    put("m.cfg", "include = 'a.cfg';");
    put("a.cfg", GRID "\ninclude = 'parts/b.cfg';");
    put("parts/b.cfg", "species = ( { name = 'A'; } ); include = '../parts/../a.cfg';");
    assert_refused("include = 'a.cfg';",
                   "parts/b.cfg:1: include: these files include each other: a.cfg, parts/b.cfg, "
                   "parts/../parts/../a.cfg; remove one include of them");
    put("a.cfg", "include = 'a.cfg';");
    assert_refused("include = 'a.cfg';", "a.cfg:1: include: these files include each other: a.cfg");
    put("a.cfg", "include = 'm.cfg';");
    assert_refused("include = 'a.cfg';", "a.cfg:1: include: these files include each other: m.cfg");
    put("1.cfg", GRID "species = ( { name = 'A'; } );");
    char name[] = "2.cfg", text[] = "include = '1.cfg';";
    for (int i = 2; i <= 9; i++) {
        name[0] = (char)('0' + i);
        text[11] = (char)('0' + i - 1);
        put(name, text);
    }
    assert_same("include = '8.cfg';", GRID "species = ( { name = 'A'; } );");
    assert_refused("include = '9.cfg';",
                   "2.cfg:1: include: 1.cfg is file 9 in a row of files that each include the "
                   "next; use at most 8");
}

static void the_texts_are_kept(void **state)
{
    (void)state;
    put("b.cfg", GRID "species = ( { name = 'A'; } );");
    rd_config *const c = read_text("include = 'b.cfg'; time = { end = 4; };");
    const struct rd_config_file *file;
    assert_int_equal(rd_config_files(c, &file), 2);
    assert_string_equal(file[0].name, "b.cfg");
    assert_non_null(strstr(file[0].text, "voxels = 4"));
    assert_string_equal(file[1].name, "m.cfg");
    assert_string_equal(file[1].text, rd_config_text(c));
    const rd_node *const root = rd_config_root(c);
    assert_string_equal(rd_node_place(c, rd_node_member(root, "time")), "m.cfg:1");
    assert_string_equal(rd_node_place(c, rd_node_member(root, "grid")), "b.cfg:1");
    assert_string_equal(rd_node_place(c, root), "m.cfg");
    rd_config_free(c);
}

static void wrong_includes_are_refused(void **state)
{
    (void)state;
    put("b.cfg", GRID "species = ( { name = 'A'; } );");
    assert_refused(GRID "\ninclude = 5;", "m.cfg:2: include names no file; give a \"file\", or");
    assert_refused("include = ('b.cfg', 5);", "m.cfg:1: include names no file");
    assert_refused("include = { file = 'b.cfg'; };", "m.cfg:1: include names no file");
    assert_refused("include = '';", "m.cfg:1: include names no file");
    assert_refused("include = ('b.cfg', '');", "m.cfg:1: include names no file");
    assert_refused("include = '/dev/zero';", "m.cfg:1: include: /dev/zero: cannot be opened: it "
                                             "is a device, not a regular file");
    assert_refused("include = '.';", "m.cfg:1: include: .: is a folder, not a configuration");
    assert_refused("@include 'b.cfg'", "m.cfg:1: @include is not supported; write include = "
                                       "\"FILE\"");
    assert_refused(GRID "species = ( { name = 'A'; include = 'b.cfg'; } );",
                   "m.cfg:1: 'include' is not a key of species[0]");
    put("twice.cfg", "species = ( { name = 'A'; } ); species = ();");
    assert_refused("include = 'twice.cfg';", "twice.cfg:1: 'species' is given twice; remove one");
    struct rd_error e = {0};
    rd_config *c = NULL;
    const struct rd_set set = {.path = "include", .value = "b.cfg"};
    assert_false(rd_config_read(&c, "b.cfg", &set, 1, &e));
    assert_non_null(strstr(e.text, "--set include=b.cfg: include cannot be set; write it"));
    rd_config_free(c);
    rd_error_free(&e);
}

int test_include(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_entries_are_merged),
        cmocka_unit_test(a_file_wins_over_those_that_it_includes),
        cmocka_unit_test(files_that_differ_are_refused),
        cmocka_unit_test(paths_count_from_the_including_file),
        cmocka_unit_test(circles_and_long_rows_are_refused),
        cmocka_unit_test(the_texts_are_kept),
        cmocka_unit_test(identity_leaves_out_storage),
        cmocka_unit_test(wrong_includes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
