/* settings - the sections that identify a run and choose its times, solver and output: title,
   units, time, output, run, solver and splitting. */
#include "kernels/core/rng.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* ---- times ---- */

static bool asks_for_concentrations(const struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_CONCENTRATION)
            return true;
    return false;
}

/* Reads the condition that stops a run before its end; it may use totals of species, and t. */
static void read_stop(struct rd_reader *r, const rd_node *time)
{
    static const char *const when[] = {"outputs", "steps"};
    const rd_node *const stop = rd_node_member(time, "stop");
    const rd_node *const at = rd_node_member(time, "stop_at");
    r->m->stops_at_steps = rd_reader_word(at, 2, when) == 1;
    if (!stop) {
        if (r->m->stops_at_steps)
            rd_reader_warn(
                r, at, "stop_at is \"steps\", but there is no stop; add one, as in \"A >= 1000\"");
        return;
    }
    const unsigned allowed = RD_USES_PARAMETERS | RD_USES_TIME | RD_USES_COUNTS | RD_USES_TOTALS;
    if (!rd_reader_expr(r, stop, "stop", allowed, RD_RANGE_ANY, &r->m->stop))
        return;
    if (asks_for_concentrations(&r->m->stop))
        rd_reader_fail(r, stop,
                       "stop is \"%s\", but it is for all voxels together, which have no "
                       "concentrations; write A instead of [A]",
                       r->m->stop.text);
    else if (!(r->m->stop.uses &
               (RD_USES_TIME | RD_USES_COUNTS | RD_USES_TOTALS | RD_USES_RUN_VALUES)))
        rd_reader_fail(r, stop,
                       "stop is \"%s\", which is the same at all times; use the number of a "
                       "species, or t, as in \"A >= 1000\"",
                       r->m->stop.text);
    rd_totals_of_counts(r, stop, &r->m->stop);
}

static void read_time(struct rd_reader *r, const rd_node *time)
{
    const rd_node *const step = rd_node_member(time, "step");
    const char *const word = rd_node_text(step);
    rd_reader_about(r, "time");
    rd_reader_number(r, rd_node_member(time, "end"), "end", RD_RANGE_POSITIVE, &r->m->end);
    if (!word || strcmp(word, "auto") != 0)
        rd_reader_number(r, step, "step", RD_RANGE_POSITIVE, &r->m->step);
    r->m->max_events = rd_node_integer(rd_node_member(time, "max_events"));
    read_stop(r, time);
}

/* Sets the output times k * every, each as a product, and the end. */
static void output_every(struct rd_reader *r, const rd_node *node, double every)
{
    struct rd_model *const m = r->m;
    const double most = 1e7;
    const double tolerance = 1e-9; /* in units of `every`; a time so close to the end is the end */
    const double last = floor(m->end / every);
    if (!(last < most)) {
        rd_reader_fail(r, node,
                       "every %g up to %g makes more than %.0f outputs; give a longer interval",
                       every, m->end, most);
        return;
    }
    const bool hits_end = m->end - last * every <= tolerance * every;
    const int64_t n = (int64_t)last + (hits_end ? 1 : 2);
    m->output = rd_reader_array(r, n, sizeof *m->output);
    if (!m->output)
        return;
    for (int64_t k = 0; k < n - 1; k++)
        m->output[k] = (double)k * every;
    m->output[n - 1] = m->end;
    m->n_outputs = n;
}

static void output_at(struct rd_reader *r, const rd_node *times)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(times);
    m->output = rd_reader_array(r, n, sizeof *m->output);
    for (int k = 0; m->output && k < n; k++) {
        const rd_node *const node = rd_node_at(times, k);
        double *const t = &m->output[k];
        m->n_outputs = k + 1;
        if (!rd_reader_number(r, node, "times", RD_RANGE_NOT_NEGATIVE, t))
            return;
        if (m->end > 0 && *t > m->end)
            rd_reader_fail(r, node, "time %g is after the end, %g; leave it out", *t, m->end);
        if (k > 0 && *t <= t[-1])
            rd_reader_fail(r, node, "time %g stands after %g; give rising times", *t, t[-1]);
    }
}

static void read_outputs(struct rd_reader *r, const rd_node *output)
{
    const rd_node *const every = rd_node_member(output, "every");
    const rd_node *const times = rd_node_member(output, "times");
    const bool has_end = r->m->end > 0; /* else the fault is reported; `every` may depend on the end
                                           by default */
    double interval;
    rd_reader_about(r, "output");
    if (every && times)
        rd_reader_fail(r, output, "has both every and times; give one of them");
    else if (times)
        output_at(r, times);
    else if (has_end && rd_reader_number(r, every, "every", RD_RANGE_POSITIVE, &interval))
        output_every(r, every, interval);
}

void rd_times_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    read_time(r, rd_node_member(root, "time"));
    read_outputs(r, rd_node_member(root, "output"));
}

/* ---- the others ---- */

/* Returns a copy of the text of group's member key. */
static char *text_of(struct rd_reader *r, const rd_node *group, const char *key)
{
    return rd_reader_copy(r, rd_node_text(rd_node_member(group, key)));
}

