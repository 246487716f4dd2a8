/* again - the parts of `rdsim again FILE` besides the run.

   They are the origin of FILE, the place of the second result, and the comparison of both. */
#ifndef RD_APP_AGAIN_H
#define RD_APP_AGAIN_H

#include "config/config.h"
#include "result/read/result_reader.h"

/* Holds the origin of a result and the settings of its repetition. A zero-initialised struct is
   closed. */
struct rd_again {
    const char *path;
    struct rd_origin origin;
    char *temporary;      /* name of the second result, if it is not kept; owned */
    struct rd_set set[2]; /* output.file = name of the second result; and the rows of the first */
    int n_set;
    struct rd_error warnings; /* warnings of another program or stream version */
};

/* Reads the origin of FILE, and checks that the files that it was made from are unchanged. The
   second result goes to `keep`, or if that is NULL to the folder of FILE. */
bool rd_again_open(struct rd_again *a, const char *path, const char *keep, struct rd_error *e);
/* Returns the number of snapshots that the second result needs; 0: all. */
int64_t rd_again_n_times(const struct rd_again *a);
/* Compares both results, prints the differences, and sets *same. */
bool rd_again_compare(const struct rd_again *a, FILE *out, bool *same, struct rd_error *e);
/* Removes the second result, unless it is kept. */
void rd_again_close(struct rd_again *a);

#endif
