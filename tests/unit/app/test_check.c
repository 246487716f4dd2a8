/* test_check - what `rdsim check` prints: the decisive part of each line. */
#define _POSIX_C_SOURCE 200809L
#include "app/check.h"

#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* Returns what `rdsim check` prints about a model; the caller frees the text. */
static char *printed(const char *name, const char *const *sets)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    char *page = NULL;
    size_t length = 0;
    stage_plan(&s, name, sets);
    if (!rd_forecast_take(&o, &s.plan, &e))
        fail_msg("%s", e.text);
    FILE *const out = open_memstream(&page, &length);
    assert_non_null(out);
    assert_true(rd_check_print(out, &s.plan, &o, "", &e));
    fclose(out);
    stage_close(&s);
    return page;
}

static void assert_printed(const char *name, const char *const *sets, const char *const *words)
{
    char *const page = printed(name, sets);
    for (; *words; words++)
        assert_contains(page, *words);
    free(page);
}

static void reports_rates_by_voxel(void **state)
{
    (void)state;
    static const char *const words[] = {
        "species     A: hops at most x -0.405 +0.495 per time; leaves its voxel in a step with "
        "probability "
        "0.0008996 (hop by hop); in each voxel: diffusion x / 10; drift x / 50",
        "species     B: hops at the start at most x -1 +1 per time; in each voxel: diffusion 1 / "
        "(1 "
        "+ [A] / 1); drift 0, in substeps of at most a third of a hop\n",
        "species     C: hops at the start at most x -0.5 +1.5 per time; in each voxel: diffusion 1 "
        "- t; drift 1\n",
        "step        at most 0.001: 1/1000 of time.end, since rates depend on t\n",
        "solver      split: nothing to split; hop rates follow from counts at the start of a "
        "substep (error of first order in the substep)\n",
        "warning     app/rates_by_voxel.cfg:9: the drift of 'D' along x exceeds 2 D / h in 2 of 5 "
        "voxels, most in voxel 4: the diffusivity on the lattice is 0.25 instead of 0.1 there; use "
        "smaller voxels\n",
        NULL};
    assert_printed("app/rates_by_voxel.cfg", NULL, words);
}

static void reports_grid_species_reactions_and_time(void **state)
{
    (void)state;
    static const char *const words[] = {
        "title       a test\n",
        "grid        6 x 5 voxels of 0.5 x 2, volume 1; 3 runs\n",
        "region      left: 10 voxels of 30; a box at (0, 0) to (1, 10)\n",
        "species     B: hops x -4 +4, y -0 +0.5 per time; leaves its voxel in a step with "
        "probability "
        "0.",
        ", xmin absorbs (probability 0.25), xmax is a reservoir (8 enter per time and voxel), y "
        "periodic",
        "species     A: does not move; lives in left",
        "reaction    A + B -> A: propensity 3 A B in each voxel\n",
        "reaction    2 B -> 0: propensity 0.5 B (B-1) in each voxel of left\n",
        "reaction    0 -> B: propensity 2 in each voxel\n",
        "reaction    B -> 0: propensity 1 B * (k * t) in each voxel\n",
        "reaction    0 -> A: propensity 1 / (1 + A) in each voxel of left\n",
        "time        0 to 10, 11 outputs, 1000 steps of 0.01\n",
        "step        at most 0.01: 1/1000 of time.end, since rates depend on t\n",
        "solver      split: half of the reactions, movement, half of the reactions (Strang, error "
        "of second order",
        "events      about 0.7 reactions per step at the start of a run\n",
        "memory      ",
        "output      it.h5, data of about 24.8 kB before compression\n",
        "warning     app/everything.cfg:10: the drift of 'B' along y exceeds 2 D / h: the "
        "diffusivity on the lattice is 1 instead of 0.5; use smaller voxels\n",
        NULL};
    assert_printed("app/everything.cfg", NULL, words);
}

static void reports_conservation_laws(void **state)
{
    (void)state;
    static const char *const words[] = {"conserved   C\nconserved   A + 2 B (plus molecules "
                                        "absorbed by walls, minus those that entered)\ntime ",
                                        NULL};
    assert_printed("app/conservation.cfg", NULL, words);
    static const char *const more[] = {
        "conserved   there may be more laws: a weight is 2^29 or more, or the search took too "
        "long\n",
        NULL};
    assert_printed("app/large_coefficients.cfg", NULL, more);
}

