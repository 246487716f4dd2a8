/* layout - the contents of a result: which variables and tables it has. */
#include "result/format/layout.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether any face takes molecules. */
static bool has_open_face(const struct rd_model *m)
{
    for (int i = 0; i < m->n_species; i++)
        if (rd_species_has_wall(&m->species[i], RD_WALL_ABSORB) ||
            rd_species_has_wall(&m->species[i], RD_WALL_RESERVOIR))
            return true;
    return false;
}

static bool is_variable_wanted(const struct rd_record_of *r, const struct rd_output *o,
                               enum rd_variable_name name)
{
    const bool ensemble = r->model->n_runs > 1;
    switch (name) {
    case RD_COUNTS:
        return r->has_counts && rd_output_keeps_voxels(o) && !o->is_sparse;
    case RD_TOTALS:
    case RD_REGION_TOTALS:
    case RD_OBSERVABLES:
    case RD_VALUES:
    case RD_REACTIONS:
        return o->keep != RD_KEEP_STATISTICS;
    case RD_BOUNDARY:
        return has_open_face(r->model) && o->keep != RD_KEEP_STATISTICS;
    case RD_INJECTED:
        return r->has_entered && o->keep != RD_KEEP_STATISTICS;
    case RD_BY_COUNTS:
        return o->keep != RD_KEEP_STATISTICS;
    case RD_BY_MEAN:
    case RD_BY_VARIANCE:
    case RD_BY_MIN:
    case RD_BY_MAX:
    case RD_IN:
        return ensemble && r->model->theta.table.n_rows == 0;
    case RD_TOTAL_QUANTILE:
    case RD_REGION_QUANTILE:
    case RD_OBSERVABLE_QUANTILE:
        return ensemble;
    case RD_TOTAL_COVARIANCE:
    case RD_REGION_COVARIANCE:
        return ensemble && rd_output_has_covariances(r->model, o);
    case RD_VOXEL_MEAN:
    case RD_VOXEL_VARIANCE:
    case RD_VOXEL_MIN:
    case RD_VOXEL_MAX:
        return ensemble && r->has_counts && rd_output_has_statistics(r->model, o);
    default:
        return true;
    }
}

/* Returns whether an axis has length 0; such a variable is omitted, since netCDF takes length 0
   for "unlimited". */
static bool has_empty_axis(const struct rd_table *t, const struct rd_variable *v)
{
    for (int i = 0; i < v->rank; i++)
        if (t->length[v->axis[i]] == 0)
            return true;
    return false;
}

static bool has_species(const struct rd_output *o, int species)
{
    for (int i = 0; i < o->n_species; i++)
        if (o->species[i] == species)
            return true;
    return false;
}

/* Returns whether the group o, or for the lineage the result, has the table of a species. */
static bool has_table(const struct rd_record_of *r, const struct rd_output *o, int species,
                      enum rd_table_kind kind)
{
    const struct rd_species *const s = &r->model->species[species];
    if (kind == RD_STATES)
        return s->is_individual && s->record != RD_KEEPS_NOTHING && r->has_individuals &&
               rd_output_keeps_voxels(o) && has_species(o, species);
    return s->is_individual && s->record == RD_KEEPS_LINEAGE;
}

/* Adds a table; it takes ownership of the name of its group. */
static bool add_result_table(struct rd_layout *l, enum rd_table_kind kind, int species, int output,
                             char *group)
{
    struct rd_table *const more = realloc(l->table, (size_t)(l->n_tables + 1) * sizeof *more);
    if (!more) {
        free(group);
        return false;
    }
    l->table = more;
    more[l->n_tables] =
        (struct rd_table){.kind = kind, .species = species, .output = output, .group = group};
    if (kind & (RD_STATES | RD_SPARSE | RD_BY)) { /* as its snapshots, which come earlier */
        const struct rd_table *const times = &more[1 + output];
        memcpy(more[l->n_tables].length, times->length, sizeof times->length);
        more[l->n_tables].compression = times->compression;
    } else if (kind != RD_SNAPSHOTS && kind != RD_MOMENTS) {
        more[l->n_tables].compression = more[1].compression;
    }
    return more[l->n_tables++].group != NULL;
}

