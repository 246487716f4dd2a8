/* same_file - whether two paths lead to one file, whatever they are called. */
#ifndef RD_BASE_SAME_FILE_H
#define RD_BASE_SAME_FILE_H

#include <stdbool.h>

/* False where one of them leads to nothing. */
bool rd_same_file(const char *a, const char *b);

#endif
