/* append - adds a snapshot to the open segment: for each group of the output that is due, the
   values of the species, regions and quantiles that it records, out of those of all. */
#include "result/write/append.h"

#include "result/format/data_set.h"

#include <stdlib.h>
#include <string.h>

/* Describes an array of many axes, and the part of it that is copied. */
struct selection {
    int rank; /* axes up to the last one along which it chooses */
    int64_t length[RD_RANK_MOST];
    size_t stride[RD_RANK_MOST]; /* in bytes, of the array */
    const int32_t *chosen[RD_RANK_MOST];
    size_t bytes; /* of all further axes */
};

/* Returns the axis of the table along which an axis of a variable is chosen: both axes of
   covariances have the paired species. */
static enum rd_axis choosing_axis(enum rd_variable_name name, enum rd_axis axis)
{
    const bool is_covariance = name == RD_TOTAL_COVARIANCE || name == RD_REGION_COVARIANCE;
    return is_covariance && axis == RD_AXIS_SPECIES ? RD_AXIS_SPECIES_2 : axis;
}

/* Returns the places along an axis that a table records of a variable; NULL: all. Statistics of
   voxels have the surveyed species. */
static const int32_t *places_along(const struct rd_table *t, enum rd_variable_name name,
                                   enum rd_axis axis)
{
    const bool is_surveyed = name >= RD_VOXEL_MEAN && name <= RD_VOXEL_MAX;
    return is_surveyed && axis == RD_AXIS_SPECIES ? t->surveyed
                                                  : t->chosen[choosing_axis(name, axis)];
}

/* Returns the bytes of the values of a series at one time; 0 if its table chooses along none of its
   axes, so that the snapshot's own values serve. */
static size_t selected_bytes(const struct rd_series *s, const struct rd_table *t)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    size_t bytes = rd_number_size(v->number);
    bool chooses = false;
    for (int i = 0; i < v->rank; i++) {
        bytes *= v->axis[i] == RD_AXIS_TIME ? 1 : (size_t)t->length[v->axis[i]];
        chooses = chooses || places_along(t, s->name, v->axis[i]);
    }
    return chooses ? bytes : 0;
}

/* Copies from the axis on. Returns the end of the copy. */
static char *copy_selection(const struct selection *k, int axis, char *to, const char *from)
{
    if (axis >= k->rank || axis >= RD_RANK_MOST) {
        memcpy(to, from, k->bytes);
        return to + k->bytes;
    }
    for (int64_t i = 0; i < k->length[axis]; i++)
        to = copy_selection(k, axis + 1, to,
                            from + k->stride[axis] *
                                       (size_t)(k->chosen[axis] ? k->chosen[axis][i] : i));
    return to;
}

/* Copies them from the values of all, of which `whole` has the lengths; the runs are the first
   ones. */
static void select_values(void *to, const void *from, const struct rd_series *s,
                          const struct rd_table *t, const struct rd_table *whole)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    struct selection k = {0};
    size_t stride = rd_number_size(v->number);
    for (int i = v->rank - 1; i >= 0; i--) {
        const enum rd_axis axis = v->axis[i];
        const int32_t *const places = places_along(t, s->name, axis);
        if (places && k.rank == 0) {
            k.rank = i + 1;
            k.bytes = stride;
        }
        k.stride[i] = stride;
        k.chosen[i] = places;
        k.length[i] = axis == RD_AXIS_TIME ? 1 : t->length[axis];
        stride *= axis == RD_AXIS_TIME ? 1 : (size_t)whole->length[choosing_axis(s->name, axis)];
    }
    copy_selection(&k, 0, to, from);
}

/* Returns statistics of the named values, [named value]. */
static const double *moment_of(const struct rd_store *s, enum rd_moment_of which)
{
    return s->observed.moment + (int)which * s->record.model->n_named_values;
}

