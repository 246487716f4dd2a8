/* inspect - checks an HDF5 file of unknown origin before its values are read. */
#define _XOPEN_SOURCE 700
#include "hdf5/inspect.h"

#include "hdf5/hdf5_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

static bool refuse_external(hid_t plan, struct rd_why *why)
{
    char name[256] = "";
    off_t offset;
    hsize_t size;
    H5Pget_external(plan, 0, sizeof name - 1, name, &offset, &size);
    snprintf(why->text, sizeof why->text,
             "has its values in another file, '%s' (external storage); copy them into this one",
             name);
    return false;
}

static bool check_chunk_plan(hid_t set, hid_t plan, double most, struct rd_why *why)
{
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(plan, H5S_MAX_RANK, chunk);
    const hid_t type = H5Dget_type(set);
    double bytes = (double)H5Tget_size(type);
    rd_h5_drop(type);
    for (int i = 0; i < rank; i++)
        bytes *= (double)chunk[i];
    if (rank > 0 && bytes <= most)
        return true;
    snprintf(why->text, sizeof why->text,
             "has chunks of %.0f MiB, and one read may take %.0f MiB; store it in smaller chunks "
             "(h5repack -l CHUNK=...)",
             bytes / MIB, most / MIB);
    return false;
}

/* Checks the storage of a data set that is not virtual. */
static bool check_set_storage(hid_t set, hid_t plan, double most, struct rd_why *why)
{
    if (H5Pget_external_count(plan) > 0)
        return refuse_external(plan, why);
    return H5Pget_layout(plan) != H5D_CHUNKED || check_chunk_plan(set, plan, most, why);
}

bool rd_inspect_check_set(hid_t set, double chunk_most, struct rd_why *why)
{
    const hid_t plan = H5Dget_create_plist(set);
    const bool is_virtual = plan >= 0 && H5Pget_layout(plan) == H5D_VIRTUAL;
    if (is_virtual)
        snprintf(why->text, sizeof why->text,
                 "has its values in other files (it is virtual); copy them into this one");
    else if (plan < 0)
        snprintf(why->text, sizeof why->text, "cannot be read");
    const bool good = plan >= 0 && !is_virtual && check_set_storage(set, plan, chunk_most, why);
    rd_h5_drop(plan);
    return good;
}

static void name_link(const char *name, struct rd_why *why)
{
    snprintf(why->text, sizeof why->text,
             "'%.400s' is an external link, and such links are not followed; copy the data into "
             "this file",
             name);
}

bool rd_inspect_has_link(hid_t file, const char *name, struct rd_why *why)
{
    char *const path = strdup(name);
    bool has = false;
    for (char *end = path; path && end && !has;) {
        end = strchr(end + 1, '/');
        if (end)
            *end = 0;
        H5L_info_t about;
        if (path[0] && H5Lget_info(file, path, &about, H5P_DEFAULT) >= 0 &&
            about.type == H5L_TYPE_EXTERNAL) {
            name_link(path, why);
            has = true;
        }
        if (end)
            *end = '/';
    }
    free(path);
    return has;
}
