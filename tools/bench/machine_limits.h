/* machine_limits - the highest rates of the machine, measured in this run: copying, random words,
   sorts and scans. */
#ifndef RD_BENCH_MACHINE_LIMITS_H
#define RD_BENCH_MACHINE_LIMITS_H

#include "base/error.h"

#include <stdint.h>

struct rd_bench;

enum { RD_SORTS_MOST = 16 };
struct rd_machine_limits {
    double copy;  /* bytes read and written per second */
    double words; /* random words per second */
    struct {
        int64_t n;      /* pairs of key and value */
        int32_t voxels; /* along each edge of the lattice */
        double seconds;
    } sort[RD_SORTS_MOST];
    int n_sorts;
};

/* Measures and reports the limits; sorts and scans only if a selected case has lists. Returns false
   and sets e if it fails. */
bool rd_machine_limits_measure(struct rd_bench *b, struct rd_error *e);
/* Returns the seconds to sort a list of that length and lattice; 0: not measured. */
double rd_machine_limits_sort(const struct rd_machine_limits *c, int64_t n, int32_t voxels);

#endif
