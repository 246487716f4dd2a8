/* again - what `rdsim again FILE` knows beside the run itself: what FILE was made from, where the
   second result goes, and how they compare. */
#ifndef RD_APP_AGAIN_H
#define RD_APP_AGAIN_H

#include "config/config.h"
#include "result/read/result_reader.h"

/* Zero-initialised is closed. */
struct rd_again {
    const char *path;
    struct rd_origin origin;
    char *temporary;          /* where the second result goes, if it is not kept; owned */
    struct rd_set output;     /* output.file = that */
    struct rd_error warnings; /* the program is another one */
};

/* Reads what FILE was made from, and sees that files that it read are unchanged. The second result
   goes to keep, or if that is NULL beside FILE. */
bool rd_again_open(struct rd_again *a, const char *path, const char *keep, struct rd_error *e);
/* So many snapshots of the second result are needed; 0: all. */
int64_t rd_again_n_times(const struct rd_again *a);
/* Compares, and says so; *same: they are. */
bool rd_again_compare(const struct rd_again *a, FILE *out, bool *same, struct rd_error *e);
/* Removes the second result, unless it is kept. */
void rd_again_close(struct rd_again *a);

#endif
