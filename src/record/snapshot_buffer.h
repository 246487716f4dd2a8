/* snapshot_buffer - the state at one time on its way from the machine to a snapshot in the file's
 * order. */
#ifndef RD_RECORD_SNAPSHOT_BUFFER_H
#define RD_RECORD_SNAPSHOT_BUFFER_H

#include "record/individuals_snapshot.h"

/* What left the machine at one time. */
struct rd_snapshot_buffer {
    rd_async_copy *async_copy;
    double time;
    bool has_state;             /* or births and deaths alone */
    bool is_begun;              /* as the simulator said */
    int64_t *placed;            /* likewise; owned; NULL if nobody asks */
    struct rd_faulted *faulted; /* as the simulator has them, whose sentences live on; owned */
    int64_t n_faulted;
    int64_t *live;        /* of each list whose individuals are recorded */
    struct rd_life *life; /* owned: births and deaths, after the state, */
    int64_t n_lives, lives_capacity;
    int64_t order_key; /* all of turns before this one */
};

/* Where everything stands in each lift, and the arrays of the one snapshot that is unpacked. */
struct rd_packing {
    const struct rd_backend *backend;
    const struct rd_plan *plan; /* of which only the order of species and reactions is read later */
    struct rd_world world;      /* its sizes */
    int64_t n_counted;          /* runs, the first ones, whose counts leave the machine */
    bool has_individuals;
    int64_t n_fielded; /* runs, the first ones, whose fields that vary do */
    /* counts come first */
    size_t surveyed, totals, fired, lost, entered, fields, frozen, stopped, individuals_snapshot,
        bytes;
    int64_t *totalled;          /* the totals, on the machine */
    struct rd_surveyed *survey; /* there too; NULL if statistics of voxels are not asked for */
    struct rd_piece *piece;
    int32_t *counts;
    struct rd_sum *sums;
    int64_t *total, *fire, *loss, *entry;
    const double **field; /* of each that varies, in the file's order: in the lift's bytes */
    double *stop;
    uint8_t *out; /* [run]; NULL where no run faults alone */
    rd_individuals_snapshot *individuals;
};

/* Whether a result of the model needs anything of voxels; and of how many runs, the first ones, it
   needs the counts. Of the others there are sums, or of all: few runs have fewer counts than sums.
 */
bool rd_snapshot_buffer_has_voxels(const struct rd_model *m);
int64_t rd_snapshot_buffer_counted(const struct rd_model *m);
bool rd_snapshot_buffer_is_surveyed(const struct rd_model *m, int64_t n_counted);

/* Bytes of one parcel, of the snapshot that is unpacked, and of what the machine needs for both. */
struct rd_snapshot_buffer_bytes {
    double snapshot_buffer, snapshot, aboard;
};
struct rd_snapshot_buffer_bytes rd_snapshot_buffer_bytes(const struct rd_plan *p,
                                                         int64_t n_counted);

/* Zero-initialised is closed; to be closed in any case. */
bool rd_packing_open(struct rd_packing *k, const struct rd_sim *s, int64_t n_counted,
                     struct rd_error *e);
void rd_packing_close(struct rd_packing *k, const struct rd_sim *s);
bool rd_snapshot_buffer_open(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             const struct rd_sim *s, struct rd_error *e);
void rd_snapshot_buffer_close(struct rd_snapshot_buffer *p, const struct rd_sim *s);

/* The state now begins to leave the machine, which goes on. */
bool rd_snapshot_buffer_pack(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             struct rd_sim *s, double time, struct rd_error *e);
/* Births and deaths that the simulator holds are the parcel's: all of turns before this one. */
void rd_snapshot_buffer_pack_lives(struct rd_snapshot_buffer *p, struct rd_sim *s,
                                   int64_t order_key);
/* Waits until all has arrived: the snapshot, which lives until the next. Another thread may do
   this while the simulation goes on. */
bool rd_snapshot_buffer_unpack(const struct rd_snapshot_buffer *p, struct rd_packing *k,
                               struct rd_snapshot *snapshot, struct rd_error *e);

#endif
