/* measure - runs a configuration from memory through the same code as one from a file, and times
   the stretches between its outputs. */
#ifndef RD_BENCH_MEASURE_H
#define RD_BENCH_MEASURE_H

#include "bench/figure.h"
#include "config/config.h"

struct rd_measure_of {
    const struct rd_backend *backend; /* opened on machine, to read its free memory */
    const rd_machine *machine;
    struct rd_machine_of on;
    const char *name, *text; /* the configuration; text NULL: the file of this name. Its outputs are
                                equally spaced. */
    const struct rd_set *set;
    int n_set;
    int least, most;             /* number of repeats */
    double seconds;              /* time after which `least` repeats suffice */
    bool starts_over;            /* each repeat begins with the initial counts */
    bool by_parts;               /* one more repeat times the parts of a step */
    const char *file;            /* records the result there; or NULL */
    const char *checkpoint_file; /* writes a checkpoint there after each step; or NULL */
};

struct rd_measure {
    bool has_run;               /* false: it does not fit in memory */
    struct rd_error why;        /* why it does not fit; free by rd_error_free */
    struct rd_sample seconds;   /* per step */
    struct rd_sample recording; /* seconds without simulation, per snapshot */
    double last_recording;      /* the same at the end, for data not yet written */
    struct rd_sample saving;    /* seconds without simulation, per checkpoint */
    int64_t steps;              /* in a repeat */
    double time;                /* of a repeat, in the model's units */
    double molecules;           /* after the first stretch */
    double fired;               /* reactions per step */
    double bytes;               /* memory of the machine; 0: unknown */
    double pass[RD_N_TIMES];    /* by_parts: seconds per step */
};

/* Runs the configuration and fills m. The first stretch warms up and is not counted. Returns false
   and sets e if the run failed. */
bool rd_measure(struct rd_measure *m, const struct rd_measure_of *of, struct rd_error *e);

#endif
