/* settings - the sections that identify a run and choose its solver and output: title, units,
   output, run, solver and splitting. */
#include "kernels/core/rng.h"
#include "model/sections.h"

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
            rd_reader_fail(r, node, "quantile %g stands after %g; quantiles must rise", *q, q[-1]);
    }
}

static void read_output(struct rd_reader *r, const rd_node *output)
{
    struct rd_model *const m = r->m;
    rd_reader_about(r, "output");
    read_keep(r, rd_node_member(output, "keep"));
    read_quantiles(r, rd_node_member(output, "quantiles"));
    m->compression = (int)rd_node_integer(rd_node_member(output, "compression"));
    m->file = text_of(r, output, "file");
    if (m->file && !*m->file)
        rd_reader_fail(r, rd_node_member(output, "file"),
                       "file is empty; give a path, or leave it out");
}

enum { CHANGING = RD_USES_TIME | RD_USES_COUNTS | RD_USES_SLOPES | RD_USES_VARYING };

/* Checks that the exact solver supports the model. It simulates counts per voxel, with motion and
   fields that do not change. */
static void check_solver(struct rd_reader *r, const rd_node *node)
{
    const struct rd_model *const m = r->m;
    rd_reader_about(r, "solver");
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (m->species[s].is_individual)
            rd_reader_fail(r, node,
                           "\"exact\" knows no individuals, and %s has them; use \"split\"",
                           m->species[s].name);
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (!m->species[s].is_individual && (rd_model_motion_uses(&m->species[s]) & CHANGING))
            rd_reader_fail(r, node,
                           "\"exact\" takes no diffusion or drift that changes with t or counts, "
                           "as that of %s does; use \"split\"",
                           m->species[s].name);
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (m->species[s].is_followed)
            rd_reader_fail(r, node,
                           "\"exact\" looks at one voxel at a time, and the mean place of %s is "
                           "asked for; use \"split\"",
                           m->species[s].name);
    for (int i = 0; m->solver == RD_SOLVER_EXACT && i < m->n_fields; i++)
        if (m->field_varies[i])
            rd_reader_fail(r, node,
                           "\"exact\" has no steps, in which field '%s' would change; use "
                           "\"split\"",
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
        rd_reader_fail(r, run, "first + runs is %lld; at most 2^28 = %lld is possible",
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
