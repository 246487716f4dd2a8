/* test_check - what `rdsim check` prints: the decisive part of each line. */
#define _POSIX_C_SOURCE 200809L
#include "app/check.h"

#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* Returns what `rdsim check` prints about a configuration; the caller frees it. */
static char *printed(const char *text)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    char *page = NULL;
    size_t length = 0;
    stage_plan(&s, text);
    if (!rd_forecast_take(&o, &s.plan, &e))
        fail_msg("%s", e.text);
    FILE *const out = open_memstream(&page, &length);
    assert_non_null(out);
    assert_true(rd_check_print(out, &s.plan, &o, "", &e));
    fclose(out);
    stage_close(&s);
    return page;
}

static void assert_printed(const char *text, const char *const *words)
{
    char *const page = printed(text);
    for (; *words; words++)
        assert_said(page, *words);
    free(page);
}

static void movement_by_voxel_is_told(void **state)
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
        "step        at most 0.001: a propensity depends on t: 1/1000 of the whole time\n",
        "solver      split: there is nothing to split, but molecules move by counts as old as a "
        "substep (error of first order in it)\n",
        "warning     stage.cfg:2: the drift of 'D' along x is above 2 D / h in 2 of 5 voxels, most "
        "in voxel 4: the lattice makes its diffusivity 0.25 instead of 0.1 there; smaller voxels "
        "make it less\n",
        NULL};
    assert_printed("grid = { voxels = 5; edge = 1; }; time = { end = 1.0; };\n"
                   "species = ( { name = \"A\"; diffusion = \"x / 10\"; drift = (\"x / 50\"); },"
                   "{ name = \"B\"; diffusion = \"1 / (1 + [A] / 1)\"; },"
                   "{ name = \"C\"; diffusion = \"1 - t\"; drift = 1; },"
                   "{ name = \"D\"; diffusion = 0.1; drift = (\"0.2 * max(0, x - 2)^1\"); } );",
                   words);
}

static void everything_derived_is_told(void **state)
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
        "step        at most 0.01: a propensity depends on t: 1/1000 of the whole time\n",
        "solver      split: half react, move, half react (Strang, error of second order",
        "events      about 0.7 reactions per step at the start of a run\n",
        "memory      ",
        "output      it.h5, data of about 24.3 kB before compression\n",
        "warning     stage.cfg:5: the drift of 'B' along y is above 2 D / h: the lattice makes its "
        "diffusivity 1 instead of 0.5; smaller voxels make it less\n",
        NULL};
    assert_printed(
        "title = \"a test\"; grid = { voxels = (6, 5); edge = (0.5, 2.0); };\n"
        "parameters = { k = 1.0; };\n"
        "regions = ( { name = \"left\"; box = { from = (0, 0); to = (1, 10); }; } );\n"
        "species = ( { name = \"A\"; in = \"left\"; },\n"
        "  { name = \"B\"; diffusion = (1, 0.5); drift = (0, 1); walls = { xmin = { kind = "
        "\"absorb\"; probability = 0.25; };\n"
        "      xmax = { kind = \"reservoir\"; mean = 2; }; y = \"periodic\"; }; } );\n"
        "reactions = ( { equation = \"A + B -> A\"; rate = \"3 * k\"; },\n"
        "  { equation = \"2 B -> 0\"; rate = 0.5; in = \"left\"; },\n"
        "  { equation = \"0 -> B\"; rate = 2; }, { equation = \"B -> 0\"; rate = \"k * t\"; },\n"
        "  { equation = \"0 -> A\"; propensity = \"1 / (1 + A)\"; in = \"left\"; } );\n"
        "time = { end = 10.0; }; output = { file = \"it.h5\"; every = 1.0; }; run = { runs = 3; "
        "};\n",
        words);
}

static void conserved_sums_are_told(void **state)
{
    (void)state;
    static const char *const words[] = {
        "conserved   C\nconserved   A + 2 B (with what walls took, less what they let in)\ntime ",
        NULL};
    assert_printed(
        "grid = { voxels = 4; edge = 1.0; };\n"
        "species = ( { name = \"A\"; diffusion = 1; walls = { x = \"absorb\"; }; }, { name "
        "= \"B\"; }, { name = \"C\"; } );\n"
        "reactions = ( { equation = \"2 A -> B\"; rate = 1; } );\n"
        "time = { end = 1.0; };\n",
        words);
    static const char *const more[] = {
        "conserved   there may be more: the network is too large to tell\n", NULL};
    assert_printed("grid = { voxels = 4; edge = 1.0; };\n"
                   "species = ( { name = \"A\"; }, { name = \"B\"; }, { name = \"C\"; } );\n"
                   "reactions = ( { equation = \"A -> 100000 B\"; rate = 1; }, { equation = \"B -> "
                   "100000 C\"; rate = 1; } );\n"
                   "time = { end = 1.0; };\n",
                   more);
}

