/* attribute_counts - counts individuals by the value of an attribute (output.by).

   The host counts copies of the lists, so that every back end gives the same numbers and messages.
   Only one attribute of a species is copied for each entry. */
#include "record/attribute_counts.h"

#include "base/text.h"
#include "kernels/core/lattice.h"
#include "sim/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds the living individuals of a species, in the order of their list. */
struct living {
    int64_t n;
    uint32_t *voxel, *slot; /* [n] */
    double *value;          /* [slot]: the attribute */
};

static void free_living(struct living *x)
{
    free(x->voxel);
    free(x->slot);
    free(x->value);
}

/* Copies the individuals of the entry from the machine. Returns false with a message on failure. */
static bool get_living(struct living *x, const struct rd_sim *s, const struct rd_by *by,
                       struct rd_error *e)
{
    const struct rd_plan *const p = s->plan;
    const struct rd_lists *const l = &s->world.lists;
    const struct rd_list *const list = &p->list[p->list_of[p->species_at[by->species]]];
    int32_t n;
    if (!s->backend->get(s->machine, &n, l->first + list->voxels + s->world.lattice.n_voxels,
                         sizeof n, e))
        return false;
    const size_t alive = (size_t)n * sizeof *x->voxel,
                 slots = (size_t)list->most * sizeof *x->value;
    x->n = n;
    x->voxel = malloc(alive + 1);
    x->slot = malloc(alive + 1);
    x->value = malloc(slots + 1);
    if (!x->voxel || !x->slot || !x->value)
        return rd_fail(e, "out of memory for counting %d individuals", (int)n);
    return s->backend->get(s->machine, x->voxel, l->key + list->base, alive, e) &&
           s->backend->get(s->machine, x->slot, l->slot + list->base, alive, e) &&
           s->backend->get(s->machine, x->value,
                           l->trait + list->trait + by->attribute * list->most, slots, e);
}

/* Records the fault of a run with an individual that has this value. */
static bool end_run_by(struct rd_sim *s, const struct rd_by *by, int64_t run, double value,
                       double time, struct rd_error *e)
{
    const struct rd_species *const of = &s->plan->model->species[by->species];
    const bool is_integer = value == floor(value);
    char *const text = rd_text_format(
        "%s: '%s' of an individual of '%s' is %.17g in run %lld at t = %.9g, %s (%d, %d); %s",
        by->place, of->attribute[by->attribute].name, of->name, value,
        (long long)rd_run_number(&s->world.lattice, run), time,
        is_integer ? "outside of range =" : "no integer of range =", by->least, by->most,
        is_integer ? "set a larger range" : "correct the rules of the attribute");
    const bool ok =
        text ? rd_faults_end_run(s, run, time, text, e) : rd_fail(e, "out of memory for a message");
    free(text);
    return ok;
}

/* Counts the individuals of one entry in the runs that have not faulted. */
static bool count_entry(struct rd_sim *s, const struct rd_by *by, double time, int64_t *to,
                        struct rd_error *e)
{
    const int64_t n_sites = s->world.lattice.n_sites, n_bins = s->plan->model->n_bins;
    struct living x = {0};
    uint8_t *frozen = NULL;
    bool ok = get_living(&x, s, by, e) && rd_sim_frozen(s, &frozen, e);
    int64_t ended = -1; /* the last run with a fault; runs rise along the list */
    for (int64_t i = 0; ok && i < x.n; i++) {
        const int64_t run = x.voxel[i] / n_sites;
        const double value = x.value[x.slot[i]];
        if (run == ended || (frozen && frozen[run] == RD_FROZEN_FAULTED))
            continue;
        if (value >= by->least && value <= by->most && value == floor(value)) {
            to[run * n_bins + by->first + ((int64_t)value - by->least)]++;
            continue;
        }
        ended = run;
        ok = end_run_by(s, by, run, value, time, e);
    }
    free(frozen);
    free_living(&x);
    return ok;
}

/* Sets the numbers of all runs that faulted to -1. */
static bool leave_out_bins(struct rd_sim *s, int64_t *by, struct rd_error *e)
{
    uint8_t *frozen = NULL;
    const int64_t n_bins = s->plan->model->n_bins;
    const bool ok = rd_sim_frozen(s, &frozen, e);
    for (int64_t run = 0; ok && frozen && run < s->world.runs.n_frozen; run++)
        for (int64_t i = 0; frozen[run] == RD_FROZEN_FAULTED && i < n_bins; i++)
            by[run * n_bins + i] = -1;
    free(frozen);
    return ok;
}

bool rd_attribute_counts_take(struct rd_sim *s, double time, uint64_t due, int64_t **by,
                              struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    if (!rd_model_counts_by(m, due))
        return true;
    const size_t n = (size_t)(s->world.lattice.n_runs * m->n_bins);
    *by = *by ? *by : malloc(n * sizeof **by);
    bool ok = *by || rd_fail(e, "out of memory for counting individuals by %zu values", n);
    if (ok)
        memset(*by, 0, n * sizeof **by);
    for (int i = 0; ok && i < m->n_by; i++)
        if (due >> m->by[i].output & 1)
            ok = count_entry(s, &m->by[i], time, *by, e);
    return ok && leave_out_bins(s, *by, e);
}
