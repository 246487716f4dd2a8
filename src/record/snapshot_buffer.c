/* snapshot_buffer - carries the state at one time from the machine to a snapshot in the file's
   order. The thread that simulates packs it, and the thread that writes unpacks it. */
#include "record/named_values.h"

#include "base/large_array.h"
#include "kernels/core/arena.h"
#include "kernels/passes/totals/totals.h"
#include "record/rows_snapshot.h"
#include "record/sparse_snapshot.h"
#include "sim/faults.h"
#include "sim/step.h"

#include <math.h>
#include <stdlib.h>

/* Limits the pieces of a copy besides those of species, fields and lists. */
enum { BULK_PIECES = 12 };

/* Returns the offset after n items at `at`, aligned for any type. */
static size_t after(size_t at, int64_t n, size_t size)
{
    const size_t end = at + (size_t)n * size;
    return (end + 255) / 256 * 256;
}

static int64_t faces_of(const struct rd_world *w)
{
    return w->lattice.n_runs * w->counts.n_species * RD_N_FACES;
}

/* Returns the largest number of counts of a snapshot as an array, which it does not have if rows
   are enough. */
static int64_t n_counts(const struct rd_packing *k)
{
    return k->most.is_sparse && k->n_forced < 0
               ? 0
               : k->world.counts.n_species * k->most.n_counted * k->world.lattice.n_sites;
}

/* Returns the data of voxels that a snapshot has for the groups that are due. */
static struct rd_recorded recorded(const struct rd_packing *k, uint64_t due)
{
    const struct rd_model *const m = k->plan->model;
    struct rd_recorded all = rd_model_recorded(m, due, m->n_runs < m->n_all);
    if (k->n_forced >= 0) {
        all.n_counted = k->n_forced;
        all.has_sums = all.has_voxels && all.n_counted < m->n_runs;
    }
    return all;
}

/* Sets which regions are summed. */
static void choose_summed_regions(struct rd_world *w, const struct rd_model *m)
{
    w->counts.summed = rd_model_totalled(m);
    w->counts.n_summed = rd_regions_number(w->counts.summed);
    w->counts.n_region_items = w->counts.n_summed > 0 ? w->counts.n_species * w->lattice.n_runs *
                                                            rd_n_portions_summed(&w->lattice)
                                                      : 0;
}

/* Returns the number of totals in regions. */
static int64_t n_region_totals(const struct rd_world *w)
{
    return w->lattice.n_runs * w->counts.n_summed * w->counts.n_species;
}

static void lay_out_pieces(struct rd_packing *k, const struct rd_plan *p, int64_t n_forced)
{
    struct rd_world *const w = &k->world;
    k->plan = p;
    *w = p->world;
    rd_sim_size(p, w);
    choose_summed_regions(w, p->model);
    k->n_forced = n_forced;
    k->most = recorded(k, RD_ALL_DUE);
    const int64_t portions = (w->lattice.n_runs + RD_SURVEY_RUNS - 1) / RD_SURVEY_RUNS;
    w->counts.n_surveyed =
        k->most.has_sums ? portions * w->counts.n_surveyed_species * w->lattice.n_sites : 0;
    k->has_individuals = k->most.n_kept > 0;
    k->surveyed =
        after(0, rd_n_columns(w) * k->most.n_counted * w->lattice.n_sites, sizeof *k->counts);
    k->totals = after(k->surveyed, w->counts.n_surveyed, sizeof *k->survey);
    k->region_totals =
        after(k->totals, w->lattice.n_runs * w->counts.n_species, sizeof *k->totalled);
    k->fired = after(k->region_totals, n_region_totals(w), sizeof *k->region_totalled);
    k->lost = after(k->fired, w->counts.n_fired, sizeof(int64_t));
    k->entered = after(k->lost, w->counts.n_lost, sizeof(int64_t));
    k->fields = after(k->entered, w->counts.n_entered, sizeof(int64_t));
    k->frozen = after(k->fields, w->fields.n_field_rate * k->most.n_kept * w->lattice.n_sites,
                      sizeof(double));
    k->stopped = after(k->frozen, w->runs.n_frozen, sizeof *w->runs.frozen);
    k->individuals_snapshot =
        rd_named_values_place(k, after(k->stopped, w->runs.n_stopped, sizeof *w->runs.stopped));
    k->entries =
        k->individuals_snapshot + (k->has_individuals ? rd_individuals_snapshot_bytes(p) : 0);
}

