/* plain_direct_method - a direct method that shares no code with rdsim: it uses the logarithm of
   libm, and a generator of random numbers that is faster than counter-based ones. */
#include "bench/plain_direct_method.h"

#include <math.h>

/* Returns a uniform number from splitmix64 (Steele, Lea and Flood, 2014), in a few operations. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* Adds the state at all times up to t that are not yet recorded. Returns the next one. */
static int record_states(struct rd_direct_method *h, int next, double t, const int *n)
{
    for (; next < RD_DIRECT_METHOD_TIMES && t > next; next++)
        for (int s = 0; s < RD_DIRECT_METHOD_SPECIES; s++) {
            h->sum[next][s] += n[s];
            h->square[next][s] += (double)n[s] * n[s];
        }
    return next;
}

static void run_direct_method(struct rd_direct_method *h, double source, uint64_t *state)
{
    int n[RD_DIRECT_METHOD_SPECIES] = {0}; /* M, P, D */
    double t = 0;
    for (int next = 0; next < RD_DIRECT_METHOD_TIMES; h->events++) {
        const double a1 = 0.5 * n[0], a2 = 2.0 * n[0], a3 = 0.2 * n[1],
                     a4 = 0.01 * n[1] * (n[1] - 1), all = source + a1 + a2 + a3 + a4;
        t -= log(uniform(state)) / all;
        next = record_states(h, next, t, n);
        double aim = uniform(state) * all;
        if ((aim -= source) < 0)
            n[0]++;
        else if ((aim -= a1) < 0)
            n[0]--;
        else if ((aim -= a2) < 0)
            n[1]++;
        else if (aim < a3)
            n[1]--;
        else {
            n[1] -= 2;
            n[2]++;
        }
    }
}

struct rd_direct_method rd_direct_method_run(int runs, double load, uint64_t seed)
{
    struct rd_direct_method h = {0};
    for (int i = 0; i < runs; i++)
        run_direct_method(&h, load / 2.0, &seed);
    return h;
}
