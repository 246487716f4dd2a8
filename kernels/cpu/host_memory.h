/* host_memory - the memory that a process may still take; separate because backend_cpu.c has no
   room for it. */
#ifndef RD_CPU_HOST_MEMORY_H
#define RD_CPU_HOST_MEMORY_H

#include <stdint.h>

/* Returns the bytes that the machine has free, or that the container or the process may still take,
   whichever is least, if so many threads run. */
int64_t rd_host_memory(int n_threads);

#endif
