/* measure - runs a configuration made in memory through the same chain as one from a file, and
   times the stretches between its outputs. */
#ifndef RD_BENCH_MEASURE_H
#define RD_BENCH_MEASURE_H

#include "bench/figure.h"
#include "config/config.h"

struct rd_measure_of {
    const struct rd_backend *backend; /* open already on machine, so that it can be asked */
    const rd_machine *machine;
    struct rd_machine_of on;
    const char *name, *text; /* the configuration; its outputs come in equal times */
    const struct rd_set *set;
    int n_set;
    int least, most;             /* repeats, */
    double seconds;              /* which end after so long, if there were enough */
    bool starts_over;            /* each repeat begins with the counts of the start */
    bool by_parts;               /* one repeat more, that tells the parts of a step */
    const char *file;            /* the result is recorded to; or NULL */
    const char *checkpoint_file; /* a checkpoint is written to after each step; or NULL */
};

struct rd_measure {
    bool has_run;               /* else it does not fit, and */
    struct rd_error why;        /* says why; rd_error_free */
    struct rd_sample seconds;   /* of a step */
    struct rd_sample recording; /* that it stood still for a snapshot */
    double last_recording;      /* and, in the end, for all that was not yet written */
    struct rd_sample saving;    /* that it stood still for a checkpoint */
    int64_t steps;              /* of a repeat */
    double time;                /* of a repeat, in the model's units */
    double molecules;           /* in the middle of the run */
    double fired;               /* reactions in a step */
    double bytes;               /* that it took of the machine's memory; 0: not known */
    double pass[RD_N_TIMES];    /* by_parts: seconds in a step */
};

/* The first stretch warms up and is not counted. False with a sentence if the run failed. */
bool rd_measure(struct rd_measure *m, const struct rd_measure_of *of, struct rd_error *e);

#endif
