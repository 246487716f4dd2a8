/* first_wall - the wall that a molecule met first, if its walks along two or three axes were all
   absorbed in one step. Each walk is uniformised: jumps come at a constant rate, and the table
   gives the number of the jump that was absorbed. The time of the m-th of N jumps in a step is the
   m-th smallest of N uniform numbers. The method is exact. */
#ifndef RD_PASSES_MOVEMENT_FIRST_WALL_H
#define RD_PASSES_MOVEMENT_FIRST_WALL_H

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"

/* Returns a Poisson number with the mean, given that it is at least m. */
RD_FN int64_t rd_jumps_from(double mean, int64_t m, struct rd_stream *s)
{
    double total = 0.0, term = 1.0;
    for (int64_t n = m + 1; term > 1e-20 * total; n++) {
        total += term;
        term *= mean / (double)n;
    }
    double aim = rd_uniform(s) * total;
    term = 1.0;
    for (int64_t n = m;; n++) {
        aim -= term;
        term *= mean / (double)(n + 1);
        if (aim <= 0.0 ||
            ((double)n > mean && term < 1e-20 * total)) /* terms rise up to the mean */
            return n;
    }
}

/* Returns the time in the step (0 to 1) at which an absorbed walk was absorbed. */
RD_FN double rd_when_lost(const struct rd_world *w, int32_t when, struct rd_stream *s)
{
    const struct rd_when *const t = &w->when[when];
    const uint32_t word = rd_word(s);
    int32_t i = 0;
    while (i < t->n - 1 && word >= w->when_below[t->first + i])
        i++;
    const int64_t m = i + 1, n_jumps = rd_jumps_from(t->mean, m, s);
    double time = 0.0;
    for (int64_t j = 0; j < m; j++)
        time += (1.0 - time) * -rd_expm1(rd_log(rd_uniform(s)) / (double)(n_jumps - j));
    return time;
}

#endif