/* Returns the values of a snapshot for each variable but those of individuals. */
static const void *values_of_variable(const struct rd_store *s, const struct rd_snapshot *now,
                                      enum rd_variable_name name)
{
    const struct rd_ensemble *const m = &s->ensemble;
    const struct rd_totals_of *const o = &s->observed.statistics.all;
    const void *const values[RD_ROW_START] = {
        [RD_COUNTS] = now->counts,
        [RD_TOTALS] = now->totals,
        [RD_REGION_TOTALS] = now->region_totals,
        [RD_OBSERVABLES] = s->observed.value,
        [RD_VALUES] = now->values,
        [RD_REACTIONS] = now->fired,
        [RD_BOUNDARY] = now->lost,
        [RD_INJECTED] = now->entered,
        [RD_TOTAL_MEAN] = m->all.mean,
        [RD_TOTAL_VARIANCE] = m->all.variance,
        [RD_TOTAL_MIN] = m->all.min,
        [RD_TOTAL_MAX] = m->all.max,
        [RD_TOTAL_COVARIANCE] = m->all.covariance,
        [RD_TOTAL_QUANTILE] = m->all.quantile,
        [RD_REGION_MEAN] = m->region.mean,
        [RD_REGION_VARIANCE] = m->region.variance,
        [RD_REGION_MIN] = m->region.min,
        [RD_REGION_MAX] = m->region.max,
        [RD_REGION_COVARIANCE] = m->region.covariance,
        [RD_REGION_QUANTILE] = m->region.quantile,
        [RD_OBSERVABLE_MEAN] = o->mean,
        [RD_OBSERVABLE_VARIANCE] = o->variance,
        [RD_OBSERVABLE_MIN] = o->min,
        [RD_OBSERVABLE_MAX] = o->max,
        [RD_OBSERVABLE_QUANTILE] = o->quantile,
        [RD_VALUE_MEAN] = moment_of(s, RD_MOMENT_MEAN),
        [RD_VALUE_VARIANCE] = moment_of(s, RD_MOMENT_VARIANCE),
        [RD_VALUE_MIN] = moment_of(s, RD_MOMENT_MIN),
        [RD_VALUE_MAX] = moment_of(s, RD_MOMENT_MAX),
        [RD_VOXEL_MEAN] = m->voxel_mean,
        [RD_VOXEL_VARIANCE] = m->voxel_variance,
        [RD_VOXEL_MIN] = m->voxel_min,
        [RD_VOXEL_MAX] = m->voxel_max,
        [RD_IN] = &m->n_in,
        [RD_BY_COUNTS] = now->by,
        [RD_BY_MEAN] = s->observed.by.all.mean,
        [RD_BY_VARIANCE] = s->observed.by.all.variance,
        [RD_BY_MIN] = s->observed.by.all.min,
        [RD_BY_MAX] = s->observed.by.all.max,
    };
    return values[name];
}

void rd_append_rows(struct rd_store *s, int table, int64_t n)
{
    s->length[table] += n;
    s->segment.length[table] += n;
}

/* Returns whether the group of a table has the snapshot. */
static bool is_group_due(const struct rd_table *t, const struct rd_snapshot *now)
{
    return (t->kind & (RD_SNAPSHOTS | RD_STATES | RD_SPARSE | RD_BY)) &&
           (now->due >> t->output & 1);
}

/* Makes room for the values that a group chooses; returns false if memory is short. */
static bool reserve_selection(struct rd_store *s, size_t bytes)
{
    if (bytes <= s->chosen_bytes)
        return true;
    void *const more = realloc(s->chosen, bytes);
    if (more) {
        s->chosen = more;
        s->chosen_bytes = bytes;
    }
    return more != NULL;
}

/* Returns an array of the counts of a group, made from rows; NULL if memory is short. */
static const void *spread_counts(struct rd_store *s, const struct rd_table *t,
                                 const struct rd_sparse_counts *rows)
{
    const size_t n = (size_t)(t->length[RD_AXIS_RUN] * t->length[RD_AXIS_SPECIES] *
                              s->record.model->grid.n_sites);
    if (!reserve_selection(s, n * sizeof(int32_t)))
        return NULL;
    rd_sparse_rows_spread(rows, t, s->chosen);
    return s->chosen;
}

