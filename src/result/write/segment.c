/* segment - the open segment: a temporary file with a data set for each series, to which rows
   are added. */
#include "result/write/segment.h"

#include "hdf5/hdf5_file.h"

#include <stdlib.h>
#include <string.h>

bool rd_segment_make(struct rd_segment *g, const struct rd_layout *l, struct rd_error *e)
{
    *g = (struct rd_segment){.layout = l};
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

bool rd_segment_append(struct rd_segment *g, int i, int64_t n, const void *values)
{
    const struct rd_layout *const l = g->layout;
    const struct rd_series *const s = &l->series[i];
    const int64_t n_runs = l->length[RD_AXIS_RUN], before = g->length[s->growth];
    if (n == 0)
        return true;
    if (!rd_set_extend(l, g->set[i], s, before + n))
        return false;
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

void rd_segment_lengthen(struct rd_segment *g, int table, int64_t n)
{
    g->length[table] += n;
}

bool rd_segment_publish(struct rd_segment *g, bool good, struct rd_error *e)
{
    for (int i = 0; i < g->layout->n_series; i++) {
        rd_h5_drop(g->set[i]);
        g->set[i] = 0;
    }
    return rd_temporary_file_publish(&g->temporary_file, good, e);
}
