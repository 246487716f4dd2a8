/* progress - how far a run is: one line that is redrawn on a terminal, plain lines otherwise. */
#ifndef RD_BASE_PROGRESS_H
#define RD_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum rd_progress_kind { RD_PROGRESS_AUTO, RD_PROGRESS_PLAIN, RD_PROGRESS_NONE };

struct rd_progress {
    enum rd_progress_kind kind;
    bool is_terminal;
    int64_t batch, n_batches; /* counted from 1; told if there are several */
    double end;               /* time of the simulation */
    int64_t n_steps;          /* in all, */
    int64_t n_before;         /* and before this process took the run up */
    double begun, reported;   /* wall clock */
};

struct rd_progress rd_progress_begin(enum rd_progress_kind kind, double end, int64_t n_steps);
/* Says how far it is, if it is time to. */
void rd_progress_report(struct rd_progress *p, double time, int64_t steps);
/* Leaves the line of the terminal clean. */
void rd_progress_end(const struct rd_progress *p);

#endif