/* Sets the lengths of the axes before any group chooses. */
static void set_lengths(struct rd_table *t, const struct rd_model *m)
{
    const int64_t length[RD_N_AXES] = {
        [RD_AXIS_RUN] = m->n_runs,
        [RD_AXIS_TIME] = m->n_moments > 0 ? m->n_moments : 1,
        [RD_AXIS_SPECIES] = m->n_species,
        [RD_AXIS_Z] = m->grid.size[2],
        [RD_AXIS_Y] = m->grid.size[1],
        [RD_AXIS_X] = m->grid.size[0],
        [RD_AXIS_REACTION] = m->n_reactions,
        [RD_AXIS_FACE] = RD_FACES,
        [RD_AXIS_SPECIES_2] = m->n_paired,
        [RD_AXIS_REGION] = rd_regions_number(rd_model_totalled(m)),
        [RD_AXIS_OBSERVABLE] = m->n_observables,
        [RD_AXIS_VALUE] = m->n_named_values,
        [RD_AXIS_QUANTILE] = m->n_quantiles,
        [RD_AXIS_BIN] = m->n_bins,
    };
    memcpy(t->length, length, sizeof length);
}

/* Sets the length of an axis, and the places along it; without room for them returns NULL. */
static int32_t *choose_axis(struct rd_table *t, enum rd_axis axis, int64_t n)
{
    t->length[axis] = n;
    free(t->chosen[axis]);
    return t->chosen[axis] = malloc(((size_t)n + 1) * sizeof *t->chosen[axis]);
}

static bool choose_species(struct rd_table *t, const struct rd_output *o)
{
    int32_t *const at = choose_axis(t, RD_AXIS_SPECIES, o->n_species);
    for (int i = 0; at && i < o->n_species; i++)
        at[i] = o->species[i];
    return at != NULL;
}

static bool choose_table_regions(struct rd_table *t, const struct rd_model *m,
                                 const struct rd_output *o)
{
    const uint64_t all = rd_model_totalled(m);
    int32_t *const at = choose_axis(t, RD_AXIS_REGION, rd_regions_number(o->regions));
    int32_t place = 0;
    for (int region = 0, n = 0; at && region < m->n_regions; region++) {
        if (o->regions >> region & 1)
            at[n++] = place;
        place += (int32_t)(all >> region & 1);
    }
    return at != NULL;
}

static bool choose_quantiles(struct rd_table *t, const struct rd_model *m,
                             const struct rd_output *o)
{
    int32_t *const at = choose_axis(t, RD_AXIS_QUANTILE, o->n_quantiles);
    for (int i = 0; at && i < o->n_quantiles; i++)
        at[i] = rd_model_quantile(m, o->quantile[i]);
    return at != NULL;
}

/* Sets to[i] to the place of species i of a group in a list that has all of them. */
static void find_species(int32_t *to, const struct rd_output *o, const int32_t *list)
{
    for (int32_t at = 0, i = 0; i < o->n_species; at++)
        if (list[at] == o->species[i])
            to[i++] = at;
}

/* Sets the places of the species of a group among those with statistics of voxels. */
static bool choose_surveyed(struct rd_table *t, const struct rd_model *m, const struct rd_output *o)
{
    if (!rd_output_has_statistics(m, o) || o->n_species == m->n_surveyed)
        return true;
    t->surveyed = malloc(((size_t)o->n_species + 1) * sizeof *t->surveyed);
    if (t->surveyed)
        find_species(t->surveyed, o, m->surveyed);
    return t->surveyed != NULL;
}

/* Sets the places of the species of a group among those with covariances. */
static bool choose_paired(struct rd_table *t, const struct rd_model *m, const struct rd_output *o)
{
    if (!rd_output_has_covariances(m, o))
        return true;
    int32_t *const at = choose_axis(t, RD_AXIS_SPECIES_2, o->n_species);
    if (at)
        find_species(at, o, m->paired);
    return at != NULL;
}

/* Drops the places along an axis that is recorded whole. */
static void take_whole(struct rd_table *t, const struct rd_table *whole)
{
    for (int axis = 0; axis < RD_N_AXES; axis++)
        if (t->chosen[axis] && t->length[axis] == whole->length[axis]) {
            free(t->chosen[axis]);
            t->chosen[axis] = NULL;
        }
}

