/* outputs - the groups of the result: times, species, regions and contents of each, and the times
   at which any of them records. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- times of one group ---- */

/* Sets the times k * every, each as a product, and the end. */
static void set_every(struct rd_reader *r, const rd_node *node, double every, struct rd_output *o)
{
    const double most = 1e7, end = r->m->end;
    const double tolerance = 1e-9; /* in units of `every`; a time so close to the end is the end */
    const double last = floor(end / every);
    if (!(last < most)) {
        rd_reader_fail(r, node,
                       "every %g up to %g makes more than %.0f outputs; give a longer interval",
                       every, end, most);
        return;
    }
    const bool hits_end = end - last * every <= tolerance * every;
    const int64_t n = (int64_t)last + (hits_end ? 1 : 2);
    o->time = rd_reader_array(r, n, sizeof *o->time);
    if (!o->time)
        return;
    for (int64_t k = 0; k < n - 1; k++)
        o->time[k] = (double)k * every;
    o->time[n - 1] = end;
    o->n_times = n;
}

static void set_times(struct rd_reader *r, const rd_node *times, struct rd_output *o)
{
    const int n = rd_node_length(times);
    const double end = r->m->end;
    o->time = rd_reader_array(r, n, sizeof *o->time);
    for (int k = 0; o->time && k < n; k++) {
        const rd_node *const node = rd_node_at(times, k);
        double *const t = &o->time[k];
        o->n_times = k + 1;
        if (!rd_reader_number(r, node, "times", RD_RANGE_NOT_NEGATIVE, t))
            return;
        if (end > 0 && *t > end)
            rd_reader_fail(r, node, "time %g is after the end, %g; leave it out", *t, end);
        if (k > 0 && *t <= t[-1])
            rd_reader_fail(r, node, "time %g stands after %g; give rising times", *t, t[-1]);
    }
}

static void read_output_times(struct rd_reader *r, const rd_node *group, struct rd_output *o)
{
    const rd_node *const every = rd_node_member(group, "every");
    const rd_node *const times = rd_node_member(group, "times");
    const bool has_end = r->m->end > 0; /* else the fault is reported; `every` may depend on the end
                                           by default */
    double interval;
    if (every && times)
        rd_reader_fail(r, group, "has both every and times; give one of them");
    else if (times)
        set_times(r, times, o);
    else if (!every)
        rd_reader_fail(r, group, "has neither every nor times; give one of them");
    else if (has_end && rd_reader_number(r, every, "every", RD_RANGE_POSITIVE, &interval))
        set_every(r, every, interval, o);
}

/* ---- contents of one group ---- */

/* Reads `keep`; "first N" becomes "all" if there are no more than N runs. */
static void read_keep(struct rd_reader *r, const rd_node *node, struct rd_output *o)
{
    static const char *const keep[] = {"all", "totals", "statistics", "first N"};
    o->keep = (enum rd_keep)rd_reader_word(node, 4, keep);
    if (o->keep == RD_KEEP_FIRST && rd_word_is(keep[3], rd_node_text(node), &o->keep_first) &&
        o->keep_first >= r->m->n_runs)
        o->keep = RD_KEEP_ALL;
}

/* Sets chosen[i] for each name of the list, and for each of n without a list. */
static void choose_names(struct rd_reader *r, const rd_node *list, enum rd_name_kind kind, int n,
                         bool *chosen)
{
    for (int i = 0; !list && i < n; i++)
        chosen[i] = true;
    for (int i = 0; list && i < rd_reader_many(list); i++) {
        const rd_node *const node = rd_reader_each(list, i);
        const int found = rd_names_look(r, node, kind, rd_node_text(node));
        if (found >= 0 && chosen[found])
            rd_reader_fail(r, node, "'%s' stands twice in the list; name it once",
                           rd_node_text(node));
        if (found >= 0)
            chosen[found] = true;
    }
}

/* Reads the species and the regions that are recorded; without the keys, all. */
static void read_choices(struct rd_reader *r, const rd_node *group, struct rd_output *o)
{
    const struct rd_model *const m = r->m;
    bool region[RD_MAX_REGIONS] = {false};
    bool *const species = rd_reader_array(r, m->n_species, sizeof *species);
    o->species = rd_reader_array(r, m->n_species, sizeof *o->species);
    choose_names(r, rd_node_member(group, "regions"), RD_NAME_REGION, m->n_regions, region);
    for (int i = 0; i < m->n_regions; i++)
        o->regions |= (uint64_t)region[i] << i;
    if (species)
        choose_names(r, rd_node_member(group, "species"), RD_NAME_SPECIES, m->n_species, species);
    for (int32_t i = 0; species && o->species && i < m->n_species; i++)
        if (species[i])
            o->species[o->n_species++] = i;
    free(species);
}