static void regions_and_borders_are_told(void **state)
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
    assert_printed(
        "grid = { voxels = (20, 10); edge = 1.0; };\n"
        "regions = ( { name = \"gel\"; where = \"x < 8\"; },\n"
        "            { name = \"rest\"; complement = \"gel\"; },\n"
        "            { name = \"rim\"; touching = (\"gel\", \"rest\"); } );\n"
        "borders = ( { between = (\"gel\", \"rest\"); species = (\"A\"); pass = 0.1; },\n"
        "            { from = \"gel\"; to = \"rest\"; species = (\"B\", \"C\"); pass = 0; } );\n"
        "species = ( { name = \"A\"; diffusion = \"if(in(gel), 0.1, 1)\"; },\n"
        "            { name = \"B\"; diffusion = 1.0; }, { name = \"C\"; diffusion = 0.5; } );\n"
        "time = { end = 1.0; step = 0.01; };\n",
        words);
}

#define LINE(rest)                                                                                 \
    "grid = { voxels = 60; edge = 1.0; };\n"                                                       \
    "species = ( { name = \"A\"; diffusion = 32.0; } );\n"                                         \
    "time = { end = 10.0; }; output = { every = 10.0; };\n" rest

/* Checks the lines about fields. The data are 24 voxels x 11 times x (a 4-byte count and an 8-byte
   double) = 3168 bytes, and a total per time. */
static void fields_are_told(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (6, 4); edge = 0.5; };"
        "regions = ( { name = \"left\"; where = \"x < 1\"; } );"
        "fields = ( { name = \"slope\"; value = \"x - y\"; }, { name = \"cue\"; in = \"left\"; "
        "value = "
        "2.0; rate = \"A - cue\"; } );"
        "species = ( { name = \"A\"; diffusion = 0.001; } );"
        "reactions = ( { equation = \"0 -> A\"; rate = \"cue * (x < mean_x(A))\"; } );"
        "time = { end = 10; }; output = { file = \"it.h5\"; every = 1; };";
    static const char *const words[] = {
        "\nfield       slope: -1.5 to 2.5; x - y\n",
        "\nfield       cue: 0 to 2; 2; changes by A - cue; in left\n",
        "\nstep        at most 0.01: a field changes: 1/1000 of the whole time\n",
        "\nsolver      split: half react, half of the fields' change, move, the same backwards "
        "(Strang, error of second order in the step)\n",
        "\noutput      it.h5, data of about 3.26 kB before compression\n",
        NULL};
    assert_printed(text, words);
}

/* Checks that numerical diffusion is reported when rates are computed per voxel but are equal in
   all voxels. */
static void a_slope_that_is_the_same_everywhere_is_told(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = 10; edge = 1.0; };"
        "fields = ( { name = \"f\"; value = \"x\"; } );"
        "species = ( { name = \"A\"; diffusion = 0.1; drift = \"gradient(f)\"; } );"
        "time = { end = 1; };";
    static const char *const words[] = {"\nspecies     A: hops x -0 +1 per time",
                                        "0.5 instead of 0.1", NULL};
    assert_printed(text, words);
}

static void solvers_are_named(void **state)
{
    (void)state;
    static const char *const nothing[] = {
        "solver      split: but there is nothing to split, so it is exact",
        "            10 movements a step\n",
        "leaves its voxel in a movement with probability 0.9",
        "grid        60 voxels of 1, volume 1; 1 run\n",
        "step        at most 254: as many hops as a step can have for 'A' along x\n",
        NULL};
    assert_printed(LINE(""), nothing);
    static const char *const lie[] = {"solver      split: react, move (Lie, error of first order",
                                      NULL};
    assert_printed(LINE("reactions = ( { equation = \"A -> 0\"; rate = 1; } ); splitting = "
                        "\"lie\";"),
                   lie);
    static const char *const exact[] = {"solver      exact: next subvolume, no splitting", NULL};
    assert_printed(LINE("solver = \"exact\";"), exact);
}