/* Adds the snapshots of group i of the output. */
static bool add_snapshots(struct rd_layout *l, const struct rd_model *m, int i)
{
    const struct rd_output *const o = &m->output[i];
    if (!add_result_table(l, RD_SNAPSHOTS, -1, i,
                          rd_text_format("%s%s", *o->name ? "/" : "", o->name)))
        return false;
    struct rd_table *const t = &l->table[l->n_tables - 1];
    const int64_t kept = rd_output_kept(m, o);
    memcpy(t->length, l->table[0].length, sizeof t->length);
    t->length[RD_AXIS_RUN] = kept > 0 ? kept : m->n_runs;
    t->length[RD_AXIS_TIME] = o->n_times > 0 ? o->n_times : 1;
    t->length[RD_AXIS_BIN] = 0;
    t->length[RD_AXIS_ENSEMBLE] = o->keep == RD_KEEP_FIRST ? m->n_runs : 0;
    t->compression = (unsigned)o->compression;
    const bool good = choose_species(t, o) && choose_paired(t, m, o) && choose_surveyed(t, m, o) &&
                      choose_table_regions(t, m, o) && choose_quantiles(t, m, o);
    take_whole(t, &l->table[0]);
    return good;
}

/* Adds the counts of entry i of the model's `by`. */
static bool add_by(struct rd_layout *l, const struct rd_model *m, int i)
{
    const struct rd_by *const by = &m->by[i];
    if (!add_result_table(
            l, RD_BY, by->species, by->output,
            rd_text_format("%s" RD_BY_GROUP "%s", l->table[1 + by->output].group, by->name)))
        return false;
    struct rd_table *const t = &l->table[l->n_tables - 1];
    const int32_t n = by->most - by->least + 1;
    int32_t *const at = choose_axis(t, RD_AXIS_BIN, n);
    t->by = i;
    for (int32_t k = 0; at && k < n; k++)
        at[k] = (int32_t)by->first + k;
    return at != NULL;
}

static bool add_states(struct rd_layout *l, const struct rd_record_of *r, int species)
{
    const struct rd_model *const m = r->model;
    bool good = true;
    for (int i = 0; good && i < m->n_outputs; i++)
        if (has_table(r, &m->output[i], species, RD_STATES))
            good = add_result_table(l, RD_STATES, species, i,
                                    rd_text_format("%s/individuals/%s/", l->table[1 + i].group,
                                                   m->species[species].name));
    return good;
}

static bool add_lineage(struct rd_layout *l, const struct rd_record_of *r, int species)
{
    const char *const name = r->model->species[species].name;
    return !has_table(r, NULL, species, RD_BIRTHS) ||
           (add_result_table(l, RD_BIRTHS, species, -1,
                             rd_text_format("/lineage/%s/births/", name)) &&
            add_result_table(l, RD_DEATHS, species, -1,
                             rd_text_format("/lineage/%s/deaths/", name)));
}

static bool add_tables(struct rd_layout *l, const struct rd_record_of *r)
{
    const struct rd_model *const m = r->model;
    bool good = add_result_table(l, RD_MOMENTS, -1, -1, rd_text_format("%s", ""));
    if (good)
        set_lengths(&l->table[0], m);
    for (int i = 0; good && i < m->n_outputs; i++)
        good = add_snapshots(l, m, i);
    for (int i = 0; good && i < m->n_outputs; i++)
        good = !(r->has_counts && m->output[i].is_sparse) ||
               add_result_table(l, RD_SPARSE, -1, i,
                                rd_text_format("%s%s", l->table[1 + i].group, RD_SPARSE_GROUP));
    for (int i = 0; good && i < m->n_by; i++)
        good = add_by(l, m, i);
    for (int s = 0; good && s < m->n_species; s++)
        good = add_states(l, r, s) && add_lineage(l, r, s);
    return good && (m->n_conditions == 0 ||
                    add_result_table(l, RD_FIRINGS, -1, -1, rd_text_format("/events/")));
}

int rd_layout_snapshots(const struct rd_layout *l, int table)
{
    return l->table[table].output + 1;
}

