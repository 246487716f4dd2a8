/* record - snapshots of a simulation: it waits while they are packed, and goes on while they are
   written.

   Between the first snapshot and rd_recorder_end, only the writer's thread uses the store and
   HDF5. */
#include "record/record.h"

#include "base/clock.h"
#include "record/attribute_counts.h"
#include "sim/capacity.h"
#include "sim/faults.h"

#include <math.h>
#include <stdlib.h>

/* Sets limits of the number of snapshot buffers, and of their bytes if there are more than the
   least number. */
enum { SNAPSHOT_BUFFERS_LEAST = 2, SNAPSHOT_BUFFERS_MOST = 256, SNAPSHOT_BUFFERS_BYTES = 1 << 26 };

/* Returns the bytes of births and deaths that a snapshot buffer may carry, as far as they can be
   predicted. */
static double lives_bytes(const struct rd_model *m)
{
    for (int i = 0; i < m->n_species; i++)
        if (m->species[i].is_individual && m->species[i].record == RD_KEEPS_LINEAGE)
            return (double)RD_LIVES_WAITING * (double)sizeof(struct rd_life);
    return m->n_conditions > 0 ? (double)RD_LIVES_WAITING * (double)sizeof(struct rd_life) : 0.0;
}

/* Returns the bytes of individuals that are counted by attributes, in a snapshot buffer. */
static double bytes_of_bins(const struct rd_model *m)
{
    return (double)(m->n_runs * m->n_bins) * (double)sizeof(int64_t);
}

static int snapshot_buffers_for(double bytes)
{
    const double n = SNAPSHOT_BUFFERS_BYTES / bytes;
    return n < SNAPSHOT_BUFFERS_LEAST  ? SNAPSHOT_BUFFERS_LEAST
           : n > SNAPSHOT_BUFFERS_MOST ? SNAPSHOT_BUFFERS_MOST
                                       : (int)n;
}

/* Returns the bytes of the largest variable of a group that records some species only, which are
   copied before they are written. */
static double chosen_bytes(const struct rd_model *m)
{
    double most = 0.0;
    for (int i = 0; i < m->n_outputs; i++) {
        const struct rd_output *const o = &m->output[i];
        const double voxels = (double)o->n_species * (double)m->grid.n_sites;
        const double counts = 4.0 * voxels * (double)rd_output_kept(m, o);
        if (o->n_species < m->n_species && rd_output_has_voxels(m, o))
            most = fmax(most, counts);
        if (o->n_species < m->n_surveyed && rd_output_has_statistics(m, o))
            most = fmax(most, 8.0 * voxels);
    }
    return most;
}

/* Returns the bytes of statistics over runs: the mean, variance, least and largest number of each
   voxel; and of each pair of species a sum of 128 bits, and the covariance in each place. */
static double statistics_bytes(const struct rd_model *m)
{
    const double places = 1.0 + rd_regions_number(rd_model_totalled(m));
    return 24.0 * m->n_surveyed * (double)m->grid.n_sites +
           (16.0 + 8.0 * places) * m->n_paired * m->n_paired;
}

/* Returns the bytes that the check of conservation laws takes: the totals that were placed, in each
   snapshot buffer, and the deviation of each law. */
static double conservation_bytes(const struct rd_plan *p, int n_snapshot_buffers)
{
    const double n_laws = p->conserved.law.n, n_runs = (double)p->model->n_runs;
    return n_laws > 0 ? n_runs * (8.0 * n_snapshot_buffers * p->model->n_species + 16.0 * n_laws)
                      : 0.0;
}

double rd_record_memory(const struct rd_plan *p)
{
    const struct rd_snapshot_buffer_bytes of = rd_snapshot_buffer_bytes(p, RD_AS_DUE);
    const double snapshot_buffer =
        of.snapshot_buffer + lives_bytes(p->model) + bytes_of_bins(p->model);
    const int n = snapshot_buffers_for(snapshot_buffer);
    return n * snapshot_buffer + of.snapshot + of.sums + conservation_bytes(p, n) +
           chosen_bytes(p->model) + statistics_bytes(p->model);
}

double rd_record_run_memory(const struct rd_plan *p)
{
    return rd_sim_memory(p, 1) + rd_record_memory(p);
}

double rd_record_aboard(const struct rd_plan *p)
{
    return rd_snapshot_buffer_bytes(p, RD_AS_DUE).aboard;
}

