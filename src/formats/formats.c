/* formats - models of other programs: finds their format and converts them. */
#include "formats/formats.h"

#include "base/hash.h"
#include "base/text.h"
#include "formats/bionetgen.h"
#include "formats/sbml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef char *rd_conversion_of(const char *path, const char *text, struct rd_error *notes,
                               struct rd_error *e);

/* Lists the formats: their names, how to recognise a text in one, and the conversions to a
   configuration and to a network alone. */
static const struct {
    const char *name;
    bool (*is)(const char *text);
    rd_conversion_of *import, *network;
} format[] = {
    {"SBML", rd_sbml_is, rd_sbml_import, rd_sbml_network},
    {"BioNetGen", rd_bionetgen_is, rd_bionetgen_import, rd_bionetgen_network},
};
enum { N_FORMATS = sizeof format / sizeof *format };

/* Returns the number of the format, or -1. A text has no zero byte. */
static int find_format(const char *bytes, size_t n)
{
    for (int i = 0; i < N_FORMATS && strlen(bytes) == n; i++)
        if (format[i].is(bytes))
            return i;
    return -1;
}

bool rd_formats_is(const char *bytes, size_t n)
{
    return find_format(bytes, n) >= 0;
}

char *rd_formats_import(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                        struct rd_error *e)
{
    const int i = find_format(bytes, n);
    char *const body = format[i].import(path, bytes, notes, e);
    const char *const slash = strrchr(path, '/');
    char *const text =
        body ? rd_text_format(RD_FORMATS_OPENING "%s (%s, %zu bytes, hash %016" PRIx64 ").\n%s",
                              slash ? slash + 1 : path, format[i].name, n,
                              rd_hash_on(RD_HASH_OF_NOTHING, bytes, n), body)
             : NULL;
    if (body && !text)
        rd_fail(e, "%s: out of memory for the configuration", path);
    free(body);
    return text;
}

char *rd_formats_network(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                         struct rd_error *e)
{
    return format[find_format(bytes, n)].network(path, bytes, notes, e);
}