/* Reports that the statistics of voxels are too many: refused where only they are recorded of some
   runs, and left out where the counts of all runs are. */
static void report_statistics(struct rd_reader *r, const rd_node *group, const struct rd_output *o)
{
    const struct rd_model *const m = r->m;
    const bool is_left_out = o->keep == RD_KEEP_ALL;
    char text[300];
    snprintf(
        text, sizeof text,
        "statistics of %d species in %lld voxels are %lld numbers each, more than %lld; %s, or "
        "write them with output.layout = \"dense\"",
        o->n_species, (long long)m->grid.n_sites, (long long)(o->n_species * m->grid.n_sites),
        (long long)RD_DENSE_MOST,
        is_left_out ? "they are left out: compute them from the counts"
                    : "keep \"all\" or \"totals\"");
    if (is_left_out)
        rd_reader_warn(r, group, "%s", text);
    else
        rd_reader_fail(r, rd_node_member(group, "keep"), "%s", text);
}

/* Chooses how counts are written, and whether statistics of voxels are. Both depend on the
   configuration only. */
static void read_layout(struct rd_reader *r, const rd_node *group, struct rd_output *o)
{
    static const char *const layout[] = {"auto", "dense", "sparse"};
    const int64_t sites = r->m->grid.n_sites;
    o->layout = (enum rd_output_layout)rd_reader_word(rd_node_member(group, "layout"), 3, layout);
    o->is_sparse = rd_output_keeps_voxels(o) &&
                   (o->layout == RD_LAYOUT_SPARSE ||
                    (o->layout == RD_LAYOUT_AUTO && o->n_species * sites > RD_DENSE_MOST));
    o->is_large = o->layout != RD_LAYOUT_DENSE && o->n_species * sites > RD_DENSE_MOST;
    if (o->is_large && o->keep != RD_KEEP_TOTALS && r->m->n_runs > 1)
        report_statistics(r, group, o);
}

static void read_quantiles(struct rd_reader *r, const rd_node *list, struct rd_output *o)
{
    const int n = rd_node_length(list);
    o->quantile = rd_reader_array(r, n, sizeof *o->quantile);
    for (int i = 0; o->quantile && i < n; i++) {
        const rd_node *const node = rd_node_at(list, i);
        double *const q = &o->quantile[i];
        o->n_quantiles = i + 1;
        if (!rd_reader_number(r, node, "quantiles", RD_RANGE_PROBABILITY, q))
            return;
        if (i > 0 && *q <= q[-1])
            rd_reader_fail(r, node, "quantile %g stands after %g; give rising quantiles", *q,
                           q[-1]);
    }
}

/* ---- names ---- */

/* Lists the names at the root of a result (result/format/layout.c), which no group may have. */
static const char *const reserved[] = {"run",
                                       "time",
                                       "species",
                                       "z",
                                       "y",
                                       "x",
                                       "reaction",
                                       "face",
                                       "species_2",
                                       "region",
                                       "quantile",
                                       "ensemble",
                                       "row",
                                       "counts",
                                       "totals",
                                       "reactions",
                                       "boundary",
                                       "injected",
                                       "stopped",
                                       "run_state",
                                       "faults",
                                       "fields",
                                       "individuals",
                                       "lineage",
                                       "events",
                                       "model",
                                       "regions",
                                       "surfaces",
                                       "provenance",
                                       "rows",
                                       "observable",
                                       "observables",
                                       "value",
                                       "values",
                                       "by",
                                       "statistics",
                                       "species_label",
                                       "species_compartment",
                                       "species_colour",
                                       "sparse"};

bool rd_output_is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            return true;
    return false;
}

static void check_output_name(struct rd_reader *r, const rd_node *group, int i)
{
    const struct rd_model *const m = r->m;
    const char *const name = m->output[i].name;
    const rd_node *const node = rd_node_member(group, "name");
    int before = 0;
    while (before < i && (!m->output[before].name || strcmp(m->output[before].name, name) != 0))
        before++;
    if (node && !rd_names_is_spelled(name))
        rd_reader_fail(r, node, "is not a name; write a letter, then letters, digits or _");
    else if (strlen(name) >= RD_NAME_BYTES - 1)
        rd_reader_fail(r, node, "has a name of %zu characters; use at most %d", strlen(name),
                       (int)RD_NAME_BYTES - 2);
    else if (rd_output_is_reserved(name))
        rd_reader_fail(r, node, "every result has its own /%s; choose another name for the group",
                       name);
    else if (before < i && *name)
        rd_reader_fail(r, node, "is declared twice; rename one of them");
    else if (before < i)
        rd_reader_fail(r, group, "has no name, like an earlier group; name one of them");
}