/* Returns the number of sums over runs, [surveyed species][site]; 0 if they are not needed. */
static int64_t n_sums(const struct rd_packing *k)
{
    return k->most.has_sums ? k->world.counts.n_surveyed_species * k->world.lattice.n_sites : 0;
}

/* Returns the bytes of the entries of rows that are expected in a copy. */
static size_t entries_bytes(const struct rd_packing *k)
{
    return (k->most.n_counted > 0 ? (size_t)k->world.rows.n_entry : 0) *
           sizeof(struct rd_outbox_entry);
}

/* Returns the number of values of an unpacked snapshot that are of runs, not of voxels. */
static int64_t n_unpacked(const struct rd_packing *k)
{
    const struct rd_world *const w = &k->world;
    const int64_t walls = (int64_t)k->plan->has_lost + k->plan->has_entered;
    return w->lattice.n_runs *
               (w->counts.n_species + w->reactions.n_reactions + k->plan->model->n_named_values) +
           n_region_totals(w) + walls * faces_of(w);
}

struct rd_snapshot_buffer_bytes rd_snapshot_buffer_bytes(const struct rd_plan *p, int64_t n_forced)
{
    struct rd_packing k = {0};
    lay_out_pieces(&k, p, n_forced);
    const double individuals = (double)(k.entries - k.individuals_snapshot);
    const size_t bytes = k.entries + entries_bytes(&k);
    const struct rd_world *const w = &k.world;
    const size_t sums =
        rd_arena_padded((size_t)(w->lattice.n_runs * w->counts.n_species) * sizeof *k.totalled) +
        rd_arena_padded((size_t)n_region_totals(w) * sizeof *k.region_totalled) +
        rd_arena_padded((size_t)w->counts.n_surveyed * sizeof *k.survey);
    return (struct rd_snapshot_buffer_bytes){
        .snapshot_buffer = (double)bytes,
        .snapshot = (double)(k.totals - k.surveyed) + (double)n_unpacked(&k) * 8.0 +
                    (double)n_counts(&k) * (double)sizeof *k.counts +
                    (k.most.is_sparse ? rd_sparse_snapshot_memory(&k) : 0.0) + individuals,
        .sums = (double)sums,
        .aboard = (double)(sums + rd_arena_padded(bytes) + rd_arena_padded(entries_bytes(&k)))};
}

