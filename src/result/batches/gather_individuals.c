/* gather_individuals - the individuals of all batches of runs at one time, as one array for each
   attribute. */
#include "result/batches/gather_individuals.h"

#include <stdlib.h>
#include <string.h>

/* Lists the columns that each individual has besides attributes; all have eight bytes. */
enum { ID, PARENT, BORN, SITE, N_FIXED };

/* Holds the individuals of one species. */
struct gathered {
    int64_t *row_count; /* owned: of the runs that are kept */
    int64_t n_runs, n, capacity;
    int n_columns;
    void **column;            /* owned: N_FIXED columns, then attributes */
    const double **attribute; /* owned: pointers to the attributes */
};

struct rd_gather {
    struct gathered *gathered;
    struct rd_individuals *individuals;
    int n;
};

static bool is_gathered_species(const struct rd_species *s)
{
    return s->is_individual && s->record != RD_KEEPS_NOTHING;
}

static bool open_gathered(struct gathered *c, const struct rd_species *s, int64_t n_runs)
{
    c->n_columns = N_FIXED + s->n_attributes;
    c->row_count = calloc((size_t)n_runs + 1, sizeof *c->row_count);
    c->column = calloc((size_t)c->n_columns, sizeof *c->column);
    c->attribute = calloc((size_t)c->n_columns, sizeof *c->attribute);
    return c->row_count && c->column && c->attribute;
}

bool rd_gather_open(rd_gather **to, const struct rd_model *m, struct rd_error *e)
{
    rd_gather *const g = *to = calloc(1, sizeof *g);
    const size_t most = (size_t)m->n_species + 1;
    if (g) {
        g->gathered = calloc(most, sizeof *g->gathered);
        g->individuals = calloc(most, sizeof *g->individuals);
    }
    bool ok = g && g->gathered && g->individuals;
    const struct rd_recorded has = rd_model_recorded(m, RD_ALL_DUE, true);
    for (int i = 0; ok && i < m->n_species && has.keeps_voxels; i++)
        if (is_gathered_species(&m->species[i])) {
            g->individuals[g->n].species = i;
            ok = open_gathered(&g->gathered[g->n++], &m->species[i], has.n_kept);
        }
    return ok || rd_fail(e, "out of memory for the individuals of batches of runs");
}

void rd_gather_close(rd_gather *g)
{
    if (!g)
        return;
    for (int i = 0; i < g->n; i++) {
        for (int k = 0; g->gathered[i].column && k < g->gathered[i].n_columns; k++)
            free(g->gathered[i].column[k]);
        free(g->gathered[i].column);
        free(g->gathered[i].attribute);
        free(g->gathered[i].row_count);
    }
    free(g->gathered);
    free(g->individuals);
    free(g);
}

static const void *individuals_column(const struct rd_individuals *of, int k)
{
    const void *const fixed[N_FIXED] = {of->id, of->parent, of->born, of->site};
    return k < N_FIXED ? fixed[k] : of->attribute[k - N_FIXED];
}

/* Returns the rows of the first runs. A snapshot may have more runs than its groups record. */
static int64_t n_rows(const struct rd_individuals *of, int64_t n_runs)
{
    int64_t n = 0;
    for (int64_t run = 0; run < n_runs; run++)
        n += of->row_count[run];
    return n;
}

int64_t rd_gather_bytes(const struct rd_snapshot *now, const struct rd_model *m, int64_t n_runs)
{
    int64_t words = 0;
    for (int i = 0; n_runs > 0 && i < now->n_individuals; i++) {
        const struct rd_individuals *const of = &now->individuals[i];
        words += n_runs + n_rows(of, n_runs) * (N_FIXED + m->species[of->species].n_attributes);
    }
    return words * (int64_t)sizeof(int64_t);
}

