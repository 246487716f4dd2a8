/* same_file - compares the files that two paths lead to, by device and inode. */
#define _POSIX_C_SOURCE 200809L
#include "base/same_file.h"

#include <sys/stat.h>

bool rd_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}
