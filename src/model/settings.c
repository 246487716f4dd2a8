/* settings - the sections that identify a run and choose its times and solver: title, units, time,
   run, solver and splitting. */
#include "expr/dimension_text.h"
#include "kernels/core/rng.h"
#include "model/reader.h"

#include <string.h>

/* ---- times ---- */

static bool uses_concentrations(const struct rd_expr *x)
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
    if (uses_concentrations(&r->m->stop))
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
    const rd_node *const control = rd_node_member(time, "control");
    const char *const word = rd_node_text(step);
    rd_reader_about(r, "time");
    rd_reader_number(r, rd_node_member(time, "end"), "end", RD_RANGE_POSITIVE, &r->m->end);
    r->m->has_step = !word || strcmp(word, "auto") != 0;
    if (r->m->has_step)
        rd_reader_number(r, step, "step", RD_RANGE_POSITIVE, &r->m->step);
    if (control)
        rd_reader_number(r, control, "control", RD_RANGE_POSITIVE, &r->m->control);
    r->m->max_events = rd_node_integer(rd_node_member(time, "max_events"));
    read_stop(r, time);
}

void rd_times_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    read_time(r, rd_node_member(root, "time"));
}

/* ---- the others ---- */

/* Returns a copy of the text of group's member key. */
static char *text_of(struct rd_reader *r, const rd_node *group, const char *key)
{
    return rd_reader_copy(r, rd_node_text(rd_node_member(group, key)));
}

/* Reads the name of a unit, which may be any name but a unit of another dimension. */
static char *read_unit(struct rd_reader *r, const rd_node *units, const char *key,
                       struct rd_dimension d)
{
    const rd_node *const node = rd_node_member(units, key);
    const char *const name = rd_node_text(node) ? rd_node_text(node) : "";
    char one[128], words[64];
    struct rd_quantity q;
    snprintf(one, sizeof one, "1 %s", rd_units_symbol(name));
    if (rd_quantity_read(one, &r->units, &q) == RD_QUANTITY_RIGHT &&
        !rd_dimension_is_same(q.dimension, d)) {
        rd_dimension_words(q.dimension, words, sizeof words);
        rd_reader_fail(r, node,
                       "%s is \"%.20s\", which is %s; give a unit of %s, as \"%s\", or a name "
                       "that is not in the table in docs/units.md",
                       key, name, words, key, d.time > 0 ? "s" : "um");
    }
    return rd_reader_copy(r, name);
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
    if (m->solver == RD_SOLVER_SPLIT && m->n_odes > 0)
        rd_reader_fail(r, node, "\"split\" integrates no odes; use \"exact\"");
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
    for (int i = 0; m->solver == RD_SOLVER_EXACT && i < m->n_reactions; i++)
        if (m->reaction[i].is_instant && m->reaction[i].compartment < 0)
            rd_reader_fail(
                r, node,
                "\"exact\" has no steps, and the rate_model of '%s' is \"instant\", once "
                "in each step; use \"split\", or mass action with high rates",
                m->reaction[i].equation);
    for (int i = 0; m->solver == RD_SOLVER_EXACT && i < m->n_fields; i++)
        if (m->field_varies[i])
            rd_reader_fail(r, node,
                           "\"exact\" changes no fields, and field '%s' has a rate; use \"split\"",
                           m->field[i].name);
}

/* Reads the table of parameter vectors, each of which has as many runs; or takes the runs of one
   row. */
static void read_parameter_rows(struct rd_reader *r, const rd_node *run)
{
    static const char *const share[] = {"none", "streams"};
    struct rd_model *const m = r->m;
    struct rd_theta *const t = &m->theta;
    const rd_node *const rows = rd_node_member(run, "rows"), *const of =
                                                                 rd_node_member(run, "share");
    if (r->theta) {
        m->first_run += r->row * m->n_runs;
        m->n_all = r->theta->table.n_rows * m->n_runs;
        m->stream_shift = r->theta->shares_streams ? r->row * m->n_runs : 0;
        return;
    }
    if (!rows) {
        if (of)
            rd_reader_warn(r, of, "share is for the rows of a table; add rows, or leave it out");
        return;
    }
    t->n_runs = m->n_runs;
    t->shares_streams = of && rd_reader_word(of, 2, share) == 1;
    if (!rd_number_table_read(&t->table, rd_node_text(rd_node_member(rows, "file")), r->e))
        return;
    m->n_runs *= t->table.n_rows;
    m->n_all = m->n_runs;
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
    read_parameter_rows(r, run);
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
    rd_reader_about(r, "units");
    m->length_unit = read_unit(r, units, "length", (struct rd_dimension){1, 0});
    m->time_unit = read_unit(r, units, "time", (struct rd_dimension){0, 1});
    m->solver = (enum rd_solver)rd_reader_word(rd_node_member(root, "solver"), 2, solver);
    check_solver(r, rd_node_member(root, "solver"));
    m->splitting =
        (enum rd_splitting)rd_reader_word(rd_node_member(root, "splitting"), 2, splitting);
    read_run(r, rd_node_member(root, "run"));
}
