/* writer - a thread that writes loads, one after the other, while the simulation goes on. */
#ifndef RD_RECORD_WRITER_H
#define RD_RECORD_WRITER_H

#include "base/error.h"

typedef struct rd_writer rd_writer;

/* Operations of the thread. No other thread does them while this one lives. */
struct rd_writing {
    bool (*write)(void *to, int load, struct rd_error *e);
    /* Makes safe what is due, or, if `now`, everything that was written. */
    bool (*sync)(void *to, bool now, struct rd_error *e);
    double (*due)(void *to); /* seconds until `sync` is due; INFINITY: never */
    void *to;
};

/* Starts the thread. Loads are numbers from 0 to n_loads - 1, all free at first; n_loads is at
   least 1. */
bool rd_writer_open(rd_writer **w, int n_loads, const struct rd_writing *writing,
                    struct rd_error *e);
/* Waits for a free load and returns it. Returns -1 with the writer's messages after writing has
   failed. */
int rd_writer_load(rd_writer *w, struct rd_error *e);
/* Sends a load, which belongs to the writer until it is written. */
void rd_writer_send(rd_writer *w, int load);
/* Waits until everything sent is written and safe. */
bool rd_writer_sync(rd_writer *w, struct rd_error *e);
/* Describes time that callers waited for the thread, and time that the thread worked, in
   seconds. */
struct rd_writer_times {
    double waited, worked;
};
/* Waits until everything sent is written, and ends the thread. Returns true if there was no
   failure. w may be NULL. */
bool rd_writer_close(rd_writer *w, struct rd_writer_times *times, struct rd_error *e);

/* Returns false after writing has failed; takes no lock. */
bool rd_writer_is_well(const rd_writer *w);

#endif
