/* segment - the open segment: a temporary file with a data set for each series, to which rows are
   added; and the rows of individuals, births and deaths. */
#include "result/write/segment.h"

#include "hdf5/chunks.h"
#include "hdf5/hdf5_file.h"
#include "result/format/data_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool rd_segment_make(struct rd_segment *g, const struct rd_layout *l, int threads,
                     struct rd_error *e)
{
    *g = (struct rd_segment){.layout = l, .threads = threads};
    g->set = calloc((size_t)l->n_series + 1, sizeof *g->set);
    g->length = calloc((size_t)l->n_tables, sizeof *g->length);
    if (g->set && g->length)
        return true;
    rd_segment_free(g);
    return rd_fail(e, "out of memory for a segment of the result");
}

void rd_segment_free(struct rd_segment *g)
{
    free(g->set);
    free(g->length);
    *g = (struct rd_segment){0};
}

bool rd_segment_open(struct rd_segment *g, const char *temporary, const char *path,
                     struct rd_error *e)
{
    const struct rd_layout *const l = g->layout;
    memset(g->length, 0, (size_t)l->n_tables * sizeof *g->length);
    if (!rd_temporary_file_open(&g->temporary_file, temporary, path, e))
        return false;
    for (int i = 0; i < l->n_series; i++) {
        g->set[i] = rd_set_segment(l, g->temporary_file.file, &l->series[i]);
        if (g->set[i] < 0)
            return rd_segment_publish(g, false, e);
    }
    return true;
}

/* Writes n values of a series, all runs, from `before` on; several threads compress them. Returns
   false if it fails, or if the values are not several chunks of one time each. */
static bool write_packed(const struct rd_segment *g, hid_t set, const struct rd_series *s,
                         int64_t before, int64_t n, const void *values)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int growing = rd_growth_place(v);
    hsize_t first[RD_RANK_MOST] = {0}, length[RD_RANK_MOST];
    rd_set_lengths(g->layout, s, g->layout->table[s->table].length[RD_AXIS_RUN], n, length);
    first[growing] = (hsize_t)before;
    return rd_axis_place(v, RD_AXIS_X) >= 0 &&
           rd_chunks_write(set, first, length, values, g->threads);
}

bool rd_segment_append(struct rd_segment *g, int i, int64_t n, const void *values)
{
    const struct rd_layout *const l = g->layout;
    const struct rd_series *const s = &l->series[i];
    const int64_t n_runs = l->table[s->table].length[RD_AXIS_RUN], before = g->length[s->growth];
    if (n == 0)
        return true;
    if (!rd_set_extend(l, g->set[i], s, before + n))
        return false;
    if (write_packed(g, g->set[i], s, before, n, values))
        return !g->temporary_file.failure;
    const hid_t space = H5Dget_space(g->set[i]);
    const hid_t memory = rd_set_space(l, s, n_runs, n);
    /* All attributes of individuals are given as reals. */
    const enum rd_number number =
        s->name == RD_INTEGER_ATTRIBUTE ? RD_REAL : rd_variables[s->name].number;
    const bool good =
        rd_set_select(space, s, (struct rd_slab){0, n_runs, before, n}) &&
        H5Dwrite(g->set[i], rd_number_type(number), memory, space, H5P_DEFAULT, values) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good && !g->temporary_file.failure;
}

bool rd_segment_publish(struct rd_segment *g, bool good, struct rd_error *e)
{
    for (int i = 0; i < g->layout->n_series; i++) {
        rd_h5_drop(g->set[i]);
        g->set[i] = 0;
    }
    return rd_temporary_file_publish(&g->temporary_file, good, e);
}

/* ---- rows ---- */

const struct rd_individuals *rd_rows_of(const struct rd_snapshot *now, int species)
{
    int i = 0;
    while (i < now->n_individuals && now->individuals[i].species != species)
        i++;
    assert(i < now->n_individuals);
    return &now->individuals[i];
}

int64_t rd_rows_number(const struct rd_individuals *of, int64_t n_runs)
{
    int64_t n = 0;
    for (int64_t run = 0; run < n_runs; run++)
        n += of->row_count[run];
    return n;
}

size_t rd_rows_bytes(const struct rd_model *m, const struct rd_snapshot *now)
{
    int64_t most = m->n_runs;
    for (int i = 0; i < now->n_individuals; i++)
        most = now->individuals[i].n > most ? now->individuals[i].n : most;
    return (size_t)most * sizeof(int64_t);
}

static const int64_t *starts_of_runs(const struct rd_individuals *of, int64_t n_runs,
                                     int64_t first_row, int64_t *buffer)
{
    int64_t row = first_row;
    for (int64_t run = 0; run < n_runs; run++) {
        buffer[run] = row;
        row += of->row_count[run];
    }
    assert(row - first_row <= of->n);
    return buffer;
}

/* Writes the centre of each individual's voxel along one dimension. */
static const double *centres(const struct rd_grid *g, const struct rd_individuals *of,
                             int dimension, double *buffer)
{
    const int64_t stride = dimension == 0   ? 1
                           : dimension == 1 ? g->size[0]
                                            : (int64_t)g->size[0] * g->size[1];
    for (int64_t i = 0; i < of->n; i++) {
        const int64_t at = of->site[i] / stride % g->size[dimension];
        buffer[i] = rd_layout_centre(g, dimension, at);
    }
    return buffer;
}

const void *rd_rows_state(const struct rd_model *m, const struct rd_individuals *of,
                          const struct rd_series *s, int64_t n_runs, int64_t first_row,
                          void *buffer)
{
    switch (s->name) {
    case RD_ROW_START:
        return starts_of_runs(of, n_runs, first_row, buffer);
    case RD_ROW_COUNT:
        return of->row_count;
    case RD_ID:
        return of->id;
    case RD_PARENT:
        return of->parent;
    case RD_BORN:
        return of->born;
    case RD_VOXEL:
        return of->site;
    case RD_VOXEL_X:
    case RD_VOXEL_Y:
    case RD_VOXEL_Z:
        return centres(&m->grid, of, (int)(s->name - RD_VOXEL_X), buffer);
    default:
        return of->attribute[s->attribute];
    }
}

static bool is_in_table(const struct rd_table *t, const struct rd_life *life)
{
    return life->species == t->species && life->is_birth == (t->kind == RD_BIRTHS);
}

int64_t rd_rows_count(const struct rd_life *life, int64_t n, const struct rd_table *t)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += is_in_table(t, &life[i]);
    return count;
}

static int64_t whole_variable(const struct rd_model *m, const struct rd_life *life,
                              enum rd_variable_name name)
{
    return name == RD_ID || name == RD_EVENT ? life->id
           : name == RD_PARENT               ? life->parent
           : name == RD_LIFE_RUN             ? m->first_run + life->run
                                             : life->site;
}

void rd_rows_lives(const struct rd_model *m, const struct rd_life *life, int64_t n,
                   const struct rd_table *t, enum rd_variable_name name, void *buffer)
{
    double *time = buffer;
    int64_t *number = buffer;
    for (int64_t i = 0; i < n; i++)
        if (is_in_table(t, &life[i])) {
            if (name == RD_LIFE_TIME)
                *time++ = life[i].time;
            else
                *number++ = whole_variable(m, &life[i], name);
        }
}
