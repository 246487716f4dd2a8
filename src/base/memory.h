/* memory - ends a command that only prints if an allocation fails. Such a command has nothing to
   save, and its readers return NULL for what a file lacks, too. The library never calls
   rd_memory_need or rd_memory_guard_enable, and neither does code that writes a result: these
   return a message. */
#ifndef RD_BASE_MEMORY_H
#define RD_BASE_MEMORY_H

/* Returns what malloc, calloc or realloc returned. If it is NULL, prints "rdsim: out of memory" and
   ends the program with status 2; any thread may call it. */
void *rd_memory_need(void *allocated);

/* Does the same in a command that has called rd_memory_guard_enable; otherwise returns NULL. It is
   for functions that the library calls as well. */
void *rd_memory_guard(void *allocated);
/* Is called before the program starts threads. */
void rd_memory_guard_enable(void);

#endif
