/* test_config - tests of reading a configuration: values, defaults, source lines, --set, the
   effective text, the page of keys, and the suggestion of the nearest word. */
#include "config/config.h"
#include "config/keys.h"
#include "expr/dimension_text.h"
#include "printed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const text =
    "# a comment\n"
    "title = \"a \\\"b\\\" \" \"\\\\c\\n\";\n"
    "grid = { voxels = [4, 3];\n"
    "  edge = [1, 0.5]; };\n"
    "parameters = { k = 1e-3; q = -5L, h = 0x1F; e = \"2 * k\"; f = 5e9; i = 2147483647 }\n"
    "species = (\n"
    "  { name = \"A\"; diffusion = \"k\"; },\n"
    "  { name = \"B\"; drift = (1, \"k\"); } );\n"
    "events = ( { time = 1; remove = { species = \"A\"; all = true; }; } );\n"
    "time = { end = 3; }; # the last line has no newline";

static rd_config *read_with(const struct rd_set *set, int n_set)
{
    struct rd_error e = {0};
    rd_config *c = NULL;
    if (!rd_config_parse(&c, "some/place/m.x.cfg", text, set, n_set, &e))
        fail_msg("%s", e.text);
    return c;
}

/* Returns the node at a path, whose parts are names of members, or indices of elements. */
static const rd_node *find(const rd_config *c, const char *path)
{
    const rd_node *n = rd_config_root(c);
    char part[64];
    while (*path && n) {
        const size_t length = strcspn(path, ".");
        memcpy(part, path, length);
        part[length] = 0;
        n = rd_node_is_list(n) ? rd_node_at(n, atoi(part)) : rd_node_member(n, part);
        path += length + (path[length] == '.');
    }
    if (!n)
        fail_msg("there is no %s", part);
    return n;
}

static void assert_number(const rd_config *c, const char *path, double v)
{
    assert_true(rd_node_is_number(find(c, path)));
    if (rd_node_number(find(c, path)) != v)
        fail_msg("%s is %.17g, not %.17g", path, rd_node_number(find(c, path)), v);
}

static void assert_text(const rd_config *c, const char *path, const char *v)
{
    assert_true(rd_node_is_text(find(c, path)));
    assert_string_equal(rd_node_text(find(c, path)), v);
}

static void values_are_read(void **state)
{
    (void)state;
    rd_config *const c = read_with(NULL, 0);
    assert_text(c, "title", "a \"b\" \\c\n");
    assert_number(c, "parameters.k", 1e-3);
    assert_number(c, "parameters.q", -5);
    assert_int_equal(rd_node_integer(find(c, "parameters.q")), -5);
    assert_number(c, "parameters.h", 31);
    assert_text(c, "parameters.e", "2 * k");
    assert_true(rd_node_integer(find(c, "parameters.f")) == INT64_C(5000000000));
    assert_number(c, "parameters.i", 2147483647);
    assert_true(rd_node_bool(find(c, "events.0.remove.all")));
    assert_int_equal(rd_node_length(find(c, "species")), 2);
    assert_string_equal(rd_node_name(find(c, "species")), "species");
    assert_null(rd_node_name(find(c, "species.1")));
    assert_string_equal(rd_config_text(c), text);
    assert_string_equal(rd_config_name(c), "some/place/m.x.cfg");
    rd_config_free(c);
}

static void square_lists_mix_integers_and_floats(void **state)
{
    (void)state;
    rd_config *const c = read_with(NULL, 0);
    assert_true(rd_node_is_list(find(c, "grid.edge")));
    assert_number(c, "grid.edge.0", 1);
    assert_number(c, "grid.edge.1", 0.5);
    rd_config_free(c);
}

/* Tests that a byte order mark, which some editors write before the first character, is skipped. */
static void byte_order_mark_is_skipped(void **state)
{
    (void)state;
    char marked[4096];
    struct rd_error e = {0};
    rd_config *c = NULL;
    snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", text);
    if (!rd_config_parse(&c, "m.cfg", marked, NULL, 0, &e))
        fail_msg("%s", e.text);
    assert_string_equal(rd_config_text(c), marked);
    rd_config_free(c);
    assert_false(rd_config_parse(&c, "m.cfg", "\xef\xbb\xbf\n", NULL, 0, &e));
    assert_non_null(strstr(e.text, "is empty"));
    rd_config_free(c);
    rd_error_free(&e);
}

