/* bench - `rdsim-bench`: this machine against its own limits, and against other programs. */
#ifndef RD_BENCH_BENCH_H
#define RD_BENCH_BENCH_H

#include "bench/machine_limits.h"
#include "bench/report.h"
#include "config/config.h"
#include "sim/sim.h"

#include <stdio.h>

/* What was asked. Numbers that are 0 are each case's own. */
struct rd_bench_of {
    struct rd_machine_of machine;
    const char *const *name; /* of cases; none: all that this machine has */
    int n_names;
    int32_t voxels; /* along each edge */
    double load;    /* molecules in a voxel */
    int steps;      /* in each repeat */
    int repeats;
    const struct rd_set *set; /* changes of the cases' configurations */
    int n_set;
    const char *json; /* a file, or "-": stdout, instead of the table; or NULL */
    bool is_quick, is_markdown, force;
};

/* The machine at work, and what is known so far. */
struct rd_bench {
    const struct rd_bench_of *of;
    const struct rd_backend *backend;
    rd_machine *machine; /* for ceiling; simulations open their own */
    bool is_gpu;
    char device[256];
    struct rd_ceiling ceiling;
    struct rd_report report;
};

/* The cases by name, and what they are. */
void rd_bench_list(FILE *out);
/* The whole of the command; the table goes to out. */
bool rd_bench(const struct rd_bench_of *of, FILE *out, struct rd_error *e);

#endif
