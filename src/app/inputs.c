/* inputs - the files that a configuration reads besides itself, by size and hash. */
#define _POSIX_C_SOURCE 200809L
#include "app/inputs.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Describes size and hash of a file. */
struct print {
    int64_t bytes;
    uint64_t hash;
};

static FILE *open_input(const char *path, int64_t *bytes, struct rd_error *e)
{
    const char *why;
    struct stat about;
    FILE *const file = rd_file_open_stream(path, &why);
    if (!file)
        rd_fail(e, "%s: cannot be opened: %s", path, why);
    else
        *bytes = fstat(fileno(file), &about) == 0 ? (int64_t)about.st_size : -1;
    return file;
}

/* Hashes the rest of the file, as many bytes as it had when it was opened. */
static bool hash_of(FILE *file, const char *path, struct print *p, struct rd_error *e)
{
    unsigned char byte[1 << 16];
    p->hash = RD_HASH_OF_NOTHING;
    for (int64_t left = p->bytes; left > 0;) {
        const size_t wanted = left < (int64_t)sizeof byte ? (size_t)left : sizeof byte;
        const size_t n = fread(byte, 1, wanted, file);
        if (n == 0)
            return rd_fail(e, "%s: cannot be read: %s", path,
                           ferror(file) ? strerror(errno) : "it became shorter");
        p->hash = rd_hash_on(p->hash, byte, n);
        left -= (int64_t)n;
    }
    return true;
}

static bool print_of(const char *path, struct print *p, struct rd_error *e)
{
    FILE *const file = open_input(path, &p->bytes, e);
    const bool good = file && hash_of(file, path, p, e);
    if (file)
        fclose(file);
    return good;
}

/* Returns the name of the i-th file of the model; NULL after the last one. */
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
    for (int k = 0; k < m->n_tables; k++)
        if (m->table[k].file && i-- == 0)
            return m->table[k].file;
    return NULL;
}

static bool is_noted(const struct rd_model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(file_at(m, k), file_at(m, i)) == 0)
            return true;
    return false;
}

/* Writes a name into a line: a newline as \n, and a backslash as two. */
static void write_escaped_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == '\n')
            fputs("\\n", out);
        else
            fprintf(out, *name == '\\' ? "\\\\" : "%c", *name);
}

/* Undoes write_escaped_name in place. */
static void unescape_name(char *name)
{
    char *to = name;
    for (const char *from = name; *from; from++) {
        const bool is_escaped = from[0] == '\\' && (from[1] == 'n' || from[1] == '\\');
        from += is_escaped;
        *to++ = is_escaped && *from == 'n' ? '\n' : *from;
    }
    *to = 0;
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
        fprintf(out, "%" PRId64 " %016" PRIx64 " ", p.bytes, p.hash);
        write_escaped_name(out, file_at(m, i));
        fputc('\n', out);
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
        if (rd_file_is_same(m->file, file_at(m, i)))
            return rd_fail(e,
                           "%s: the result would replace a file that the run reads; name another "
                           "with --output FILE",
                           file_at(m, i));
    return true;
}

static bool refuse_change(const char *path, const struct print *noted, const struct print *now,
                          struct rd_error *e)
{
    return rd_fail(e,
                   "%s: has changed since the run read it: it had %" PRId64
                   " bytes with hash %016" PRIx64 ", and has %" PRId64 " with %016" PRIx64
                   "; restore it",
                   path, noted->bytes, noted->hash, now->bytes, now->hash);
}

/* Checks that a file has the noted size and hash. A file of another size is not read, however large
   it is. */
static bool check_noted_file(const char *path, const struct print *noted, struct rd_error *e)
{
    struct print now = {0};
    FILE *const file = open_input(path, &now.bytes, e);
    if (!file)
        return rd_fail(
            e,
            "%s: is a file that the run read; start rdsim in the folder of the run, or restore it",
            path);
    bool good = now.bytes == noted->bytes ||
                rd_fail(e,
                        "%s: has changed since the run read it: it had %" PRId64
                        " bytes with hash %016" PRIx64 ", and has %" PRId64 "; restore it",
                        path, noted->bytes, noted->hash, now.bytes);
    good = good && hash_of(file, path, &now, e) &&
           (now.hash == noted->hash || refuse_change(path, noted, &now, e));
    fclose(file);
    return good;
}

static bool check_line(char *line, struct rd_error *e)
{
    struct print noted;
    int at = 0;
    if (sscanf(line, "%" SCNd64 " %" SCNx64 "%n", &noted.bytes, &noted.hash, &at) != 2 ||
        line[at] != ' ')
        return rd_fail(e, "the result's list of files cannot be read: '%s'", line);
    unescape_name(line + at + 1);
    return check_noted_file(line + at + 1, &noted, e);
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