static void absent_nodes_are_null(void **state)
{
    (void)state;
    rd_config *const c = read_with(NULL, 0);
    const rd_node *const end = find(c, "time.end");
    assert_null(rd_node_member(find(c, "time"), "begin"));
    assert_null(rd_node_member(end, "x"));
    assert_null(rd_node_member(NULL, "x"));
    assert_null(rd_node_at(find(c, "species"), 2));
    assert_null(rd_node_at(find(c, "species"), -1));
    assert_null(rd_node_at(NULL, 0));
    assert_null(rd_node_text(end));
    assert_null(rd_node_text(NULL));
    assert_int_equal(rd_node_length(end), 0);
    assert_int_equal(rd_node_length(NULL), 0);
    assert_false(rd_node_is_group(NULL) || rd_node_is_list(NULL) || rd_node_is_number(NULL));
    rd_config_free(c);
    rd_config_free(NULL);
}

static void places_contain_lines(void **state)
{
    (void)state;
    const struct rd_set set = {.path = "species.B.drift", .value = "(1, 2)"};
    rd_config *const c = read_with(&set, 1);
    assert_string_equal(rd_node_place(c, find(c, "grid.edge")), "some/place/m.x.cfg:4");
    assert_string_equal(rd_node_place(c, find(c, "grid.edge.1")), "some/place/m.x.cfg:4");
    assert_string_equal(rd_node_place(c, find(c, "species.1")), "some/place/m.x.cfg:8");
    assert_string_equal(rd_node_place(c, find(c, "species.1.name")), "some/place/m.x.cfg:8");
    assert_string_equal(rd_node_place(c, rd_config_root(c)), "some/place/m.x.cfg");
    assert_string_equal(rd_node_place(c, NULL), "some/place/m.x.cfg");
    const char *const put = "--set species.B.drift=(1, 2)";
    assert_string_equal(rd_node_place(c, find(c, "species.1.drift")), put);
    assert_string_equal(rd_node_place(c, find(c, "species.1.drift.0")), put);
    assert_string_equal(rd_node_place(c, find(c, "time.step")), "some/place/m.x.cfg:10");
    rd_config_free(c);
}

static void defaults_are_added(void **state)
{
    (void)state;
    rd_config *const c = read_with(NULL, 0);
    assert_number(c, "grid.origin", 0);
    assert_number(c, "species.0.drift", 0);
    assert_text(c, "species.0.diffusion", "k");
    assert_number(c, "species.1.diffusion", 0);
    assert_text(c, "units.length", "");
    assert_text(c, "time.step", "auto");
    assert_number(c, "run.seed", 1);
    assert_number(c, "run.runs", 1);
    assert_number(c, "run.first", 0);
    assert_text(c, "solver", "split");
    assert_text(c, "splitting", "strang");
    assert_text(c, "output.file", "m.x.h5");
    assert_text(c, "output.keep", "all");
    assert_number(c, "output.compression", 4);
    assert_number(c, "output.every", 3.0 / 100);
    assert_int_equal(rd_node_length(find(c, "reactions")), 0);
    assert_true(rd_node_is_list(find(c, "reactions")));
    rd_config_free(c);
}

static void outputs_follow_the_end(void **state)
{
    (void)state;
    const struct rd_set set[] = {{.path = "time.end", .value = "2 * k"},
                                 {.path = "output.times", .value = "(0, 1)"}};
    rd_config *c = read_with(set, 1);
    assert_text(c, "output.every", "(2 * k) / 100");
    rd_config_free(c);
    c = read_with(set, 2);
    assert_null(rd_node_member(find(c, "output"), "every"));
    rd_config_free(c);
}