static void unequal_steps_and_lone_walkers_are_told(void **state)
{
    (void)state;
    static const char *const words[] = {
        "time        0 to 10, 3 outputs, 5 steps of 1.5 to 2.33333\n",
        "step        at most 2.5: time.step in the configuration\n",
        "per time; leaves its voxel in a step with probability 0.9933 (hop by hop); lives in disc",
        "output      rest.h5, data of about 48 B before compression\n", NULL};
    assert_printed("grid = { voxels = (9, 9); edge = 1.0; };\n"
                   "regions = ( { name = \"disc\"; sphere = { centre = (4, 4); radius = 3.0; }; } "
                   ");\n"
                   "species = ( { name = \"A\"; in = \"disc\"; diffusion = \"5 / 6\"; } );\n"
                   "time = { end = 10.0; step = 2.5; }; run = { runs = 2; };\n"
                   "output = { times = (0.0, 3.0, 10.0); keep = \"totals\"; file = \"rest.h5\"; "
                   "};\n",
                   words);
}

/* Checks that the warnings of the model are printed last, one on each line. */
static void warnings_come_last(void **state)
{
    (void)state;
    static const char *const words[] = {"warning     stage.cfg:4: events[0]: its time, 20",
                                        "warning     stage.cfg:5: events[1]: its time, 30", NULL};
    assert_printed(LINE("events = ( { time = 20; add = { species = \"A\"; count = 1; }; },\n"
                        "{ time = 30; add = { species = \"A\"; count = 1; }; } );"),
                   words);
}

#define GROUP(species, rest)                                                                       \
    "grid = { voxels = (6, 5); edge = 1.0; }; parameters = { k = 2.0; };\n"                        \
    "species = ( { name = \"m\"; diffusion = 0.1; },\n" species ");\n"                             \
    "time = { end = 10.0; };\n" rest
#define WOLF(motion)                                                                               \
    "{ name = \"wolf\"; " motion                                                                   \
    " individuals = { max = 70; record = \"lineage\"; attributes = ( "                             \
    "{ name = \"age\"; kind = \"integer\"; initial = 0; orphan = 3; }, { name = \"v\"; initial = " \
    "\"normal(1, k)\"; birth = \"parent.v / 2\"; orphan = 1; } ); }; }\n"
#define FOX "{ name = \"fox\"; individuals = { max = 9; record = \"none\"; }; }, "

static void individuals_have_rules_and_fates(void **state)
{
    (void)state;
    static const char *const words[] = {
        "species     fox: does not move\n"
        "individuals fox: at most 9 a run, of 44 B, that do not move; only their counts are "
        "recorded\n",
        "species     wolf: hops x -1 +1, y -1 +1 per time; leaves its voxel in a step with "
        "probability "
        "0.",
        "individuals wolf: at most 70 a run, of 60 B, that move by rows; births and deaths are "
        "recorded\n"
        "attribute   wolf.age (integer): initial 0, birth the parent's age or initial, orphan 3\n"
        "attribute   wolf.v: initial normal(1, k), birth parent.v / 2, orphan 1\n",
        "reaction    2 wolf + fox -> fox: propensity 1 fox wolf (wolf-1) in each voxel\n"
        "            1 fox stays; 2 wolf die, drawn in proportion to wolf.age + 1\n",
        "reaction    wolf -> fox + 3 wolf: propensity 1 * (k * sum(wolf.v)) in each voxel\n"
        "            1 wolf stays, drawn in proportion to its part of the sum; 1 fox is born of "
        "wolf; "
        "2 wolf are born of wolf\n",
        "reaction    0 -> 2 wolf: propensity 4 in each voxel\n"
        "            2 wolf are born without a parent\n",
        "reaction    2 wolf -> 2 fox: propensity 5 wolf (wolf-1) in each voxel\n"
        "            2 wolf become fox\n",
        "reaction    m + fox -> 2 m + fox: propensity 6 fox m in each voxel\nreaction",
        NULL};
    assert_printed(
        GROUP(FOX WOLF("diffusion = 1.0;"),
              "reactions = ( { equation = \"2 wolf + fox -> fox\"; rate = 1; weight = "
              "\"wolf.age + 1\"; }, { equation = \"wolf -> fox + 3 wolf\"; rate = \"k * "
              "sum(wolf.v)\"; }, { equation = \"0 -> 2 wolf\"; rate = 4; }, { equation = \"2 "
              "wolf -> 2 fox\"; rate = 5; }, { equation = \"m + fox -> 2 m + fox\"; rate "
              "= 6; } );"),
        words);
}

#define OWN_HOP_RATE                                                                               \
    "diffusion = (\"v\", 0.5); drift = (\"age\", \"x\"); walls = { xmin = \"ballistic\"; };"

