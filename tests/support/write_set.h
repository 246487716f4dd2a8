/* write_set - writes an HDF5 file with one data set, for tests of files that a model reads. */
#ifndef RD_WRITE_SET_H
#define RD_WRITE_SET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>

/* Writes the data set at this path, together with the groups in its path. */
static inline void write_set(const char *file_name, const char *path, hid_t type, int rank,
                             const hsize_t *length, const void *value)
{
    const hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, length, NULL);
    H5Pset_create_intermediate_group(groups, 1);
    const hid_t set = H5Dcreate2(file, path, type, space, groups, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(groups);
    H5Fclose(file);
}

#endif
