/* figure - one figure of the bench: a quantity, its repeated times, and what it is compared
   with. */
#ifndef RD_BENCH_FIGURE_H
#define RD_BENCH_FIGURE_H

#include "bench/peers.h"
#include "sim/sim.h"

/* Holds repeated measurements of the same quantity. A zero-initialised struct is empty. */
enum { RD_REPEATS_MOST = 64 };
struct rd_sample {
    double value[RD_REPEATS_MOST];
    int n;
};
void rd_sample_add(struct rd_sample *s, double value); /* does nothing if s is full */
double rd_sample_median(const struct rd_sample *s);    /* 0 if s is empty */
double rd_sample_spread(const struct rd_sample *s);    /* (largest - smallest) / median */

struct rd_figure {
    const char *of; /* the case, or "limit" */
    char what[72];
    int32_t voxels; /* along each edge; 0: not about a lattice */
    double load;    /* molecules or individuals in a voxel */
    int64_t steps;  /* in each repeat */
    struct rd_sample seconds;
    double value;               /* amount per second; the figure itself if no time is given */
    const char *unit;           /* of value; a rate ends with "/s" */
    double floor;               /* least seconds, by memory bandwidth or random words; 0: none */
    const struct rd_peer *peer; /* or NULL */
    double ratio;               /* speed relative to the peer on the same device; 0: none */
    double pass[RD_N_TIMES];    /* seconds of each part of a step, measured one by one; or 0 */
    char note[256];             /* why there is no figure, or a remark */
};

/* Prints value and unit with an SI prefix and three digits: "4.29 TB/s", "55.1 us". */
void rd_figure_scaled(char *to, size_t bytes, double value, const char *unit);

#endif
