/* segment - the open segment: a temporary file with a data set for each series, to which rows
   are added. */
#ifndef RD_RESULT_WRITE_SEGMENT_H
#define RD_RESULT_WRITE_SEGMENT_H

#include "hdf5/temporary_file.h"
#include "result/format/data_set.h"

struct rd_segment {
    const struct rd_layout *layout;
    struct rd_temporary_file temporary_file; /* its file is 0 while none is open */
    hid_t *set;                              /* owned: [series], 0 while none is open */
    int64_t *length;                         /* owned: [table], its rows in this segment */
};

/* Allocates g; no segment is open yet. */
bool rd_segment_make(struct rd_segment *g, const struct rd_layout *l, struct rd_error *e);
void rd_segment_free(struct rd_segment *g);

/* Opens an empty segment; on failure none is open. */
bool rd_segment_open(struct rd_segment *g, const char *temporary, const char *path,
                     struct rd_error *e);
/* Writes n more values of series i behind the rows of its table. When all series have them,
   rd_segment_lengthen adds them to the length of the table. */
bool rd_segment_append(struct rd_segment *g, int i, int64_t n, const void *values);
void rd_segment_lengthen(struct rd_segment *g, int table, int64_t n);
/* Closes the segment. If good, renames it to its path; otherwise removes it. */
bool rd_segment_publish(struct rd_segment *g, bool good, struct rd_error *e);

#endif
