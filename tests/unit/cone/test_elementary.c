/* test_elementary - elementary vectors of random systems: those of components that share no row,
   those of at most so many columns, and the shortest. */
#include "cone/elementary.h"
#include "kernels/core/draw.h"
#include "probability.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLUMNS = 10, SYSTEMS = 300 };

static int below(struct rd_stream *s, int most)
{
    return (int)rd_below(s, (uint32_t)most);
}

/* Draws a system. Entries stand in the rows first, first + step, first + 2 step ... */
static void draw_columns(struct rd_stream *s, struct rd_system *y, int first, int step)
{
    for (int i = first; i < y->n_columns; i += step) {
        struct rd_system_column *const x = &y->column[i];
        x->is_reversible = below(s, 4) == 0;
        x->net.entry = malloc((size_t)y->n_rows * sizeof *x->net.entry);
        for (int row = first; row < y->n_rows; row += step) {
            const int value = below(s, 2) ? below(s, 7) - 3 : 0;
            if (value != 0)
                x->net.entry[x->net.n++] = (struct rd_entry){row, value};
        }
    }
}

static struct rd_system copy_of(const struct rd_system *from)
{
    struct rd_system s;
    struct rd_error e = {0};
    assert_true(rd_system_open(&s, from->n_rows, from->n_columns, &e));
    for (int i = 0; i < from->n_columns; i++) {
        s.column[i].is_reversible = from->column[i].is_reversible;
        s.column[i].is_excluded = from->column[i].is_excluded;
        assert_true(rd_sparse_copy(&s.column[i].net, &from->column[i].net));
    }
    return s;
}

static struct rd_elementary find_with(const struct rd_system *s, const struct rd_engine_options *o)
{
    struct rd_elementary v;
    struct rd_error e = {0};
    struct rd_system copy = copy_of(s);
    if (!rd_elementary_find(&v, &copy, o, &e))
        fail_msg("%s", e.text);
    return v;
}

/* Finds the vectors of a copy. */
static struct rd_elementary find(const struct rd_system *s, int longest)
{
    const struct rd_engine_options o = {.n_threads = 1, .longest = longest};
    struct rd_elementary v = find_with(s, &o);
    assert_false(v.is_partial);
    return v;
}

/* Counts the vectors that have no column of the others, and at most `longest`. */
static int64_t count(const struct rd_elementary *v, int longest)
{
    int64_t n = 0;
    for (int64_t i = 0; i < v->support.n; i++)
        n += rd_supports_length(&v->support, i) <= longest;
    return n;
}

static bool is_in(const struct rd_elementary *v, const struct rd_elementary *other, int64_t i)
{
    const size_t bytes = 2 * (size_t)v->support.n_words * sizeof *v->support.set;
    bool is_found = false;
    for (int64_t k = 0; k < v->support.n && !is_found; k++)
        is_found = memcmp((const char *)v->support.set + (size_t)k * bytes,
                          (const char *)other->support.set + (size_t)i * bytes, bytes) == 0;
    return is_found;
}

/* Checks that the vectors of two systems side by side are those of each. */
static void components_are_independent(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int n_divided = 0;
    for (int i = 0; i < SYSTEMS; i++) {
        struct rd_stream s = stream_of("components_are_independent", i);
        struct rd_system both;
        assert_true(rd_system_open(&both, 2 * ROWS, 2 * COLUMNS, &e));
        draw_columns(&s, &both, 0, 2);
        draw_columns(&s, &both, 1, 2);
        struct rd_elementary v = find(&both, 0);
        int64_t n = 0;
        for (int part = 0; part < 2; part++) {
            for (int c = 0; c < both.n_columns; c++)
                both.column[c].is_excluded = c % 2 == part;
            struct rd_elementary one = find(&both, 0);
            for (int64_t k = 0; k < one.support.n; k++)
                assert_true(is_in(&v, &one, k));
            n += one.support.n;
            rd_elementary_free(&one);
        }
        assert_int_equal(v.support.n, n);
        n_divided += v.n_components > 1;
        rd_elementary_free(&v);
        rd_system_free(&both);
    }
    assert_true(n_divided > SYSTEMS / 2);
}

/* Checks that a limit of the length leaves out longer vectors and no other, and that it makes the
   tables smaller. */
static void a_limit_leaves_out_longer_vectors(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int n_shorter = 0, n_left_out = 0;
    for (int i = 0; i < SYSTEMS; i++) {
        struct rd_stream s = stream_of("a_limit_leaves_out_longer_vectors", i);
        struct rd_system y;
        assert_true(rd_system_open(&y, ROWS, 2 * COLUMNS, &e));
        draw_columns(&s, &y, 0, 1);
        struct rd_elementary all = find(&y, 0);
        for (int longest = 1; longest <= ROWS + 2; longest++) {
            struct rd_elementary v = find(&y, longest);
            for (int64_t k = 0; k < v.support.n; k++)
                assert_true(is_in(&all, &v, k));
            assert_int_equal(count(&v, longest), count(&all, longest));
            n_shorter += v.support.n > 0 && v.support.n < all.support.n;
            n_left_out += v.support.n < all.support.n;
            rd_elementary_free(&v);
        }
        rd_elementary_free(&all);
        rd_system_free(&y);
    }
    assert_true(n_shorter > SYSTEMS && n_left_out > SYSTEMS);
}

