/* parts - the directory OUT.parts beside the result OUT: its lock, the list of its segments, and
   the removal of files. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/parts.h"

#include "base/file.h"
#include "result/files/parts_folder.h"
#include "result/files/run_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_result_name(const char *path, struct rd_error *e)
{
    struct stat about;
    const size_t length = strlen(path);
    if (length == 0)
        return rd_fail(e, "the result's file has no name; give one with --output FILE");
    if (length + RD_PART_TAIL > sizeof(struct rd_path))
        return rd_fail(e, "the result's file has a name of %zu characters; use at most %zu", length,
                       sizeof(struct rd_path) - RD_PART_TAIL);
    if (path[length - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return rd_fail(e, "%s: is a folder; name a file for the result", path);
    return true;
}

static bool refuse_two(const char *path, struct rd_error *e)
{
    return rd_fail(
        e, "%s: another run is writing it; end that run, or write elsewhere with --output FILE",
        path);
}

static bool check_entry(DIR *directory, const char *path, const char *name, struct rd_error *e)
{
    if (!rd_part_names_is_ours(name))
        return rd_fail(e, "%s: contains '%s', which belongs to no run; move it elsewhere", path,
                       name);
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           rd_store_folder_check_entry(directory, path, name, e);
}

/* Checks that a directory holds only files of a run; sets *first to one more than their largest
   number. */
static bool look_into(const char *name, int64_t *first, struct rd_error *e)
{
    DIR *const directory = rd_store_folder_open(name);
    bool good = directory && access(name, W_OK | X_OK) == 0;
    if (!good)
        rd_fail(e,
                "%s: cannot be used for the segments of the result: %s"
                "; write elsewhere with --output FILE",
                name, strerror(errno));
    *first = 0;
    for (const struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
        if (rd_part_names_any_number(entry->d_name) >= *first)
            *first = rd_part_names_any_number(entry->d_name) + 1;
        good = check_entry(directory, name, entry->d_name, e);
    }
    if (directory)
        closedir(directory);
    return good;
}

/* Checks that an existing directory belongs to the user, and holds only files of a run. */
static bool is_own(const char *directory, struct rd_error *e)
{
    int64_t first;
    return rd_store_folder_check(directory, e) && look_into(directory, &first, e);
}

static bool may_take(const char *directory, bool force, struct rd_error *e)
{
    struct stat about;
    if (lstat(directory, &about) != 0 && errno == ENOENT)
        return true;
    return is_own(directory, e) &&
           (force || rd_fail(e,
                             "%s: contains the segments of a killed run; replace them with "
                             "--force, or write elsewhere with --output FILE",
                             directory));
}

bool rd_parts_exist(const char *path)
{
    struct stat about;
    return lstat(rd_part_names_directory(path).text, &about) == 0;
}

bool rd_parts_are_held(const char *path)
{
    const struct rd_path directory = rd_part_names_directory(path);
    return rd_file_is_locked(rd_part_names_inside(&directory, RD_PART_LOCK).text);
}

/* Checks that the file at path may be replaced: with force, or if no data would be lost. */
static bool may_publish(const char *path, bool force, struct rd_error *e)
{
    return rd_file_may_publish(path, force || rd_result_is_void(path),
                               ", or --output FILE to write another", e);
}

bool rd_parts_check(const char *path, bool force, struct rd_error *e)
{
    if (!check_result_name(path, e))
        return false;
    if (rd_parts_are_held(path))
        return refuse_two(path, e);
    return may_publish(path, force, e) && rd_file_check_place(path, e) &&
           may_take(rd_part_names_directory(path).text, force, e);
}

/* Takes the lock in the directory, which it makes, writable by its owner only. An existing one must
   belong to the user. Tries again if a run that ends removes it. */
static bool take_lock(struct rd_parts *p, const char *path, struct rd_error *e)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        const bool is_made = mkdir(p->directory.text, 0755) == 0;
        if (!is_made && errno != EEXIST)
            return rd_fail(e, "%s: cannot be created: %s; write elsewhere with --output FILE",
                           p->directory.text, strerror(errno));
        if (!is_made && !rd_store_folder_check(p->directory.text, e))
            return false;
        p->lock = rd_file_lock(rd_part_names_inside(&p->directory, RD_PART_LOCK).text);
        if (p->lock >= 0)
            return true;
        if (errno != ENOENT)
            break;
    }
    return errno == EAGAIN ? refuse_two(path, e)
                           : rd_fail(e,
                                     "%s: cannot be used for the segments of the result: %s"
                                     "; write elsewhere with --output FILE",
                                     p->directory.text, strerror(errno));
}