bool rd_packing_open(struct rd_packing *k, const struct rd_sim *s, int64_t n_forced,
                     struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    *k = (struct rd_packing){.backend = s->backend};
    lay_out_pieces(k, s->plan, n_forced);
    if ((k->has_individuals && !rd_individuals_snapshot_open(&k->individuals, s->plan, e)) ||
        (k->most.is_sparse && !rd_sparse_snapshot_open(&k->sparse, k, e)))
        return false;
    const size_t totals = (size_t)(w->lattice.n_runs * w->counts.n_species),
                 faces = (size_t)faces_of(w);
    k->totalled = s->backend->alloc(s->machine, totals * sizeof *k->totalled, e);
    const size_t surveyed = (size_t)w->counts.n_surveyed, in_regions = (size_t)n_region_totals(w);
    k->survey = s->backend->alloc(s->machine, surveyed * sizeof *k->survey, e);
    if (in_regions > 0)
        k->region_totalled =
            s->backend->alloc(s->machine, in_regions * sizeof *k->region_totalled, e);
    if (!k->totalled || !k->survey || (in_regions > 0 && !k->region_totalled))
        return false;
    const int listed = k->individuals ? rd_individuals_snapshot_pieces(k->individuals) : 0;
    k->piece = calloc((size_t)(w->counts.n_species + BULK_PIECES + w->fields.n_field_rate + listed),
                      sizeof *k->piece);
    k->field = calloc((size_t)s->plan->model->n_fields + 1, sizeof *k->field);
    k->counts = n_counts(k) > 0 ? rd_large_array((size_t)n_counts(k), sizeof *k->counts) : NULL;
    k->sums = n_sums(k) > 0 ? malloc((size_t)n_sums(k) * sizeof *k->sums) : NULL;
    k->total = calloc(totals, sizeof *k->total);
    k->region_total = in_regions > 0 ? calloc(in_regions, sizeof *k->region_total) : NULL;
    k->fire = calloc((size_t)(w->lattice.n_runs * w->reactions.n_reactions) + 1, sizeof *k->fire);
    k->loss = s->plan->has_lost ? calloc(faces, sizeof *k->loss) : NULL;
    k->stop = w->runs.n_stopped > 0 ? calloc((size_t)w->runs.n_stopped, sizeof *k->stop) : NULL;
    k->out = w->runs.faults_are_separate ? calloc((size_t)w->lattice.n_runs, sizeof *k->out) : NULL;
    k->entry = s->plan->has_entered ? calloc(faces, sizeof *k->entry) : NULL;
    k->value =
        calloc((size_t)(w->lattice.n_runs * s->plan->model->n_named_values) + 1, sizeof *k->value);
    const bool ok = k->piece && k->field && (n_counts(k) == 0 || k->counts) &&
                    (n_sums(k) == 0 || k->sums) && k->total &&
                    (in_regions == 0 || k->region_total) && k->fire && k->value &&
                    (!s->plan->has_lost || k->loss) && (!s->plan->has_entered || k->entry) &&
                    (w->runs.n_stopped == 0 || k->stop) && (!w->runs.faults_are_separate || k->out);
    return ok || rd_fail(e, "out of memory for recording %lld runs of %d species",
                         (long long)w->lattice.n_runs, w->counts.n_species);
}

void rd_packing_close(struct rd_packing *k, const struct rd_sim *s)
{
    if (k->totalled)
        s->backend->free(s->machine, k->totalled);
    if (k->region_totalled)
        s->backend->free(s->machine, k->region_totalled);
    if (k->survey)
        s->backend->free(s->machine, k->survey);
    free(k->piece);
    free(k->field);
    free(k->counts);
    free(k->sums);
    free(k->total);
    free(k->region_total);
    free(k->fire);
    free(k->loss);
    free(k->entry);
    free(k->stop);
    free(k->out);
    free(k->value);
    rd_individuals_snapshot_close(k->individuals);
    rd_sparse_snapshot_close(k->sparse);
    *k = (struct rd_packing){0};
}

bool rd_snapshot_buffer_open(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             const struct rd_sim *s, struct rd_error *e)
{
    const int lists = k->individuals ? rd_individuals_snapshot_lists(k->individuals) : 0;
    const size_t totals = (size_t)(s->world.lattice.n_runs * s->world.counts.n_species);
    p->live = calloc((size_t)lists + 1, sizeof *p->live);
    p->placed = s->placed ? calloc(totals, sizeof *p->placed) : NULL;
    p->parameter = calloc((size_t)s->plan->model->n_parameters + 1, sizeof *p->parameter);
    if (!p->live || !p->parameter || (s->placed && !p->placed))
        return rd_fail(e, "out of memory for recording");
    return rd_rows_snapshot_reserve(p, s, k->entries + entries_bytes(k), e);
}

void rd_snapshot_buffer_close(struct rd_snapshot_buffer *p, const struct rd_sim *s)
{
    if (p->async_copy)
        s->backend->async_copy_close(s->machine, p->async_copy);
    free(p->live);
    free(p->placed);
    free(p->parameter);
    free(p->faulted);
    free(p->life);
    *p = (struct rd_snapshot_buffer){0};
}

