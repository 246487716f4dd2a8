/* progress - prints the progress of a run: one line that is redrawn on a terminal, else plain
   lines; to stderr. */
#define _POSIX_C_SOURCE 200809L
#include "base/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

/* Sets the seconds between two reports, on a terminal and in a log. */
static const double often = 0.2, seldom = 10.0;

struct rd_progress rd_progress_begin(enum rd_progress_kind kind, double end, int64_t n_steps)
{
    const double now = rd_clock();
    return (struct rd_progress){.kind = kind,
                                .is_terminal = kind == RD_PROGRESS_AUTO && isatty(2),
                                .end = end,
                                .n_steps = n_steps,
                                .begun = now,
                                .reported = now};
}

/* Prints the remaining time in a suitable unit: 42 s, 7 min, 3.1 h. */
static void print_left(double seconds)
{
    if (seconds < 100.0)
        fprintf(stderr, "%.0f s left", seconds);
    else if (seconds < 6000.0)
        fprintf(stderr, "%.0f min left", seconds / 60.0);
    else
        fprintf(stderr, "%.1f h left", seconds / 3600.0);
}

void rd_progress_report(struct rd_progress *p, double time, int64_t steps)
{
    const double now = rd_clock();
    if (p->kind == RD_PROGRESS_NONE || now - p->reported < (p->is_terminal ? often : seldom))
        return;
    p->reported = now;
    const double spent = now - p->begun, done = (double)steps / (double)p->n_steps;
    const double rate = (double)(steps - p->n_before) / spent;
    fprintf(stderr, "%s%5.1f %%  ", p->is_terminal ? "\r" : "", 100.0 * done);
    if (p->n_batches > 1)
        fprintf(stderr, "batch %lld of %lld  ", (long long)p->batch, (long long)p->n_batches);
    fprintf(stderr, "t = %.6g of %.6g  %.3g steps/s  ", time, p->end, rate);
    print_left((double)(p->n_steps - steps) / rate);
    fprintf(stderr, "%s", p->is_terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void rd_progress_end(const struct rd_progress *p)
{
    if (p->is_terminal && p->kind != RD_PROGRESS_NONE && p->reported > p->begun)
        fprintf(stderr, "\r\033[K");
}
