/* twin_order - tests that the order of species, reactions and initial entries in the file changes
   nothing, for every sample and both solvers. Two exceptions have random numbers by order: entries
   of the same species, and attributes if their rules use each other or if more than one of them
   draws a random number. */
#include "prints.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ELEMENTS_MOST = 128 };

/* Holds a list of the text: its elements, its begin and its end. */
struct order_list {
    const char *begin, *end; /* after its '(' and at its ')' */
    const char *from[ELEMENTS_MOST], *to[ELEMENTS_MOST];
    int n;
};

/* Returns the first list after these words; commas outside of all brackets separate elements. */
static struct order_list list_of(const char *text, const char *words)
{
    struct order_list l = {.n = 0};
    const char *at = strstr(text, words);
    if (!at)
        return l;
    l.begin = at = strchr(at, '(') + 1;
    l.from[0] = at;
    for (int depth = 0; depth >= 0; at++) {
        depth += *at == '(' || *at == '{';
        depth -= *at == ')' || *at == '}';
        if (depth < 0 || (depth == 0 && *at == ',')) {
            assert_true(l.n + 1 < ELEMENTS_MOST);
            l.to[l.n++] = at;
            l.from[l.n] = at + 1;
        }
        l.end = at;
    }
    return l;
}

/* Reverses the list's elements in place, or moves them up by one. */
static void reorder(char *text, const char *words, bool is_reversed)
{
    const struct order_list l = list_of(text, words);
    char *const copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    size_t length = 0;
    for (int i = 0; i < l.n; i++) {
        const int which = is_reversed ? l.n - 1 - i : (i + 1) % l.n;
        const size_t n = (size_t)(l.to[which] - l.from[which]);
        memcpy(copy + length, l.from[which], n);
        length += n;
        copy[length++] = ',';
    }
    if (l.n > 0)
        memcpy(text + (l.begin - text), copy, length - 1);
    free(copy);
}

static void assert_same(const struct sample *s, const char *other)
{
    static const char *const solvers[] = {"solver=split", "solver=exact"};
    const struct lab one = {.threads = 1};
    for (int i = 0; i < (s->suits_exact ? 2 : 1); i++) {
        struct prints p, q;
        prints_take(&p, &one, s->text, SETS(solvers[i]));
        prints_take(&q, &one, other, SETS(solvers[i]));
        for (int64_t run = 0; run < p.n_runs; run++)
            if (p.run[run] != q.run[run])
                fail_msg("%s, %s: other results in the order\n%s", s->name, solvers[i], other);
    }
}

/* Checks that the order has no effect, and that at least n_least samples have the list. */
static void assert_order_is_free(const char *words, bool is_reversed, int n_least)
{
    int n_changed = 0;
    for (struct sample s = {0}; sample_next(&s);) {
        char *const other = malloc(strlen(s.text) + 1);
        assert_non_null(other);
        strcpy(other, s.text);
        reorder(other, words, is_reversed);
        if (strcmp(other, s.text) != 0) {
            assert_same(&s, other);
            n_changed++;
        }
        free(other);
    }
    assert_true(samples_are_drawn() || n_changed >= n_least);
}

static void species(void **state)
{
    (void)state;
    assert_order_is_free("\nspecies = ", true, 12);
}

static void reactions(void **state)
{
    (void)state;
    assert_order_is_free("\nreactions = ", true, 11);
}

static void initial_entries(void **state)
{
    (void)state;
    assert_order_is_free("\ninitial = ", false, 11);
}

static void attributes(void **state)
{
    (void)state;
    assert_order_is_free("# in any order", true, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(species), cmocka_unit_test(reactions),
                                       cmocka_unit_test(initial_entries),
                                       cmocka_unit_test(attributes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