bool rd_recorder_open(struct rd_recorder *r, const struct rd_sim *s, int64_t n_forced,
                      struct rd_error *e)
{
    if (r->n_snapshot_buffers == 0)
        r->n_snapshot_buffers =
            snapshot_buffers_for(rd_snapshot_buffer_bytes(s->plan, n_forced).snapshot_buffer +
                                 lives_bytes(s->plan->model) + bytes_of_bins(s->plan->model));
    r->snapshot_buffer = calloc((size_t)r->n_snapshot_buffers, sizeof *r->snapshot_buffer);
    bool ok = r->snapshot_buffer || rd_fail(e, "out of memory for recording");
    ok = ok && rd_packing_open(&r->packing, s, n_forced, e) &&
         rd_conservation_check_open(&r->conservation_check, s->plan, e);
    for (int i = 0; ok && i < r->n_snapshot_buffers; i++)
        ok = rd_snapshot_buffer_open(&r->snapshot_buffer[i], &r->packing, s, e);
    return ok;
}

void rd_recorder_close(struct rd_recorder *r, const struct rd_sim *s)
{
    struct rd_error ignored = {0};
    rd_recorder_end(r, &ignored);
    rd_error_free(&ignored);
    for (int i = 0; r->snapshot_buffer && i < r->n_snapshot_buffers; i++) {
        free(r->snapshot_buffer[i].by);
        rd_snapshot_buffer_close(&r->snapshot_buffer[i], s);
    }
    free(r->snapshot_buffer);
    rd_packing_close(&r->packing, s);
    rd_conservation_check_close(&r->conservation_check);
    *r = (struct rd_recorder){0};
}

void rd_recorder_leave(struct rd_recorder *r, const struct rd_sim *s)
{
    const struct rd_recorder left = *r;
    rd_recorder_close(r, s);
    r->store = left.store;
    r->batch_file = left.batch_file;
    r->seconds = left.seconds;
    r->times = left.times;
}

static bool unpack(struct rd_recorder *r, const struct rd_snapshot_buffer *p, struct rd_error *e)
{
    if (!rd_snapshot_buffer_unpack(p, &r->packing, &r->snapshot, e))
        return false;
    r->snapshot.by = rd_model_counts_by(r->packing.plan->model, p->due) ? p->by : NULL;
    return rd_conservation_check_check(&r->conservation_check, p->placed, p->is_begun, &r->snapshot,
                                       e);
}

bool rd_recorder_merge_lives(struct rd_recorder *r, int64_t order_key, struct rd_error *e)
{
    enum { ROWS = 1024 };
    struct rd_life *const row = malloc(ROWS * sizeof *row);
    bool ok = row || rd_fail(e, "out of memory for births and deaths");
    for (int64_t n = 1; ok && n > 0;) {
        n = rd_batch_file_lives(r->batch_file, order_key, row, ROWS, e);
        ok = n == 0 || (n > 0 && rd_store_live(r->store, row, n, e));
    }
    free(row);
    return ok;
}

/* Writes the births and deaths of all batches together with those of the last batch. */
static bool write_merged(struct rd_recorder *r, const struct rd_snapshot_buffer *p,
                         struct rd_error *e)
{
    return rd_batch_file_live(r->batch_file, p->life, p->n_lives, e) &&
           rd_recorder_merge_lives(r, p->order_key, e);
}

static bool write_recorded_state(struct rd_recorder *r, const struct rd_snapshot_buffer *p,
                                 struct rd_error *e)
{
    bool is_whole = true;
    return unpack(r, p, e) &&
           (!r->batch_file || rd_batch_file_take(r->batch_file, &r->snapshot, &is_whole, e)) &&
           (!is_whole || rd_store_write(r->store, &r->snapshot, e));
}

/* Writes births and deaths first, since the state is refused if all runs of all batches have
   faulted. */
static bool write_snapshot_buffer(void *recorder, int number, struct rd_error *e)
{
    struct rd_recorder *const r = recorder;
    const struct rd_snapshot_buffer *const p = &r->snapshot_buffer[number];
    return (r->batch_file ? write_merged(r, p, e)
                          : rd_store_live(r->store, p->life, p->n_lives, e)) &&
           (!p->has_state || write_recorded_state(r, p, e));
}

static bool sync_store(void *recorder, bool now, struct rd_error *e)
{
    const struct rd_recorder *const r = recorder;
    return !r->store || rd_store_sync(r->store, now, e);
}

static double due(void *recorder)
{
    const struct rd_recorder *const r = recorder;
    return r->store ? rd_store_due(r->store) : (double)INFINITY;
}

