/* state - the functions of rdsim.h that read the model's names and the state of a run. */
#include "kernels/core/backend.h"
#include "library/library.h"
#include "sim/rows.h"

#include <stdlib.h>
#include <string.h>

bool rd_library_read(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!rd_library_call(r))
        return false;
    if (r->job.past == RD_PAST_WHOLE)
        return rd_fail(&r->e, "%s: is complete and has no state; open the result",
                       r->job.setup.model.file);
    if (!r->job.sim.machine || !r->job.running.s)
        return rd_fail(&r->e, "%s: has no state yet; start it first", r->options.file);
    const int64_t n = rd_batch_count(&r->job.batch);
    if (n > 1)
        return rd_fail(&r->e,
                       "%s: its runs are simulated in %lld batches; take fewer runs to read their "
                       "state",
                       r->options.file, (long long)n);
    return rd_job_finish_steps(&r->job, &r->e);
}

/* ---- names ---- */

static const struct rd_model *model_of(const rdsim *r)
{
    return &r->job.setup.model;
}

int rdsim_count_of(const rdsim *r, enum rdsim_kind kind)
{
    const struct rd_model *const m = model_of(r);
    const int n[] = {m->n_species, m->n_parameters, rd_model_n_places(m), m->n_fields,
                     m->n_reactions};
    return r->is_right && (unsigned)kind < sizeof n / sizeof *n ? n[kind] : 0;
}

const char *rdsim_name_of(const rdsim *r, enum rdsim_kind kind, int i)
{
    const struct rd_model *const m = model_of(r);
    if (i < 0 || i >= rdsim_count_of(r, kind))
        return NULL;
    switch (kind) {
    case RDSIM_SPECIES:
        return m->species[i].name;
    case RDSIM_PARAMETERS:
        return m->parameter[i];
    case RDSIM_REGIONS:
        return m->region[i].name;
    case RDSIM_FIELDS:
        return m->field[i].name;
    case RDSIM_REACTIONS:
        return m->reaction[i].label;
    }
    return NULL;
}

static int find_named(const rdsim *r, enum rdsim_kind kind, const char *name)
{
    const char *there;
    for (int i = 0; name && (there = rdsim_name_of(r, kind, i)); i++)
        if (strcmp(there, name) == 0)
            return i;
    return -1;
}

const char *rdsim_attribute_of(const rdsim *r, const char *species, int i)
{
    const int s = find_named(r, RDSIM_SPECIES, species);
    return s < 0 || i < 0 || i >= model_of(r)->species[s].n_attributes
               ? NULL
               : model_of(r)->species[s].attribute[i].name;
}

int rdsim_grid(const rdsim *r, int32_t voxels[3], double edge[3], double origin[3])
{
    const struct rd_grid *const g = &model_of(r)->grid;
    memcpy(voxels, g->size, sizeof g->size);
    memcpy(edge, g->edge, sizeof g->edge);
    memcpy(origin, g->origin, sizeof g->origin);
    return g->dim;
}

int64_t rdsim_runs(const rdsim *r)
{
    return model_of(r)->n_runs;
}

double rdsim_end(const rdsim *r)
{
    return model_of(r)->end;
}

const char *rdsim_result(const rdsim *r)
{
    return model_of(r)->file ? model_of(r)->file : "";
}

/* Returns the number of the name; -1 with a message if the model has none of it. */
static int look(rdsim *r, enum rdsim_kind kind, const char *name)
{
    static const char *const word[] = {"species", "parameter", "region", "field", "reaction"};
    const int i = find_named(r, kind, name);
    if (i < 0)
        rd_fail(&r->e, "%s: has no %s '%s'; name one that it has", r->options.file, word[kind],
                name ? name : "");
    return i;
}

int rdsim_parameter(rdsim *r, const char *name, double *value)
{
    const int i = rd_library_call(r) ? look(r, RDSIM_PARAMETERS, name) : -1;
    const double *const now = r->job.running.now.value;
    if (i >= 0)
        *value = (now ? now : model_of(r)->value)[i];
    return i < 0 ? -1 : 0;
}