/* Computes totals and sums over runs on the machine before they are copied. */
static bool reduce_on_machine(const struct rd_packing *k, struct rd_sim *s, bool has_sums,
                              struct rd_error *e)
{
    struct rd_world seen = s->world;
    if (k->plan->model->n_named_values > 0 && seen.runs.n_total > 0)
        rd_step_totals(s);
    seen.counts.surveyed = k->survey;
    seen.counts.n_surveyed = has_sums ? k->world.counts.n_surveyed : 0;
    seen.counts.total = k->totalled;
    seen.counts.region_total = k->region_totalled;
    s->backend->run(s->machine, &seen, RD_SITE_SUMS);
    choose_summed_regions(&seen, s->plan->model);
    if (k->region_totalled &&
        !s->backend->zero(s->machine, k->region_totalled,
                          (size_t)n_region_totals(&seen) * sizeof *k->region_totalled, e))
        return false;
    if (rd_has_rows(&seen))
        return rd_rows_snapshot_totals(k, s, &seen, e);
    s->backend->sum(s->machine, k->totalled, seen.counts.count,
                    seen.counts.n_species * seen.lattice.n_runs, seen.lattice.n_sites);
    if (k->region_totalled)
        s->backend->run(s->machine, &seen, RD_REGION_TOTALS);
    return true;
}

/* Adds the pieces of the counts of the first runs, one per column. Returns their number. */
static int add_count_pieces(const struct rd_packing *k, const struct rd_sim *s, int64_t n_counted)
{
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)(n_counted * w->lattice.n_sites) * sizeof *w->counts.count;
    for (int32_t i = 0; n_counted > 0 && i < rd_n_columns(w); i++)
        k->piece[i] =
            (struct rd_piece){w->counts.count + i * w->lattice.n_voxels, (size_t)i * bytes, bytes};
    return n_counted > 0 ? rd_n_columns(w) : 0;
}

/* Adds the pieces of the changing fields of the runs that are kept. Returns their number. */
static int take_fields(const struct rd_packing *k, const struct rd_sim *s, int64_t n_runs,
                       struct rd_piece *piece)
{
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)(n_runs * w->lattice.n_sites) * sizeof *w->fields.varying;
    for (int64_t i = 0; i < w->fields.n_field_rate; i++)
        piece[i] = (struct rd_piece){w->fields.varying + i * w->lattice.n_voxels,
                                     k->fields + (size_t)i * bytes, bytes};
    return (int)w->fields.n_field_rate;
}

static bool take_faulted(struct rd_snapshot_buffer *p, const struct rd_sim *s, struct rd_error *e)
{
    const size_t bytes = (size_t)s->n_faulted * sizeof *p->faulted;
    if (s->n_faulted > p->n_faulted) {
        struct rd_faulted *const more = realloc(p->faulted, bytes);
        if (!more)
            return rd_fail(e, "out of memory for the faults of %lld runs", (long long)s->n_faulted);
        p->faulted = more;
        memcpy(p->faulted, s->faulted, bytes);
    }
    p->n_faulted = s->n_faulted;
    return true;
}

bool rd_snapshot_buffer_pack(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             struct rd_sim *s, double time, uint64_t due, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const struct rd_recorded has = recorded(k, due);
    const size_t one = sizeof *k->totalled;
    const size_t totals = (size_t)(w->lattice.n_runs * w->counts.n_species) * one;
    struct rd_piece *piece = k->piece;
    p->time = time;
    p->due = due;
    p->has_state = true;
    p->is_begun = s->is_begun;
    if (p->placed)
        memcpy(p->placed, s->placed, totals);
    if (!take_faulted(p, s, e) || !reduce_on_machine(k, s, has.has_sums, e))
        return false;
    piece += add_count_pieces(k, s, has.n_counted);
    if (!rd_rows_snapshot_pieces(p, k, s, has.n_counted, &piece, e))
        return false;
    *piece++ = (struct rd_piece){
        k->survey, k->surveyed,
        has.has_sums ? (size_t)k->world.counts.n_surveyed * sizeof *k->survey : 0};
    *piece++ = (struct rd_piece){k->totalled, k->totals, totals};
    *piece++ = (struct rd_piece){k->region_totalled, k->region_totals,
                                 (size_t)n_region_totals(&k->world) * one};
    *piece++ = (struct rd_piece){w->counts.fired, k->fired, (size_t)w->counts.n_fired * one};
    *piece++ = (struct rd_piece){w->counts.lost, k->lost, (size_t)w->counts.n_lost * one};
    *piece++ = (struct rd_piece){w->counts.entered, k->entered, (size_t)w->counts.n_entered * one};
    piece += take_fields(k, s, has.n_kept, piece);
    *piece++ = (struct rd_piece){w->runs.frozen, k->frozen, (size_t)k->world.runs.n_frozen};
    *piece++ = (struct rd_piece){w->runs.stopped, k->stopped, (size_t)w->runs.n_stopped * one};
    piece += rd_named_values_take(p, k, s, piece);
    if (k->individuals && has.n_kept > 0) {
        if (!rd_individuals_snapshot_look(k->individuals, s, k->individuals_snapshot, p->live,
                                          piece, e))
            return false;
        piece += rd_individuals_snapshot_pieces(k->individuals);
    }
    s->backend->async_copy(s->machine, p->async_copy, k->piece, (int)(piece - k->piece));
    return true;
}

