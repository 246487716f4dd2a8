/* large_array - arrays of many megabytes, in huge pages where the system has them. Each page is
   given when it is first written, and threads that write to different pages wait for each other. */
#ifndef RD_BASE_LARGE_ARRAY_H
#define RD_BASE_LARGE_ARRAY_H

#include <stddef.h>

/* Returns an array of n zeros of this size, which free() frees; NULL without memory. */
void *rd_large_array(size_t n, size_t size);

#endif
