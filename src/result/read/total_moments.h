/* total_moments - the totals of an ensemble as numbers of runs and moments, from a result or from a
   table of text. */
#ifndef RD_RESULT_READ_TOTAL_MOMENTS_H
#define RD_RESULT_READ_TOTAL_MOMENTS_H

#include "result/statistics/significance.h"

/* Holds means and variances over runs. It owns everything that it points to, except path. */
struct rd_total_moments {
    const char *path;
    double *time;
    char **species;
    struct rd_moments *of; /* [time][species] */
    int64_t n_times, n_species;
    double n_runs; /* at the first time */
    double seed;   /* NAN: unknown */
    bool is_exact; /* a table of known means and deviations */
};

/* Gives the number of runs of moments that are known, not estimated. */
#define RD_RUNS_EXACT 1e15

/* Reads the totals of a result, or of a table of text with commas: `run,time,A,B` or `time,A,B`
   with a row for each run and time, or `time,A-mean,A-sd` with known means and standard deviations.
   rd_total_moments_free frees it in any case. */
bool rd_total_moments_read(struct rd_total_moments *s, const char *path, struct rd_error *e);
void rd_total_moments_free(struct rd_total_moments *s);

/* Makes room for the moments; n_times and n_species are set. */
bool rd_total_moments_allocate(struct rd_total_moments *s, struct rd_error *e);
/* Reads the table in `text`, whose bytes it changes. */
bool rd_total_moments_read_table(struct rd_total_moments *s, char *text, struct rd_error *e);

#endif
