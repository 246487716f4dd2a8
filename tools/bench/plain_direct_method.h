/* plain_direct_method - a peer for ensembles: Gillespie's direct method for one well-mixed model of
   five reactions, written and compiled for this model only. */
#ifndef RD_BENCH_PLAIN_DIRECT_METHOD_H
#define RD_BENCH_PLAIN_DIRECT_METHOD_H

#include <stdint.h>

/* Holds the results of the model 0 -> M (load / 2), M -> 0 (0.5 M), M -> M + P (2 M), P -> 0 (0.2
   P), 2 P -> D (0.01 P (P - 1)); to t = 50, recorded at 51 times. */
enum { RD_DIRECT_METHOD_TIMES = 51, RD_DIRECT_METHOD_SPECIES = 3 };
struct rd_direct_method {
    int64_t events;
    double sum[RD_DIRECT_METHOD_TIMES][RD_DIRECT_METHOD_SPECIES]; /* over the runs, of M, P, D */
    double square[RD_DIRECT_METHOD_TIMES][RD_DIRECT_METHOD_SPECIES];
};

/* Simulates so many runs, one after the other, in one thread. Returns their sums. */
struct rd_direct_method rd_direct_method_run(int runs, double load, uint64_t seed);

#endif