static bool add_series(struct rd_layout *l, enum rd_variable_name name, int table, int attribute,
                       const char *path)
{
    struct rd_series *const more = realloc(l->series, (size_t)(l->n_series + 1) * sizeof *more);
    if (!more)
        return false;
    l->series = more;
    more[l->n_series] = (struct rd_series){
        .name = name,
        .table = table,
        .attribute = attribute,
        .growth = rd_axis_place(&rd_variables[name], RD_AXIS_ROW) < 0
                      ? rd_layout_snapshots(l, table)
                      : table,
        .path = rd_text_format("%s%s", l->table[table].group, path),
    };
    return more[l->n_series++].path != NULL;
}

static bool add_attributes(struct rd_layout *l, int table, const struct rd_species *s)
{
    bool good = true;
    for (int k = 0; good && k < s->n_attributes; k++)
        good = add_series(l, s->attribute[k].is_integer ? RD_INTEGER_ATTRIBUTE : RD_REAL_ATTRIBUTE,
                          table, k, s->attribute[k].name);
    return good;
}

/* Adds the fields that change, each under its name. */
static bool add_fields(struct rd_layout *l, const struct rd_model *m, int table)
{
    bool good = true;
    for (int i = 0; good && i < m->n_fields; i++) {
        char *const path = rd_text_format("%s%s", rd_variables[RD_FIELD].path, m->field[i].name);
        good = path && (!m->field_varies[i] || add_series(l, RD_FIELD, table, i, path));
        free(path);
    }
    return good;
}

/* Returns whether a variable is a statistic over all runs, which would mix rows of a table. */
static bool mixes_rows(const struct rd_model *m, const struct rd_variable *v)
{
    static const char folder[] = "/statistics/";
    return m->theta.table.n_rows > 0 && (strncmp(v->path, folder, sizeof folder - 1) == 0 ||
                                         (v->tables == RD_BY && rd_axis_place(v, RD_AXIS_RUN) < 0));
}

static bool add_all_series(struct rd_layout *l, const struct rd_record_of *r, int table)
{
    const struct rd_table *const t = &l->table[table];
    bool good = true;
    for (int i = 0; good && i < RD_REAL_ATTRIBUTE; i++) {
        const enum rd_variable_name name = (enum rd_variable_name)i;
        const struct rd_variable *const v = &rd_variables[i];
        if ((v->tables & t->kind) != 0 && !mixes_rows(r->model, v) &&
            (!(t->kind & (RD_SNAPSHOTS | RD_BY)) ||
             (is_variable_wanted(r, &r->model->output[t->output], name) && !has_empty_axis(t, v))))
            good = add_series(l, name, table, -1, v->path);
    }
    if (t->kind == RD_SNAPSHOTS && rd_output_keeps_voxels(&r->model->output[t->output]))
        good = good && add_fields(l, r->model, table);
    return good &&
           (t->kind != RD_STATES || add_attributes(l, table, &r->model->species[t->species]));
}

bool rd_layout_make(struct rd_layout *l, const struct rd_record_of *r, struct rd_error *e)
{
    *l = (struct rd_layout){0};
    bool good = add_tables(l, r);
    for (int table = 0; good && table < l->n_tables; table++)
        good = add_all_series(l, r, table);
    if (good)
        return true;
    rd_layout_free(l);
    return rd_fail(e, "out of memory for the layout of the result");
}

void rd_layout_free(struct rd_layout *l)
{
    for (int i = 0; i < l->n_tables; i++) {
        free(l->table[i].group);
        free(l->table[i].surveyed);
        for (int axis = 0; axis < RD_N_AXES; axis++)
            free(l->table[i].chosen[axis]);
    }
    for (int i = 0; i < l->n_series; i++)
        free(l->series[i].path);
    free(l->table);
    free(l->series);
    *l = (struct rd_layout){0};
}

bool rd_layout_has(const struct rd_layout *l, int table, enum rd_variable_name name)
{
    for (int i = 0; i < l->n_series; i++)
        if (l->series[i].name == name && (table < 0 || l->series[i].table == table))
            return true;
    return false;
}

double rd_layout_centre(const struct rd_grid *g, int dimension, int64_t at)
{
    return g->origin[dimension] + ((double)at + 0.5) * g->edge[dimension];
}