static void settings_change_and_create_values(void **state)
{
    (void)state;
    const struct rd_set set[] = {
        {.path = "parameters.k", .value = "0.02"},
        {.path = "species.A.diffusion", .value = "2"},
        {.path = "species[1].diffusion", .value = "(1, \"k\")"},
        {.path = "output.file", .value = "2024.h5"},
        {.path = "run.seed", .value = "5000000000L"},
        {.path = "grid.walls.x.kind", .value = "absorb"},
        {.path = "solver", .value = "exact"},
        {.path = "title", .value = "12"},
        {.path = "time.end", .value = "2*k"},
        {.path = "events[0].remove.count", .value = "[3]"},
        {.path = "parameters.e", .value = "\"k\" \" + 1\""},
        {.path = "parameters.q", .value = "1; q = 2"},
        {.path = "units.length", .value = "\"um\""},
        {.path = "run.runs", .value = "7"},
        {.path = "run.runs", .value = "8"},
    };
    const int n = sizeof set / sizeof set[0];
    struct rd_error e = {0};
    rd_config *c = NULL;
    assert_false(rd_config_parse(&c, "m.cfg", text, set, n, &e)); /* [3] is not a count */
    assert_int_equal(e.n, 1);
    assert_number(c, "parameters.k", 0.02);
    assert_number(c, "species.0.diffusion", 2);
    assert_text(c, "species.1.diffusion.1", "k");
    assert_text(c, "output.file", "2024.h5");
    assert_true(rd_node_integer(find(c, "run.seed")) == INT64_C(5000000000));
    assert_text(c, "grid.walls.x.kind", "absorb");
    assert_text(c, "solver", "exact");
    assert_text(c, "title", "12");
    assert_text(c, "time.end", "2*k");
    assert_text(c, "parameters.e", "k + 1");
    assert_text(c, "parameters.q", "1; q = 2");
    assert_text(c, "units.length", "um");
    assert_number(c, "run.runs", 8);
    rd_config_free(c);
    rd_error_free(&e);
}

static void effective_text_is_read_again(void **state)
{
    (void)state;
    const struct rd_set set[] = {{.path = "title", .value = "\"\\\\ \\\" \\n\\t\\r\\f\""},
                                 {.path = "parameters.k", .value = "0.1000000000000000055"},
                                 {.path = "parameters.q", .value = "(1e22)"},
                                 {.path = "parameters.q", .value = "-2147483649L"},
                                 {.path = "parameters.h", .value = "1.7976931348623157e308"},
                                 {.path = "parameters.f", .value = "0.30000000000000004"}};
    rd_config *const c = read_with(set, sizeof set / sizeof set[0]);
    char *const first = rd_config_effective(c);
    struct rd_error e = {0};
    rd_config *again = NULL;
    if (!rd_config_parse(&again, "again", first, NULL, 0, &e))
        fail_msg("%s", e.text);
    char *const second = rd_config_effective(again);
    assert_string_equal(first, second);
    assert_text(again, "title", "\\ \" \n\t\r\f");
    assert_number(again, "parameters.k", 0.1);
    assert_number(again, "parameters.q", -2147483649.0);
    assert_number(again, "parameters.h", 1.7976931348623157e308);
    assert_number(again, "parameters.f", 0.1 + 0.2);
    assert_text(again, "output.file", "m.x.h5");
    assert_true(rd_node_bool(find(again, "events.0.remove.all")));
    assert_non_null(strstr(first, "    k = 0.1;\n"));
    free(first);
    free(second);
    rd_config_free(c);
    rd_config_free(again);
}

static void distinct(const struct rd_section *const *sections)
{
    for (int s = 0; sections[s]; s++) {
        const struct rd_section *const section = sections[s];
        for (int i = 0; i < section->n_keys; i++) {
            const struct rd_key *const k = &section->key[i];
            assert_ptr_equal(rd_key_find(section, k->name), k);
            assert_false(k->required && (k->standard || k->absent));
            assert_true(strlen(k->meaning) > 0);
        }
    }
}

static void keys_are_distinct(void **state)
{
    (void)state;
    distinct(rd_keys_sections);
    distinct(rd_keys_of_sweeps);
    assert_null(rd_key_find(&rd_keys_root, "x"));
}

/* Returns the text that rd_config_keys prints. */
static char *page(bool markdown)
{
    FILE *const file = open_printed();
    rd_config_keys(file, markdown);
    return close_printed(file);
}

