/* settings - the sections that say how a run is told apart, solved and kept: title, units, output,
   run, solver and splitting. */
#include "rng.h"
#include "sections.h"

#include <stdio.h>
#include <string.h>

/* The text of group's member key, or what it is otherwise; a copy. */
static char *text_of(struct rd_reader *r, const rd_node *group, const char *key,
                     const char *otherwise)
{
    const rd_node *const node = group ? rd_node_member(group, key) : NULL;
    return rd_reader_copy(r, node ? rd_node_text(node) : otherwise);
}

static int word_of(struct rd_reader *r, const rd_node *group, const char *key, int n,
                   const char *const *word)
{
    const rd_node *const node = group ? rd_node_member(group, key) : NULL;
    const int which = node ? rd_reader_word(r, node, n, word) : 0;
    return which < 0 ? 0 : which;
}

static int64_t integer_of(struct rd_reader *r, const rd_node *group, const char *key, int64_t least,
                          int64_t most, int64_t otherwise)
{
    const rd_node *const node = group ? rd_node_member(group, key) : NULL;
    int64_t value = otherwise;
    if (node)
        rd_reader_integer(r, node, key, least, most, &value);
    return value;
}

/* "models/wave.cfg" writes "wave.h5". */
static char *default_file(struct rd_reader *r)
{
    const char *const path = rd_config_name(r->c);
    const char *const slash = strrchr(path, '/');
    const char *const base = slash ? slash + 1 : path;
    const char *const dot = strrchr(base, '.');
    const size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    char *const file = rd_reader_array(r, (int64_t)length + 4, 1);
    if (file)
        snprintf(file, length + 4, "%.*s.h5", (int)length, base);
    return file;
}

static void read_output(struct rd_reader *r, const rd_node *output)
{
    static const char *const keep[] = {"all", "totals", "statistics"};
    struct rd_model *const m = r->m;
    const rd_node *const file = output ? rd_node_member(output, "file") : NULL;
    rd_reader_about(r, "output");
    m->keep = (enum rd_keep)word_of(r, output, "keep", 3, keep);
    m->compression = (int)integer_of(r, output, "compression", 0, 9, 4);
    m->file = file ? rd_reader_copy(r, rd_node_text(file)) : default_file(r);
    if (m->file && !*m->file)
        rd_reader_fail(r, file, "file is empty; give a path, or leave it out");
}

static void read_run(struct rd_reader *r, const rd_node *run)
{
    struct rd_model *const m = r->m;
    rd_reader_about(r, "run");
    m->seed = (uint64_t)integer_of(r, run, "seed", 0, (int64_t)RD_SEED_END - 1, 1);
    m->n_runs = integer_of(r, run, "runs", 1, RD_RUN_END, 1);
    m->first_run = integer_of(r, run, "first", 0, RD_RUN_END - 1, 0);
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
    rd_reader_about(r, "%s", "");
    m->title = text_of(r, root, "title", "");
    m->length_unit = text_of(r, units, "length", "");
    m->time_unit = text_of(r, units, "time", "");
    m->solver = (enum rd_solver)word_of(r, root, "solver", 2, solver);
    m->splitting = (enum rd_splitting)word_of(r, root, "splitting", 2, splitting);
    read_output(r, rd_node_member(root, "output"));
    read_run(r, rd_node_member(root, "run"));
}
