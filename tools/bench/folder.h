/* folder - a folder for a while, to write to. */
#ifndef RD_BENCH_FOLDER_H
#define RD_BENCH_FOLDER_H

#include "base/error.h"

enum { RD_FOLDER_PATH = 640 };
struct rd_folder {
    char path[512];
};

bool rd_folder_open(struct rd_folder *f, struct rd_error *e);
/* path becomes that of a file in it. Gives path. */
const char *rd_folder_path(const struct rd_folder *f, const char *name, char path[RD_FOLDER_PATH]);
/* With all files that are in it. */
void rd_folder_close(const struct rd_folder *f);

#endif