static void read_output(struct rd_reader *r, const rd_node *group, int i)
{
    struct rd_output *const o = &r->m->output[i];
    const char *const name = rd_node_text(rd_node_member(group, "name"));
    o->name = rd_reader_copy(r, name ? name : "");
    o->place = rd_reader_copy(r, rd_node_place(r->c, group));
    if (!o->name)
        return;
    rd_reader_about(r, name ? "output '%s'" : "output", name);
    check_output_name(r, group, i);
    read_output_times(r, group, o);
    read_keep(r, rd_node_member(group, "keep"), o);
    read_choices(r, group, o);
    read_layout(r, group, o);
    read_quantiles(r, rd_node_member(group, "quantiles"), o);
    o->compression = (int)rd_node_integer(rd_node_member(group, "compression"));
}

/* ---- all groups ---- */

/* Returns the earliest time of the groups beyond their first next[i] times. */
static double earliest(const struct rd_model *m, const int64_t *next)
{
    double first = INFINITY;
    for (int i = 0; i < m->n_outputs; i++)
        if (next[i] < m->output[i].n_times)
            first = fmin(first, m->output[i].time[next[i]]);
    return first;
}

/* Merges the times of all groups. Times of different groups that differ by rounding only are one.
 */
static void merge_times(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    int64_t next[RD_MAX_OUTPUTS] = {0}, most = 0;
    for (int i = 0; i < m->n_outputs; i++)
        most += m->output[i].n_times;
    m->moment = rd_reader_array(r, most, sizeof *m->moment);
    m->due = rd_reader_array(r, most, sizeof *m->due);
    if (!m->moment || !m->due)
        return;
    for (double t; (t = earliest(m, next)) < INFINITY; m->n_moments++) {
        m->moment[m->n_moments] = t;
        for (int i = 0; i < m->n_outputs; i++)
            if (next[i] < m->output[i].n_times &&
                m->output[i].time[next[i]] <= t + 1e-12 * m->end) {
                m->due[m->n_moments] |= UINT64_C(1) << i;
                next[i]++;
            }
    }
}

int rd_model_quantile(const struct rd_model *m, double q)
{
    int i = 0;
    while (i < m->n_quantiles && m->quantile[i] < q)
        i++;
    return i;
}

/* Collects the quantiles of all groups in rising order. */
static void merge_quantiles(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    int most = 0;
    for (int i = 0; i < m->n_outputs; i++)
        most += m->output[i].n_quantiles;
    m->quantile = rd_reader_array(r, most, sizeof *m->quantile);
    for (int i = 0; m->quantile && i < m->n_outputs; i++)
        for (int k = 0; k < m->output[i].n_quantiles; k++) {
            const double q = m->output[i].quantile[k];
            const int at = rd_model_quantile(m, q);
            if (at < m->n_quantiles && m->quantile[at] <= q)
                continue;
            memmove(m->quantile + at + 1, m->quantile + at,
                    (size_t)(m->n_quantiles - at) * sizeof *m->quantile);
            m->quantile[at] = q;
            m->n_quantiles++;
        }
}

/* Lists the species of the groups for which is_of is true, rising. Returns their number. */
static int list_recorded_species(struct rd_reader *r, int32_t **list,
                                 bool (*is_of)(const struct rd_model *, const struct rd_output *))
{
    const struct rd_model *const m = r->m;
    bool *const is_listed = rd_reader_array(r, m->n_species, sizeof *is_listed);
    int32_t *const species = *list = rd_reader_array(r, m->n_species, sizeof *species);
    int n = 0;
    for (int i = 0; is_listed && i < m->n_outputs; i++)
        for (int k = 0; is_of(m, &m->output[i]) && k < m->output[i].n_species; k++)
            is_listed[m->output[i].species[k]] = true;
    for (int32_t s = 0; is_listed && species && s < m->n_species; s++)
        if (is_listed[s])
            species[n++] = s;
    free(is_listed);
    return n;
}

/* Reads the path of the result, which one group may give. */
static void read_result_path(struct rd_reader *r, const rd_node *output)
{
    struct rd_model *const m = r->m;
    for (int i = 0; i < m->n_outputs; i++) {
        const rd_node *const file = rd_node_member(rd_reader_each(output, i), "file");
        if (!file)
            continue;
        rd_reader_about(r, "output");
        if (m->file)
            rd_reader_fail(r, file,
                           "file is given twice; all groups have one file, so give it once");
        else if (!*rd_node_text(file))
            rd_reader_fail(r, file, "file is empty; give a path, or leave it out");
        else if (strcmp(rd_node_text(file), "-") == 0)
            rd_reader_fail(r, file, "file is '-', but a result is no stream; give a path");
        free(m->file);
        m->file = rd_reader_copy(r, rd_node_text(file));
    }
}

