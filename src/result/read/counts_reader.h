/* counts_reader - the counts of one run at one time, out of a result in the dense or the sparse
   layout: a list of the counts that are not 0, sorted by species and voxel. */
#ifndef RD_RESULT_READ_COUNTS_READER_H
#define RD_RESULT_READ_COUNTS_READER_H

#include "base/error.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { RD_SPARSE_SETS = 5 };

/* Holds the counts of a group of the output. A zero-initialised struct is closed. */
struct rd_counts_reader {
    const char *prefix, *path; /* of messages; not owned */
    bool is_there, is_sparse;  /* the group has counts; and these are rows */
    hid_t dense;               /* the data set, or 0 */
    hid_t set[RD_SPARSE_SETS]; /* row_start, row_count, voxel, species, count; or 0 */
    int64_t n_runs, n_times, n_species, n_sites, n_rows;
};

/* Describes a count of a species in a voxel: place = species * n_sites + voxel. */
struct rd_counted {
    int64_t place, count;
};

/* Holds the counts of one run at one time. A zero-initialised struct is empty. */
struct rd_counts_list {
    bool is_missing; /* nothing was written: the run faulted, or its segment is missing */
    int64_t n;
    struct rd_counted *of; /* owned */
    int64_t capacity;
};

/* Returns whether the group has counts as rows. */
bool rd_counts_are_sparse(hid_t at);
/* Sets the number of rows of the group, and the bytes that they take in the file; 0: unknown. */
void rd_counts_size(hid_t at, int64_t *n_rows, int64_t *stored);
/* Opens the counts of a group for this number of runs, times and species. Returns false with a
   message if they have other sizes; rd_counts_close closes them in any case. Sets is_there to false
   if the group has none. */
bool rd_counts_open(struct rd_counts_reader *r, hid_t at, int64_t n_runs, int64_t n_times,
                    int64_t n_species, struct rd_error *e);
void rd_counts_close(struct rd_counts_reader *r);

/* Reads the counts of a run at a time, by their indices in the group, and checks them. Returns
   false with a message on failure. */
bool rd_counts_read(const struct rd_counts_reader *r, int64_t run, int64_t time,
                    struct rd_counts_list *to, struct rd_error *e);
/* Returns the index of the first count that is not before the place. */
int64_t rd_counts_find(const struct rd_counts_list *l, int64_t place);
void rd_counts_list_free(struct rd_counts_list *l);

#endif
