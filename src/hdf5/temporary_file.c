/* temporary_file - an HDF5 file that is invisible until it is complete, and its file driver. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/temporary_file.h"

#include "base/file.h"
#include "hdf5/hdf5_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Holds the state of the driver; HDF5's own part comes first. */
struct disk {
    H5FD_t base;
    int fd;
    haddr_t eoa, eof; /* end of allocated space, end of written data */
    int *failure;     /* points to the member of rd_temporary_file */
};

/* Opens a file. HDF5 calls it twice: first to check whether it has the file open, which may
   fail. */
static H5FD_t *disk_open(const char *name, unsigned flags, hid_t fapl, haddr_t most)
{
    (void)most;
    int *const *const failure = H5Pget_driver_info(fapl);
    struct disk *const disk = calloc(1, sizeof *disk);
    const bool is_new = (flags & H5F_ACC_TRUNC) != 0;
    const int fd = is_new ? rd_file_create(name) : rd_file_reopen(name);
    if (!failure || !disk || fd < 0) {
        if (failure && is_new)
            **failure = disk ? errno : ENOMEM;
        if (fd >= 0)
            close(fd);
        free(disk);
        return NULL;
    }
    disk->fd = fd;
    disk->failure = *failure;
    return &disk->base;
}

static herr_t disk_close(H5FD_t *base)
{
    struct disk *const disk = (struct disk *)base;
    if (!*disk->failure && fsync(disk->fd) != 0)
        *disk->failure = errno;
    if (close(disk->fd) != 0 && !*disk->failure)
        *disk->failure = errno;
    free(disk);
    return 0;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *features)
{
    (void)base;
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct disk *)base)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((struct disk *)base)->eoa = eoa;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct disk *)base)->eof;
}

/* Reads bytes; space that was never written reads as zero. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size,
                        void *to)
{
    (void)type;
    (void)dxpl;
    const int64_t n = rd_file_read_at(((const struct disk *)base)->fd, to, size, (int64_t)at);
    if (n >= 0)
        memset((char *)to + n, 0, size - (size_t)n);
    return n < 0 ? -1 : 0;
}

static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size,
                         const void *from)
{
    (void)type;
    (void)dxpl;
    struct disk *const disk = (struct disk *)base;
    if (!*disk->failure && !rd_file_write_at(disk->fd, from, size, (int64_t)at))
        *disk->failure = errno;
    disk->eof = at + size > disk->eof ? at + size : disk->eof;
    return 0;
}

static herr_t disk_truncate(H5FD_t *base, hid_t dxpl, hbool_t closing)
{
    (void)dxpl;
    (void)closing;
    struct disk *const disk = (struct disk *)base;
    if (!*disk->failure && ftruncate(disk->fd, (off_t)disk->eoa) != 0)
        *disk->failure = errno;
    disk->eof = disk->eoa;
    return 0;
}

static const H5FD_class_t disk_driver = {
#ifdef H5FD_CLASS_VERSION /* since HDF5 1.14 */
    .version = H5FD_CLASS_VERSION,
    .value = 512, /* the first value that HDF5 leaves to applications */
#endif
    .name = "rdsim",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(int *),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Creates the file. The driver is unregistered only after the file is closed, since H5Fclose calls
   it. The format of HDF5 1.10 has checksums for all metadata. */
static hid_t create_file(const char *temporary, hid_t driver, int *failure)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED; /* netCDF-4 requires it */
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_driver(fapl, driver, &failure) >= 0 &&
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_link_creation_order(fcpl, order) >= 0)
        file = H5Fcreate(temporary, H5F_ACC_TRUNC, fcpl, fapl);
    rd_h5_drop(fcpl);
    rd_h5_drop(fapl);
    return file;
}

static void forget(struct rd_temporary_file *d)
{
    if (d->driver > 0)
        H5FDunregister(d->driver);
    free(d->path);
    free(d->temporary);
    *d = (struct rd_temporary_file){0};
}

bool rd_temporary_file_open(struct rd_temporary_file *d, const char *temporary, const char *path,
                            struct rd_error *e)
{
    *d = (struct rd_temporary_file){
        .path = strdup(path), .temporary = strdup(temporary), .driver = H5FDregister(&disk_driver)};
    d->file =
        d->path && d->temporary ? create_file(temporary, d->driver, &d->failure) : H5I_INVALID_HID;
    if (d->file >= 0)
        return true;
    if (d->failure)
        rd_file_fail_to_write(temporary, d->failure, e);
    else
        rd_h5_fail(e, temporary, "cannot be written");
    unlink(temporary);
    forget(d);
    return false;
}

int64_t rd_temporary_file_size(const struct rd_temporary_file *d)
{
    hsize_t size = 0;
    return H5Fget_filesize(d->file, &size) < 0 ? 0 : (int64_t)size;
}

bool rd_temporary_file_publish(struct rd_temporary_file *d, bool good, struct rd_error *e)
{
    good = H5Fclose(d->file) >= 0 && good;
    if (d->failure)
        good = rd_file_fail_to_write(d->path, d->failure, e);
    else if (!good)
        rd_h5_fail(e, d->path, "cannot be written");
    if (good)
        good = rd_file_publish(d->temporary, d->path, e);
    else
        unlink(d->temporary);
    forget(d);
    return good;
}
