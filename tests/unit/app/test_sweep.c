/* test_sweep - points, tasks, seeds and names of a sweep, and its scripts. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep_command.h"

#include "model_file.h"
#include "write_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void copy_model(const char *name, const char *path)
{
    char *const text = model_text(name);
    write_file(path, text);
    free(text);
}

/* Opens a copy of the sweep tests/models/NAME, beside a copy of its base. */
static void open_sweep(struct rd_sweep *s, const char *name)
{
    struct rd_error e = {0};
    copy_model("app/sweep_base.cfg", "sweep_base.cfg");
    copy_model(name, "s.cfg");
    if (!rd_sweep_read(s, "s.cfg", &e) || !rd_sweep_check(s, &e))
        fail_msg("%s", e.text);
}

static void product_varies_last_axis_fastest(void **state)
{
    (void)state;
    static const char *const k[] = {"0.1", "0.1", "2", "2"}, *const D[] = {"1", "3", "1", "3"};
    struct rd_sweep s;
    open_sweep(&s, "app/sweep_product.cfg");
    assert_int_equal(s.n_points, 4);
    assert_int_equal(s.n_tasks, 8);
    for (int number = 1; number <= 8; number++) {
        struct rd_task t;
        struct rd_error e = {0};
        char name[32];
        snprintf(name, sizeof name, "s/%d.h5", number);
        assert_true(rd_sweep_task(&t, &s, number, &e));
        assert_int_equal(t.point, (number + 1) / 2);
        assert_int_equal(t.repeat, (number + 1) % 2 + 1);
        assert_string_equal(t.set[0].path, "parameters.k");
        assert_string_equal(t.set[0].value, k[t.point - 1]);
        assert_string_equal(t.set[1].value, D[t.point - 1]);
        assert_string_equal(t.output, name);
        rd_task_free(&t);
    }
    rd_sweep_free(&s);
}

static void zip_combines_values_in_order(void **state)
{
    (void)state;
    struct rd_sweep s;
    open_sweep(&s, "app/sweep_zip.cfg");
    assert_int_equal(s.n_points, 3);
    struct rd_task t;
    struct rd_error e = {0};
    assert_true(rd_sweep_task(&t, &s, 2, &e));
    assert_string_equal(t.set[0].value, "\"2 * D\"");
    assert_string_equal(t.set[1].value, "(8, 1)");
    assert_string_equal(t.output, "r/k2___D__8__1_-2.h5");
    rd_task_free(&t);
    rd_sweep_free(&s);
}

static void series_contain_their_ends(void **state)
{
    (void)state;
    static const char *const by_factors[] = {"0.1", "1", "10"};
    struct rd_sweep s;
    open_sweep(&s, "app/sweep_series.cfg");
    for (int i = 0; i < 3; i++)
        assert_string_equal(s.axis[0].value[i], by_factors[i]);
    assert_int_equal(s.axis[1].n, 1);
    assert_string_equal(s.axis[1].value[0], "1");
    assert_string_equal(s.axis[2].value[2], "3");
    assert_string_equal(s.axis[3].value[3], "0.3");
    rd_sweep_free(&s);
}

