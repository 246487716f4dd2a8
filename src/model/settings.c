/* settings - the sections that say how a run is told apart, solved and kept: title, units, output,
   run, solver and splitting. */
#include "rng.h"
#include "sections.h"

/* A copy of the text of group's member key. */
static char *text_of(struct rd_reader *r, const rd_node *group, const char *key)
{
    return rd_reader_copy(r, rd_node_text(rd_node_member(group, key)));
}

static void read_output(struct rd_reader *r, const rd_node *output)
{
    static const char *const keep[] = {"all", "totals", "statistics"};
    struct rd_model *const m = r->m;
    rd_reader_about(r, "output");
    m->keep = (enum rd_keep)rd_reader_word(rd_node_member(output, "keep"), 3, keep);
    m->compression = (int)rd_node_integer(rd_node_member(output, "compression"));
    m->file = text_of(r, output, "file");
    if (m->file && !*m->file)
        rd_reader_fail(r, rd_node_member(output, "file"),
                       "file is empty; give a path, or leave it out");
}

/* The exact solver knows counts only. */
static void check_solver(struct rd_reader *r, const rd_node *node)
{
    const struct rd_model *const m = r->m;
    rd_reader_about(r, "solver");
    for (int s = 0; m->solver == RD_SOLVER_EXACT && s < m->n_species; s++)
        if (m->species[s].is_individual)
            rd_reader_fail(r, node,
                           "\"exact\" knows no individuals, and %s has them; use \"split\"",
                           m->species[s].name);
}

static void read_run(struct rd_reader *r, const rd_node *run)
{
    struct rd_model *const m = r->m;
    rd_reader_about(r, "run");
    m->seed = (uint64_t)rd_node_integer(rd_node_member(run, "seed"));
    m->n_runs = rd_node_integer(rd_node_member(run, "runs"));
    m->first_run = rd_node_integer(rd_node_member(run, "first"));
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
    read_output(r, rd_node_member(root, "output"));
    read_run(r, rd_node_member(root, "run"));
}
