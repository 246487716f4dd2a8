/* test_copies - networks in which some reactions stand many times, so that sets have several words:
   each mode of the network without copies appears once for each choice of copies. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/core/draw.h"
#include "modes/pathways.h"
#include "probability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 600, LINE = 400 };

/* Describes a reaction and how many copies of it are added. */
struct copied {
    const char *name;
    int n;
};

/* Reads the reactions of a network of tests/networks; returns how many. Skips the test if
   RDSIM_SOURCE does not give the directory. */
static int read_lines(const char *name, char line[][LINE])
{
    char path[512];
    int n = 0;
    if (!getenv("RDSIM_SOURCE"))
        skip();
    snprintf(path, sizeof path, "%s/tests/networks/%s.net", getenv("RDSIM_SOURCE"), name);
    FILE *const in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line[n], LINE, in))
        n += line[n][0] != '#' && line[n][0] != '\n';
    fclose(in);
    return n;
}

/* Adds copies of a reaction, called NAME.1, NAME.2 and so on. */
static int add_copies(char line[][LINE], int n, const struct copied *c)
{
    const size_t length = strlen(c->name);
    int at = 0;
    while (strncmp(line[at], c->name, length) != 0 || line[at][length] != ' ')
        at++;
    char rest[LINE];
    strcpy(rest, line[at] + length);
    for (int i = 0; i < c->n; i++)
        snprintf(line[n + i], LINE, "%s.%d%.300s", c->name, i + 1, rest);
    return n + c->n;
}

/* Makes a network of lines in a random order. */
static struct rd_network network_of(struct rd_stream *s, char line[][LINE], int n_lines)
{
    struct rd_network n;
    struct rd_error e = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int left = n_lines; left > 0; left--) {
        const int i = (int)rd_below(s, (uint32_t)left);
        fputs(line[i], out);
        memmove(line[i], line[left - 1], LINE);
    }
    fclose(out);
    if (!rd_network_parse(&n, "copies.net", text, NULL, &e))
        fail_msg("%s", e.text);
    free(text);
    return n;
}

static struct rd_pathways find(const struct rd_network *n, int longest)
{
    struct rd_pathways p;
    struct rd_error e = {0};
    const struct rd_engine_options o = {.n_threads = 2, .longest = longest};
    if (!rd_pathways_find(&p, n, &o, &e))
        fail_msg("%s", e.text);
    return p;
}

/* Returns how many modes of at most `longest` reactions (0: any) there are with copies. */
static int64_t expect(const struct rd_pathways *p, const struct copied *c, int longest)
{
    int64_t n = 0;
    for (int64_t i = 0; i < p->modes.support.n; i++) {
        int64_t choices = 1;
        for (int k = 0; k < 2; k++)
            if (rd_supports_has(&p->modes.support, i, rd_network_find(p->network, c[k].name)))
                choices *= 1 + c[k].n;
        if (longest == 0 || rd_supports_length(&p->modes.support, i) <= longest)
            n += choices;
    }
    return n;
}

/* Returns the modes with each copy replaced by the reaction that it is a copy of, each once. */
static struct rd_supports collapse(const struct rd_pathways *p, const struct rd_network *original)
{
    struct rd_supports s;
    struct rd_error e = {0};
    rd_supports_begin(&s, original->n_reactions);
    for (int64_t i = 0; i < p->modes.support.n; i++) {
        uint64_t *const set = rd_supports_add(&s, &e);
        for (int r = 0; r < p->network->n_reactions; r++) {
            char name[64];
            const bool has = rd_supports_has(&p->modes.support, i, r);
            snprintf(name, sizeof name, "%s", p->network->reaction[r].name);
            name[strcspn(name, ".")] = 0;
            if (has)
                rd_supports_put(&s, set, rd_network_find(original, name), false);
        }
    }
    assert_true(rd_supports_sort(&s, &e));
    return s;
}

static void copies_of_reactions_multiply_modes(void **state)
{
    (void)state;
    static char line[LINES][LINE];
    static const struct copied copied[][2] = {
        {{"R13", 30}, {"R1", 40}}, {{"R13", 60}, {"R24", 40}}, {{"R24", 90}, {"R1", 150}}};
    for (int k = 0; k < 3; k++) {
        struct rd_stream s = stream_of("copies_of_reactions_multiply_modes", k);
        int n_lines = read_lines("ecoli-irrev-compressed", line);
        struct rd_network n = network_of(&s, line, n_lines);
        struct rd_pathways p = find(&n, 0);
        n_lines = read_lines("ecoli-irrev-compressed", line);
        for (int i = 0; i < 2; i++)
            n_lines = add_copies(line, n_lines, &copied[k][i]);
        struct rd_network m = network_of(&s, line, n_lines);
        struct rd_pathways q = find(&m, 0), shorter = find(&m, 13);
        struct rd_supports once = collapse(&q, &n);
        assert_int_equal(q.modes.support.n, expect(&p, copied[k], 0));
        assert_int_equal(shorter.modes.support.n, expect(&p, copied[k], 13));
        assert_true(rd_supports_hash(&once) == rd_supports_hash(&p.modes.support));
        rd_supports_free(&once);
        rd_pathways_free(&p);
        rd_pathways_free(&q);
        rd_pathways_free(&shorter);
        rd_network_free(&n);
        rd_network_free(&m);
    }
}

int test_copies(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_of_reactions_multiply_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