static void reports_regions_and_borders(void **state)
{
    (void)state;
    static const char *const words[] = {
        "region      gel: 80 voxels of 200; where x < 8\n",
        "region      rest: 120 voxels of 200; the complement of 'gel'\n",
        "region      rim: 10 voxels of 200; the voxels of 'gel' touching 'rest'\n",
        "species     A: hops at most x -1 +1, y -1 +1 per time; leaves its voxel in a step with "
        "probability 0.03921 (hop by hop)\n"
        "            in gel: hops x -0.1 +0.1, y -0.1 +0.1 per time\n"
        "            in rest: hops x -1 +1, y -1 +1 per time\n"
        "species     B: hops x -1 +1, y -1 +1 per time; leaves its voxel in a step with "
        "probability "
        "0.03921 (hop by hop)\n",
        "border      gel <-> rest: A passes with probability 0.1\n"
        "border      gel -> rest: B, C pass with probability 0\n",
        NULL};
    assert_printed("app/borders.cfg", NULL, words);
}

/* Checks the lines about fields. The data are 24 voxels x 11 times x (a 4-byte count and an 8-byte
   double) = 3168 bytes, and a total per time. */
static void reports_fields(void **state)
{
    (void)state;
    static const char *const words[] = {
        "\nfield       slope: -1.5 to 2.5; x - y\n",
        "\nfield       cue: 0 to 2; 2; changes by A - cue; in left\n",
        "\nstep        at most 0.01: 1/1000 of time.end, since a field changes\n",
        "\nsolver      split: half of the reactions, half of the field changes, movement, the same "
        "in reverse (Strang, error of second order in the step)\n",
        "\noutput      it.h5, data of about 3.34 kB before compression\n",
        NULL};
    assert_printed("app/fields.cfg", NULL, words);
}

/* Checks that numerical diffusion is reported when rates are computed per voxel but are equal in
   all voxels. */
static void reports_numerical_diffusion_of_equal_rates(void **state)
{
    (void)state;
    static const char *const words[] = {"\nspecies     A: hops x -0 +1 per time",
                                        "0.5 instead of 0.1", NULL};
    assert_printed("app/gradient.cfg", NULL, words);
}

static void reports_solver(void **state)
{
    (void)state;
    static const char *const nothing[] = {
        "solver      split: nothing to split, so it is exact",
        "            10 movements per step\n",
        "leaves its voxel in a movement with probability 0.9",
        "grid        60 voxels of 1, volume 1; 1 run\n",
        "step        at most 254: the largest number of hops in a step for 'A' along x\n",
        NULL};
    assert_printed("app/line.cfg", NULL, nothing);
    static const char *const lie[] = {
        "solver      split: reactions, movement (Lie, error of first order", NULL};
    assert_printed("app/line.cfg",
                   SETS("reactions=( { equation = \"A -> 0\"; rate = 1; } )", "splitting=lie"),
                   lie);
    static const char *const exact[] = {"solver      exact: next subvolume, no splitting", NULL};
    assert_printed("app/line.cfg", SETS("solver=exact"), exact);
}

static void reports_unequal_steps(void **state)
{
    (void)state;
    static const char *const words[] = {
        "time        0 to 10, 3 outputs, 5 steps of 1.5 to 2.33333\n",
        "step        at most 2.5: time.step in the configuration\n",
        "per time; leaves its voxel in a step with probability 0.9933 (hop by hop); lives in disc",
        "output      rest.h5, data of about 96 B before compression\n", NULL};
    assert_printed("app/unequal_steps.cfg", NULL, words);
    static const char *const short_steps[] = {"5 steps of 1.5e-09 to 2.33333e-09\n", NULL};
    assert_printed("app/unequal_steps.cfg",
                   SETS("time.end=1e-8", "time.step=2.5e-9", "output.times=(0.0, 3e-9, 1e-8)"),
                   short_steps);
}

/* Checks that the warnings of the model are printed last, one on each line. */
static void prints_warnings_last(void **state)
{
    (void)state;
    static const char *const words[] = {
        "warning     app/late_events.cfg:7: events[0]: its time, 20",
        "warning     app/late_events.cfg:8: events[1]: its time, 30", NULL};
    assert_printed("app/late_events.cfg", NULL, words);
}