/* Reads `keep`; "first N" becomes "all" if there are no more than N runs. */
static void read_keep(struct rd_reader *r, const rd_node *node)
{
    static const char *const keep[] = {"all", "totals", "statistics", "first N"};
    struct rd_model *const m = r->m;
    m->keep = (enum rd_keep)rd_reader_word(node, 4, keep);
    if (m->keep == RD_KEEP_FIRST && rd_word_is(keep[3], rd_node_text(node), &m->keep_first) &&
        m->keep_first >= m->n_runs)
        m->keep = RD_KEEP_ALL;
}

static void read_quantiles(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    m->quantile = rd_reader_array(r, rd_node_length(list), sizeof *m->quantile);
    for (int i = 0; m->quantile && i < rd_node_length(list); i++) {
        const rd_node *const node = rd_node_at(list, i);
        double *const q = &m->quantile[i];
        m->n_quantiles = i + 1;
        if (!rd_reader_number(r, node, "quantiles", RD_RANGE_PROBABILITY, q))
            return;
        if (i > 0 && *q <= q[-1])
            rd_reader_fail(r, node, "quantile %g stands after %g; give rising quantiles", *q,
                           q[-1]);
    }
}

/* Reads the regions of which totals are recorded; without the key, all. */
static void read_regions(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    if (!list)
        m->totalled = m->n_regions < 64 ? (UINT64_C(1) << m->n_regions) - 1 : UINT64_MAX;
    for (int i = 0; list && i < rd_reader_many(list); i++) {
        const rd_node *const node = rd_reader_each(list, i);
        const int region = rd_names_look(r, node, RD_NAME_REGION, rd_node_text(node));
        if (region >= 0 && m->totalled >> region & 1)
            rd_reader_fail(r, node, "names region '%s' twice; name it once", rd_node_text(node));
        if (region >= 0)
            m->totalled |= UINT64_C(1) << region;
    }
}

static void read_output(struct rd_reader *r, const rd_node *output)
{
    struct rd_model *const m = r->m;
    rd_reader_about(r, "output");
    read_keep(r, rd_node_member(output, "keep"));
    read_quantiles(r, rd_node_member(output, "quantiles"));
    read_regions(r, rd_node_member(output, "regions"));
    m->compression = (int)rd_node_integer(rd_node_member(output, "compression"));
    m->file = text_of(r, output, "file");
    if (m->file && !*m->file)
        rd_reader_fail(r, rd_node_member(output, "file"),
                       "file is empty; give a path, or leave it out");
}

enum {
    CHANGING = RD_USES_TIME | RD_USES_COUNTS | RD_USES_SLOPES | RD_USES_VARYING | RD_USES_TOTALS |
               RD_USES_RUN_VALUES
};

/* Checks that the exact solver supports the model. It simulates counts per voxel, with motion and
   fields that do not change. */
static void check_solver(struct rd_reader *r, const rd_node *node)
{
    const struct rd_model *const m = r->m;
    rd_reader_about(r, "solver");
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (m->species[s].is_individual)
            rd_reader_fail(r, node,
                           "\"exact\" simulates no individuals, and %s has them; use \"split\"",
                           m->species[s].name);
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (!m->species[s].is_individual && (rd_model_motion_uses(&m->species[s]) & CHANGING))
            rd_reader_fail(r, node,
                           "\"exact\" supports no diffusion or drift that changes with t or "
                           "counts, as that of %s does; use \"split\"",
                           m->species[s].name);
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (m->species[s].is_followed)
            rd_reader_fail(r, node,
                           "\"exact\" computes no mean places, and an expression uses that of %s; "
                           "use \"split\"",
                           m->species[s].name);
    for (int i = 0; m->solver == RD_SOLVER_EXACT && i < m->n_fields; i++)
        if (m->field_varies[i])
            rd_reader_fail(r, node,
                           "\"exact\" changes no fields, and field '%s' has a rate; use \"split\"",
                           m->field[i].name);
}

static void read_run(struct rd_reader *r, const rd_node *run)
{
    struct rd_model *const m = r->m;
    rd_reader_about(r, "run");
    m->seed = (uint64_t)rd_node_integer(rd_node_member(run, "seed"));
    m->n_runs = rd_node_integer(rd_node_member(run, "runs"));
    m->first_run = rd_node_integer(rd_node_member(run, "first"));
    m->first_of_all = m->first_run;
    m->n_all = m->n_runs;
    if (m->first_run + m->n_runs > RD_RUN_END)
        rd_reader_fail(r, run, "first + runs is %lld; use at most 2^28 = %lld",
                       (long long)(m->first_run + m->n_runs), (long long)RD_RUN_END);
}

void rd_settings_read(struct rd_reader *r)
{
    static const char *const solver[] = {"split", "exact"};
    static const char *const splitting[] = {"strang", "lie"};
    struct rd_model *const m = r->m;
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const units = rd_node_member(root, "units");
    m->title = text_of(r, root, "title");
    m->length_unit = text_of(r, units, "length");
    m->time_unit = text_of(r, units, "time");
    m->solver = (enum rd_solver)rd_reader_word(rd_node_member(root, "solver"), 2, solver);
    check_solver(r, rd_node_member(root, "solver"));
    m->splitting =
        (enum rd_splitting)rd_reader_word(rd_node_member(root, "splitting"), 2, splitting);
    read_run(r, rd_node_member(root, "run"));
    read_output(r, rd_node_member(root, "output"));
}
