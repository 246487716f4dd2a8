/* filetype - identifies the format of a file that is not a configuration, by its first bytes. */
#include "config/filetype.h"

#include <stdio.h>
#include <string.h>

enum { LOOKED_AT = 4096 };

#define UNPACK "; unpack it first"
#define SBML                                                                                       \
    "an SBML model; save it as UTF-8, convert it with 'rdsim import', and name the configuration"
#define OTHER_TEXT                                                                                 \
    "; write a configuration as text like 'grid = { voxels = (64, 64); edge = 0.5; };'"

static const struct {
    const char *bytes;
    size_t n;
    const char *what;
} magic[] = {
    {"\x89PNG\r\n\x1a\n", 8, "a PNG image; name it in the 'labels' of a region"},
    {"\xff\xd8\xff", 3, "a JPEG image"},
    {"\x1f\x8b", 2, "a file packed by gzip" UNPACK},
    {"PK\3\4", 4, "a zip archive" UNPACK},
    {"BZh", 3, "a file packed by bzip2" UNPACK},
    {"\xfd"
     "7zXZ\0",
     6, "a file packed by xz" UNPACK},
    {"\x28\xb5\x2f\xfd", 4, "a file packed by zstd" UNPACK},
    {"CDF\1", 4, "a classic netCDF file"},
    {"CDF\2", 4, "a classic netCDF file"},
    {"MATLAB 5.0 MAT-file", 19, "a MATLAB file"},
    {"%PDF-", 5, "a PDF document"},
    {"\x7f"
     "ELF",
     4, "a program"},
    {"%YAML", 5, "a YAML file" OTHER_TEXT},
    {"---\n", 4, "a YAML file" OTHER_TEXT},
    {"---\r\n", 5, "a YAML file" OTHER_TEXT},
};

bool rd_filetype_is_hdf5(const char *bytes, size_t n)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    const size_t length = sizeof signature - 1;
    for (size_t at = 0; at + length <= n; at = at > 0 ? 2 * at : 512)
        if (memcmp(bytes + at, signature, length) == 0)
            return true;
    return false;
}

static bool has(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* Names the format of a text that begins with '<'. */
static const char *name_markup(const char *text)
{
    if (has(text, "<sbml") || has(text, ":sbml") || has(text, "www.sbml.org"))
        return SBML;
    if (has(text, "<html") || has(text, "<HTML") || has(text, "<!DOCTYPE html"))
        return "a web page (HTML); save the file itself";
    return "an XML file" OTHER_TEXT;
}

/* Returns the first line that is neither blank nor a comment; NULL at the end. */
static const char *first_line(const char *text)
{
    for (;;) {
        const char *const at = text + strspn(text, " \t\r\n");
        if (*at != '#')
            return *at ? at : NULL;
        text = at + strcspn(at, "\n");
    }
}

/* Returns whether a line has only "name:", and the next one is indented and begins with "- " or
   "name:". No configuration has such lines: its values are numbers, texts and brackets. */
static bool is_yaml(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *const line = first_line(text);
    const size_t name = line ? strspn(line, letters) : 0;
    if (name == 0 || line[name] != ':')
        return false;
    const char *const rest = line + name + 1, *const end = rest + strspn(rest, " \t\r");
    const char *const next = *end == '\n' ? first_line(end) : NULL;
    if (!next || next[-1] == '\n')
        return false;
    const size_t word = strspn(next, letters);
    return strncmp(next, "- ", 2) == 0 || (word > 0 && next[word] == ':');
}

/* Returns whether the first line is a reaction of a network text: its first '=' is that of an
   arrow. */
static bool is_reaction_line(const char *text)
{
    const char *const line = first_line(text);
    return line && strncmp(line + strcspn(line, "=\"\n"), "=>", 2) == 0;
}

static const char *name_text(const char *text)
{
    const char *const at = text + strspn(text, " \t\r\n");
    if (*at == '<')
        return name_markup(at);
    if (*at == '{' || *at == '[')
        return "a JSON file" OTHER_TEXT;
    if (is_reaction_line(text))
        return "a list of reactions without rates; analyse it with 'rdsim modes FILE'";
    return is_yaml(text) ? "a YAML file" OTHER_TEXT : NULL;
}

/* Copies a text of two or four bytes per character without its zero bytes, which leaves its ASCII
   characters. */
static void drop_zero_bytes(char *to, const char *bytes, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n && length < LOOKED_AT; i++)
        if (bytes[i])
            to[length++] = bytes[i];
    to[length] = 0;
}

static bool starts_with(const char *bytes, size_t n, const char *with, size_t length)
{
    return n >= length && memcmp(bytes, with, length) == 0;
}

/* Returns whether a text is UTF-16 or UTF-32: it has a byte order mark, or '<' next to a zero
   byte. */
static bool is_wide(const char *bytes, size_t n)
{
    return starts_with(bytes, n, "\xff\xfe", 2) || starts_with(bytes, n, "\xfe\xff", 2) ||
           starts_with(bytes, n, "\0\0\xfe\xff", 4) || starts_with(bytes, n, "<\0", 2) ||
           starts_with(bytes, n, "\0<", 2);
}

const char *rd_filetype_of(const char *bytes, size_t n)
{
    char text[LOOKED_AT + 1];
    if (rd_filetype_is_hdf5(bytes, n))
        return "an HDF5 file; if it is a result, print its contents with 'rdsim info FILE'";
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (starts_with(bytes, n, magic[i].bytes, magic[i].n))
            return magic[i].what;
    if (is_wide(bytes, n)) {
        drop_zero_bytes(text, bytes, n);
        const char *const at = text + strcspn(text, "<");
        const char *const what = *at ? name_markup(at) : NULL;
        return what ? what : "text in UTF-16 or UTF-32; save it as UTF-8";
    }
    const size_t mark = starts_with(bytes, n, "\xef\xbb\xbf", 3) ? 3 : 0;
    snprintf(text, sizeof text, "%.*s", (int)(n < LOOKED_AT ? n : LOOKED_AT), bytes + mark);
    return name_text(text);
}