static void walks_of_their_own_are_told(void **state)
{
    (void)state;
    static const char *const words[] = {
        "species     wolf: diffusion v, 0.5; drift age, x, xmin turns its drift round\n"
        "individuals wolf: at most 70 a run, of 60 B, each with a walk of its own; births and "
        "deaths are recorded\n"
        "            the lattice gives each a diffusivity of at least 0.5 |drift| along x, 0.5 "
        "|drift| along y: h / 2, less in smaller voxels\nattribute",
        NULL};
    assert_printed(GROUP(WOLF(OWN_HOP_RATE), ""), words);
    char *const page = printed(GROUP(WOLF("diffusion = \"v\";"), ""));
    assert_null(strstr(page, "lattice gives")); /* no species drifts */
    free(page);
    static const char *const hops[] = {"(hop by hop); lives in ball\nindividuals wolf: at most 70 "
                                       "a run, of 60 B, that move hop by "
                                       "hop; births",
                                       NULL};
    assert_printed(
        GROUP(WOLF("diffusion = 1; in = \"ball\";"),
              "regions = ( { name = \"ball\"; sphere = { centre = (3, 3); radius = 2; }; } "
              ");"),
        hops);
}

/* Checks which error is printed when nothing is split but rates change within a step. */
static void what_changes_in_a_step_is_not_exact(void **state)
{
    (void)state;
    static const char *const by_counts[] = {
        "solver      split: there is nothing to split, but individuals move by the counts from "
        "before the step (error of first order in it)\n",
        NULL};
    assert_printed(GROUP(WOLF("diffusion = \"0.1 * m\";"), ""), by_counts);
    assert_printed(GROUP(WOLF("drift = (\"slope_x(wolf)\", 0);"), ""), by_counts);
    static const char *const free_step[] = {
        "step        limited by outputs and events alone: none follows from motion by counts\n",
        NULL};
    assert_printed("grid = { voxels = 9; edge = 1.0; }; time = { end = 10.0; };\n"
                   "species = ( { name = \"A\"; diffusion = \"1 / (1 + A)\"; individuals = { max "
                   "= 3; }; } );",
                   free_step);
    static const char *const late[] = {"solver      split: there is nothing to split, but t is the "
                                       "middle of each step (error of second order in it)\n",
                                       NULL};
    assert_printed(GROUP(WOLF("diffusion = \"t\";"), ""), late);
    static const char *const exact[] = {"nothing to split, so it is exact\n", NULL};
    assert_printed(GROUP(WOLF(OWN_HOP_RATE), ""), exact);
}

/* Checks the size of the data of individuals: 70 wolves x 9 columns x 11 times; foxes record
   nothing. */
static void rows_of_individuals_take_capacity(void **state)
{
    (void)state;
    static const char *const all[] = {", and of individuals at most 55.4 kB before compression\n",
                                      NULL};
    assert_printed(GROUP(FOX WOLF(""), "output = { every = 1.0; };"), all);
    static const char *const totals[] = {"data of about 264 B before compression\n", NULL};
    assert_printed(GROUP(FOX WOLF(""), "output = { every = 1.0; keep = \"totals\"; };"), totals);
}

#define SNAPSHOTS_OF(output)                                                                       \
    "grid = { voxels = (500, 500); edge = 1.0; };\n"                                               \
    "species = ( { name = \"A\"; }, { name = \"B\"; } ); initial = ( { species = \"A\"; count = "  \
    "1; } );\n"                                                                                    \
    "time = { end = 100.0; step = 0.1; }; output = { file = \"it.h5\"; " output " };"

/* Checks the warning about slow recording. It takes 20 ms to compress 2 MB of counts; a step of
   500,000 counts takes 2.5 ms. */
static void recording_has_its_hop_rate(void **state)
{
    (void)state;
    static const char warns[] = "warning     it.h5: there are only 5 steps from one output to the "
                                "next: the run will wait for what it records; fewer outputs, ";
    static const char *const often[] = {
        "output      it.h5, data of about 402 MB before compression\n",
        "recording   2 MB every 5 steps: about 0.02 s to compress and write beside the run, which "
        "waits where these steps take less\n",
        warns,
        "output.keep = \"totals\" or \"statistics\", or output.compression = 0 make it faster\n",
        NULL};
    assert_printed(SNAPSHOTS_OF("every = 0.5;"), often);
    char *page = printed(SNAPSHOTS_OF("every = 0.5; compression = 0;"));
    assert_said(page, "about 0.002 s to write beside the run");
    assert_null(strstr(page, "will wait"));
    free(page);
    page = printed(SNAPSHOTS_OF("every = 1.0;"));
    assert_said(page, "2 MB every 10 steps");
    assert_null(strstr(page, "will wait"));
    free(page);
    page = printed(SNAPSHOTS_OF("every = 0.1; keep = \"totals\";"));
    assert_null(strstr(page, "recording"));
    assert_null(strstr(page, "will wait"));
    free(page);
}