bool rd_gather_put(struct rd_block_file *l, const struct rd_snapshot *now, const struct rd_model *m,
                   int64_t n_runs, struct rd_error *e)
{
    bool ok = true;
    for (int i = 0; n_runs > 0 && i < now->n_individuals; i++) {
        const struct rd_individuals *const of = &now->individuals[i];
        const int n_columns = N_FIXED + m->species[of->species].n_attributes;
        const int64_t n = n_rows(of, n_runs);
        ok = ok && rd_block_file_add(l, of->row_count, n_runs * (int64_t)sizeof *of->row_count, e);
        for (int k = 0; ok && k < n_columns; k++)
            ok = rd_block_file_add(l, individuals_column(of, k), n * (int64_t)sizeof(int64_t), e);
    }
    return ok;
}

void rd_gather_begin(rd_gather *g)
{
    for (int i = 0; i < g->n; i++)
        g->gathered[i].n = g->gathered[i].n_runs = 0;
}

/* Makes room for n more rows. Returns the first of them, or -1. */
static int64_t extend_rows(struct gathered *c, int64_t n, struct rd_error *e)
{
    const int64_t at = c->n;
    c->n += n;
    for (int k = 0; c->n > c->capacity && k < c->n_columns; k++) {
        void *const more = realloc(c->column[k], (size_t)(c->n + c->n / 2) * sizeof(int64_t));
        if (!more) {
            rd_fail(e, "out of memory for %lld individuals of batches of runs", (long long)c->n);
            return -1;
        }
        c->column[k] = more;
    }
    c->capacity = c->n > c->capacity ? c->n + c->n / 2 : c->capacity;
    return at;
}

bool rd_gather_get(rd_gather *g, const struct rd_block_file *l, int64_t n_runs, int64_t *at,
                   struct rd_error *e)
{
    for (int i = 0; n_runs > 0 && i < g->n; i++) {
        struct gathered *const c = &g->gathered[i];
        int64_t *const count = c->row_count + c->n_runs, n = 0;
        if (!rd_block_file_read(l, count, n_runs * (int64_t)sizeof *count, at, e))
            return false;
        for (int64_t run = 0; run < n_runs; run++)
            n += count[run];
        const int64_t row = extend_rows(c, n, e);
        for (int k = 0; row >= 0 && k < c->n_columns; k++)
            if (!rd_block_file_read(l, (int64_t *)c->column[k] + row, n * (int64_t)sizeof n, at, e))
                return false;
        if (row < 0)
            return false;
        c->n_runs += n_runs;
    }
    return true;
}

bool rd_gather_add(rd_gather *g, const struct rd_snapshot *now, int64_t n_runs, struct rd_error *e)
{
    for (int i = 0; n_runs > 0 && i < now->n_individuals; i++) {
        const struct rd_individuals *const of = &now->individuals[i];
        struct gathered *const c = &g->gathered[i];
        const int64_t n = n_rows(of, n_runs), row = extend_rows(c, n, e);
        if (row < 0)
            return false;
        memcpy(c->row_count + c->n_runs, of->row_count, (size_t)n_runs * sizeof *c->row_count);
        for (int k = 0; n > 0 && k < c->n_columns; k++)
            memcpy((int64_t *)c->column[k] + row, individuals_column(of, k),
                   (size_t)n * sizeof(int64_t));
        c->n_runs += n_runs;
    }
    return true;
}

void rd_gather_give(rd_gather *g, struct rd_snapshot *to)
{
    for (int i = 0; i < g->n; i++) {
        const struct gathered *const c = &g->gathered[i];
        struct rd_individuals *const of = &g->individuals[i];
        of->n = c->n;
        of->row_count = c->row_count;
        of->id = c->column[ID];
        of->parent = c->column[PARENT];
        of->born = c->column[BORN];
        of->site = c->column[SITE];
        for (int k = N_FIXED; k < c->n_columns; k++)
            c->attribute[k - N_FIXED] = c->column[k];
        of->attribute = c->attribute;
    }
    to->individuals = g->individuals;
    to->n_individuals = g->n;
}
