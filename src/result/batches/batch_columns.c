/* batch_columns - the values that a snapshot has of each run, for the runs of all batches. */
#include "result/batches/batch_columns.h"

#include <stdlib.h>
#include <string.h>

/* Lists the columns of a snapshot: values of each run, for the first runs. A column for each field
   that changes follows them. */
enum { TOTALS, REGION_TOTALS, VALUES, FIRED, LOST, ENTERED, STOPPED, OUT, BY, COUNTS, FIELDS };

static int n_varying(const struct rd_model *m)
{
    int n = 0;
    for (int i = 0; i < m->n_fields; i++)
        n += m->field_varies[i];
    return n;
}

/* Returns whether any group keeps more than statistics. */
static bool is_reported(const struct rd_model *m)
{
    bool is = false;
    for (int i = 0; i < m->n_outputs; i++)
        is = is || m->output[i].keep != RD_KEEP_STATISTICS;
    return is;
}

void rd_batch_columns_shape(struct rd_batch_columns *c, uint64_t due)
{
    const struct rd_batch_file_of *const of = c->of;
    const struct rd_model *const m = of->model;
    const size_t species = (size_t)m->n_species, sites = (size_t)m->grid.n_sites;
    const size_t faces = species * RD_FACES * sizeof(int64_t);
    /* keep = statistics needs only totals */
    const int64_t n = m->n_runs, reported = is_reported(m) ? n : 0;
    const uint64_t regions = rd_model_totalled(m);
    c->has = rd_model_recorded(m, due, true);
    const struct {
        size_t width;
        int64_t runs;
    } of_column[FIELDS] = {
        [TOTALS] = {species * sizeof(int64_t), n},
        [REGION_TOTALS] = {(size_t)rd_regions_number(regions) * species * sizeof(int64_t),
                           regions ? n : 0},
        [VALUES] = {(size_t)m->n_named_values * sizeof(double), n},
        [FIRED] = {(size_t)m->n_reactions * sizeof(int64_t), reported},
        [LOST] = {faces, of->has_lost ? reported : 0},
        [ENTERED] = {faces, of->has_entered ? reported : 0},
        [STOPPED] = {sizeof(double), m->stop.n > 0 ? n : 0},
        [OUT] = {sizeof(uint8_t), n},
        [BY] = {(size_t)m->n_bins * sizeof(int64_t), rd_model_counts_by(m, due) ? n : 0},
        [COUNTS] = {species * sites * sizeof(int32_t), c->has.is_sparse ? 0 : c->has.n_counted}};
    for (int i = 0; i < c->n; i++) {
        c->column[i].width = i < FIELDS ? of_column[i].width : sites * sizeof(double);
        c->column[i].runs = i < FIELDS ? of_column[i].runs : c->has.n_kept;
    }
}

double rd_batch_columns_memory(const struct rd_batch_file_of *of)
{
    struct rd_batch_column column[FIELDS] = {{0}};
    struct rd_batch_columns c = {.of = of, .column = column, .n = FIELDS};
    rd_batch_columns_shape(&c, RD_ALL_DUE);
    double bytes =
        (double)c.has.n_kept * n_varying(of->model) * (double)of->model->grid.n_sites * 8.0;
    for (int i = 0; i < FIELDS; i++)
        bytes += (double)column[i].width * (double)column[i].runs;
    return bytes;
}

bool rd_batch_columns_make(struct rd_batch_columns *c, const struct rd_batch_file_of *of)
{
    const struct rd_model *const m = of->model;
    *c = (struct rd_batch_columns){.of = of, .n = FIELDS + n_varying(m)};
    c->column = calloc((size_t)c->n, sizeof *c->column);
    c->field = calloc((size_t)m->n_fields + 1, sizeof *c->field);
    bool ok = c->column && c->field;
    if (ok)
        rd_batch_columns_shape(c, RD_ALL_DUE);
    for (int i = 0; ok && i < c->n; i++)
        ok = (c->column[i].all = calloc((size_t)c->column[i].runs + 1, c->column[i].width + 1)) !=
             NULL;
    for (int i = 0, k = FIELDS; ok && i < m->n_fields; i++)
        if (m->field_varies[i])
            c->field[i] = (const void *)c->column[k++].all;
    return ok;
}

void rd_batch_columns_free(struct rd_batch_columns *c)
{
    for (int i = 0; c->column && i < c->n; i++)
        free(c->column[i].all);
    free(c->column);
    free(c->field);
    *c = (struct rd_batch_columns){0};
}

int64_t rd_batch_columns_runs(const struct rd_batch_file_of *of, int64_t runs, int64_t batch)
{
    const int64_t left = runs - batch * of->size;
    return left < 0 ? 0 : left < of->size ? left : of->size;
}

struct rd_batch_part rd_batch_columns_part(const struct rd_batch_columns *c, int i, int64_t batch)
{
    const struct rd_batch_column *const x = &c->column[i];
    return (struct rd_batch_part){x->all + (size_t)(batch * c->of->size) * x->width,
                                  rd_batch_columns_runs(c->of, x->runs, batch) * (int64_t)x->width};
}

/* Returns the values of a snapshot for a column; NULL for OUT: no run has faulted. */
static const void *values_of_column(const struct rd_batch_columns *c, const struct rd_snapshot *now,
                                    int i)
{
    const struct rd_model *const m = c->of->model;
    const void *const values[FIELDS] = {now->totals, now->region_totals, now->values,  now->fired,
                                        now->lost,   now->entered,       now->stopped, now->out,
                                        now->by,     now->counts};
    if (i < FIELDS)
        return values[i];
    int k = 0;
    for (int left = i - FIELDS; left > 0 || !m->field_varies[k]; k++)
        left -= m->field_varies[k];
    return now->field[k];
}

void rd_batch_columns_put(struct rd_batch_columns *c, const struct rd_snapshot *now, int64_t batch)
{
    for (int i = 0; i < c->n; i++) {
        const struct rd_batch_part part = rd_batch_columns_part(c, i, batch);
        const void *const from = part.bytes > 0 ? values_of_column(c, now, i) : NULL;
        if (from)
            memcpy(part.values, from, (size_t)part.bytes);
        else if (part.bytes > 0)
            memset(part.values, 0, (size_t)part.bytes);
    }
}

/* Returns the values of all runs; NULL if no run has them. */
static const void *values_of_all(const struct rd_batch_columns *c, int i)
{
    return c->column[i].runs > 0 ? c->column[i].all : NULL;
}

void rd_batch_columns_give(const struct rd_batch_columns *c, struct rd_snapshot *now)
{
    now->totals = (const void *)c->column[TOTALS].all;
    now->region_totals = values_of_all(c, REGION_TOTALS);
    now->values = (const void *)c->column[VALUES].all;
    now->fired = values_of_all(c, FIRED);
    now->lost = values_of_all(c, LOST);
    now->entered = values_of_all(c, ENTERED);
    now->stopped = values_of_all(c, STOPPED);
    now->out = now->n_faulted > 0 ? (const void *)c->column[OUT].all : NULL;
    now->by = values_of_all(c, BY);
    now->counts = values_of_all(c, COUNTS);
    now->field = c->has.keeps_voxels ? c->field : NULL;
}

bool rd_batch_columns_any_in(const struct rd_batch_columns *c)
{
    return memchr(c->column[OUT].all, 0, (size_t)c->column[OUT].runs) != NULL;
}
