/* origin - reads what a result was made from: all that is needed to run it again. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/result_reader.h"

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/files/run_state.h"

#include <stdlib.h>
#include <string.h>

/* Returns a copy that free() frees; "" for NULL. */
static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static void read_provenance(hid_t file, struct rd_origin *o)
{
    const hid_t group = H5Lexists(file, "provenance", H5P_DEFAULT) > 0
                            ? H5Gopen2(file, "provenance", H5P_DEFAULT)
                            : H5I_INVALID_HID;
    char *const program = group < 0 ? NULL : rd_h5_get_text(group, "program");
    char *const state = group < 0 ? NULL : rd_h5_get_text(group, "state");
    o->program = copy(program);
    o->is_whole = state && rd_state_is_whole(state);
    if (group >= 0)
        rd_h5_get_number(group, "stream_version", &o->stream_version);
    H5free_memory(program);
    H5free_memory(state);
    rd_h5_drop(group);
}

bool rd_store_origin(const char *path, struct rd_origin *o, struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    *o = (struct rd_origin){0};
    rd_h5_listen(&cause);
    const hid_t file = rd_result_open(path, "", e);
    if (file >= 0) {
        char *const inputs = rd_result_text(file, "model/inputs");
        free(rd_result_reals(file, "time", &o->n_times));
        o->effective = rd_result_text(file, "model/effective_configuration");
        o->inputs = copy(inputs);
        read_provenance(file, o);
        free(inputs);
    }
    rd_result_close(file);
    rd_h5_listen(NULL);
    if (file < 0)
        return false;
    if (o->effective && o->effective[0] && o->inputs && o->program)
        return true;
    return rd_fail(e, "%s: does not hold the configuration that it was made from", path);
}

void rd_origin_free(struct rd_origin *o)
{
    free(o->effective);
    free(o->inputs);
    free(o->program);
    *o = (struct rd_origin){0};
}
