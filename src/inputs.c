/* inputs - the files that a configuration reads beside itself, by size and hash. */
#define _POSIX_C_SOURCE 200809L
#include "inputs.h"

#include "hash.h"
#include "same.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is noted of a file. */
struct print {
    int64_t bytes;
    uint64_t hash;
};

static bool print_of(const char *path, struct print *p, struct rd_error *e)
{
    unsigned char byte[1 << 16];
    size_t n;
    *p = (struct print){.hash = RD_HASH_OF_NOTHING};
    FILE *const file = fopen(path, "rb");
    if (!file)
        return rd_fail(e, "%s: cannot be opened: %s", path, strerror(errno));
    while ((n = fread(byte, 1, sizeof byte, file)) > 0) {
        p->bytes += (int64_t)n;
        p->hash = rd_hash_on(p->hash, byte, n);
    }
    const bool good = !ferror(file) || rd_fail(e, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    return good;
}

/* The i-th file that the model names; NULL behind the last one. */
static const char *file_at(const struct rd_model *m, int i)
{
    for (int k = 0; k < m->n_initial; k++)
        if (m->initial[k].file && i-- == 0)
            return m->initial[k].file;
    for (int k = 0; k < m->n_regions; k++)
        if (m->region[k].file && i-- == 0)
            return m->region[k].file;
    for (int k = 0; k < m->n_fields; k++)
        if (m->field[k].file && i-- == 0)
            return m->field[k].file;
    return NULL;
}

static bool is_noted(const struct rd_model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(file_at(m, k), file_at(m, i)) == 0)
            return true;
    return false;
}

char *rd_inputs_note(const struct rd_model *m, struct rd_error *e)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    bool good = out || rd_fail(e, "out of memory for the names of files");
    for (int i = 0; good && file_at(m, i); i++) {
        struct print p;
        if (is_noted(m, i))
            continue;
        good = print_of(file_at(m, i), &p, e);
        fprintf(out, "%" PRId64 " %016" PRIx64 " %s\n", p.bytes, p.hash, file_at(m, i));
    }
    if (out)
        fclose(out);
    if (good)
        return text;
    free(text);
    return NULL;
}

bool rd_inputs_spared(const struct rd_model *m, struct rd_error *e)
{
    for (int i = 0; file_at(m, i); i++)
        if (rd_same_file(m->file, file_at(m, i)))
            return rd_fail(e,
                           "%s: the result would replace a file that the run reads; name another "
                           "with --output",
                           file_at(m, i));
    return true;
}

static bool check_line(const char *line, struct rd_error *e)
{
    struct print noted, now;
    int at = 0;
    if (sscanf(line, "%" SCNd64 " %" SCNx64 " %n", &noted.bytes, &noted.hash, &at) != 2 || at == 0)
        return rd_fail(e, "the result's list of files cannot be read: '%s'", line);
    const char *const path = line + at;
    if (!print_of(path, &now, e))
        return rd_fail(e, "%s: was read by the run; it must be there, as seen from this folder",
                       path);
    return (now.bytes == noted.bytes && now.hash == noted.hash) ||
           rd_fail(e,
                   "%s: is not what the run read: it had %" PRId64 " bytes with hash %016" PRIx64
                   ", and has %" PRId64 " with %016" PRIx64,
                   path, noted.bytes, noted.hash, now.bytes, now.hash);
}

bool rd_inputs_check(const char *noted, struct rd_error *e)
{
    char *const text = strdup(noted);
    char *rest;
    bool good = text || rd_fail(e, "out of memory for the names of files");
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        good = check_line(line, e) && good;
    free(text);
    return good;
}
