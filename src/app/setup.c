/* setup - makes model, plan and forecast of a configuration, with one step for all rows of a table.
 */
#include "app/job.h"

#include "base/text.h"
#include "result/files/run_state.h"
#include "sim/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the least number of steps of rows with the same random numbers: they begin anew in each
   step. With one step, the variance of the difference is a half higher (birth and death, 10
   against 10.5). */
enum { SHARED_STEPS = 20 };

/* Sets *step to the longest step of the row. Returns false if it cannot run. */
static bool step_of_row(const struct rd_setup *a, int64_t row, double *step, struct rd_error *why)
{
    struct rd_model m;
    struct rd_plan p = {0};
    struct rd_forecast forecast = {0};
    const bool ok = rd_batch_model_of_row(&m, a->config, &a->model, row, why) &&
                    rd_plan_open(&p, &m, why) && rd_forecast_take(&forecast, &p, why);
    *step = forecast.least;
    rd_plan_free(&p);
    rd_model_free(&m);
    return ok;
}

/* Sets the step of a model with a table of rows to the shortest that any of them needs, and warns
   about it. */
static bool find_row_step(struct rd_setup *a, struct rd_error *e)
{
    struct rd_model *const m = &a->model;
    const struct rd_theta *const t = &m->theta;
    double least = INFINITY;
    int64_t of = -1;
    char text[RD_NUMBER_BYTES];
    if (t->table.n_rows == 0 || m->step > 0.0 || (t->is_flat && !rd_plan_is_split(&a->plan)))
        return true;
    if (t->shares_streams && m->solver == RD_SOLVER_SPLIT)
        least = m->end / SHARED_STEPS;
    for (int64_t row = 0; row < t->table.n_rows; row++) {
        struct rd_error ignored = {0}; /* a row that cannot run is reported when it begins */
        double step = INFINITY;
        if (step_of_row(a, row, &step, &ignored) && step < least) {
            least = step;
            of = row;
        }
        rd_error_free(&ignored);
    }
    if (isinf(least))
        return true;
    m->step = least;
    rd_text_number(least, text);
    if (of >= 0)
        rd_fail(
            &m->warnings,
            "%s: all rows take steps of at most %s, the longest of row %lld; repeat a row alone "
            "with time.step = %s",
            t->table.file, text, (long long)of, text);
    else
        rd_fail(&m->warnings,
                "%s: all rows take steps of at most %s, so that they use the same random numbers "
                "at like times; repeat a row alone with time.step = %s",
                t->table.file, text, text);
    return rd_forecast_take(&a->forecast, &a->plan, e);
}

/* Checks the least memory of one run against the host's free memory, before anything is done for
   all voxels. It counts the array of counts: once, or twice if the CPU was requested; or rows, in
   which all species may be. */
static bool check_memory(const struct rd_options *o, const rd_config *c, struct rd_error *e)
{
    const bool is_cpu = strcmp(o->backend, "cpu") == 0;
    const double has = (double)rd_backend_cpu.memory(NULL);
    int64_t n_sites;
    int n_species;
    if (has < 0.0 || !rd_model_size(c, &n_sites, &n_species))
        return true;
    const double arrays = (is_cpu ? 2.0 : 1.0) * sizeof(int32_t) * n_species;
    const double each = arrays < RD_ROWS_VOXEL_BYTES ? arrays : RD_ROWS_VOXEL_BYTES;
    const double need = (double)n_sites * each;
    return need <= 0.95 * has ||
           rd_fail(e,
                   "1 run of %lld voxels and %d species needs at least %.3g GB; this machine has "
                   "%.3g GB free, enough for about %.3g voxels; use fewer, or a larger machine",
                   (long long)n_sites, n_species, need / 1e9, has / 1e9, 0.95 * has / each);
}

/* Returns whether the movement of an individual depends on something that changes in a step. */
static bool is_by_counts(const struct rd_species *s)
{
    return (rd_model_motion_uses(s) & (RD_USES_COUNTS | RD_USES_SLOPES)) != 0;
}

/* Warns if the automatic step should follow hop rates that are known in the run only. */
static void warn_of_own_rates(struct rd_model *m, const struct rd_plan *p)
{
    for (int64_t i = 0; i < p->world.lists.n_list; i++) {
        const int32_t column = p->list[i].species;
        const struct rd_species *const s = &m->species[p->species_of[column]];
        if (p->transport[column].kind == RD_MOVE_OWN &&
            (p->world.items.n_reacting > 0 || is_by_counts(s)))
            rd_fail(&m->warnings,
                    "%s: the automatic step ignores the hop rates of '%s', which differ between "
                    "individuals; set time.step to h^2 / (6 D) of the fastest or less",
                    s->place, s->name);
    }
}

/* Warns if steps of time.step are too long, unless outputs and events make them shorter. */
static void warn_of_long_step(struct rd_model *m, const struct rd_plan *p, double longest)
{
    const struct rd_step_limit l = rd_step_limit_automatic(p);
    if (longest > l.step * (1.0 + 1e-9))
        rd_fail(&m->warnings,
                "time.step: %.6g is longer than the automatic step of %.6g (%s); leave it out, or "
                "measure its error with rdsim check --halve",
                m->step, l.step, l.why);
}

void rd_setup_warn_of_step(struct rd_setup *a)
{
    if (a->model.solver != RD_SOLVER_SPLIT)
        return;
    if (a->model.has_step)
        warn_of_long_step(&a->model, &a->plan, a->forecast.longest);
    else
        warn_of_own_rates(&a->model, &a->plan);
}

/* Reads the configuration from the text, from standard input or from the file. */
static bool read_setup_config(struct rd_setup *a, const struct rd_options *o, const char *text,
                              struct rd_error *e)
{
    if (text)
        return rd_config_parse(&a->config, o->file, text, o->set, o->n_set, e);
    if (strcmp(o->file, "-") == 0)
        return rd_config_read_stdin(&a->config, o->set, o->n_set, e);
    return rd_result_is_not(o->file, "configuration", e) &&
           rd_config_read(&a->config, o->file, o->set, o->n_set, e);
}

bool rd_setup_make(struct rd_setup *a, const struct rd_options *o, const char *text,
                   struct rd_error *e)
{
    if (!read_setup_config(a, o, text, e) || !check_memory(o, a->config, e) ||
        !rd_model_make(&a->model, a->config, e))
        return false;
    rd_error_add(&a->model.warnings, rd_config_notes(a->config));
    return rd_plan_open(&a->plan, &a->model, e) && rd_forecast_take(&a->forecast, &a->plan, e) &&
           find_row_step(a, e);
}

void rd_setup_free(struct rd_setup *a)
{
    rd_plan_free(&a->plan);
    rd_model_free(&a->model);
    rd_config_free(a->config);
}
