/* recording - runs a configuration into a result file, with chosen options of the recorder and the
   result, and with callbacks on the way. */
#ifndef RD_RECORDING_H
#define RD_RECORDING_H

#include "record/record.h"

struct recording {
    const char *path;
    int n_snapshot_buffers; /* 0: the program's own number */
    bool has_counts;        /* counts of all runs are recorded even if sums of them suffice */
    bool lives_apart;       /* births and deaths are written before their snapshot, not with it */
    double segment_seconds;
    int64_t segment_bytes;
    /* Is called before snapshot number n is taken. */
    void (*before_snapshot)(void *to, int64_t n);
    void (*steps)(void *to, int64_t n); /* is called after step number n */
    void *to;
    int64_t stops_at; /* step after which the run stops; 0: never */

    double stopped; /* time at which the run stopped; NaN: it did not */
    int64_t n_taken;
    struct rd_writer_times times;
};

/* Returns true if everything is in the file; e holds the messages. */
bool recording_run(struct recording *r, const char *text, struct rd_error *e);

#endif
