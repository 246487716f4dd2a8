/* snapshot_buffer - carries the state at one time from the machine to a snapshot in the file's
   order. */
#ifndef RD_RECORD_SNAPSHOT_BUFFER_H
#define RD_RECORD_SNAPSHOT_BUFFER_H

#include "record/individuals_snapshot.h"

/* Holds data that left the machine at one time. */
struct rd_snapshot_buffer {
    rd_async_copy *async_copy;
    size_t bytes;      /* that it has room for */
    int64_t n_entries; /* of rows in it */
    double time;
    uint64_t due;               /* groups of the output that record it */
    bool has_state;             /* false: births and deaths only */
    bool is_begun;              /* copied from rd_sim */
    int64_t *placed;            /* copied from rd_sim; owned; NULL without conservation laws */
    int64_t *by;                /* rd_attribute_counts_take; record.c owns it */
    double *parameter;          /* values of the parameters; owned */
    struct rd_faulted *faulted; /* copy of the simulator's, which owns the messages; owned */
    int64_t n_faulted;
    int64_t *live;        /* [recorded list]: number of individuals */
    struct rd_life *life; /* births and deaths, which follow the state; owned */
    int64_t n_lives, lives_capacity;
    int64_t order_key; /* all of them have smaller order keys */
};

/* Holds the layout of all asynchronous copies, and the arrays of the one snapshot that is unpacked.
 */
struct rd_packing {
    const struct rd_backend *backend;
    const struct rd_plan *plan; /* later, only its order of species and reactions is read */
    struct rd_world world;      /* its sizes */
    int64_t n_forced;           /* runs, from the first on, whose counts are always copied; -1: as
                                   many as the groups that are due need */
    struct rd_recorded most;    /* of any copy */
    bool has_individuals;
    /* offsets into a copy, in bytes; the counts that are in columns are at 0 */
    size_t surveyed, totals, region_totals, fired, lost, entered, fields, frozen, stopped,
        read_totals, read_values, individuals_snapshot,
        entries;                /* of rows; there may be any number of them */
    int64_t *totalled;          /* totals, on the machine */
    int64_t *region_totalled;   /* totals in regions, on the machine; NULL: there are none */
    struct rd_surveyed *survey; /* sums over runs, on the machine; may be empty */
    struct rd_piece *piece;
    int32_t *counts;
    struct rd_sum *sums;
    int64_t *total, *region_total, *fire, *loss, *entry;
    const double **field; /* [field, in the file's order]: into the copy; NULL: it is constant */
    double *stop, *value;
    uint8_t *out; /* [run]: 1 if it faulted; NULL if runs do not fail separately */
    rd_individuals_snapshot *individuals;
    struct rd_sparse_snapshot *sparse; /* NULL: counts are arrays only */
};

/* The number of runs with counts is left to the groups that are due. */
enum { RD_AS_DUE = -1 };

/* Return the bytes of one snapshot buffer, of the unpacked snapshot, of the sums that the machine
   makes for it, and of the machine's memory for all. */
struct rd_snapshot_buffer_bytes {
    double snapshot_buffer, snapshot, sums, aboard;
};
struct rd_snapshot_buffer_bytes rd_snapshot_buffer_bytes(const struct rd_plan *p, int64_t n_forced);

/* These open and close the two structs. A zero-initialised struct is closed. The close functions
   must be called in any case. */
bool rd_packing_open(struct rd_packing *k, const struct rd_sim *s, int64_t n_forced,
                     struct rd_error *e);
void rd_packing_close(struct rd_packing *k, const struct rd_sim *s);
bool rd_snapshot_buffer_open(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             const struct rd_sim *s, struct rd_error *e);
void rd_snapshot_buffer_close(struct rd_snapshot_buffer *p, const struct rd_sim *s);

/* Starts to copy the present state from the machine, which goes on, for the groups that are due.
   Returns false with a message on failure. */
bool rd_snapshot_buffer_pack(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             struct rd_sim *s, double time, uint64_t due, struct rd_error *e);
/* Waits until the copy is complete, and unpacks it to a snapshot that is valid until the next
   call. Another thread may do this while the simulation goes on. Returns false with a message on
   failure. */
bool rd_snapshot_buffer_unpack(const struct rd_snapshot_buffer *p, struct rd_packing *k,
                               struct rd_snapshot *snapshot, struct rd_error *e);

#endif
