/* bench - `rdsim-bench`: compares this machine with its own limits, and with other programs. */
#ifndef RD_BENCH_BENCH_H
#define RD_BENCH_BENCH_H

#include "bench/machine_limits.h"
#include "bench/report.h"
#include "config/config.h"
#include "sim/sim.h"

#include <stdio.h>

/* Holds the options of the command line. A number that is 0 means the default of each case. */
struct rd_bench_of {
    struct rd_machine_of machine;
    const char *const *name; /* of cases; none: all cases of this machine */
    int n_names;
    int32_t voxels; /* along each edge */
    double load;    /* molecules in a voxel */
    int steps;      /* in each repeat */
    int repeats;
    const struct rd_set *set; /* changes to the cases' configurations */
    int n_set;
    const char *model; /* a configuration that is timed instead of the cases; or NULL */
    const char *json;  /* a file, or "-": stdout, in place of the table; or NULL */
    bool is_quick, is_markdown, force;
};

/* Holds the open machine, and the results so far. */
struct rd_bench {
    const struct rd_bench_of *of;
    const struct rd_backend *backend;
    rd_machine *machine; /* for machine limits; simulations open their own */
    bool is_gpu;
    char device[256];
    struct rd_machine_limits limits;
    struct rd_report report;
};

/* Runs the benchmark and prints the table to out. Returns false and sets e if it fails. */
bool rd_bench(const struct rd_bench_of *of, FILE *out, struct rd_error *e);

#endif