static void random_values_follow_the_seed(void **state)
{
    (void)state;
    double few[5];
    for (int points = 5; points <= 200; points += 195) {
        struct rd_sweep s;
        open_sweep(&s, points > 5 ? "app/sweep_random_200.cfg" : "app/sweep_random_5.cfg");
        double sum = 0.0;
        for (int i = 0; i < points; i++) {
            const double v = strtod(s.axis[0].value[i], NULL);
            assert_true(v > 2.0 && v < 4.0);
            sum += v;
            if (points > 5 && i < 5)
                assert_true(v == few[i]);
            else if (i < 5)
                few[i] = v;
        }
        if (points > 5) /* the bound is 5 standard errors */
            assert_true(fabs(sum / points - 3.0) < 5.0 * 2.0 / sqrt(12.0 * points));
        rd_sweep_free(&s);
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void seeds_differ(void **state)
{
    (void)state;
    enum { POINTS = 1000, REPEATS = 100 };
    uint64_t *const seed = malloc(POINTS * REPEATS * sizeof *seed);
    assert_non_null(seed);
    for (int i = 0; i < POINTS * REPEATS; i++)
        seed[i] = rd_sweep_seed(3, 1 + i / REPEATS, 1 + i % REPEATS);
    assert_int_not_equal(seed[0], rd_sweep_seed(4, 1, 1));
    qsort(seed, POINTS * REPEATS, sizeof *seed, by_size);
    for (int i = 1; i < POINTS * REPEATS; i++)
        assert_true(seed[i] > seed[i - 1] && seed[i] < UINT64_C(1) << 48);
    /* The seeds are spread over all 48 bits, so the median is near half of the range. */
    assert_true(fabs((double)seed[POINTS * REPEATS / 2] / 0x1p48 - 0.5) < 0.01);
    assert_int_equal(rd_sweep_seed(1, 1, 1), 0x915918a2af9d);
    free(seed);
}

static void each_task_has_its_seed(void **state)
{
    (void)state;
    enum { TASKS = 12 };
    uint64_t seed[TASKS];
    struct rd_sweep s;
    open_sweep(&s, "app/sweep_repeats.cfg");
    assert_int_equal(s.n_tasks, TASKS);
    for (int i = 0; i < TASKS; i++) {
        struct rd_task t;
        struct rd_error e = {0};
        assert_true(rd_sweep_task(&t, &s, i + 1, &e));
        assert_true(t.seed == rd_sweep_seed(9, 1 + i / 4, 1 + i % 4));
        seed[i] = t.seed;
        rd_task_free(&t);
    }
    qsort(seed, TASKS, sizeof *seed, by_size);
    for (int i = 1; i < TASKS; i++)
        assert_true(seed[i] > seed[i - 1]);
    rd_sweep_free(&s);
}

/* Returns the text that the function for this queue prints; the caller frees it. */
static char *printed(const struct rd_sweep *s, int queue, int64_t per_job)
{
    const struct rd_script_options options = {
        .program = "/opt/it's/rdsim", .memory = "700M", .folder = "s.logs", .per_job = per_job};
    char *text = NULL;
    size_t length = 0;
    struct rd_error e = {0};
    FILE *const out = open_memstream(&text, &length);
    assert_non_null(out);
    if (queue < 0)
        assert_true(rd_sweep_print(out, s, &e));
    else
        rd_script_print(out, s, (enum rd_queueing_system)queue, &options);
    fclose(out);
    return text;
}

static void tables_and_scripts_contain_every_task(void **state)
{
    (void)state;
    struct rd_sweep s;
    open_sweep(&s, "app/sweep_print.cfg");
    char *const table = printed(&s, -1, 1);
    assert_non_null(strstr(table, "       2        2      1      2"));
    assert_non_null(strstr(table, "s/3.h5\n"));
    free(table);
    static const char *const line[] = {"#SBATCH --array=1-3\n", "#PBS -J 1-3\n", "#$ -t 1-3\n"};
    static const char *const cores[] = {" --threads \"${SLURM_CPUS_PER_TASK:-1}\"\n",
                                        " --threads \"${NCPUS:-1}\"\n",
                                        " --threads \"${NSLOTS:-1}\"\n"};
    static const char *const memory[] = {
        "#SBATCH --mem=700M\n", "#PBS -l select=1:ncpus=1:mem=700MB\n", "#$ -l mem_free=700M\n"};
    static const char *const folder[] = {"#SBATCH --output=s.logs/%A_%a.txt\n", "#PBS -o s.logs/\n",
                                         "#$ -o s.logs\n"};
    static const char *const two[] = {"#SBATCH --array=1-2\n", "#PBS -J 1-2\n", "#$ -t 1-2\n"};
    for (int queue = 0; queue < RD_N_QUEUES; queue++) {
        char *const several = printed(&s, queue, 2);
        assert_non_null(strstr(several, two[queue]));
        free(several);
        char *const script = printed(&s, queue, 1);
        assert_non_null(strstr(script, line[queue]));
        assert_non_null(strstr(script, "'/opt/it'\\''s/rdsim' sweep 's.cfg' --task "));
        assert_non_null(strstr(script, cores[queue]));
        assert_non_null(strstr(script, memory[queue]));
        assert_non_null(strstr(script, folder[queue]));
        free(script);
    }
    rd_sweep_free(&s);
}

int test_sweep(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_varies_last_axis_fastest),
        cmocka_unit_test(zip_combines_values_in_order),
        cmocka_unit_test(series_contain_their_ends),
        cmocka_unit_test(random_values_follow_the_seed),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(each_task_has_its_seed),
        cmocka_unit_test(tables_and_scripts_contain_every_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
