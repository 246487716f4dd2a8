/* system - the equations N v = 0 of integers, with v >= 0 in columns that are not reversible. */
#include "cone/system.h"

#include <stdlib.h>

bool rd_system_open(struct rd_system *s, int n_rows, int n_columns, struct rd_error *e)
{
    *s = (struct rd_system){.n_rows = n_rows, .n_columns = n_columns};
    s->column = calloc((size_t)n_columns + 1, sizeof *s->column);
    return s->column || rd_fail_memory(e, "out of memory for %d equations", n_rows);
}

bool rd_system_transpose(struct rd_system *s, const struct rd_sparse *row, int n_rows,
                         int n_columns, struct rd_error *e)
{
    int *const count = calloc((size_t)n_columns + 1, sizeof *count);
    bool ok = rd_system_open(s, n_rows, n_columns, e) && count;
    for (int i = 0; ok && i < n_rows; i++)
        for (int k = 0; k < row[i].n; k++)
            count[row[i].entry[k].at]++;
    for (int i = 0; ok && i < n_columns; i++) {
        struct rd_sparse *const net = &s->column[i].net;
        net->entry = malloc(((size_t)count[i] + 1) * sizeof *net->entry);
        ok = net->entry != NULL;
    }
    for (int i = 0; ok && i < n_rows; i++)
        for (int k = 0; k < row[i].n; k++) {
            const struct rd_entry *const x = &row[i].entry[k];
            struct rd_sparse *const net = &s->column[x->at].net;
            net->entry[net->n++] = (struct rd_entry){i, x->value};
        }
    free(count);
    return ok || rd_fail_memory(e, "out of memory for %d equations", n_rows);
}

void rd_system_free(struct rd_system *s)
{
    for (int i = 0; i < s->n_columns && s->column; i++)
        rd_sparse_free(&s->column[i].net);
    free(s->column);
    *s = (struct rd_system){0};
}
