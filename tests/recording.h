/* recording - a configuration run into a result file by hand, with a recorder and a store that can
   be chosen, and with what may befall them on the way. */
#ifndef RD_RECORDING_H
#define RD_RECORDING_H

#include "record/record.h"

struct recording {
    const char *path;
    int n_snapshot_buffers; /* 0: as the program */
    bool has_counts;        /* also where sums of them would do */
    bool lives_apart;       /* births and deaths go before their snapshot, not with it */
    double segment_seconds;
    int64_t segment_bytes;
    /* Called before snapshot number n is taken. */
    void (*befalls)(void *to, int64_t n);
    void (*steps)(void *to, int64_t n); /* after step number n */
    void *to;
    int64_t stops_at; /* a step; 0: never */

    double stopped; /* when; NAN: not */
    int64_t n_taken;
    struct rd_writer_times times;
};

/* True if all is in the file; what was said is in e. */
bool recording_run(struct recording *r, const char *text, struct rd_error *e);

#endif
