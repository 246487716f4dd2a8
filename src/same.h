/* same - whether two paths lead to one file, whatever they are called. */
#ifndef RD_SAME_H
#define RD_SAME_H

#include <stdbool.h>

/* False where one of them leads to nothing. */
bool rd_same_file(const char *a, const char *b);

#endif
