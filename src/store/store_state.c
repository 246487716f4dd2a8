/* store_state - what has become of a run, by the file that it writes. */
#define _POSIX_C_SOURCE 200809L
#include "store_state.h"

#include "store_hdf.h"
#include "store_parts.h"
#include "store_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rd_state_name(enum rd_state state)
{
    static const char *const name[] = {"missing",     "running", "complete", "faulted",
                                       "interrupted", "failed",  "no result"};
    return name[state];
}

bool rd_state_is_whole(const char *said)
{
    return strcmp(said, "complete") == 0 || strcmp(said, "faulted") == 0;
}

/* What the file says of itself; "running" is what one says whose run was killed. */
static void look_inside(hid_t file, struct rd_state_of *s)
{
    double seed;
    int64_t n = 0;
    double *const time = rd_result_reals(file, "time", &n);
    if (time && n > 0)
        s->until = time[n - 1];
    free(time);
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
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
        struct rd_error unsaid = {0};
        rd_h5_listen(NULL);
        const hid_t file = rd_result_open(path, "", &unsaid);
        rd_error_free(&unsaid);
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