/* Checks the warning that recommends a step when individuals have hop rates of their own. */
static void own_hop_rates_ask_for_a_step(void **state)
{
    (void)state;
    static const char *const asking[] = {
        GROUP(WOLF(OWN_HOP_RATE), "reactions = ( { equation = \"0 -> m\"; rate = 1; } );"),
        GROUP(WOLF("drift = (\"slope_x(m)\", 0);"), ""),
        GROUP(WOLF("diffusion = \"0.1 * m\";"), "")};
    static const char *const content[] = {
        GROUP(WOLF("diffusion = 1;"), "reactions = ( { equation = \"0 -> m\"; rate = 1; } );"),
        GROUP(WOLF(OWN_HOP_RATE), "")};
    static const char words[] = "warning     stage.cfg:3: the step follows from the others, since "
                                "each 'wolf' moves at its own rate; set time.step, to h^2 / 6 D";
    for (int i = 0; i < 3; i++)
        assert_printed(asking[i], (const char *const[]){words, NULL});
    for (int i = 0; i < 2; i++) {
        char *const page = printed(content[i]);
        assert_null(strstr(page, "at its own rate"));
        free(page);
    }
}

static void when_runs_stop_is_told(void **state)
{
    (void)state;
    static const char begin[] =
        "grid = { voxels = 3; edge = 1; }; species = ( { name = \"A\"; } );\n"
        "initial = ( { species = \"A\"; count = 7; } );\n"
        "parameters = { k = 7; }; time = { end = 1.0; stop = ";
    char text[400];
    snprintf(text, sizeof text, "%s\"A > k\"; stop_at = \"steps\"; };", begin);
    char *page = printed(text);
    assert_said(page, "stop        where A > k; asked after every step\n");
    assert_null(strstr(page, "warning"));
    free(page);
    snprintf(text, sizeof text, "%s\"1 / (A - k) > 3\"; };", begin);
    assert_printed(text,
                   (const char *const[]){"stop        where 1 / (A - k) > 3; asked at outputs\n",
                                         "warning     at the start '1 / (A - k) > 3' divides "
                                         "by 0, or is not finite otherwise, which comparisons "
                                         "hide\n",
                                         NULL});
    page = printed("grid = { voxels = 3; edge = 1; }; species = ( { name = \"A\"; } );\n"
                   "initial = ( { species = \"A\"; value = 1e9; } );\n"
                   "time = { end = 1.0; stop = \"log(A) > 90\"; };");
    assert_null(strstr(page, "divides by 0")); /* the sum over voxels exceeds the largest count */
    free(page);
}

/* Checks that too many individuals at the start are reported before the run begins. */
static void a_start_with_too_many_is_told(void **state)
{
    (void)state;
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    FILE *const out = fopen("/dev/null", "w");
    assert_non_null(out);
    stage_plan(&s,
               GROUP(FOX "{ name = \"a\"; }", "initial = ( { species = \"fox\"; value = 1; } );"));
    assert_true(rd_forecast_take(&o, &s.plan, &e));
    assert_false(rd_check_print(out, &s.plan, &o, "", &e));
    assert_said(e.text,
                "stage.cfg:3: at t = 0 there would be 30 individuals of 'fox' in run 0, more");
    rd_error_free(&e);
    fclose(out);
    stage_close(&s);
}

int test_check(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(movement_by_voxel_is_told),
        cmocka_unit_test(everything_derived_is_told),
        cmocka_unit_test(conserved_sums_are_told),
        cmocka_unit_test(regions_and_borders_are_told),
        cmocka_unit_test(fields_are_told),
        cmocka_unit_test(a_slope_that_is_the_same_everywhere_is_told),
        cmocka_unit_test(solvers_are_named),
        cmocka_unit_test(unequal_steps_and_lone_walkers_are_told),
        cmocka_unit_test(warnings_come_last),
        cmocka_unit_test(individuals_have_rules_and_fates),
        cmocka_unit_test(what_changes_in_a_step_is_not_exact),
        cmocka_unit_test(rows_of_individuals_take_capacity),
        cmocka_unit_test(walks_of_their_own_are_told),
        cmocka_unit_test(recording_has_its_hop_rate),
        cmocka_unit_test(own_hop_rates_ask_for_a_step),
        cmocka_unit_test(when_runs_stop_is_told),
        cmocka_unit_test(a_start_with_too_many_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