static void unpack_totals(struct rd_packing *k, const int64_t *sum)
{
    const struct rd_world *const w = &k->world;
    for (int64_t run = 0; run < w->lattice.n_runs; run++)
        for (int32_t i = 0; i < w->counts.n_species; i++)
            k->total[run * w->counts.n_species + k->plan->species_of[i]] =
                sum[i * w->lattice.n_runs + run];
}

/* Sets the totals of a compartment: those of its species in the run, and 0 of the others. */
static void set_compartment(const struct rd_model *m, int region, const int64_t *total,
                            int64_t *row)
{
    for (int s = 0; s < m->n_species; s++)
        row[s] = m->species[s].compartment >= 0 && m->species[s].region == region ? total[s] : 0;
}

/* Sorts totals in regions, [run][region][species], into the file's order of species; the totals of
   the runs are sorted. */
static void unpack_region_totals(struct rd_packing *k, const int64_t *sum)
{
    const struct rd_model *const m = k->plan->model;
    const int32_t n = k->world.counts.n_species;
    int64_t *row = k->region_total;
    for (int64_t run = 0; run < k->world.lattice.n_runs; run++)
        for (uint64_t left = k->world.counts.summed; left; left &= left - 1, row += n, sum += n) {
            const int region = __builtin_ctzll(left);
            for (int32_t i = 0; i < n; i++)
                row[k->plan->species_of[i]] = sum[i];
            if (region >= rd_model_n_places(m))
                set_compartment(m, region, k->total + run * n, row);
        }
}

/* Adds up sums [stripe][run][item][width] over the stripes to [run][order[item]][width], unless to
   is NULL: there are none. */
static void unpack_sums(const struct rd_packing *k, const int64_t *from, int64_t n, int32_t n_items,
                        const int32_t *order, int width, int64_t *to)
{
    const int64_t n_to = k->world.lattice.n_runs * n_items * width;
    if (to)
        memset(to, 0, (size_t)n_to * sizeof *to);
    for (int64_t i = 0; i < n; i++) {
        const int64_t in_stripe = i % n_to, row = in_stripe / width;
        const int64_t run = row / n_items, item = order[row % n_items];
        to[(run * n_items + item) * width + in_stripe % width] += from[i];
    }
}

/* Sets pointers to the fields in the copied bytes, which are in the right order already. */
static void unpack_fields(const struct rd_packing *k, int64_t n_runs, const char *byte)
{
    const struct rd_model *const m = k->plan->model;
    const double *const first = (const void *)(byte + k->fields);
    for (int i = 0; i < m->n_fields; i++)
        if (m->field_varies[i])
            k->field[i] = first + m->field_component_of[RD_FIELD_COMPONENTS * i] * n_runs *
                                      k->world.lattice.n_sites;
}

static void unpack_stopped(struct rd_packing *k, const uint8_t *frozen, const double *stopped)
{
    for (int64_t run = 0; run < k->world.runs.n_frozen; run++)
        k->stop[run] = frozen[run] == RD_FROZEN_STOPPED ? stopped[run] : (double)NAN;
}

/* Sets the data of a faulted run to missing values (-1, or NAN in fields); the fields are in the
   copied bytes. */
