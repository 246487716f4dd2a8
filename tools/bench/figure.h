/* figure - one figure of the bench: what was timed, how often, and what to hold it against. */
#ifndef RD_BENCH_FIGURE_H
#define RD_BENCH_FIGURE_H

#include "bench/peers.h"
#include "sim/sim.h"

/* Repeated measurements of the same thing. Zero-initialised is empty. */
enum { RD_REPEATS_MOST = 64 };
struct rd_sample {
    double value[RD_REPEATS_MOST];
    int n;
};
void rd_sample_add(struct rd_sample *s, double value); /* a full one stays as it is */
double rd_sample_median(const struct rd_sample *s);    /* 0 of none */
double rd_sample_spread(const struct rd_sample *s);    /* (most - least) / median */

struct rd_figure {
    const char *of; /* the case, or "limit" */
    char what[72];
    int32_t voxels; /* along each edge; 0: it is not about a lattice */
    double load;    /* molecules or individuals in a voxel */
    int64_t steps;  /* in each repeat */
    struct rd_sample seconds;
    double value;     /* how much a second; or where no time is told, the figure itself */
    const char *unit; /* of value; a rate ends with "/s" */
    double floor; /* seconds that memory's bandwidth, or its random words, take at best; 0: none */
    const struct rd_peer *peer; /* or NULL */
    double ratio;               /* how many times as fast as the peer on the same card; 0: none */
    double pass[RD_N_TIMES];    /* seconds of each part of a step, waited for one by one; or 0 */
    char note[256];             /* why there is no figure, or what to know of it */
};

/* Puts value and unit with a prefix of thousands, and three digits: "4.29 TB/s", "55.1 us". */
void rd_figure_scaled(char *to, size_t bytes, double value, const char *unit);

#endif