static void reports_individuals(void **state)
{
    (void)state;
    static const char *const words[] = {
        "species     fox: does not move\n"
        "individuals fox: at most 9 a run, of 44 B, that do not move; only their counts are "
        "recorded\n",
        "species     wolf: hops x -1 +1, y -1 +1 per time; leaves its voxel in a step with "
        "probability "
        "0.",
        "individuals wolf: at most 70 a run, of 60 B, that move by displacement distributions; "
        "births and deaths are recorded\nattribute   wolf.age (integer): initial 0, birth the "
        "parent's age or initial, orphan 3\nattribute   wolf.v: initial normal(1, k), birth "
        "parent.v / 2, orphan 1\n",
        "reaction    2 wolf + fox -> fox: propensity 1 fox wolf (wolf-1) in each voxel\n"
        "            1 fox stays; 2 wolf die, drawn in proportion to wolf.age + 1\n",
        "reaction    wolf -> fox + 3 wolf: propensity 1 * (k * sum(wolf.v)) in each voxel\n        "
        "    1 wolf stays, drawn in proportion to its term of the sum; 1 fox is born of wolf; 2 "
        "wolf are born of wolf\n",
        "reaction    0 -> 2 wolf: propensity 4 in each voxel\n"
        "            2 wolf are born without a parent\n",
        "reaction    2 wolf -> 2 fox: propensity 5 wolf (wolf-1) in each voxel\n"
        "            2 wolf become fox\n",
        "reaction    m + fox -> 2 m + fox: propensity 6 fox m in each voxel\nreaction",
        NULL};
    assert_printed("app/wolves_and_foxes.cfg", NULL, words);
}

#define OWN_WALK                                                                                   \
    "species.wolf.diffusion=(\"v\", 0.5)", "species.wolf.drift=(\"age\", \"x\")",                  \
        "species.wolf.walls.xmin=ballistic"

static void reports_individual_movement(void **state)
{
    (void)state;
    static const char *const words[] = {
        "species     wolf: diffusion v, 0.5; drift age, x, xmin reverses the drift\nindividuals "
        "wolf: at most 70 a run, of 60 B, each with its own hop rates; births and deaths are "
        "recorded\n            each has on the lattice a diffusivity of at least 0.5 |drift| along "
        "x, 0.5 |drift| along y (h / 2; smaller voxels have less)\nattribute",
        NULL};
    assert_printed("app/wolves.cfg", SETS(OWN_WALK), words);
    char *const page = printed("app/wolves.cfg", SETS("species.wolf.diffusion=v"));
    assert_null(strstr(page, "on the lattice")); /* no species drifts */
    free(page);
    static const char *const hops[] = {
        "(hop by hop); lives in ball\n            diffusivity 1; mean time "
        "to cross a voxel 0.5 (h^2/2D)\nindividuals wolf: at most 70 a run, "
        "of 60 B, that move hop by hop; births",
        NULL};
    assert_printed("app/wolves.cfg", SETS("species.wolf.diffusion=1", "species.wolf.in=ball"),
                   hops);
}

/* Sums 2 x 40 + 0.75 x 30 into and out of a compartment, and 0.6 x 30 + 0.3 x 12 within. */
static void reports_events_of_exchanges(void **state)
{
    (void)state;
    static const char *const words[] = {
        "events      about 12.41 reactions per step at the start of a run\n", NULL};
    assert_printed("compartments/linear.cfg", SETS("time.step=0.1"), words);
}

/* Checks which error is printed when nothing is split but rates change within a step. */
static void reports_error_of_changing_rates(void **state)
{
    (void)state;
    static const char *const by_counts[] = {
        "solver      split: nothing to split; hop rates of individuals follow from counts before "
        "the step (error of first order in the step)\n",
        NULL};
    assert_printed("app/wolves.cfg", SETS("species.wolf.diffusion=0.1 * m"), by_counts);
    assert_printed("app/wolves.cfg", SETS("species.wolf.drift=(\"slope_x(wolf)\", 0)"), by_counts);
    static const char *const free_step[] = {
        "step        limited by outputs and events only: movement by counts sets no limit\n", NULL};
    assert_printed("app/motion_by_counts.cfg", NULL, free_step);
    static const char *const late[] = {"solver      split: nothing to split; t is the middle of "
                                       "each step (error of second order in the step)\n",
                                       NULL};
    assert_printed("app/wolves.cfg", SETS("species.wolf.diffusion=t"), late);
    static const char *const by_totals[] = {
        "1/1000 of time.end, since rates depend on totals or mean positions\n",
        "solver      split: nothing to split; totals and mean positions in rates are those before "
        "the step (error of first order in the step)\n",
        NULL};
    assert_printed("physics/feedback.cfg", SETS("species.A.diffusion=0"), by_totals);
    assert_printed(
        "physics/feedback.cfg", SETS("species.A.diffusion=0", "time.step=1"),
        (const char *const[]){"step        at most 1: time.step in the configuration\n", NULL});
    static const char *const exact[] = {"nothing to split, so it is exact\n", NULL};
    assert_printed("app/wolves.cfg", SETS(OWN_WALK), exact);
}

