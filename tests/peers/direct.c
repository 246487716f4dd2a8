/* direct - a peer for ensembles: Gillespie's direct method for one well-mixed model of five
   reactions, written out by hand, run after run, as one would for this model alone. Compile with
   -O2; usage: direct RUNS [SEED]. Prints the means at the end and events per second of one core.

   0 -> M (5), M -> 0 (0.5 M), M -> M + P (2 M), P -> 0 (0.2 P), 2 P -> D (0.01 P (P - 1)); to t =
   50, with sums of M, P, D and of their squares at 51 times. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 51 };

/* splitmix64 (Steele, Lea and Flood, 2014): a few operations a number. */
static uint64_t state;
static double uniform(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double sum[TIMES][3], square[TIMES][3];
static int64_t events;

static void run(void)
{
    int n[3] = {0, 0, 0}; /* M, P, D */
    double t = 0;
    for (int k = 0; k < TIMES;) {
        const double a0 = 5, a1 = 0.5 * n[0], a2 = 2.0 * n[0], a3 = 0.2 * n[1],
                     a4 = 0.01 * n[1] * (n[1] - 1), all = a0 + a1 + a2 + a3 + a4;
        t -= log(uniform()) / all;
        for (; k < TIMES && t > k; k++)
            for (int s = 0; s < 3; s++) {
                sum[k][s] += n[s];
                square[k][s] += (double)n[s] * n[s];
            }
        double aim = uniform() * all;
        if ((aim -= a0) < 0)
            n[0]++;
        else if ((aim -= a1) < 0)
            n[0]--;
        else if ((aim -= a2) < 0)
            n[1]++;
        else if ((aim -= a3) < 0)
            n[1]--;
        else {
            n[1] -= 2;
            n[2]++;
        }
        events++;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : 10000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const double begin = seconds();
    for (int i = 0; i < runs; i++)
        run();
    const double took = seconds() - begin;
    for (int s = 0; s < 3; s++) {
        const double mean = sum[TIMES - 1][s] / runs;
        printf("%c %g variance %g\n", "MPD"[s], mean, square[TIMES - 1][s] / runs - mean * mean);
    }
    printf("%d runs, %.4g events: %.3g s, %.3g M events/s\n", runs, (double)events, took,
           (double)events / took * 1e-6);
    return 0;
}
