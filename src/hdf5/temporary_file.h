/* temporary_file - an HDF5 file that is invisible until it is complete: it is written under another
   name, closed, synchronised and renamed.
   HDF5 cannot close a file after a failed write. The driver of this file therefore records the
   first failure and reports success for it and all later writes. */
#ifndef RD_HDF5_TEMPORARY_FILE_H
#define RD_HDF5_TEMPORARY_FILE_H

#include "base/error.h"

#include <hdf5.h>

struct rd_temporary_file {
    hid_t file;      /* 0 while none is open */
    hid_t driver;    /* driver of this file only */
    char *path;      /* owned: the final name */
    char *temporary; /* owned: the present name */
    int failure;     /* errno of the first failed write, or 0 */
};

/* Creates the file at temporary; leaves nothing on failure. The struct must not move while the file
   is open, since the driver keeps a pointer to it. */
bool rd_temporary_file_open(struct rd_temporary_file *d, const char *temporary, const char *path,
                            struct rd_error *e);
/* Returns the present size in bytes. */
int64_t rd_temporary_file_size(const struct rd_temporary_file *d);
/* Closes, synchronises and renames the file if good is true and no write failed. Otherwise removes
   it and reports the reason of the operating system or of HDF5. */
bool rd_temporary_file_publish(struct rd_temporary_file *d, bool good, struct rd_error *e);

#endif