bool rd_parts_open(struct rd_parts *p, const char *path, bool force, int n_lengths,
                   struct rd_error *e)
{
    *p = (struct rd_parts){0};
    if (!rd_parts_check(path, force, e))
        return false;
    p->directory = rd_part_names_directory(path);
    if (!take_lock(p, path, e)) {
        *p = (struct rd_parts){
            0}; /* it may belong to another run: rd_parts_close must not remove it */
        return false;
    }
    /* A run may have ended here between the check and the lock. */
    if (!may_publish(path, force, e) || !look_into(p->directory.text, &p->first, e)) {
        rd_parts_close(p);
        return false;
    }
    p->next = p->first;
    p->n_lengths = n_lengths;
    return true;
}

bool rd_parts_add(struct rd_parts *p, const int64_t *length, struct rd_error *e)
{
    const size_t n = (size_t)p->n + 1, n_lengths = (size_t)p->n_lengths;
    struct rd_part *const part = realloc(p->part, n * sizeof *part);
    if (part)
        p->part = part;
    int64_t *const lengths = realloc(p->length, n * n_lengths * sizeof *lengths);
    if (lengths)
        p->length = lengths;
    if (!part || !lengths)
        return rd_fail(e, "%s: out of memory for the list of segments", p->directory.text);
    memcpy(&p->length[(n - 1) * n_lengths], length, n_lengths * sizeof *length);
    p->part[p->n++] = (struct rd_part){.number = p->next++};
    return true;
}

void rd_parts_merge(struct rd_parts *p, int n)
{
    const int one = p->n - n;
    for (int i = one + 1; i < p->n; i++)
        for (int k = 0; k < p->n_lengths; k++)
            p->length[one * p->n_lengths + k] += rd_parts_length(p, i, k);
    p->part[one].number = p->next++;
    p->part[one].level++;
    p->n -= n - 1;
}

int64_t rd_parts_length(const struct rd_parts *p, int part, int which)
{
    return p->length[part * p->n_lengths + which];
}

/* Returns whether a checkpoint that is kept needs the segment. */
static bool is_held(const struct rd_parts *p, int64_t number)
{
    for (int k = 0; k < RD_HOLDS; k++)
        for (int i = 0; p->hold[k].part && i < p->hold[k].n; i++)
            if (p->hold[k].part[i] == number)
                return true;
    return false;
}

static bool is_listed(const struct rd_parts *p, int64_t number)
{
    for (int i = 0; i < p->n; i++)
        if (p->part[i].number == number)
            return true;
    return false;
}

static bool is_kept(const struct rd_parts *p, int64_t number)
{
    for (int k = 0; k < RD_HOLDS; k++)
        if (p->hold[k].part && p->hold[k].number == number)
            return true;
    return false;
}

void rd_parts_remove(const struct rd_parts *p, int64_t begin, int64_t end)
{
    DIR *const directory = begin < end ? rd_store_folder_open(p->directory.text) : NULL;
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const int64_t number = rd_part_names_number(entry->d_name, RD_PART_SEGMENT);
        if (begin <= number && number < end && !is_held(p, number))
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
}

void rd_parts_clean(const struct rd_parts *p)
{
    DIR *const directory = rd_store_folder_open(p->directory.text);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const int64_t segment = rd_part_names_number(entry->d_name, RD_PART_SEGMENT);
        const int64_t checkpoint = rd_part_names_number(entry->d_name, RD_PART_CHECKPOINT);
        const int64_t batches = rd_part_names_number(entry->d_name, RD_PART_BATCHES);
        if ((batches >= 0 && !(p->has_batches && p->batches == batches)) ||
            (segment >= 0 && !is_listed(p, segment) && !is_held(p, segment)) ||
            (checkpoint >= 0 && !is_kept(p, checkpoint)))
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
}

struct rd_parts rd_parts_at(const char *path)
{
    return (struct rd_parts){.directory = rd_part_names_directory(path)};
}

bool rd_parts_resume(struct rd_parts *p, const char *path, int n_lengths, struct rd_error *e)
{
    struct stat about;
    *p = (struct rd_parts){0};
    if (!check_result_name(path, e))
        return false;
    p->directory = rd_part_names_directory(path);
    if (lstat(p->directory.text, &about) != 0 && errno == ENOENT) {
        *p = (struct rd_parts){0};
        return rd_fail(e, "%s: has no checkpoint to continue from; begin again with --force", path);
    }
    if (!rd_file_check_place(path, e) || !is_own(p->directory.text, e) || !take_lock(p, path, e)) {
        *p = (struct rd_parts){0};
        return false;
    }
    if (!look_into(p->directory.text, &p->next, e)) {
        rd_parts_close(p);
        return false;
    }
    p->first = p->next;
    p->n_lengths = n_lengths;
    return true;
}

