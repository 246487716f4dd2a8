/* export_command - what `rdsim export` does, by the options; separate because main.c only calls
   commands. */
#define _POSIX_C_SOURCE 200809L
#include "app/export_command.h"

#include "app/job.h"
#include "base/file.h"
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Writes the text to a new file; replaces none. */
static bool write_file(const char *path, const char *text, struct rd_error *e)
{
    FILE *const out = fopen(path, "wx");
    e->wrong = !out;
    if (!out)
        return rd_fail(e, "--output %s: cannot be made: %s; name another file", path,
                       strerror(errno));
    fputs(text, out);
    return rd_file_close_new(out, path, e);
}

bool rd_export_command(const struct rd_options *o, FILE *out, struct rd_error *notes,
                       struct rd_error *e)
{
    struct rd_setup a = {0};
    char *text = NULL;
    if (rd_setup_make(&a, o, NULL, e)) {
        rd_error_add(notes, &a.model.warnings);
        text = rd_export_sbml(&a.model, a.config, notes, e);
    }
    e->wrong = !text;
    const bool has_file = o->written && strcmp(o->written, "-") != 0;
    const bool ok = text && (has_file ? write_file(o->written, text, e) : fputs(text, out) >= 0);
    free(text);
    rd_setup_free(&a);
    return ok;
}
