/* test_cases - which cases are selected, at which sizes, and that their texts are valid
   configurations. */
#include "bench/case_texts.h"
#include "bench/cases.h"

#include "make_model.h"

static void sizes_follow_the_case_or_the_command(void **state)
{
    (void)state;
    static const struct rd_size list[] = {{64, 0.1}, {64, 1.0}, {128, 0.1}, {128, 1.0}};
    struct rd_size size[RD_SIZES_MOST];
    struct rd_bench_of of = {0};
    assert_int_equal(rd_sizes(&of, list, 4, 2, size), 4);
    for (int i = 0; i < 4; i++)
        assert_true(size[i].voxels == list[i].voxels && size[i].load == list[i].load);
    of.is_quick = true;
    assert_int_equal(rd_sizes(&of, list, 4, 2, size), 2);
    of.is_quick = false;
    of.voxels = 20;
    assert_int_equal(rd_sizes(&of, list, 4, 2, size), 2);
    assert_true(size[0].voxels == 20 && size[0].load == 0.1 && size[1].load == 1.0);
    of.load = 3.0;
    assert_int_equal(rd_sizes(&of, list, 4, 2, size), 1);
    assert_true(size[0].voxels == 20 && size[0].load == 3.0);
    assert_int_equal(rd_size_number(&size[0]), 24000);
}

static void cases_are_selected_by_name(void **state)
{
    (void)state;
    static const char *const name[] = {"exact", "peer"};
    const struct rd_bench_of all = {0}, two = {.name = name, .n_names = 2};
    for (int i = 0; i < rd_n_cases; i++) {
        const struct rd_case *const c = &rd_cases[i];
        const struct rd_bench cpu = {.of = &all}, gpu = {.of = &all, .is_gpu = true},
                              named = {.of = &two, .is_gpu = true};
        assert_true(rd_case_is_asked(&cpu, c));
        assert_int_equal(rd_case_is_asked(&gpu, c), c->on_gpu);
        assert_int_equal(rd_case_is_asked(&named, c),
                         strcmp(c->name, "exact") == 0 || strcmp(c->name, "peer") == 0);
    }
}

static void unknown_names_are_reported(void **state)
{
    (void)state;
    static const char *const name[] = {"peer", "peers", "banana"};
    const struct rd_bench_of of = {.name = name, .n_names = 3};
    const struct rd_bench_of right = {.name = name, .n_names = 1};
    struct rd_error e = {0};
    assert_true(rd_cases_check(&right, &e));
    assert_false(rd_cases_check(&of, &e));
    assert_string_equal(e.text,
                        "--case peers: there is no such case; did you mean 'peer'?\n"
                        "--case banana: there is no such case; rdsim-bench --list names them");
    rd_error_free(&e);
}

static void rates_of_the_peer_are_probabilities_per_step(void **state)
{
    (void)state;
    struct rd_model m = model_of(rd_text_peer);
    assert_int_equal(m.n_species, 3);
    assert_int_equal(m.splitting, RD_SPLITTING_LIE);
    assert_true(m.step == 1.0 && value_of(&m.species[0].diffusion[2], &m) == 0.1);
    const double pair = value_of(&m.reaction[0].rate, &m), back = value_of(&m.reaction[1].rate, &m);
    assert_true(pair > 0.02020 && pair < 0.02021); /* equals -log(1 - 0.02) */
    assert_true(back > 0.0010005 && back < 0.0010006);
    rd_model_free(&m);
    m = model_of(rd_text_movement);
    assert_int_equal(m.n_reactions, 0);
    rd_model_free(&m);
}

static void all_texts_are_configurations(void **state)
{
    (void)state;
    struct rd_model m = model_of(rd_text_equilibrium);
    assert_true(m.end > 0.999 && m.end < 1.001); /* lasts six steps of 1/6 */
    rd_model_free(&m);
    m = model_of(rd_text_regions);
    assert_int_equal(m.n_borders, 3);
    rd_model_free(&m);
    m = model_of(rd_text_expressions);
    assert_true(m.n_reactions == 1 && m.reaction[0].has_propensity);
    rd_model_free(&m);
    m = model_of(rd_text_walkers);
    assert_true(m.n_reactions == 0 && m.species[0].is_individual);
    rd_model_free(&m);
    m = model_of(rd_text_turnover);
    assert_int_equal(m.n_reactions, 2);
    rd_model_free(&m);
    m = model_of(rd_text_expression);
    assert_int_equal(m.n_reactions, 5);
    assert_true(value_of(&m.reaction[0].rate, &m) == 5.0); /* equals the value computed by hand */
    rd_model_free(&m);
}

/* Returns the figure of a trial of the peer's case that took 0.5 ms per step, with a back end on
   DEVICE. */
static struct rd_figure figure_on(const char *device, const struct rd_bench_of *of)
{
    struct rd_bench b = {.of = of};
    b.report.device = device;
    struct rd_trial t = {.of = "peer", .size = {256, 1.0}};
    t.m.has_run = true;
    t.m.steps = 100;
    t.m.pass[RD_HOP] = 1e-4;
    rd_sample_add(&t.m.seconds, 0.5e-3);
    return rd_trial_figure(&b, &t, 1e6, "voxels/s");
}

static void ratios_are_for_the_same_device_and_case(void **state)
{
    (void)state;
    const struct rd_set set = {.path = "parameters.q", .value = "0.2"};
    const struct rd_bench_of all = {0}, other = {.n_set = 1, .set = &set}, short_ = {.steps = 50};
    struct rd_figure f = figure_on("NVIDIA H200", &all);
    assert_true(f.value > 1.99e9 && f.value < 2.01e9);
    assert_true(f.ratio > 17.45 && f.ratio < 17.47); /* Lattice Microbes takes 8.73 ms */
    assert_true(f.voxels == 256 && f.load == 1.0 && f.steps == 100 && f.pass[RD_HOP] == 1e-4);
    f = figure_on("AMD EPYC", &all);
    assert_true(f.peer && f.ratio == 0.0);
    f = figure_on("NVIDIA H200", &other);
    assert_true(!f.peer && f.ratio == 0.0);
    f = figure_on("NVIDIA H200", &short_);
    assert_null(f.peer);
}

static void cases_that_did_not_run_have_a_reason(void **state)
{
    (void)state;
    const struct rd_bench_of of = {0};
    const struct rd_bench b = {.of = &of};
    struct rd_trial t = {.of = "peer", .size = {256, 1.0}};
    rd_fail(&t.m.why, "it needs 3 GB");
    struct rd_figure f = rd_trial_figure(&b, &t, 1e6, "voxels/s");
    assert_string_equal(f.note, "does not fit: it needs 3 GB");
    assert_true(f.value == 0.0 && !f.peer);
    f = rd_figure_beside(&t, "bytes", 0.0, "B");
    assert_string_equal(f.note, "does not fit: it needs 3 GB");
    rd_error_free(&t.m.why);
}

int test_cases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_the_case_or_the_command),
        cmocka_unit_test(cases_are_selected_by_name),
        cmocka_unit_test(unknown_names_are_reported),
        cmocka_unit_test(ratios_are_for_the_same_device_and_case),
        cmocka_unit_test(cases_that_did_not_run_have_a_reason),
        cmocka_unit_test(rates_of_the_peer_are_probabilities_per_step),
        cmocka_unit_test(all_texts_are_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