/* Checks the size of the data of individuals: 70 wolves x 9 columns x 11 times; foxes record
   nothing. */
static void reports_data_of_individuals(void **state)
{
    (void)state;
    static const char *const all[] = {", and of individuals at most 55.4 kB before compression\n",
                                      NULL};
    assert_printed("app/wolves.cfg", SETS("output.every=1"), all);
    static const char *const totals[] = {"data of about 528 B before compression\n", NULL};
    assert_printed("app/wolves.cfg", SETS("output.every=1", "output.keep=totals"), totals);
}

/* Checks the warning about slow recording. It takes 20 ms to compress 2 MB of counts; a step of
   500,000 counts takes 2.5 ms. */
static void reports_time_of_recording(void **state)
{
    (void)state;
    static const char warns[] =
        "warning     it.h5: writing a snapshot takes longer than the 5 steps between two outputs, "
        "and the run waits for it; set fewer outputs, ";
    static const char *const often[] = {
        "output      it.h5, data of about 402 MB before compression\n",
        "recording   2 MB every 5 steps, which a thread compresses and writes in about 0.02 s; the "
        "run waits if these steps take less\n",
        warns, "output.keep = \"totals\" or \"statistics\", or output.compression = 0\n", NULL};
    assert_printed("app/snapshots.cfg", SETS("output.every=0.5"), often);
    char *page = printed("app/snapshots.cfg", SETS("output.every=0.5", "output.compression=0"));
    assert_contains(page, "which a thread writes in about 0.002 s");
    assert_null(strstr(page, "the run waits for it"));
    free(page);
    page = printed("app/snapshots.cfg", NULL);
    assert_contains(page, "2 MB every 10 steps");
    assert_null(strstr(page, "the run waits for it"));
    free(page);
    page = printed("app/snapshots.cfg", SETS("output.every=0.1", "output.keep=totals"));
    assert_null(strstr(page, "recording"));
    assert_null(strstr(page, "the run waits for it"));
    free(page);
}

static void reports_stop_condition(void **state)
{
    (void)state;
    char *page = printed("app/stop.cfg", NULL);
    assert_contains(page, "stop        if A > k; checked after every step\n");
    assert_null(strstr(page, "warning"));
    free(page);
    assert_printed("app/stop.cfg", SETS("time.stop=1 / (A - k) > 3", "time.stop_at=outputs"),
                   (const char *const[]){"stop        if 1 / (A - k) > 3; checked at outputs\n",
                                         "warning     time.stop: a value in '1 / (A - k) > 3' is "
                                         "not finite at the start, and a comparison hides it; use "
                                         "an expression that is finite\n",
                                         NULL});
    page = printed("app/stop.cfg",
                   SETS("initial=( { species = \"A\"; value = 1e9; } )", "time.stop=log(A) > 90"));
    assert_null(strstr(page, "is not finite")); /* the sum over voxels exceeds the largest count */
    free(page);
}

/* Checks that too many individuals at the start are reported before the run begins. */
static void reports_too_many_individuals_at_start(void **state)
{
    (void)state;
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    FILE *const out = fopen("/dev/null", "w");
    assert_non_null(out);
    stage_plan(&s, "app/wolves.cfg", SETS("initial=( { species = \"fox\"; value = 1; } )"));
    assert_true(rd_forecast_take(&o, &s.plan, &e));
    assert_false(rd_check_print(out, &s.plan, &o, "", &e));
    assert_contains(
        e.text, "app/wolves.cfg:9: run 0 gets 30 individuals of 'fox' at t = 0, more than max =");
    rd_error_free(&e);
    fclose(out);
    stage_close(&s);
}

int test_check(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_rates_by_voxel),
        cmocka_unit_test(reports_grid_species_reactions_and_time),
        cmocka_unit_test(reports_conservation_laws),
        cmocka_unit_test(reports_regions_and_borders),
        cmocka_unit_test(reports_fields),
        cmocka_unit_test(reports_numerical_diffusion_of_equal_rates),
        cmocka_unit_test(reports_solver),
        cmocka_unit_test(reports_unequal_steps),
        cmocka_unit_test(prints_warnings_last),
        cmocka_unit_test(reports_individuals),
        cmocka_unit_test(reports_error_of_changing_rates),
        cmocka_unit_test(reports_data_of_individuals),
        cmocka_unit_test(reports_individual_movement),
        cmocka_unit_test(reports_time_of_recording),
        cmocka_unit_test(reports_stop_condition),
        cmocka_unit_test(reports_events_of_exchanges),
        cmocka_unit_test(reports_too_many_individuals_at_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
