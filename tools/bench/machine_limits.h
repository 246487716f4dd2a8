/* machine_limits - what the machine can do at best, measured now: copying, random words, sorts and
 * scans.
 */
#ifndef RD_BENCH_MACHINE_LIMITS_H
#define RD_BENCH_MACHINE_LIMITS_H

#include "base/error.h"

#include <stdint.h>

struct rd_bench;

enum { RD_SORTS_MOST = 16 };
struct rd_ceiling {
    double copy;  /* bytes read and written a second */
    double words; /* random words a second */
    struct {
        int64_t n;      /* pairs, of keys */
        int32_t voxels; /* of a lattice with so many voxels along each edge */
        double seconds;
    } sort[RD_SORTS_MOST];
    int n_sorts;
};

/* Measures and reports them; sorts and scans only where a case that is asked for has lists. */
bool rd_ceiling_measure(struct rd_bench *b, struct rd_error *e);
/* Seconds to sort a list of that length and lattice; 0: not measured. */
double rd_ceiling_sort(const struct rd_ceiling *c, int64_t n, int32_t voxels);

#endif
