/* temporary_file - an HDF5 file that nobody sees until it is whole: written under another name,
   closed, synced and renamed. HDF5 itself never meets a failed write (it cannot close a file
   after one): the draft's own file driver remembers the first failure and swallows the rest. */
#ifndef RD_HDF5_TEMPORARY_FILE_H
#define RD_HDF5_TEMPORARY_FILE_H

#include "base/error.h"

#include <hdf5.h>

struct rd_temporary_file {
    hid_t file;      /* 0 while none is open */
    hid_t driver;    /* of this file alone */
    char *path;      /* owned: where it will be seen */
    char *temporary; /* owned: where it is now */
    int failure;     /* errno of the first failed write, or 0 */
};

/* Creates the file at temporary; on failure nothing is left. The draft must not move while it is
   open: its file knows where it is. */
bool rd_temporary_file_open(struct rd_temporary_file *d, const char *temporary, const char *path,
                            struct rd_error *e);
/* Bytes so far. */
int64_t rd_temporary_file_size(const struct rd_temporary_file *d);
/* If all is good and no write failed: closes, syncs, renames. Otherwise removes it and says why:
   the disk's reason, or HDF5's. */
bool rd_temporary_file_publish(struct rd_temporary_file *d, bool good, struct rd_error *e);

#endif