/* Returns whether snapshots are written: to the store, or by a process that shares the batches to
   its batch file only. */
static bool is_written(const struct rd_recorder *r)
{
    return r->store || r->batch_file;
}

/* Returns an empty snapshot buffer, or NULL with a message after a failure. The first call starts
   the writer. */
static struct rd_snapshot_buffer *next_snapshot_buffer(struct rd_recorder *r, struct rd_error *e)
{
    const struct rd_writing writing = {write_snapshot_buffer, sync_store, due, r};
    if (!r->writer && is_written(r) &&
        !rd_writer_open(&r->writer, r->n_snapshot_buffers, &writing, e))
        return NULL;
    const int number = r->writer ? rd_writer_load(r->writer, e) : 0;
    if (number < 0)
        return NULL;
    r->snapshot_buffer[number].has_state = false;
    r->snapshot_buffer[number].n_lives = 0;
    return &r->snapshot_buffer[number];
}

static bool send_snapshot(struct rd_recorder *r, const struct rd_snapshot_buffer *p,
                          struct rd_error *e)
{
    if (!r->writer)
        return unpack(r, p, e);
    rd_writer_send(r->writer, (int)(p - r->snapshot_buffer));
    return true;
}

/* Returns the groups of the output that record snapshot number n; beyond the planned ones, all. */
static uint64_t due_at(const struct rd_model *m, int64_t n)
{
    return n < m->n_moments ? m->due[n] : RD_ALL_DUE;
}

/* Moves the births and deaths of the simulator into the buffer; all have order keys below
   order_key. */
static void pack_lives(struct rd_snapshot_buffer *p, struct rd_sim *s, int64_t order_key)
{
    p->order_key = order_key;
    struct rd_life *const capacity = p->life;
    const int64_t n = p->lives_capacity;
    p->life = s->life;
    p->n_lives = s->n_lives;
    p->lives_capacity = s->lives_capacity;
    s->life = capacity;
    s->n_lives = 0;
    s->lives_capacity = n;
}

bool rd_recorder_take(void *recorder, struct rd_sim *s, double time, struct rd_error *e)
{
    struct rd_recorder *const r = recorder;
    const double begin = rd_clock();
    const uint64_t due = due_at(s->plan->model, r->n_written);
    struct rd_snapshot_buffer *const p = rd_sim_check(s, e) ? next_snapshot_buffer(r, e) : NULL;
    const bool is_counted =
        p && (!is_written(r) || rd_attribute_counts_take(s, time, due, &p->by, e));
    rd_faults_date(s, r->n_written);
    if (!is_counted || !rd_snapshot_buffer_pack(p, &r->packing, s, time, due, e))
        return false;
    if (is_written(r))
        /* + 1 includes the events of this time */
        pack_lives(p, s, rd_first_order_key(s->step_clock.step) + 1);
    if (!send_snapshot(r, p, e))
        return false;
    r->n_written++;
    r->seconds += rd_clock() - begin;
    return true;
}

/* Sends births and deaths to the store; those of other batches too if their order keys are below
   this one. */
static bool send_lives(struct rd_recorder *r, struct rd_sim *s, int64_t order_key,
                       struct rd_error *e)
{
    if (!is_written(r))
        s->n_lives = 0;
    if (s->n_lives == 0 && !r->batch_file)
        return true;
    const double begin = rd_clock();
    struct rd_snapshot_buffer *const p = next_snapshot_buffer(r, e);
    if (!p)
        return false;
    pack_lives(p, s, order_key);
    const bool ok = send_snapshot(r, p, e);
    r->seconds += rd_clock() - begin;
    return ok;
}

bool rd_recorder_live(void *recorder, struct rd_sim *s, struct rd_error *e)
{
    return send_lives(recorder, s, rd_first_order_key(s->step_clock.step), e);
}

bool rd_recorder_last_lives(struct rd_recorder *r, struct rd_sim *s, struct rd_error *e)
{
    return rd_capacity_drain(s, e) && send_lives(r, s, INT64_MAX, e);
}

bool rd_recorder_is_well(const struct rd_recorder *r)
{
    return !r->writer || rd_writer_is_well(r->writer);
}

bool rd_recorder_sync(struct rd_recorder *r, struct rd_error *e)
{
    return !r->writer || rd_writer_sync(r->writer, e);
}

bool rd_recorder_end(struct rd_recorder *r, struct rd_error *e)
{
    const bool ok = rd_writer_close(r->writer, &r->times, e);
    r->writer = NULL;
    return ok;
}
