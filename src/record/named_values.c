/* named_values - numbers that expressions of a run give, in a snapshot; separate because
   snapshot_buffer.c is long. */
#include "record/named_values.h"

#include "kernels/core/arena.h"

#include <math.h>
#include <string.h>

size_t rd_named_values_place(struct rd_packing *k, size_t at)
{
    const struct rd_run_status *const runs = &k->world.runs;
    const bool reads = k->plan->model->n_named_values > 0;
    k->read_totals = at;
    k->read_values = at + (reads ? (size_t)runs->n_total * sizeof *runs->total : 0);
    return rd_arena_padded(k->read_values +
                           (reads ? (size_t)runs->n_value * sizeof *runs->value : 0));
}

void rd_named_values_leave_out(struct rd_packing *k, int64_t run)
{
    const int64_t n = k->plan->model->n_named_values;
    for (int64_t i = 0; i < n; i++)
        k->value[run * n + i] = (double)NAN;
}

int rd_named_values_take(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                         const struct rd_sim *s, struct rd_piece *piece)
{
    const struct rd_run_status *const runs = &s->world.runs;
    memcpy(p->parameter, s->plan->value,
           (size_t)s->plan->model->n_parameters * sizeof *p->parameter);
    if (k->plan->model->n_named_values == 0)
        return 0;
    piece[0] =
        (struct rd_piece){runs->total, k->read_totals, (size_t)runs->n_total * sizeof *runs->total};
    piece[1] =
        (struct rd_piece){runs->value, k->read_values, (size_t)runs->n_value * sizeof *runs->value};
    return 2;
}

/* Parameters that are equal in all runs have the value that they had when the snapshot was
   packed. */
void rd_named_values_unpack(struct rd_packing *k, const struct rd_snapshot_buffer *p,
                            const char *byte)
{
    const struct rd_model *const m = k->plan->model;
    const struct rd_run_status *const runs = &k->world.runs;
    const int64_t *const total = (const void *)(byte + k->read_totals);
    const double *const value = (const void *)(byte + k->read_values);
    for (int64_t run = 0; m->n_named_values > 0 && run < k->world.lattice.n_runs; run++) {
        for (int i = 0; runs->n_value > 0 && i < m->n_parameters; i++)
            if (m->is_of_run[i])
                p->parameter[i] = value[run * m->n_parameters + i];
        const struct rd_eval_context at = {.t = p->time,
                                           .volume = m->grid.volume,
                                           .parameter = p->parameter,
                                           .total = total + run * runs->n_total_of};
        for (int i = 0; i < m->n_named_values; i++)
            k->value[run * m->n_named_values + i] = rd_expr_value(&m->named_value[i].value, &at);
    }
}
