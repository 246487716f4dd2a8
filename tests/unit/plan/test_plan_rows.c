/* test_plan_rows - the lists of reactions by species, and the bounds of their propensities, by
   which a GPU leaves out voxels. */
#include "kernels/passes/reactions/ssa.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>

enum { ROW_MOST = 6 };

/* Draws up to ROW_MOST species in canonical order with their numbers. Returns how many there are.
 */
static int32_t draw_row(struct rd_stream *stream, int32_t n_species, struct rd_row_entry *row)
{
    int32_t n = 0, species = -1;
    const int32_t most = 1 + (int32_t)rd_below(stream, ROW_MOST);
    while (n < most) {
        species += 1 + (int32_t)rd_below(stream, (uint64_t)n_species / 3);
        if (species >= n_species)
            break;
        row[n++] = (struct rd_row_entry){species, 1 + (int32_t)rd_below(stream, 3)};
    }
    return n;
}

/* Checks the bounds for random voxels. A few must be reached, so that they are no higher than they
   need to be. */
static void bounds_exceed_propensities(void **state)
{
    (void)state;
    struct stage s;
    struct rd_row_entry row[ROW_MOST];
    struct rd_row_possible possible;
    int n_finite = 0, n_reached = 0;
    stage_open(&s, "identical/rare_species.cfg", NULL, 0.1);
    struct rd_world world = s.plan.world; /* its first voxel has the row */
    struct rd_row first = {0};
    const struct rd_world *const w = &world;
    world.rows.row = &first;
    world.rows.entry = row;
    assert_int_equal(w->rows.n_columned, 0);
    struct rd_stream stream = rd_stream_of(281128, 0, 0, RD_FOR_REACT, 0, 0);
    for (int trial = 0; trial < 5000; trial++) {
        const int64_t site = (int64_t)rd_below(&stream, (uint64_t)w->lattice.n_sites);
        const struct rd_place place = rd_place_of(&w->lattice, site);
        struct rd_eval_context here = rd_eval_context_at(w, &place);
        here.row = row;
        here.n_row = first.n = draw_row(&stream, w->counts.n_species, row);
        const double sum = rd_find_possible(w, site, &here, &possible),
                     bound = rd_row_propensity_bound(rd_present_in(w, 0));
        assert_true(isfinite(sum) && sum <= bound * (1 + 1e-12));
        n_finite += isfinite(bound);
        n_reached += sum > 0 && sum >= bound * (1 - 1e-12);
    }
    assert_true(n_finite > 3000 && n_reached > 100);
    stage_close(&s);
}

/* Each reaction is in one list, in canonical order, and a product has its factors in their order.
 */
static void lists_have_each_reaction_once(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "identical/rare_species.cfg", NULL, 0.1);
    const struct rd_world *const w = &s.plan.world;
    int n_products = 0;
    uint8_t *const seen = calloc((size_t)w->reactions.n_reactions, 1);
    for (int32_t k = 0; k <= w->counts.n_species; k++)
        for (int32_t i = w->rows.keyed_first[k]; i < w->rows.keyed_first[k + 1]; i++) {
            const struct rd_row_key *const key = &w->rows.keyed[i];
            assert_int_equal(seen[key->reaction]++, 0);
            assert_true(i == w->rows.keyed_first[k] || key[-1].reaction < key->reaction);
            if (key->species[0] == RD_NO_PRODUCT || key->species[0] == RD_NO_REACTANT)
                continue;
            assert_true(key->species[0] == k || key->species[1] == k);
            n_products++;
        }
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        assert_int_equal(seen[r], 1);
    assert_true(n_products > 30);
    free(seen);
    stage_close(&s);
}

int test_plan_rows(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_exceed_propensities),
        cmocka_unit_test(lists_have_each_reaction_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
