/* writer - a thread of its own that writes, one after the other, the loads that are sent to it
   while the simulation goes on. */
#ifndef RD_RECORD_WRITER_H
#define RD_RECORD_WRITER_H

#include "base/error.h"

typedef struct rd_writer rd_writer;

/* What the thread does; nobody else does any of it while the thread lives. */
struct rd_writing {
    bool (*write)(void *to, int load, struct rd_error *e);
    /* Makes safe what is due to be, or, now, all that was written. */
    bool (*settle)(void *to, bool now, struct rd_error *e);
    double (*due)(void *to); /* seconds until it is to settle; INFINITY: never */
    void *to;
};

/* Loads are numbers from 0 to n_loads - 1, all free at first; at least one. */
bool rd_writer_open(rd_writer **w, int n_loads, const struct rd_writing *writing,
                    struct rd_error *e);
/* A free load, for which it waits; -1 with the writer's sentences once writing has failed. */
int rd_writer_load(rd_writer *w, struct rd_error *e);
/* The load is the writer's until it is written. */
void rd_writer_send(rd_writer *w, int load);
/* Waits until all that was sent is written and safe. */
bool rd_writer_settle(rd_writer *w, struct rd_error *e);
/* How long others waited for the thread, and how long it worked, in seconds. */
struct rd_writer_times {
    double waited, worked;
};
/* Waits until all that was sent is written, and ends the thread: true if all was well. NULL is
   possible. */
bool rd_writer_close(rd_writer *w, struct rd_writer_times *times, struct rd_error *e);

/* False once writing has failed; costs nothing. */
bool rd_writer_is_well(const rd_writer *w);

#endif