int64_t rd_parts_newest(const struct rd_parts *p, int64_t below)
{
    int64_t newest = -1;
    DIR *const directory = rd_store_folder_open(p->directory.text);
    if (!directory)
        return -1;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const int64_t number = rd_part_names_number(entry->d_name, RD_PART_CHECKPOINT);
        if (number < below && number > newest)
            newest = number;
    }
    closedir(directory);
    return newest;
}

static bool remove_numbered(const struct rd_parts *p, int64_t number, enum rd_part_kind kind,
                            int share)
{
    return rd_store_folder_remove(p->directory.text,
                                  rd_part_names_numbered(number, kind, share).text);
}

/* Removes the checkpoints below this number, also those that a kill has left. */
static void remove_checkpoints(const struct rd_parts *p, int64_t below)
{
    for (int64_t number = below; (number = rd_parts_newest(p, number)) >= 0;)
        remove_numbered(p, number, RD_PART_CHECKPOINT, 0);
}

bool rd_parts_hold(struct rd_parts *p, int64_t number, struct rd_error *e)
{
    int64_t *const part = malloc(((size_t)p->n + 1) * sizeof *part);
    if (!part)
        return rd_fail(e, "%s: out of memory for a checkpoint", p->directory.text);
    for (int i = 0; i < p->n; i++)
        part[i] = p->part[i].number;
    const struct rd_held *const oldest = &p->hold[RD_HOLDS - 1];
    free(oldest->part);
    memmove(&p->hold[1], &p->hold[0], (RD_HOLDS - 1) * sizeof p->hold[0]);
    p->hold[0] = (struct rd_held){.number = number, .part = part, .n = p->n};
    if (oldest->part)
        remove_checkpoints(p, oldest->number);
    p->next = number >= p->next ? number + 1 : p->next;
    return true;
}

void rd_parts_release(struct rd_parts *p)
{
    remove_checkpoints(p, INT64_MAX);
    for (int k = 0; k < RD_HOLDS; k++) {
        free(p->hold[k].part);
        p->hold[k] = (struct rd_held){0};
    }
    p->n = 0; /* all data are in another file */
    p->has_batches = false;
    rd_parts_clean(p);
}

void rd_parts_discard(const char *path)
{
    const struct rd_path name = rd_part_names_directory(path);
    DIR *const directory = opendir(name.text);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (rd_part_names_is_ours(entry->d_name) && entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(name.text);
}

static struct rd_path path_of_numbered(const struct rd_parts *p, int64_t number,
                                       enum rd_part_kind kind, int share)
{
    return rd_part_names_inside(&p->directory, rd_part_names_numbered(number, kind, share).text);
}

struct rd_path rd_parts_batches(struct rd_parts *p, int64_t number, int share)
{
    p->has_batches = true;
    p->batches = number;
    return path_of_numbered(p, number, RD_PART_BATCHES, share);
}

void rd_parts_close(struct rd_parts *p)
{
    if (p->directory.text[0]) {
        for (int k = 0; p->has_batches && !p->hold[0].part; k++)
            p->has_batches = remove_numbered(p, p->batches, RD_PART_BATCHES, k);
        rd_file_unlock(p->lock, rd_part_names_inside(&p->directory, RD_PART_LOCK).text);
        rmdir(p->directory.text);
    }
    for (int k = 0; k < RD_HOLDS; k++)
        free(p->hold[k].part);
    free(p->part);
    free(p->length);
    *p = (struct rd_parts){0};
}

const char *rd_parts_name(const struct rd_parts *p)
{
    const char *const slash = strrchr(p->directory.text, '/');
    return slash ? slash + 1 : p->directory.text;
}

/* Doubles each "%", because HDF5 reads "%b" in a name as a pattern and "%%" as "%". */
struct rd_path rd_parts_name_in_master(const struct rd_parts *p, int64_t number)
{
    struct rd_path name;
    size_t n = 0;
    for (const char *c = rd_parts_name(p); *c && n + 32 < sizeof name.text; c++) {
        if (*c == '%')
            name.text[n++] = '%';
        name.text[n++] = *c;
    }
    snprintf(name.text + n, sizeof name.text - n, "/%06lld.h5", (long long)number);
    return name;
}

struct rd_path rd_parts_path(const struct rd_parts *p, int64_t number)
{
    return path_of_numbered(p, number, RD_PART_SEGMENT, 0);
}

struct rd_path rd_parts_temporary_file(const struct rd_parts *p)
{
    return rd_part_names_inside(&p->directory, RD_PART_TEMPORARY_FILE);
}

struct rd_path rd_parts_checkpoint(const struct rd_parts *p, int64_t number)
{
    return path_of_numbered(p, number, RD_PART_CHECKPOINT, 0);
}

struct rd_path rd_parts_checkpoint_temporary_file(const struct rd_parts *p)
{
    return rd_part_names_inside(&p->directory, RD_PART_TEMPORARY_CHECKPOINT);
}
