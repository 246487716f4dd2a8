/* test_configs - checks that every file of configs/ is a configuration that can run within
   minutes. */
#define _POSIX_C_SOURCE 200809L
#include "plan/step_limit.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATH_BYTES = 4096 };

/* Limit for steps x voxels x runs, some minutes on one core. */
static const double work_most = 1e9;

static void assert_runnable(const char *path)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_plan p = {0};
    struct rd_forecast o = {0};
    struct rd_error e = {0};
    if (!rd_config_read(&c, path, NULL, 0, &e) || !rd_model_make(&m, c, &e) ||
        !rd_plan_open(&p, &m, &e) || !rd_forecast_take(&o, &p, &e))
        fail_msg("%s", e.text);
    if (m.warnings.n > 0)
        fail_msg("%s", m.warnings.text);
    const double work = (double)o.n_steps * (double)m.grid.n_sites * (double)m.n_runs;
    if (work > work_most)
        fail_msg("%s: %g updates of a voxel are more than some minutes", path, work);
    rd_plan_free(&p);
    rd_model_free(&m);
    rd_config_free(c);
}

static void every_configuration_can_run(void **state)
{
    (void)state;
    const char *const source = getenv("RDSIM_SOURCE");
    if (!source)
        skip(); /* RDSIM_SOURCE is not set if the test is run by hand */
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/configs", source);
    DIR *const folder = opendir(path);
    assert_non_null(folder);
    int n = 0;
    for (const struct dirent *file; (file = readdir(folder));) {
        const char *const ending = strrchr(file->d_name, '.');
        if (!ending || strcmp(ending, ".cfg") != 0)
            continue;
        snprintf(path, sizeof path, "%s/configs/%s", source, file->d_name);
        assert_runnable(path);
        n++;
    }
    closedir(folder);
    assert_true(n >= 24);
}

int test_configs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_configuration_can_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