double rdsim_time(const rdsim *r)
{
    if (r->job.past == RD_PAST_WHOLE)
        return model_of(r)->end;
    return r->job.running.s ? rd_run_time(&r->job.running) : 0.0;
}

int64_t rdsim_steps(const rdsim *r)
{
    return r->job.sim.step_clock.step;
}

int rdsim_is_over(const rdsim *r)
{
    return r->job.is_over;
}

/* ---- voxels ---- */

/* Returns `bytes` of the machine's memory: the memory itself, or a copy of a device's. */
static const void *view(rdsim *r, const void *from, size_t bytes)
{
    const struct rd_sim *const s = &r->job.sim;
    if (!s->backend->sync(s->machine, &r->e))
        return NULL;
    if (s->backend->shares_host_memory)
        return from;
    void *const copy = realloc(r->copy, bytes + 1);
    if (!copy) {
        rd_fail(&r->e, "out of memory for a copy of the state");
        return NULL;
    }
    r->copy = copy;
    return s->backend->get(s->machine, copy, from, bytes, &r->e) ? copy : NULL;
}

int rdsim_is_shared(const rdsim *r)
{
    const struct rd_sim *const s = &r->job.sim;
    return s->machine && s->backend->shares_host_memory && !rd_rows_exist(s);
}

/* Copies the counts of all species from the machine. Returns false with a message on failure. */
static bool read_machine_counts(rdsim *r, struct rd_host_counts *counts)
{
    struct rd_sim *const s = &r->job.sim;
    return s->backend->sync(s->machine, &r->e) &&
           rd_host_counts_open(counts, s->plan, NULL, &r->e) &&
           rd_host_counts_get(counts, s, &r->e);
}

/* Adds up the counts of each species and run: sum[species][run], in canonical order. */
static bool sum_all(rdsim *r, int64_t *sum)
{
    struct rd_sim *const s = &r->job.sim;
    const struct rd_world *const w = &s->world;
    if (rd_rows_exist(s))
        return s->backend->sync(s->machine, &r->e) &&
               rd_host_counts_totals(s, (uint64_t *)sum, &r->e);
    return s->backend->get_sums(s->machine, sum, w->counts.count,
                                w->counts.n_species * w->lattice.n_runs, w->lattice.n_sites, &r->e);
}

int rdsim_totals(rdsim *r, int64_t *total)
{
    if (!rd_library_read(r))
        return -1;
    const struct rd_world *const w = &r->job.sim.world;
    const int64_t n = w->counts.n_species, n_runs = w->lattice.n_runs;
    int64_t *const sum = malloc((size_t)(n * n_runs) * sizeof *sum + 1);
    if (!sum)
        rd_fail(&r->e, "out of memory for the totals");
    const bool ok = sum && sum_all(r, sum);
    for (int64_t row = 0; ok && row < n * n_runs; row++)
        total[row] = sum[r->job.plan->species_at[row % n] * n_runs + row / n];
    free(sum);
    return ok ? 0 : -1;
}

int rdsim_device_counts(rdsim *r, const char *species, const int32_t **address, int *device)
{
    const int s = rd_library_read(r) ? look(r, RDSIM_SPECIES, species) : -1;
    const struct rd_sim *const sim = &r->job.sim;
    if (s < 0)
        return -1;
    if (sim->backend->shares_host_memory || rd_rows_exist(sim))
        return 0;
    if (!sim->backend->sync(sim->machine, &r->e))
        return -1;
    *address = sim->world.counts.count + r->job.plan->species_at[s] * sim->world.lattice.n_voxels;
    *device = r->options.device;
    return 1;
}

