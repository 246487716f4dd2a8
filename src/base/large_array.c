/* large_array - arrays of many megabytes, in huge pages where the system has them. */
#define _DEFAULT_SOURCE
#include "base/large_array.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Sets the bytes from which an array is large, and the least bytes of a huge page. */
enum { LARGE = 1 << 23, HUGE_PAGE = 1 << 21 };

void *rd_large_array(size_t n, size_t size)
{
    void *const array = calloc(n, size);
#ifdef MADV_HUGEPAGE
    if (array && n * size >= LARGE) {
        const size_t before = (HUGE_PAGE - (uintptr_t)array % HUGE_PAGE) % HUGE_PAGE;
        madvise((char *)array + before, n * size - before, MADV_HUGEPAGE);
    }
#endif
    return array;
}
