/* again - the parts of `rdsim again FILE` besides the run. */
#define _POSIX_C_SOURCE 200809L
#include "app/again.h"

#include "app/inputs.h"
#include "base/file.h"
#include "kernels/core/world.h"
#include "rd_version.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void warn_again(struct rd_again *a)
{
    static const char program[] = "rdsim " RD_VERSION;
    const struct rd_origin *const o = &a->origin;
    if (o->stream_version != RD_STREAM_VERSION)
        rd_fail(&a->warnings,
                "%s: has stream version %g, but this program has %d; expect other bytes", a->path,
                o->stream_version, RD_STREAM_VERSION);
    if (strcmp(o->program, program) != 0)
        rd_fail(&a->warnings,
                "%s: is a result of %s, but this program is %s; use that one if bytes differ",
                a->path, o->program, program);
}

static bool find_kept_path(struct rd_again *a, const char *keep, struct rd_error *e)
{
    const size_t size = strlen(a->path) + 64;
    struct rd_error ignored = {0};
    if (!keep && !(a->temporary = malloc(size)))
        return rd_fail(e, "out of memory for a file's name");
    if (!keep) {
        snprintf(a->temporary, size, "%s.again-%ld.h5", a->path, (long)getpid());
        if (!rd_file_check_place(a->temporary, &ignored)) {
            rd_error_free(&ignored);
            return rd_fail(e,
                           "%s: is in a folder that cannot be written, where its second run needs "
                           "a file; name a file elsewhere with --keep FILE",
                           a->path);
        }
    }
    a->set[a->n_set++] =
        (struct rd_set){.path = "output.file", .value = keep ? keep : a->temporary};
    if (a->origin.has_rows)
        a->set[a->n_set++] = (struct rd_set){.path = "run.rows.file", .value = a->path};
    return true;
}

bool rd_again_open(struct rd_again *a, const char *path, const char *keep, struct rd_error *e)
{
    *a = (struct rd_again){.path = path};
    if (keep && access(keep, F_OK) == 0)
        return rd_fail(e, "--keep %s: exists; name another file", keep);
    if (!rd_store_origin(path, &a->origin, e) || !rd_inputs_check(a->origin.inputs, e))
        return false;
    warn_again(a);
    return find_kept_path(a, keep, e);
}

int64_t rd_again_n_times(const struct rd_again *a)
{
    return a->origin.is_whole ? 0 : a->origin.n_times;
}

bool rd_again_compare(const struct rd_again *a, FILE *out, bool *same, struct rd_error *e)
{
    return rd_store_diff(a->path, a->set[0].value, !a->origin.is_whole, out, same, e);
}

void rd_again_close(struct rd_again *a)
{
    if (a->temporary)
        unlink(a->temporary);
    free(a->temporary);
    rd_origin_free(&a->origin);
    rd_error_free(&a->warnings);
    *a = (struct rd_again){0};
}