/* Copies the counts of a species from a device. */
static const int32_t *copy_device_counts(rdsim *r, int32_t species)
{
    const struct rd_sim *const s = &r->job.sim;
    const size_t bytes = (size_t)s->world.lattice.n_voxels * sizeof(int32_t);
    const struct rd_piece piece = {
        .from = s->world.counts.count + species * s->world.lattice.n_voxels, .bytes = bytes};
    if (!s->backend->sync(s->machine, &r->e))
        return NULL;
    if (!r->async_copy && !(r->async_copy = s->backend->async_copy_open(s->machine, bytes, &r->e)))
        return NULL;
    s->backend->async_copy(s->machine, r->async_copy, &piece, 1);
    return (const int32_t *)s->backend->async_copy_wait(r->async_copy, &r->e);
}

/* Copies the counts of a species that is stored in rows. */
static const int32_t *copy_species_counts(rdsim *r, int32_t species)
{
    const size_t bytes = (size_t)r->job.sim.world.lattice.n_voxels * sizeof(int32_t);
    struct rd_host_counts counts = {0};
    const int32_t *const count = read_machine_counts(r, &counts)
                                     ? rd_host_counts_array(&counts, species, NULL, &r->e)
                                     : NULL;
    void *const copy = count ? realloc(r->copy, bytes) : NULL;
    if (count && !copy)
        rd_fail(&r->e, "out of memory for a copy of the counts");
    if (copy)
        r->copy = memcpy(copy, count, bytes);
    if (counts.plan)
        rd_host_counts_close(&counts);
    return copy;
}

int rdsim_counts(rdsim *r, const char *species, const int32_t **count)
{
    const int s = rd_library_read(r) ? look(r, RDSIM_SPECIES, species) : -1;
    if (s < 0)
        return -1;
    const struct rd_world *const w = &r->job.sim.world;
    const int32_t i = r->job.plan->species_at[s];
    const int32_t *const here = rdsim_is_shared(r)
                                    ? view(r, w->counts.count + i * w->lattice.n_voxels, 0)
                                : rd_rows_exist(&r->job.sim) ? copy_species_counts(r, i)
                                                             : copy_device_counts(r, i);
    if (here)
        *count = here;
    return here ? 0 : -1;
}

int rdsim_where(rdsim *r, const char *species, int32_t low, int32_t high, uint8_t *mark)
{
    const int s = rd_library_read(r) ? look(r, RDSIM_SPECIES, species) : -1;
    if (s < 0)
        return -1;
    const struct rd_sim *const sim = &r->job.sim;
    const int64_t n = sim->world.lattice.n_voxels;
    const int32_t i = r->job.plan->species_at[s];
    if (!rd_rows_exist(sim))
        return sim->backend->get_marks(sim->machine, mark, sim->world.counts.count + i * n, n, low,
                                       high, &r->e)
                   ? 0
                   : -1;
    const int32_t *const count = copy_species_counts(r, i);
    for (int64_t k = 0; count && k < n; k++)
        mark[k] = count[k] >= low && count[k] <= high;
    return count ? 0 : -1;
}

int rdsim_field(rdsim *r, const char *name, const double **value)
{
    const struct rd_model *const m = model_of(r);
    const int i = rd_library_read(r) ? look(r, RDSIM_FIELDS, name) : -1;
    if (i < 0)
        return -1;
    const struct rd_world *const w = &r->job.sim.world;
    *value = m->field_component + m->field[i].start * m->grid.n_sites;
    if (!m->field_varies[i])
        return 0;
    *value = view(
        r, w->fields.varying + m->field_component_of[RD_FIELD_COMPONENTS * i] * w->lattice.n_voxels,
        (size_t)w->lattice.n_voxels * sizeof **value);
    return *value ? 1 : -1;
}

/* ---- individuals ---- */

enum { RUN, VOXEL, ID, PARENT, BORN, ATTRIBUTE };

/* Reads one value of eight bytes for each slot of a list, and puts those of living individuals into
   the order of the list. */
