/* folder - a temporary folder for files of the benchmark. */
#ifndef RD_BENCH_FOLDER_H
#define RD_BENCH_FOLDER_H

#include "base/error.h"

enum { RD_FOLDER_PATH = 640 };
struct rd_folder {
    char path[512];
};

bool rd_folder_open(struct rd_folder *f, struct rd_error *e);
/* Writes the path of a file in the folder to path. Returns path. */
const char *rd_folder_path(const struct rd_folder *f, const char *name, char path[RD_FOLDER_PATH]);
/* Deletes the folder and all files in it. */
void rd_folder_close(const struct rd_folder *f);

#endif
