/* progress - prints the progress of a run: one line that is redrawn on a terminal, else plain
   lines. */
#ifndef RD_BASE_PROGRESS_H
#define RD_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum rd_progress_kind { RD_PROGRESS_AUTO, RD_PROGRESS_PLAIN, RD_PROGRESS_NONE };

struct rd_progress {
    enum rd_progress_kind kind;
    bool is_terminal;
    int64_t batch, n_batches; /* batch counts from 1; printed if n_batches > 1 */
    double end;               /* end of the run, in time of the simulation */
    int64_t n_steps;          /* steps of the whole run */
    int64_t n_before;         /* steps done before this process resumed the run */
    double begun, reported;   /* wall clock, in seconds */
};

struct rd_progress rd_progress_begin(enum rd_progress_kind kind, double end, int64_t n_steps);
/* Prints the progress if the last report is old enough. */
void rd_progress_report(struct rd_progress *p, double time, int64_t steps);
/* Clears the line of the terminal. */
void rd_progress_end(const struct rd_progress *p);

#endif
