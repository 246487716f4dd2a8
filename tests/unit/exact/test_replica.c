/* test_replica - after any number of changes, the weights equal those computed from the counts. */
#include "exact/replica.h"
#include "kernels/core/lattice.h"

#include "handmade.h"

#include <string.h>

enum { N_SITES = 5 * 3 * 2, N_EVENTS = 20000 };

struct loaded {
    struct handmade world;
    struct rd_scheme scheme;
    struct rd_replica replica;
};

/* Loads a model in which A and B move. Its 66 reactions need two words of bits; the test reads the
   last ones. */
static void load(struct loaded *l)
{
    const double rate[RD_N_FACES] = {0.3, 0.4, 1.1, 1.1, 0.7, 0.7}, pass[RD_N_FACES] = {0};
    handmade_open(&l->world, "replica", (const int32_t[]){5, 3, 2}, 2);
    handmade_move(&l->world, 'A', rate, pass);
    handmade_move(&l->world, 'B', rate, pass);
    handmade_react(&l->world, "AAB", "C", 0.013)->region = 0;
    while (l->world.world.reactions.n_reactions < 64)
        handmade_react(&l->world, "C", "", 0.1 / l->world.world.reactions.n_reactions);
    handmade_react(&l->world, "BC", "A", 0.017);
    handmade_react(&l->world, "", "A", 0.37);
    l->world.mask[4] = 0;
    l->world.world.pass.dt = 1.0;
    l->scheme = (struct rd_scheme){0};
    l->replica = (struct rd_replica){0};
    assert_true(rd_scheme_open(&l->scheme, &l->world.world));
    rd_scheme_note(&l->scheme, &l->world.world);
    assert_true(rd_replica_open(&l->replica, &l->scheme, &l->world.world));
    assert_true(rd_replica_load(&l->replica, &l->world.world, 1, 0.0));
}

static void unload(struct loaded *l)
{
    rd_replica_close(&l->replica);
    rd_scheme_close(&l->scheme);
    handmade_close(&l->world);
}

/* Adds or removes one or two molecules of one or two species at a random site, if there are
   enough. */
static void alter_at_random(struct rd_replica *p, struct rd_stream *s)
{
    const int64_t site = rd_word(s) % N_SITES;
    struct rd_reactant change[2] = {{(int32_t)(rd_word(s) % 2), 1}, {2, 1}};
    for (int i = 0; i < 2; i++) {
        const bool is_more =
            rd_replica_voxel(p, site)->count[change[i].species] < 2 || rd_word(s) % 2;
        change[i].number = (int32_t)(1 + rd_word(s) % 2) * (is_more ? 1 : -1);
    }
    assert_true(rd_replica_alter(p, site, change, (int32_t)(1 + rd_word(s) % 2), 0));
}

static double weight_of(const struct rd_replica *p, int64_t site)
{
    return rd_replica_weights(p, site / RD_TILE)[site % RD_TILE];
}

static void test_weights_follow_the_counts(void **state)
{
    (void)state;
    struct loaded altered, fresh;
    load(&altered);
    load(&fresh);
    struct rd_stream s = stream_of("test_weights_follow_the_counts", 0);
    for (int i = 0; i < N_EVENTS; i++)
        alter_at_random(&altered.replica, &s);
    rd_replica_store(&altered.replica);
    memcpy(fresh.world.count, altered.world.count,
           2 * N_SITES * HANDMADE_SPECIES * sizeof(int32_t));
    assert_true(rd_replica_load(&fresh.replica, &fresh.world.world, 1, 0.0));
    for (int64_t site = 0; site < N_SITES; site++)
        assert_true(weight_of(&altered.replica, site) == weight_of(&fresh.replica, site));
    assert_true(altered.replica.tiles.total == fresh.replica.tiles.total);
    unload(&altered);
    unload(&fresh);
}

/* Compares the weight with the sum of hop rates and propensities, computed by hand for one voxel
   inside the region and one outside. */
static void test_weight_is_the_sum_of_all_rates(void **state)
{
    (void)state;
    struct loaded l;
    load(&l);
    double decay = 0;
    for (int r = 1; r < 64; r++)
        decay += 0.1 / r;
    for (int64_t site = 3; site <= 4; site++) {
        const struct rd_reactant add[] = {{0, 5}, {1, 3}, {2, 2}};
        assert_true(rd_replica_alter(&l.replica, site, add, 3, -1));
        const double bound = site == 3 ? 0.013 * 5 * 4 * 3 : 0;
        const double sum = 4.3 * (5 + 3) + bound + 2 * decay + 0.017 * 3 * 2 + 0.37;
        assert_true(fabs(weight_of(&l.replica, site) - sum) < 1e-12);
    }
    assert_true(fabs(weight_of(&l.replica, 5) - 0.37) < 1e-12);
    unload(&l);
}

static void test_other_runs_are_unchanged(void **state)
{
    (void)state;
    struct loaded l;
    load(&l);
    const struct rd_reactant add = {0, 7};
    assert_true(rd_replica_alter(&l.replica, 9, &add, 1, -1));
    rd_replica_store(&l.replica);
    assert_int_equal(handmade_total(&l.world, 0, 'A'), 0);
    assert_int_equal(handmade_total(&l.world, 1, 'A'), 7);
    assert_int_equal(*handmade_count(&l.world, 1, 'A', 9), 7);
    unload(&l);
}

/* Checks that an impossible change leaves the voxel unchanged. */
static void test_impossible_changes_are_faults(void **state)
{
    (void)state;
    struct loaded l;
    load(&l);
    const struct rd_reactant fill = {1, INT32_MAX}, too_few[] = {{1, -1}, {2, -1}}, over = {1, 1};
    assert_true(rd_replica_alter(&l.replica, 9, &fill, 1, -1));
    assert_false(rd_replica_alter(&l.replica, 9, too_few, 2, 65));
    assert_true(l.replica.stopped);
    assert_false(rd_replica_alter(&l.replica, 9, &over, 1, 65));
    assert_int_equal(rd_fault_what(&l.world.fault[RD_FAULT_NEGATIVE]), 65);
    assert_int_equal(rd_fault_what(&l.world.fault[RD_FAULT_OVERFLOW]), 1);
    assert_int_equal(rd_fault_voxel(&l.world.fault[RD_FAULT_OVERFLOW]), N_SITES + 9);
    rd_replica_store(&l.replica);
    assert_int_equal(*handmade_count(&l.world, 1, 'B', 9), INT32_MAX);
    unload(&l);
}

int test_replica(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_follow_the_counts),
        cmocka_unit_test(test_weight_is_the_sum_of_all_rates),
        cmocka_unit_test(test_other_runs_are_unchanged),
        cmocka_unit_test(test_impossible_changes_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
