/* hdf5_file - helper functions for HDF5: error messages, attributes, texts, groups. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/hdf5_file.h"

#include "base/file.h"
#include "base/hash.h"
#include "hdf5/crash_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static herr_t take_first(unsigned n, const H5E_error2_t *error, void *cause)
{
    (void)n;
    struct rd_h5_cause *const c = cause;
    snprintf(c->text, sizeof c->text, "%s", error->desc ? error->desc : "");
    return 1; /* stops after the innermost error, the most specific one */
}

static herr_t on_error(hid_t stack, void *cause)
{
    const struct rd_h5_cause *const c = cause;
    if (!c->text[0])
        H5Ewalk2(stack, H5E_WALK_UPWARD, take_first, cause);
    return 0;
}

void rd_h5_listen(struct rd_h5_cause *c)
{
    H5Eset_auto2(H5E_DEFAULT, c ? on_error : NULL, c);
}

/* Returns where the first failure is stored, or NULL. */
static struct rd_h5_cause *listener(void)
{
    H5E_auto2_t handler = NULL;
    void *cause = NULL;
    H5Eget_auto2(H5E_DEFAULT, &handler, &cause);
    return handler == on_error ? cause : NULL;
}

bool rd_h5_fail(struct rd_error *e, const char *path, const char *what)
{
    const struct rd_h5_cause *const cause = listener();
    if (cause && cause->lacks_memory)
        return rd_fail(e, "%s: %s: out of memory", path, what);
    if (!cause || !cause->text[0])
        return rd_fail(e, "%s: %s", path, what);
    return rd_fail(e, "%s: %s: HDF5 reports '%s'", path, what, cause->text);
}

void *rd_h5_memory(void *allocated)
{
    struct rd_h5_cause *const cause = allocated ? NULL : listener();
    if (cause && !cause->text[0])
        cause->lacks_memory = true;
    return allocated;
}

void rd_h5_drop(hid_t id)
{
    if (id > 0)
        H5Idec_ref(id);
}

hid_t rd_h5_text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    rd_h5_drop(type);
    return H5I_INVALID_HID;
}

hid_t rd_h5_group(hid_t at, const char *name)
{
    const hid_t plan = H5Pcreate(H5P_GROUP_CREATE);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t group = H5I_INVALID_HID;
    if (H5Pset_link_creation_order(plan, order) >= 0 &&
        H5Pset_attr_creation_order(plan, order) >= 0)
        group = H5Gcreate2(at, name, H5P_DEFAULT, plan, H5P_DEFAULT);
    rd_h5_drop(plan);
    return group;
}

