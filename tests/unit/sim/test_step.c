/* test_step - the passes of a step: their order, time and part. The back end of the test only
   records the calls. */
#include "sim/step.h"

#include "stage.h"

#include <string.h>

enum { SEEN_MOST = 200 };

struct step_counts {
    enum rd_pass pass;
    uint32_t part, step;
    double time, dt;
};

/* Describes the recorded calls of the back end; it takes the place of a machine. */
struct calls {
    int n;
    struct step_counts seen[SEEN_MOST];
};

static void record_call(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    struct calls *const d = (struct calls *)m;
    assert_true(d->n < SEEN_MOST);
    d->seen[d->n++] = (struct step_counts){pass, w->pass.part, w->pass.step_clock->step,
                                           w->pass.step_clock->time, w->pass.dt};
}

static const struct rd_backend recorder = {.name = "recorder", .run = record_call};

/* Records the passes of all steps of a stretch from 1 to 2. */
static void steps(struct calls *d, struct stage *s, int64_t n_steps)
{
    struct rd_sim sim = {
        .backend = &recorder, .machine = (rd_machine *)d, .plan = &s->plan, .world = s->plan.world};
    const struct rd_stretch stretch = {
        .from = 1, .to = 2, .n_steps = n_steps, .step = 1.0 / (double)n_steps};
    d->n = 0;
    sim.world.pass.step_clock = &sim.step_clock;
    sim.step_clock.step = 40;
    for (int64_t j = 0; j < n_steps; j++)
        rd_step(&sim, &stretch, j);
    assert_int_equal(sim.step_clock.step, 40 + n_steps);
    assert_true(sim.seconds[RD_REACT] >= 0);
}

static void assert_seen(const struct calls *d, const struct step_counts *expected, int n)
{
    assert_int_equal(d->n, n);
    for (int i = 0; i < n; i++) {
        const struct step_counts *const a = &d->seen[i], *const b = &expected[i];
        assert_int_equal(a->pass, b->pass);
        assert_int_equal(a->part, b->part);
        assert_int_equal(a->step, b->step);
        assert_true(fabs(a->time - b->time) < 1e-12 && fabs(a->dt - b->dt) < 1e-12);
    }
}

#define MODEL "sim/step.cfg"

/* Checks Strang splitting: half a step of reactions at both ends of the stretch, and a whole one
   between two movements. */
static void strang_merges_half_steps_between_movements(void **state)
{
    (void)state;
    struct stage s;
    struct calls d;
    stage_open(&s, MODEL, NULL, 0.5);
    steps(&d, &s, 2);
    const struct step_counts expected[] = {
        {RD_REACT, 0, 40, 1.125, 0.25}, {RD_HOP, 0, 40, 1.25, 0.5},
        {RD_ENTER, 0, 40, 1.25, 0.5},   {RD_LAND, 0, 40, 1.25, 0.5},
        {RD_REACT, 1, 40, 1.5, 0.5},    {RD_HOP, 0, 41, 1.75, 0.5},
        {RD_ENTER, 0, 41, 1.75, 0.5},   {RD_LAND, 0, 41, 1.75, 0.5},
        {RD_REACT, 1, 41, 1.875, 0.25}};
    assert_seen(&d, expected, 9);
    steps(&d, &s, 1);
    const struct step_counts one_step[] = {{RD_REACT, 0, 40, 1.25, 0.5},
                                           {RD_HOP, 0, 40, 1.5, 1},
                                           {RD_ENTER, 0, 40, 1.5, 1},
                                           {RD_LAND, 0, 40, 1.5, 1},
                                           {RD_REACT, 1, 40, 1.75, 0.5}};
    assert_seen(&d, one_step, 5);
    stage_close(&s);
}

static void lie_has_reactions_before_movement(void **state)
{
    (void)state;
    struct stage s;
    struct calls d;
    stage_open(&s, MODEL, SETS("splitting=lie"), 0.5);
    steps(&d, &s, 2);
    const struct step_counts expected[] = {
        {RD_REACT, 0, 40, 1.25, 0.5}, {RD_HOP, 0, 40, 1.25, 0.5},   {RD_ENTER, 0, 40, 1.25, 0.5},
        {RD_LAND, 0, 40, 1.25, 0.5},  {RD_REACT, 0, 41, 1.75, 0.5}, {RD_HOP, 0, 41, 1.75, 0.5},
        {RD_ENTER, 0, 41, 1.75, 0.5}, {RD_LAND, 0, 41, 1.75, 0.5}};
    assert_seen(&d, expected, 8);
    stage_close(&s);
}

/* Checks that reactions take the whole step if nothing moves. */
static void model_without_movement_is_not_split(void **state)
{
    (void)state;
    struct stage s;
    struct calls d;
    stage_open(&s, "sim/one_species.cfg", NULL, 0.5);
    steps(&d, &s, 2);
    assert_int_equal(d.n, 8);
    assert_int_equal(d.seen[0].pass, RD_REACT);
    assert_true(d.seen[0].dt == 0.5 && d.seen[4].dt == 0.5);
    stage_close(&s);
}

/* Checks 128 hops per step of 2: there are two movements, each with its own part and half of the
   time. */
static void long_steps_have_several_movements(void **state)
{
    (void)state;
    struct stage s;
    struct calls d;
    stage_open(&s, MODEL, NULL, 2);
    assert_int_equal(s.plan.moves, 2);
    steps(&d, &s, 1);
    const struct step_counts expected[] = {
        {RD_REACT, 0, 40, 1.25, 0.5}, {RD_HOP, 0, 40, 1.25, 0.5},  {RD_ENTER, 0, 40, 1.25, 0.5},
        {RD_LAND, 0, 40, 1.25, 0.5},  {RD_HOP, 1, 40, 1.75, 0.5},  {RD_ENTER, 1, 40, 1.75, 0.5},
        {RD_LAND, 1, 40, 1.75, 0.5},  {RD_REACT, 1, 40, 1.75, 0.5}};
    assert_seen(&d, expected, 8);
    stage_close(&s);
}

int test_step(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strang_merges_half_steps_between_movements),
        cmocka_unit_test(lie_has_reactions_before_movement),
        cmocka_unit_test(model_without_movement_is_not_split),
        cmocka_unit_test(long_steps_have_several_movements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