/* Returns the place of the next vector from i on that has a column, or any if it is -1, and at most
   `longest` columns; the number of vectors if there is none. */
static int64_t next_of(const struct rd_elementary *v, int64_t i, int through, int longest)
{
    while (i < v->support.n && ((through >= 0 && !rd_supports_has(&v->support, i, through)) ||
                                rd_supports_length(&v->support, i) > longest))
        i++;
    return i;
}

/* Checks that two lists of vectors begin with the same ones, of those that are wanted, and that
   both have one more or neither. Returns how many vectors the search did not find. */
static int64_t compare_shortest(const struct rd_elementary *all, const struct rd_elementary *v,
                                int64_t most, int through, int longest)
{
    const size_t bytes = 2 * (size_t)all->support.n_words * sizeof *all->support.set;
    int64_t i = next_of(all, 0, through, longest), k = next_of(v, 0, through, longest);
    for (int64_t n = 0; n < most && i < all->support.n; n++) {
        assert_true(k < v->support.n);
        assert_memory_equal((const char *)all->support.set + (size_t)i * bytes,
                            (const char *)v->support.set + (size_t)k * bytes, bytes);
        i = next_of(all, i + 1, through, longest);
        k = next_of(v, k + 1, through, longest);
    }
    assert_int_equal(i < all->support.n, k < v->support.n);
    return all->support.n - v->support.n;
}

/* Checks that a search for the shortest vectors finds them, and whether there are more, without
   finding all. */
static void the_shortest_are_found(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int64_t n_not_found = 0;
    for (int i = 0; i < SYSTEMS; i++) {
        struct rd_stream s = stream_of("the_shortest_are_found", i);
        struct rd_system y;
        assert_true(rd_system_open(&y, 2 * ROWS, 2 * COLUMNS, &e));
        draw_columns(&s, &y, 0, 1 + i % 2);
        if (i % 2 == 1) /* two components */
            draw_columns(&s, &y, 1, 2);
        struct rd_elementary all = find(&y, 0);
        for (int most = 1; most < 200; most = 3 * most + 1) {
            struct rd_engine_options o = {.n_threads = 1, .most = most};
            o.through = below(&s, 2) ? 1 + below(&s, y.n_columns) : 0;
            o.longest = below(&s, 2) ? 1 + below(&s, 2 * ROWS) : 0;
            struct rd_elementary v = find_with(&y, &o);
            assert_false(v.is_partial);
            n_not_found += compare_shortest(&all, &v, most, o.through - 1,
                                            o.longest > 0 ? o.longest : y.n_columns);
            rd_elementary_free(&v);
        }
        rd_elementary_free(&all);
        rd_system_free(&y);
    }
    assert_true(n_not_found > SYSTEMS);
}

/* Checks that the shortest vectors are there if the memory is not enough for all, and that the
   result says so. */
static void the_shortest_are_found_in_little_memory(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_stream s = stream_of("the_shortest_are_found_in_little_memory", 0);
    struct rd_system y;
    assert_true(rd_system_open(&y, 2 * ROWS, 2 * COLUMNS, &e));
    draw_columns(&s, &y, 0, 1);
    struct rd_elementary all = find(&y, 0);
    const struct rd_engine_options o = {
        .n_threads = 1, .most = all.support.n, .memory = 20 * all.support.n};
    struct rd_elementary v = find_with(&y, &o);
    assert_true(v.is_partial && v.rows_needed > 0);
    const int64_t n = v.support.n;
    assert_true(n > 0 && n < all.support.n);
    const int length = rd_supports_length(&v.support, 0);
    assert_int_equal(count(&v, length), count(&all, length));
    rd_elementary_free(&v);
    rd_elementary_free(&all);
    rd_system_free(&y);
}

/* Checks that the vectors of the longest search for which the memory is enough are all there. */
static void a_search_that_fits_is_whole(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int n_whole = 0, n_partial = 0;
    for (int i = 0; i < SYSTEMS / 10; i++) {
        struct rd_stream s = stream_of("a_search_that_fits_is_whole", i);
        struct rd_system y;
        assert_true(rd_system_open(&y, 2 * ROWS, 2 * COLUMNS, &e));
        draw_columns(&s, &y, 0, 1);
        struct rd_elementary all = find(&y, 0);
        for (int share = 2; share < 200; share *= 2) {
            struct rd_engine_options o = {
                .n_threads = 1, .most = all.support.n, .memory = share * all.support.n};
            struct rd_elementary v = find_with(&y, &o);
            n_partial += v.is_partial;
            o.most = 0;
            bool fits = v.is_partial;
            for (o.longest = 4; fits; o.longest += o.longest / 2) {
                struct rd_elementary w = find_with(&y, &o);
                fits = !w.is_partial;
                for (int k = 1; fits && k <= o.longest; k++)
                    assert_int_equal(count(&v, k), count(&all, k));
                n_whole += fits;
                rd_elementary_free(&w);
            }
            rd_elementary_free(&v);
        }
        rd_elementary_free(&all);
        rd_system_free(&y);
    }
    assert_true(n_whole > 0 && n_partial > n_whole);
}

int test_elementary(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(components_are_independent),
                                       cmocka_unit_test(a_limit_leaves_out_longer_vectors),
                                       cmocka_unit_test(the_shortest_are_found),
                                       cmocka_unit_test(the_shortest_are_found_in_little_memory),
                                       cmocka_unit_test(a_search_that_fits_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
