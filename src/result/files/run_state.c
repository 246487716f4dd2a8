/* run_state - the state of a run, from the file that it writes. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/run_state.h"

#include "base/file.h"
#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/files/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rd_state_name(enum rd_state state)
{
    static const char *const name[] = {"missing",     "running", "complete", "faulted",
                                       "interrupted", "failed",  "no result"};
    return name[state];
}

bool rd_state_is_whole(const char *state)
{
    return strcmp(state, "complete") == 0 || strcmp(state, "faulted") == 0;
}

/* Reads the state in the file; "running" in the file of a dead process means that it was killed. */
static void look_inside(hid_t file, struct rd_state_of *s)
{
    double seed;
    int64_t n = 0;
    double *const time = rd_result_times(file, &n);
    if (time && n > 0)
        s->until = time[n - 1];
    free(time);
    const hid_t group = rd_h5_open(file, "provenance");
    char *const word = group >= 0 ? rd_h5_get_text(group, "state") : NULL;
    if (group >= 0 && rd_h5_get_number(group, "seed", &seed))
        s->seed = (int64_t)seed;
    s->state = !word                           ? RD_STATE_FOREIGN
               : strcmp(word, "complete") == 0 ? RD_STATE_COMPLETE
               : strcmp(word, "faulted") == 0  ? RD_STATE_FAULTED
               : strcmp(word, "failed") == 0   ? RD_STATE_FAILED
                                               : RD_STATE_INTERRUPTED;
    H5free_memory(word);
    rd_h5_drop(group);
}

struct rd_state_of rd_store_state(const char *path)
{
    struct rd_state_of s = {.state = RD_STATE_NONE, .until = (double)NAN, .seed = -1};
    if (access(path, F_OK) == 0) {
        const hid_t file = rd_result_try(path);
        if (file < 0)
            s.state = RD_STATE_FOREIGN;
        else
            look_inside(file, &s);
        rd_result_close(file);
    }
    const struct rd_parts parts = rd_parts_at(path);
    s.can_resume = rd_parts_newest(&parts, INT64_MAX) >= 0;
    if (rd_parts_are_held(path))
        s.state = RD_STATE_RUNNING;
    else if (s.state == RD_STATE_NONE && rd_parts_exist(path))
        s.state = RD_STATE_INTERRUPTED;
    return s;
}

/* Returns whether any of the times is after 0; frees them. */
static bool has_later(double *time, int64_t n)
{
    bool has = false;
    for (int64_t i = 0; time && i < n; i++)
        has = has || time[i] > 0.0;
    free(time);
    return has;
}

/* Returns whether a species has births or deaths after t = 0. */
static bool has_lives(hid_t file, const char *species)
{
    static const char *const what[] = {"births", "deaths"};
    char path[256];
    bool has = false;
    double *time;
    int64_t n;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "lineage/%s/%s/time", species, what[i]);
        time = rd_result_reals(file, path, &n);
        has = has_later(time, n) || has;
    }
    return has;
}

static bool has_any_lives(hid_t file)
{
    int64_t n = 0;
    bool has = false;
    if (H5Lexists(file, "lineage", H5P_DEFAULT) <= 0)
        return false;
    char **const species = rd_result_texts(file, "species", &n);
    for (int64_t i = 0; species && i < n; i++)
        has = has || has_lives(file, species[i]);
    rd_result_free_texts(species, n);
    return has || !species;
}

bool rd_result_is_void(const char *path)
{
    struct rd_state_of s = {.state = RD_STATE_NONE, .until = (double)NAN, .seed = -1};
    const hid_t file = access(path, F_OK) == 0 ? rd_result_try(path) : H5I_INVALID_HID;
    if (file < 0)
        return false;
    look_inside(file, &s);
    int64_t n;
    double *const time = rd_result_times(file, &n);
    const bool is = !has_later(time, n) && s.state == RD_STATE_FAILED && !has_any_lives(file);
    rd_result_close(file);
    return is;
}

bool rd_result_is_not(const char *path, const char *noun, struct rd_error *e)
{
    const char *why;
    const int plain = rd_file_open(path, &why);
    if (plain < 0)
        return true; /* a pipe must not be read twice, and the reader reports the error */
    close(plain);
    rd_h5_listen(NULL);
    if (H5Fis_hdf5(path) <= 0)
        return true;
    const hid_t file = rd_result_try(path);
    rd_result_close(file);
    e->wrong = true;
    return file < 0
               ? rd_fail(e, "%s: is an HDF5 file, neither a result nor a %s; name a %s", path, noun,
                         noun)
               : rd_fail(e,
                         "%s: is a result of rdsim, not a %s; print it with 'rdsim info %s', run "
                         "it again with 'rdsim again %s', or compare it with 'rdsim diff %s OTHER'",
                         path, noun, path, path, path);
}
