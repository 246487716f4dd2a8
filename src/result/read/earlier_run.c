/* earlier_run - what an earlier run left: what its result was made from, whether it is undamaged,
   and what a killed run leaves in OUT.parts after the result got its name. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/result_reader.h"

#include "hdf5/hdf5_file.h"
#include "kernels/core/world.h"
#include "result/files/checkpoint_file.h"
#include "result/files/open_result.h"
#include "result/files/parts.h"
#include "result/files/run_state.h"
#include "result/format/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rd_store_verify(const char *path, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    rd_h5_listen(&cause);
    const hid_t file = rd_result_open(path, "", e);
    const bool good = file >= 0 && rd_h5_verify(file, path, e);
    rd_result_close(file);
    rd_h5_listen(NULL);
    return good;
}

/* ---- the origin of a result ---- */

/* Returns a copy that free() frees; "" for NULL. */
static char *copy_text(const char *text)
{
    return strdup(text ? text : "");
}

static void read_provenance(hid_t file, struct rd_origin *o)
{
    const hid_t group = rd_h5_open(file, "provenance");
    char *const program = group < 0 ? NULL : rd_h5_get_text(group, "program");
    char *const state = group < 0 ? NULL : rd_h5_get_text(group, "state");
    o->program = copy_text(program);
    o->is_whole = state && rd_state_is_whole(state);
    if (group >= 0)
        rd_h5_get_number(group, "stream_version", &o->stream_version);
    H5free_memory(program);
    H5free_memory(state);
    rd_h5_drop(group);
}

bool rd_store_origin(const char *path, struct rd_origin *o, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    *o = (struct rd_origin){0};
    rd_h5_listen(&cause);
    const hid_t file = rd_result_open(path, "", e);
    if (file >= 0) {
        char *const inputs = rd_result_text(file, "model/inputs");
        char *const journal = rd_result_text(file, "model/journal");
        free(rd_result_reals(file, "time", &o->n_times));
        o->effective = rd_result_text(file, "model/effective_configuration");
        o->inputs = copy_text(inputs);
        o->journal = copy_text(journal);
        free(journal);
        read_provenance(file, o);
        o->has_rows = H5Lexists(file, "rows", H5P_DEFAULT) > 0;
        free(inputs);
    }
    rd_result_close(file);
    rd_h5_listen(NULL);
    if (file < 0)
        return false;
    if (o->effective && o->effective[0] && o->inputs && o->journal && o->program)
        return true;
    return rd_fail(e, "%s: does not contain its configuration; name another result", path);
}

void rd_origin_free(struct rd_origin *o)
{
    free(o->effective);
    free(o->inputs);
    free(o->journal);
    free(o->program);
    *o = (struct rd_origin){0};
}

/* ---- leftovers ---- */

static herr_t find_virtual(hid_t file, const char *path, const H5O_info_t *about, void *to)
{
    bool *const is_virtual = to;
    if (about->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), plan = H5Dget_create_plist(set);
    *is_virtual = plan < 0 || H5Pget_layout(plan) == H5D_VIRTUAL;
    rd_h5_drop(plan);
    rd_h5_drop(set);
    return *is_virtual;
}

/* Returns when the run of a whole result began, or NULL if it is not whole, or not in one file. */
static char *start_of_result(const char *path)
{
    bool is_virtual = false;
    char *start = NULL;
    const hid_t file = rd_result_try(path);
    const hid_t group = rd_h5_open(file, "provenance");
    char *const state = group < 0 ? NULL : rd_h5_get_text(group, "state");
    char *const text = group < 0 ? NULL : rd_h5_get_text(group, "start");
    if (state && text && rd_state_is_whole(state) &&
        H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, find_virtual, &is_virtual) >= 0 &&
        !is_virtual)
        start = strdup(text);
    H5free_memory(state);
    H5free_memory(text);
    rd_h5_drop(group);
    rd_result_close(file);
    return start;
}

