/* test_individuals_snapshot - rows of individuals for a snapshot: their species, order and runs,
   and snapshots after a species died out or grew. */
#include "record/individuals_snapshot.h"

#include "placed.h"

/* The file has C, B, A, D. List 0 is A, list 1 is C, list 2 is D. */
enum { SITES = 6, RUNS = 3 };

/* Checks that the rows of a species equal those of its list. */
static void assert_rows(const struct stage *s, const struct rd_individuals *rows, int list,
                        int n_attributes)
{
    int64_t row = 0;
    assert_int_equal(rows->n, placed_live(s, list));
    for (int64_t run = 0; run < RUNS; run++)
        for (int64_t k = 0; k < rows->row_count[run]; k++, row++) {
            const struct placed_one one = placed_one(s, list, row);
            assert_int_equal(one.voxel, run * SITES + rows->site[row]);
            assert_int_equal(one.id, rows->id[row]);
            assert_int_equal(one.parent, rows->parent[row]);
            assert_true(one.born == rows->born[row]);
            for (int a = 0; a < n_attributes; a++)
                assert_true(placed_trait(s, list, row, a) == rows->attribute[a][row]);
        }
    assert_int_equal(row, rows->n);
}

/* Starts an asynchronous copy to an offset in the snapshot buffer, and takes the rows from there
   when it is complete. */
static void async_copy_and_take(rd_individuals_snapshot *h, struct stage *s,
                                struct rd_snapshot *snapshot)
{
    enum { BEFORE = 256, PIECES_MOST = 20, LISTS = 3 };
    const struct rd_backend *const b = s->sim.backend;
    struct rd_error e = {0};
    struct rd_piece piece[PIECES_MOST];
    int64_t live[LISTS];
    rd_async_copy *const async_copy =
        b->async_copy_open(s->sim.machine, BEFORE + rd_individuals_snapshot_bytes(&s->plan), &e);
    assert_true(rd_individuals_snapshot_lists(h) <= LISTS &&
                rd_individuals_snapshot_pieces(h) <= PIECES_MOST);
    assert_true(rd_individuals_snapshot_look(h, &s->sim, BEFORE, live, piece, &e));
    b->async_copy(s->sim.machine, async_copy, piece, rd_individuals_snapshot_pieces(h));
    assert_true(rd_individuals_snapshot_take(h, b->async_copy_wait(async_copy, &e), BEFORE, live,
                                             snapshot, &e));
    b->async_copy_close(s->sim.machine, async_copy);
}

static void take(rd_individuals_snapshot *h, struct stage *s, struct rd_snapshot *snapshot)
{
    async_copy_and_take(h, s, snapshot);
    assert_int_equal(snapshot->n_individuals, 2); /* D is not recorded */
    assert_int_equal(snapshot->individuals[0].species, 0);
    assert_int_equal(snapshot->individuals[1].species, 2);
    assert_rows(s, &snapshot->individuals[0], 1, 2);
    assert_rows(s, &snapshot->individuals[1], 0, 0);
}

static void rows_match_lists(void **state)
{
    (void)state;
    struct stage s;
    struct rd_snapshot snapshot = {0};
    struct rd_error e = {0};
    rd_individuals_snapshot *h = NULL;
    placed_start(&s, "run/individuals.cfg", NULL, 1);
    for (int64_t i = 0; i < s.sim.world.lists.n_parent; i++)
        s.sim.world.lists.parent[i] = i * i;
    assert_true(rd_individuals_snapshot_open(&h, &s.plan, &e));
    take(h, &s, &snapshot);
    for (int run = 0; run < RUNS; run++) {
        assert_int_equal(snapshot.individuals[0].row_count[run], 5);
        assert_int_equal(snapshot.individuals[1].row_count[run], 6);
    }
    assert_null(placed_event(&s, 0, 1));
    take(h, &s, &snapshot);
    assert_int_equal(snapshot.individuals[0].n, 0);
    assert_int_equal(snapshot.individuals[1].n, 26 * RUNS);
    assert_null(placed_event(&s, 1, 2));
    take(h, &s, &snapshot);
    assert_int_equal(snapshot.individuals[0].n, 39 * RUNS);
    assert_true(snapshot.individuals[0].born[0] == 2);
    rd_individuals_snapshot_close(h);
    stage_close(&s);
}

static void lists_may_be_empty(void **state)
{
    (void)state;
    struct stage s;
    struct rd_snapshot snapshot = {.n_individuals = 9};
    struct rd_error e = {0};
    rd_individuals_snapshot *h = NULL;
    stage_open(&s, "run/individuals.cfg", NULL, 1);
    assert_true(rd_individuals_snapshot_open(&h, &s.plan, &e));
    take(h, &s, &snapshot);
    rd_individuals_snapshot_close(h);
    rd_individuals_snapshot_close(NULL);
    stage_close(&s);
}

static void counted_species_have_no_rows(void **state)
{
    (void)state;
    struct stage s;
    struct rd_snapshot snapshot = {.n_individuals = 9};
    struct rd_error e = {0};
    rd_individuals_snapshot *h = NULL;
    stage_open(&s, "run/counted.cfg", NULL, 1);
    assert_true(rd_individuals_snapshot_open(&h, &s.plan, &e));
    async_copy_and_take(h, &s, &snapshot);
    assert_int_equal(snapshot.n_individuals, 0);
    rd_individuals_snapshot_close(h);
    stage_close(&s);
}

int test_individuals_snapshot(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_match_lists),
        cmocka_unit_test(lists_may_be_empty),
        cmocka_unit_test(counted_species_have_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
