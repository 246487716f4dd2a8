/* same_file - compares the files that two paths lead to. A header of its own, since three parts of
   the program use it. */
#ifndef RD_BASE_SAME_FILE_H
#define RD_BASE_SAME_FILE_H

#include <stdbool.h>

/* Returns whether both paths lead to one file; false if one of them leads to none. */
bool rd_same_file(const char *a, const char *b);

#endif
