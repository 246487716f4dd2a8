/* test_rank_test - adjacency by ranks modulo two primes: what an accident of one prime hides, the
   other one shows. */
#include "cone/rank_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FIRST  INT64_C(2147483647)
#define SECOND INT64_C(2147483629)

/* Returns whether two rows with x0 and x1 are adjacent if a column that is `one` x0 + `two` x1 is
   processed now. */
static bool is_adjacent(int64_t one, int64_t two, int prime)
{
    int basis[] = {0, 1, 2}, basis_of[] = {0, 1, 2, -1};
    rd_int128 value[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, one, two, 1}, denominator[] = {1, 1, 1, 1};
    const struct rd_kernel k = {4, 3, basis, basis_of, value, denominator};
    const int bit[] = {0, 1, 2, 3};
    const bool is_reversible[4] = {false};
    const uint64_t together = 3; /* x0 and x1 */
    struct rd_rank_test t;
    assert_true(rd_rank_test_open(&t, &k, bit, is_reversible, 1));
    t.current = 3;
    const bool result = rd_rank_test_is_adjacent(&t, &together, prime);
    rd_rank_test_process(&t, bit, is_reversible);
    assert_int_equal(t.n_rows, 1);
    rd_rank_test_close(&t);
    return result;
}

static void each_prime_has_accidents_of_its_own(void **state)
{
    (void)state;
    for (int prime = 0; prime < RD_RANK_PRIMES; prime++) {
        assert_true(is_adjacent(1, -1, prime));
        assert_true(is_adjacent(-3, 0, prime));
        assert_false(is_adjacent(0, 0, prime));
        assert_false(is_adjacent(FIRST * SECOND, 0, prime));
        assert_true(is_adjacent(FIRST * SECOND, 1, prime));
    }
    assert_false(is_adjacent(FIRST, 2 * FIRST, 0));
    assert_true(is_adjacent(FIRST, 2 * FIRST, 1));
    assert_true(is_adjacent(-SECOND, 5 * SECOND, 0));
    assert_false(is_adjacent(-SECOND, 5 * SECOND, 1));
}

int test_rank_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_prime_has_accidents_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