static int count(const char *in, const char *what)
{
    int n = 0;
    for (const char *p = in; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

static void page_has_every_key(void **state)
{
    (void)state;
    int n_keys = 0, n_sections = 0;
    char *const printed = page(true);
    static const struct rd_section *const *const tables[] = {rd_keys_sections, rd_keys_of_sweeps};
    for (int t = 0; t < 2; t++)
        for (int s = 0; tables[t][s]; s++) {
            n_keys += tables[t][s]->n_keys;
            n_sections++;
        }
    assert_int_equal(count(printed, "\n| `"), n_keys);
    assert_int_equal(count(printed, "\n## "), n_sections);
    assert_int_equal(count(printed, "|"), 5 * n_keys + 10 * n_sections);
    assert_non_null(strstr(printed, "| `compression` | an integer from 0 to 9 | `4` |"));
    free(printed);
    char *const plain = page(false);
    assert_null(strstr(plain, "|"));
    assert_non_null(strstr(plain, "  compression: an integer from 0 to 9; default 4\n"));
    free(plain);
}

static void page_in_docs_is_up_to_date(void **state)
{
    (void)state;
    const char *const source = getenv("RDSIM_SOURCE");
    if (!source)
        skip(); /* the program was started by hand, in an unknown folder */
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/keys.md", source);
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    char *const printed = page(true);
    const size_t length = strlen(printed);
    char *const kept = calloc(length + 2, 1);
    assert_non_null(kept);
    assert_int_equal(fread(kept, 1, length + 1, file), length);
    assert_string_equal(kept, printed);
    fclose(file);
    free(kept);
    free(printed);
}

static const char *name_of(const void *list, int i)
{
    return ((const char *const *)list)[i];
}

static void nearest_word_is_found(void **state)
{
    (void)state;
    static const char *const known[] = {"split", "exact", "diffusion", NULL, "x", "run"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"exact", "exact"},
        {"exakt", "exact"},
        {"excat", "exact"},
        {"EXACT", "exact"},
        {"spit", "split"},
        {"difusion", "diffusion"},
        {"diffussoin", "diffusion"},
        {"y", NULL},
        {"xy", "x"},
        {"banana", NULL},
        {"", NULL},
        {"rn", "run"},
        {"rum", "run"},
        {"rough", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const found = rd_text_nearest(cases[i].word, 6, name_of, known);
        if ((!found != !cases[i].nearest) || (found && strcmp(found, cases[i].nearest) != 0))
            fail_msg("nearest to '%s' is '%s'", cases[i].word, found ? found : "none");
    }
    char longest[200];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_null(rd_text_nearest(longest, 6, name_of, known));
}

static bool takes_numbers(const struct rd_key *k)
{
    return k->kind == RD_KEY_NUMBER || k->kind == RD_KEY_NUMBERS || k->kind == RD_KEY_VECTOR ||
           k->kind == RD_KEY_NAMES;
}

/* Tests that the dimension of each key with a unit is known, so that quantities are checked; and
   which keys take numbers of any dimension. */
static void units_of_keys_are_known(void **state)
{
    (void)state;
    char any[4000] = "";
    struct rd_dimension d;
    for (int i = 0; rd_keys_sections[i]; i++) {
        const struct rd_section *const s = rd_keys_sections[i];
        for (int k = 0; k < s->n_keys; k++) {
            const struct rd_key *const key = &s->key[k];
            const size_t used = strlen(any);
            if (!key->unit && takes_numbers(key))
                snprintf(any + used, sizeof any - used, "%s.%s ", s->title, key->name);
            else if (key->unit && !rd_dimension_of_key(key->unit, 3, &d) &&
                     strcmp(key->unit, "its value/time") != 0 &&      /* fields have any */
                     strcmp(key->unit, "volume^(order-1)/time") != 0) /* follows the reaction */
                fail_msg("%s.%s has the unit '%s'", s->title, key->name, key->unit);
        }
    }
    assert_string_equal(any, "a configuration.parameters tables.NAME.values regions[].where "
                             "regions[].half_space.towards "
                             "fields[].value species[].individuals.attributes[].initial "
                             "species[].individuals.attributes[].birth "
                             "species[].individuals.attributes[].orphan "
                             "reactions[].back " /* checked as the rate to which it belongs */
                             "reactions[].weight odes[].value initial[].attributes events[].set "
                             "events[].add.attributes events[].convert.attributes "
                             "output.by[].range ");
}

int test_config(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(square_lists_mix_integers_and_floats),
        cmocka_unit_test(byte_order_mark_is_skipped),
        cmocka_unit_test(absent_nodes_are_null),
        cmocka_unit_test(places_contain_lines),
        cmocka_unit_test(defaults_are_added),
        cmocka_unit_test(outputs_follow_the_end),
        cmocka_unit_test(settings_change_and_create_values),
        cmocka_unit_test(effective_text_is_read_again),
        cmocka_unit_test(keys_are_distinct),
        cmocka_unit_test(page_has_every_key),
        cmocka_unit_test(page_in_docs_is_up_to_date),
        cmocka_unit_test(nearest_word_is_found),
        cmocka_unit_test(units_of_keys_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
