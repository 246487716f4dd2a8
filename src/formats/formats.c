/* formats - models of other programs: finds their format and converts them. */
#include "formats/formats.h"

#include "base/hash.h"
#include "config/filetype.h"
#include "formats/sbml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lists the formats: their names, how to recognise one, and the conversion. */
static const struct {
    const char *name;
    bool (*is)(const char *bytes, size_t n);
    char *(*import)(const char *path, const char *text, struct rd_error *notes, struct rd_error *e);
} format[] = {
    {"SBML", rd_filetype_is_sbml, rd_sbml_import},
};
enum { N_FORMATS = sizeof format / sizeof *format };

static int find_format(const char *bytes, size_t n)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (format[i].is(bytes, n))
            return i;
    return -1;
}

const char *rd_formats_name(const char *bytes, size_t n)
{
    const int i = find_format(bytes, n);
    return i < 0 ? NULL : format[i].name;
}

char *rd_formats_import(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                        struct rd_error *e)
{
    const int i = find_format(bytes, n);
    char *const body = strlen(bytes) == n ? format[i].import(path, bytes, notes, e) : NULL;
    if (!body) {
        if (strlen(bytes) != n)
            rd_fail(e, "%s: has a zero byte at %zu; restore the file", path, strlen(bytes));
        e->wrong = true;
        return NULL;
    }
    const char *const slash = strrchr(path, '/');
    char *const text =
        rd_text_format("# Converted by rdsim from %s (%s, %zu bytes, hash %016" PRIx64 ").\n%s",
                       slash ? slash + 1 : path, format[i].name, n,
                       rd_hash_on(RD_HASH_OF_NOTHING, bytes, n), body);
    free(body);
    if (!text)
        rd_fail(e, "%s: out of memory for the configuration", path);
    return text;
}

char *rd_formats_import_file(const char *path, struct rd_error *notes, struct rd_error *e)
{
    size_t n = 0;
    char *const bytes = rd_config_load(path, &n, e);
    char *text = NULL;
    if (bytes && !rd_formats_name(bytes, n)) {
        const char *const type = rd_filetype_of(bytes, n);
        e->wrong = true;
        rd_fail(e, "%s: is not a model of another program%s%s; name an SBML file", path,
                type ? ", but " : "", type ? type : "");
    } else if (bytes) {
        text = rd_formats_import(path, bytes, n, notes, e);
    }
    free(bytes);
    return text;
}

static bool has_end(const struct rd_set *set, int n_set)
{
    bool has = false;
    for (int i = 0; i < n_set; i++)
        has = has || strcmp(set[i].path, "time.end") == 0;
    return has;
}

/* Converts and reads a model. Such a model has no end of the simulation. */
static bool read_foreign(rd_config **c, const char *path, const char *bytes, size_t n,
                         const struct rd_set *set, int n_set, struct rd_error *notes,
                         struct rd_error *e)
{
    char *const text = rd_formats_import(path, bytes, n, notes, e);
    bool ok = text != NULL;
    if (ok && !has_end(set, n_set)) {
        e->wrong = true;
        ok = rd_fail(e, "%s: has no end, since %s does not say one; add --set time.end=50", path,
                     rd_formats_name(bytes, n));
    }
    if (ok && !rd_config_parse(c, path, text, set, n_set, e))
        ok = rd_fail(e, "%s: lines are those that 'rdsim import %s' prints", path, path);
    free(text);
    return ok;
}

bool rd_formats_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                     struct rd_error *notes, struct rd_error *e)
{
    size_t n = 0;
    *c = NULL;
    char *const bytes = rd_config_load(path, &n, e);
    if (!bytes || !rd_formats_name(bytes, n))
        return rd_config_read_loaded(c, path, bytes, n, set, n_set, e);
    const bool ok = read_foreign(c, path, bytes, n, set, n_set, notes, e);
    free(bytes);
    return ok;
}