/* Passes over a record of any length. */
static bool skip_record(struct rd_checkpoint_file *t, const char *name)
{
    int64_t bytes = 0;
    if (!rd_checkpoint_file_begin(t, name, &bytes))
        return false;
    void *const text = malloc((size_t)bytes + 1);
    const bool good = text && rd_checkpoint_file_bytes(t, text, (size_t)bytes);
    free(text);
    return good;
}

/* Returns whether a checkpoint has this date of start. Its first records are those that
   rd_store_checkpoint_file writes. */
static bool has_same_start(const struct rd_parts *parts, int64_t number, const char *start)
{
    struct rd_checkpoint_file t;
    struct rd_date there = {{0}};
    struct rd_error ignored = {0};
    int64_t stream_version;
    bool same = false;
    if (rd_checkpoint_file_open(&t, rd_parts_checkpoint(parts, number).text, &ignored)) {
        same = rd_checkpoint_file_record(&t, "stream_version", &stream_version,
                                         sizeof stream_version) &&
               skip_record(&t, "configuration") && skip_record(&t, "inputs") &&
               skip_record(&t, "rows") &&
               rd_checkpoint_file_record(&t, "start", there.text, sizeof there.text) &&
               strncmp(there.text, start, sizeof there.text) == 0;
        rd_checkpoint_file_close(&t, false);
    }
    rd_error_free(&ignored);
    return same;
}

/* Returns whether the result at path is whole, in one file, and OUT.parts is a leftover of the run
   that made it: that run was killed after the result had its name. The segments of a later run,
   which began with --force and has not shown a snapshot yet, are no leftover. The date of the start
   distinguishes them: a checkpoint and the result of one run have the same date. */
static bool has_leftover(const char *path)
{
    if (!rd_parts_exist(path) || rd_parts_are_held(path))
        return false;
    char *const start = start_of_result(path);
    const struct rd_parts parts = rd_parts_at(path);
    bool is_own = start != NULL;
    for (int64_t number = INT64_MAX; is_own && (number = rd_parts_newest(&parts, number)) >= 0;)
        is_own = has_same_start(&parts, number, start);
    free(start);
    return is_own;
}

bool rd_store_clear_leftover(const char *path)
{
    struct rd_parts parts;
    struct rd_error ignored = {0};
    const bool is_taken = has_leftover(path) && rd_parts_resume(&parts, path, 1, &ignored);
    if (is_taken) {
        rd_parts_discard(path);
        rd_parts_close(&parts);
    }
    rd_error_free(&ignored);
    return is_taken && !rd_parts_exist(path);
}

void rd_store_remove(const char *path)
{
    unlink(path);
    rd_parts_discard(path);
}

/* Returns the kind of the earlier run, by the origin of its result if that can be read. */
static enum rd_past past_of(const char *path, const struct rd_origin *o, bool has_origin)
{
    struct stat about;
    const struct rd_parts parts = rd_parts_at(path);
    const bool is_there = stat(path, &about) == 0;
    if (!is_there && !rd_parts_exist(path))
        return RD_PAST_NONE;
    const bool is_known = has_origin && o->stream_version == RD_STREAM_VERSION;
    if (is_known && o->is_whole && has_leftover(path))
        return RD_PAST_WHOLE;
    if (rd_parts_are_held(path) || rd_parts_newest(&parts, INT64_MAX) >= 0 ||
        (is_there && !is_known))
        return RD_PAST_PARTS;
    return is_there && o->is_whole ? RD_PAST_WHOLE : RD_PAST_BEGUN;
}

enum rd_past rd_store_past(const char *path, char **effective)
{
    struct rd_origin o;
    struct rd_error ignored = {0};
    const enum rd_past past = past_of(path, &o, rd_store_origin(path, &o, &ignored));
    *effective = NULL;
    if (past == RD_PAST_WHOLE || past == RD_PAST_BEGUN) {
        *effective = o.effective; /* now owned by the caller */
        o.effective = NULL;
    }
    rd_origin_free(&o);
    rd_error_free(&ignored);
    return past;
}