static void blank_faulted_run(struct rd_packing *k, const struct rd_recorded *has, int64_t run,
                              double *field)
{
    const struct rd_world *const w = &k->world;
    const int64_t voxels = w->counts.n_species * w->lattice.n_sites,
                  faces = w->counts.n_species * RD_N_FACES;
    k->out[run] = 1;
    for (int64_t i = 0; k->counts && run < has->n_counted && i < voxels; i++)
        k->counts[run * voxels + i] = -1;
    for (int64_t i = 0; i < w->counts.n_species; i++)
        k->total[run * w->counts.n_species + i] = -1;
    for (int64_t i = 0, n = w->counts.n_summed * w->counts.n_species; i < n; i++)
        k->region_total[run * n + i] = -1;
    for (int64_t i = 0; i < w->reactions.n_reactions; i++)
        k->fire[run * w->reactions.n_reactions + i] = -1;
    for (int64_t i = 0; run < has->n_kept && i < w->fields.n_field_rate * w->lattice.n_sites; i++)
        field[(i / w->lattice.n_sites * has->n_kept + run) * w->lattice.n_sites +
              i % w->lattice.n_sites] = (double)NAN;
    rd_named_values_leave_out(k, run);
    for (int64_t i = 0; k->loss && i < faces; i++)
        k->loss[run * faces + i] = -1;
    for (int64_t i = 0; k->entry && i < faces; i++)
        k->entry[run * faces + i] = -1;
}

bool rd_snapshot_buffer_unpack(const struct rd_snapshot_buffer *p, struct rd_packing *k,
                               struct rd_snapshot *snapshot, struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    const struct rd_plan *const plan = k->plan;
    const struct rd_recorded has = recorded(k, p->due);
    const char *const byte = k->backend->async_copy_wait(p->async_copy, e);
    if (!byte)
        return false;
    if (k->counts)
        rd_counts_unpack(k, p, has.n_counted, byte);
    if (has.has_sums)
        rd_survey_unpack(k, (const void *)(byte + k->surveyed));
    unpack_totals(k, (const void *)(byte + k->totals));
    unpack_region_totals(k, (const void *)(byte + k->region_totals));
    unpack_fields(k, has.n_kept, byte);
    unpack_sums(k, (const void *)(byte + k->fired), w->counts.n_fired, w->reactions.n_reactions,
                plan->reaction_of, 1, k->fire);
    unpack_sums(k, (const void *)(byte + k->lost), w->counts.n_lost, w->counts.n_species,
                plan->species_of, RD_N_FACES, k->loss);
    unpack_sums(k, (const void *)(byte + k->entered), w->counts.n_entered, w->counts.n_species,
                plan->species_of, RD_N_FACES, k->entry);
    unpack_stopped(k, (const void *)(byte + k->frozen), (const void *)(byte + k->stopped));
    rd_named_values_unpack(k, p, byte);
    for (int64_t i = 0; i < p->n_faulted; i++)
        if (rd_faults_is_here(w, &p->faulted[i]))
            blank_faulted_run(k, &has, p->faulted[i].run - rd_run_number(&w->lattice, 0),
                              (double *)(uintptr_t)(byte + k->fields));
    const struct rd_sparse_counts *const sparse =
        k->sparse ? rd_sparse_snapshot_take(k->sparse, k, has.n_counted, byte, p->n_entries, e)
                  : NULL;
    if (k->sparse && !sparse)
        return false;
    *snapshot = (struct rd_snapshot){.time = p->time,
                                     .due = p->due,
                                     .counts = has.n_counted > 0 ? k->counts : NULL,
                                     .sparse = sparse,
                                     .sums = has.has_sums ? k->sums : NULL,
                                     .totals = k->total,
                                     .region_totals = k->region_total,
                                     .values = k->value,
                                     .fired = k->fire,
                                     .lost = k->loss,
                                     .entered = k->entry,
                                     .field = has.n_kept > 0 ? k->field : NULL,
                                     .stopped = k->stop,
                                     .out = p->n_faulted > 0 ? k->out : NULL,
                                     .faulted = p->faulted,
                                     .n_faulted = p->n_faulted};
    return !k->individuals || has.n_kept == 0 ||
           rd_individuals_snapshot_take(k->individuals, byte, k->individuals_snapshot, p->live,
                                        snapshot, e);
}