static bool read_list_column(rdsim *r, const void *by_slot, int64_t most, const uint32_t *slot,
                             int64_t n, void *to)
{
    const struct rd_sim *const s = &r->job.sim;
    int64_t *const all = malloc((size_t)most * sizeof *all + 1), *const in_order = to;
    const bool ok =
        all ? s->backend->get(s->machine, all, by_slot, (size_t)most * sizeof *all, &r->e)
            : rd_fail(&r->e, "out of memory for individuals");
    for (int64_t i = 0; ok && i < n; i++)
        in_order[i] = all[slot[i]];
    free(all);
    return ok;
}

/* Makes room for n values in each column, and for those of the attributes. */
static bool make_columns(rdsim *r, int64_t n, int n_attributes)
{
    for (int i = 0; i <= ATTRIBUTE; i++) {
        const int64_t values = i == ATTRIBUTE ? n * n_attributes : n;
        void *const column = realloc(r->column[i], (size_t)values * sizeof(int64_t) + 1);
        if (!column)
            return rd_fail(&r->e, "out of memory for %lld individuals", (long long)n);
        r->column[i] = column;
    }
    return true;
}

static bool read_list(rdsim *r, const struct rd_list *l, int64_t n, uint32_t *key, uint32_t *slot)
{
    const struct rd_sim *const s = &r->job.sim;
    const struct rd_lists *const lists = &s->world.lists;
    const struct rd_backend *const b = s->backend;
    const size_t bytes = (size_t)n * sizeof *key;
    bool ok = b->get(s->machine, key, lists->key + l->base, bytes, &r->e) &&
              b->get(s->machine, slot, lists->slot + l->base, bytes, &r->e) &&
              read_list_column(r, lists->id + l->base, l->most, slot, n, r->column[ID]) &&
              read_list_column(r, lists->parent + l->base, l->most, slot, n, r->column[PARENT]) &&
              read_list_column(r, lists->born + l->base, l->most, slot, n, r->column[BORN]);
    for (int k = 0; ok && k < l->n_traits; k++)
        ok = read_list_column(r, lists->trait + l->trait + k * l->most, l->most, slot, n,
                              (double *)r->column[ATTRIBUTE] + k * n);
    int64_t *const run = r->column[RUN], *const voxel = r->column[VOXEL];
    for (int64_t i = 0; ok && i < n; i++) {
        run[i] = key[i] / s->world.lattice.n_sites;
        voxel[i] = key[i] % s->world.lattice.n_sites;
    }
    return ok;
}

static bool read_list_individuals(rdsim *r, int32_t list, int n_attributes, int64_t *n)
{
    const struct rd_sim *const s = &r->job.sim;
    if (!s->backend->sync(s->machine, &r->e) ||
        !s->backend->get(s->machine, n, s->world.lists.live + list, sizeof *n, &r->e) ||
        !make_columns(r, *n, n_attributes))
        return false;
    uint32_t *const key = malloc((size_t)*n * 2 * sizeof *key + 1);
    const bool ok = key ? read_list(r, &r->job.plan->list[list], *n, key, key + *n)
                        : rd_fail(&r->e, "out of memory for individuals");
    free(key);
    return ok;
}

int rdsim_individuals(rdsim *r, const char *species, struct rdsim_individuals *x)
{
    const int s = rd_library_read(r) ? look(r, RDSIM_SPECIES, species) : -1;
    if (s < 0)
        return -1;
    const int32_t list = r->job.plan->list_of[r->job.plan->species_at[s]];
    const int n_attributes = model_of(r)->species[s].n_attributes;
    int64_t n = 0;
    if (list < 0)
        rd_fail(&r->e, "%s: '%s' has no individuals; read its counts", r->options.file, species);
    if (list < 0 || !read_list_individuals(r, list, n_attributes, &n))
        return -1;
    *x = (struct rdsim_individuals){.n = n,
                                    .run = r->column[RUN],
                                    .voxel = r->column[VOXEL],
                                    .id = r->column[ID],
                                    .parent = r->column[PARENT],
                                    .born = r->column[BORN],
                                    .n_attributes = n_attributes,
                                    .attribute = r->column[ATTRIBUTE]};
    return 0;
}
