/* threads - runs a function for each of many items, on several threads. */
#include "base/threads.h"

#include <omp.h>

int rd_threads_number(int wanted)
{
    return wanted > 0 ? wanted : omp_get_num_procs();
}

void rd_threads_each(int threads, int64_t n, void (*work)(void *of, int64_t i), void *of)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (n > 1)
    for (int64_t i = 0; i < n; i++)
        work(of, i);
}
