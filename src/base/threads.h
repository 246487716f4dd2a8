/* threads - runs a function for each of many items, on several threads. */
#ifndef RD_BASE_THREADS_H
#define RD_BASE_THREADS_H

#include "base/error.h"

#include <stdint.h>

/* Returns the number of threads: `wanted`, or if that is 0 the number of processors. */
int rd_threads_number(int wanted);

/* Makes a process that forks end the threads that wait for the next loop of the forking thread: the
   child has none of them, and its first loop would wait for them without end. */
void rd_threads_allow_forks(void);

/* Calls work(of, i) once for each i from 0 to n - 1, in any order; the calls may run at the same
   time. Returns when all have ended. */
void rd_threads_each(int threads, int64_t n, void (*work)(void *of, int64_t i), void *of);
/* Does the same with work that can fail. Returns false with the message of the first i that
   failed. */
bool rd_threads_try(int threads, int64_t n, bool (*work)(void *of, int64_t i, struct rd_error *e),
                    void *of, struct rd_error *e);

#endif