void rd_outputs_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const output = rd_node_member(rd_config_root(r->c), "output");
    const int n = rd_reader_many(output);
    rd_reader_about(r, "output");
    if (n < 1 || n > RD_MAX_OUTPUTS) {
        rd_reader_fail(r, output, "is a list of %d groups; give 1 to %d", n, (int)RD_MAX_OUTPUTS);
        return;
    }
    m->output = rd_reader_array(r, n, sizeof *m->output);
    m->n_outputs = m->output ? n : 0;
    for (int i = 0; i < m->n_outputs; i++)
        read_output(r, rd_reader_each(output, i), i);
    rd_output_by_read(r, output);
    rd_reader_about(r, "output");
    merge_quantiles(r);
    m->n_surveyed = list_recorded_species(r, &m->surveyed, rd_output_has_statistics);
    m->n_paired = list_recorded_species(r, &m->paired, rd_output_has_covariances);
    read_result_path(r, output);
    merge_times(r);
}

/* ---- what is recorded ---- */

bool rd_output_keeps_voxels(const struct rd_output *o)
{
    return o->keep == RD_KEEP_ALL || o->keep == RD_KEEP_FIRST;
}

bool rd_output_has_statistics(const struct rd_model *m, const struct rd_output *o)
{
    return m->n_all > 1 && o->keep != RD_KEEP_TOTALS && !o->is_large;
}

bool rd_output_has_voxels(const struct rd_model *m, const struct rd_output *o)
{
    return rd_output_keeps_voxels(o) || rd_output_has_statistics(m, o);
}

bool rd_output_has_covariances(const struct rd_model *m, const struct rd_output *o)
{
    return m->n_all > 1 && o->n_species <= RD_PAIRS_MOST;
}

int64_t rd_output_kept(const struct rd_model *m, const struct rd_output *o)
{
    if (o->keep != RD_KEEP_FIRST)
        return o->keep == RD_KEEP_STATISTICS ? 0 : m->n_runs;
    const int64_t left = o->keep_first - (m->first_run - m->first_of_all);
    return left < 0 ? 0 : left < m->n_runs ? left : m->n_runs;
}

uint64_t rd_model_totalled(const struct rd_model *m)
{
    uint64_t regions = 0;
    for (int i = 0; i < m->n_outputs; i++)
        regions |= m->output[i].regions;
    return regions;
}

int rd_regions_number(uint64_t regions)
{
    int n = 0;
    for (; regions; regions &= regions - 1)
        n++;
    return n;
}

/* Gives the number of runs from which on sums have fewer bytes than counts. */
enum { RUNS_SURVEYED = 9 };

/* Returns the number of runs, the first ones, whose counts the group needs. For statistics of few
   runs these are all, since they have fewer bytes than sums. */
static int64_t n_counted(const struct rd_model *m, const struct rd_output *o)
{
    if (rd_output_has_voxels(m, o) && m->n_all < RUNS_SURVEYED)
        return m->n_runs;
    return rd_output_keeps_voxels(o) ? rd_output_kept(m, o) : 0;
}

/* Returns whether snapshots have rows in place of counts. All groups are then written from them,
   so that no array over all species and voxels is needed. */
static bool is_sparse(const struct rd_model *m)
{
    bool is_large = m->n_species * m->grid.n_sites > RD_DENSE_MOST;
    for (int i = 0; i < m->n_outputs; i++)
        is_large = is_large && m->output[i].layout != RD_LAYOUT_DENSE;
    for (int i = 0; i < m->n_outputs; i++)
        is_large = is_large || m->output[i].is_sparse;
    return is_large;
}

struct rd_recorded rd_model_recorded(const struct rd_model *m, uint64_t due, bool is_parted)
{
    struct rd_recorded all = {.is_sparse = is_sparse(m)};
    for (int i = 0; i < m->n_outputs; i++) {
        const struct rd_output *const o = &m->output[i];
        if (!(due >> i & 1) || !rd_output_has_voxels(m, o))
            continue;
        const int64_t kept = rd_output_keeps_voxels(o) ? rd_output_kept(m, o) : 0;
        const int64_t counted = all.is_sparse ? kept : n_counted(m, o);
        all.has_voxels = true;
        all.keeps_voxels = all.keeps_voxels || rd_output_keeps_voxels(o);
        all.n_counted = counted > all.n_counted ? counted : all.n_counted;
        all.n_kept = kept > all.n_kept ? kept : all.n_kept;
        all.has_sums =
            all.has_sums ||
            (all.is_sparse ? rd_output_has_statistics(m, o)
                           : counted < m->n_runs || (is_parted && o->keep == RD_KEEP_FIRST));
    }
    return all;
}