/* Returns the values of a series of snapshots that its group chooses; NULL if memory is short. */
static const void *chosen_of(struct rd_store *s, const struct rd_series *series,
                             const struct rd_snapshot *now)
{
    const struct rd_table *const t = &s->layout.table[series->table];
    if (series->name == RD_COUNTS && !now->counts)
        return spread_counts(s, t, now->sparse);
    const void *const all = series->name == RD_FIELD ? now->field[series->attribute]
                                                     : values_of_variable(s, now, series->name);
    const size_t bytes = selected_bytes(series, t);
    if (bytes == 0)
        return all;
    if (!reserve_selection(s, bytes))
        return NULL;
    select_values(s->chosen, all, series, t, &s->layout.table[0]);
    return s->chosen;
}

static bool append_states(struct rd_store *s, int i, const struct rd_snapshot *now, void *buffer)
{
    const struct rd_series *const series = &s->layout.series[i];
    const struct rd_table *const t = &s->layout.table[series->table];
    const struct rd_individuals *const of = rd_rows_of(now, t->species);
    const int64_t n_runs = rd_output_kept(s->record.model, &s->record.model->output[t->output]);
    return rd_segment_append(
        &s->segment, i, series->growth == series->table ? rd_rows_number(of, n_runs) : 1,
        rd_rows_state(s->record.model, of, series, n_runs, s->length[series->table], buffer));
}

static bool append_series(struct rd_store *s, int i, const struct rd_snapshot *now, void *buffer)
{
    const struct rd_table *const t = &s->layout.table[s->layout.series[i].table];
    if (t->kind == RD_STATES)
        return append_states(s, i, now, buffer);
    const void *const values = chosen_of(s, &s->layout.series[i], now);
    return values && rd_segment_append(&s->segment, i, 1, values);
}

/* Appends the chosen values to the series of a table that grow with its rows, or to the others. */
static bool append_chosen(struct rd_store *s, int table, bool is_by_row, int64_t n)
{
    const struct rd_layout *const l = &s->layout;
    bool good = true;
    for (int i = 0; good && i < l->n_series; i++)
        if (l->series[i].table == table && (l->series[i].growth == table) == is_by_row)
            good = rd_segment_append(&s->segment, i, n,
                                     rd_sparse_rows_column(&s->sparse, l->series[i].name));
    return good;
}

/* Appends the counts of a table that is sparse, in portions of rows. */
static bool append_sparse(struct rd_store *s, int table, const struct rd_snapshot *now)
{
    const struct rd_table *const chosen = &s->layout.table[rd_layout_snapshots(&s->layout, table)];
    bool good = rd_sparse_rows_choose(&s->sparse, now->sparse, chosen, s->length[table]) &&
                append_chosen(s, table, false, 1);
    for (int64_t n; good && (n = rd_sparse_rows_next(&s->sparse)) > 0;) {
        good = append_chosen(s, table, true, n);
        rd_append_rows(s, table, n);
    }
    return good;
}

bool rd_append_snapshot(struct rd_store *s, const struct rd_snapshot *now, void *buffer)
{
    const struct rd_layout *const l = &s->layout;
    bool good = true;
    for (int i = 0; good && i < l->n_series; i++) {
        const struct rd_table *const t = &l->table[l->series[i].table];
        good = t->kind == RD_SPARSE || !is_group_due(t, now) || append_series(s, i, now, buffer);
    }
    for (int i = 0; good && i < l->n_tables; i++)
        if (l->table[i].kind == RD_SPARSE && is_group_due(&l->table[i], now))
            good = append_sparse(s, i, now);
    for (int i = 0; good && i < l->n_tables; i++) {
        const struct rd_table *const t = &l->table[i];
        if (t->kind != RD_SPARSE && is_group_due(t, now))
            rd_append_rows(
                s, i,
                t->kind & (RD_SNAPSHOTS | RD_BY)
                    ? 1
                    : rd_rows_number(rd_rows_of(now, t->species), t->length[RD_AXIS_RUN]));
    }
    if (good)
        rd_append_rows(s, 0, 1);
    return good;
}