/* Returns whether each part of a path exists; a missing part is no error of HDF5 then. */
static bool has_path(hid_t at, const char *path)
{
    char part[512];
    if (at < 0 || strlen(path) >= sizeof part)
        return false;
    strcpy(part, path);
    for (char *slash = part; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = 0;
        if (H5Lexists(at, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(at, part, H5P_DEFAULT) > 0;
}

hid_t rd_h5_open(hid_t at, const char *name)
{
    return has_path(at, name) ? H5Oopen(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

bool rd_h5_name(hid_t group, hsize_t i, struct rd_h5_name *name)
{
    H5G_info_t about;
    return group >= 0 && H5Gget_info(group, &about) >= 0 && i < about.nlinks &&
           H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name->text,
                              sizeof name->text, H5P_DEFAULT) > 0;
}

bool rd_h5_parents(hid_t file, const char *path)
{
    char *const name = strdup(path);
    bool good = name != NULL;
    for (char *slash = name; good && (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = 0;
        if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
            const hid_t group = rd_h5_group(file, name);
            good = group >= 0;
            rd_h5_drop(group);
        }
        *slash = '/';
    }
    free(name);
    return good;
}

/* Restricts HDF5 to the opened file: disables plug-in filters and external links. This applies to
   the whole process. */
static void confine(void)
{
    H5PLset_loading_state(0);
    if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0)
        H5Lunregister(H5L_TYPE_EXTERNAL);
}

/* Returns whether HDF5 opened the file that was checked, not one that took its name since. */
static bool is_the_same(hid_t file, int checked)
{
    struct stat a, b;
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle &&
           fstat(*(const int *)handle, &a) == 0 && fstat(checked, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Opens a file without a lock, as some file systems have none. None is needed: a published file is
   never written. */
hid_t rd_h5_read_only(const char *path)
{
    const char *why;
    const int checked = rd_file_open(path, &why);
    if (checked < 0)
        return H5I_INVALID_HID;
    confine();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fapl_sec2(access) >= 0 && H5Pset_file_locking(access, false, true) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file >= 0 && !is_the_same(file, checked)) {
        rd_h5_drop(file);
        file = H5I_INVALID_HID;
    }
    close(checked);
    rd_h5_drop(access);
    return file;
}

static bool write_attribute(hid_t at, const char *name, hid_t type, hid_t space, const void *value)
{
    if (H5Aexists(at, name) > 0)
        H5Adelete(at, name);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    rd_h5_drop(attribute);
    return good;
}

bool rd_h5_put_text(hid_t at, const char *name, const char *text)
{
    const hid_t type = rd_h5_text_type();
    const hid_t space = H5Screate(H5S_SCALAR);
    const bool good = write_attribute(at, name, type, space, &text);
    rd_h5_drop(space);
    rd_h5_drop(type);
    return good;
}

bool rd_h5_put_number(hid_t at, const char *name, hid_t type, const void *value)
{
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){1}, NULL);
    const bool good = write_attribute(at, name, type, space, value);
    rd_h5_drop(space);
    return good;
}

bool rd_h5_label(hid_t set, const char *long_name, const char *unit)
{
    return set >= 0 && rd_h5_put_text(set, "long_name", long_name) &&
           rd_h5_put_text(set, "units", unit);
}

/* Sets the buffer for converting texts, in bytes: by default HDF5 would clear two megabytes for
   each column */
enum { CONVERTED = 1 << 14 };

/* Limits the values in a chunk. */
enum { COLUMN_CHUNK = 1 << 16 };

bool rd_h5_protect(hid_t plan, int rank, const hsize_t length[])
{
    hsize_t chunk[H5S_MAX_RANK], n = 1;
    for (int i = rank - 1; i >= 0; i--) {
        if (length[i] == 0)
            return true; /* nothing to protect, and a chunk cannot be empty */
        chunk[i] = length[i] < COLUMN_CHUNK / n ? length[i] : COLUMN_CHUNK / n;
        chunk[i] = chunk[i] > 0 ? chunk[i] : 1;
        n *= chunk[i];
    }
    return H5Pset_chunk(plan, rank, chunk) >= 0 && H5Pset_fletcher32(plan) >= 0;
}

/* Returns the FNV-1a hash of texts with their ends, in 32 bits, which a double represents
   exactly. */
static double hash_texts(char *const *text, int64_t n)
{
    uint64_t hash = RD_HASH_OF_NOTHING;
    for (int64_t i = 0; i < n; i++)
        hash = rd_hash_on(hash, text[i] ? text[i] : "", text[i] ? strlen(text[i]) + 1 : 1);
    return (double)(uint32_t)(hash ^ hash >> 32);
}

/* Names the attribute: HDF5 stores variable-length texts outside of the data set, without
   checksum */
static const char checksum[] = "checksum";

static bool put_checksum(hid_t set, int64_t n, const void *text)
{
    const int64_t hash = (int64_t)hash_texts(text, n < 0 ? 1 : n);
    return rd_h5_put_number(set, checksum, H5T_NATIVE_INT64, &hash);
}

bool rd_h5_read_texts(hid_t set, int64_t n, char **to)
{
    const hid_t type = rd_h5_text_type();
    rd_crash_guard_begin_limit(n);
    const bool good = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
    rd_crash_guard_end_limit();
    rd_h5_drop(type);
    return good;
}

bool rd_h5_check_texts(hid_t set)
{
    double wanted = 0.0;
    const hid_t space = H5Dget_space(set);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    char **const text = n >= 0 ? calloc((size_t)n + 1, sizeof *text) : NULL;
    const bool is_read = text && rd_h5_read_texts(set, n, text);
    const bool good =
        is_read && (!rd_h5_get_number(set, checksum, &wanted) || hash_texts(text, n) == wanted);
    for (hssize_t i = 0; text && i < n; i++)
        H5free_memory(text[i]);
    free(text);
    rd_h5_drop(space);
    return good;
}

hid_t rd_h5_put_column(hid_t at, const char *name, hid_t type, int64_t n, const void *value)
{
    const hsize_t length = n < 0 ? 0 : (hsize_t)n;
    const bool is_text = H5Tget_class(type) == H5T_STRING;
    const hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), way = H5Pcreate(H5P_DATASET_XFER);
    hid_t set = H5I_INVALID_HID;
    if (H5Pset_obj_track_times(plan, false) >= 0 &&
        H5Pset_buffer(way, CONVERTED, NULL, NULL) >= 0 &&
        (n < 0 || is_text || rd_h5_protect(plan, 1, &length)))
        set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, way, value) >= 0 &&
                      (!is_text || put_checksum(set, n, value));
    rd_h5_drop(way);
    rd_h5_drop(plan);
    rd_h5_drop(space);
    if (good)
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

/* Reads an attribute if it has one value of the expected kind; any program may have written the
   file. */
static bool read_single(hid_t at, const char *name, bool text, hid_t memory, void *value)
{
    if (H5Aexists(at, name) <= 0)
        return false;
    const hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const bool fits = text ? class == H5T_STRING && H5Tis_variable_str(type) > 0
                           : class == H5T_INTEGER || class == H5T_FLOAT;
    rd_crash_guard_begin_limit(1);
    const bool good =
        fits && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, value) >= 0;
    rd_crash_guard_end_limit();
    rd_h5_drop(space);
    rd_h5_drop(type);
    rd_h5_drop(attribute);
    return good;
}

bool rd_h5_get_number(hid_t at, const char *name, double *value)
{
    return read_single(at, name, false, H5T_NATIVE_DOUBLE, value);
}

char *rd_h5_get_text(hid_t at, const char *name)
{
    const hid_t type = rd_h5_text_type();
    char *text = NULL;
    const bool good = read_single(at, name, true, type, &text);
    rd_h5_drop(type);
    return good ? text : NULL;
}
