/* number_table - reads a table of numbers from comma-separated values or HDF5. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/number_table.h"

#include "base/file.h"
#include "hdf5/crash_guard.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/inspect.h"
#include "hdf5/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits rows, since runs have numbers below 2^28, and columns. */
enum { ROWS_MOST = 1 << 28, COLUMNS_MOST = 4096 };

void rd_number_table_free(struct rd_number_table *t)
{
    for (int k = 0; k < t->n_columns; k++)
        free(t->name[k]);
    free(t->name);
    free(t->value);
    free(t->file);
    *t = (struct rd_number_table){0};
}

/* Adds a column with this name. */
static bool add_column(struct rd_number_table *t, const char *name, size_t length,
                       struct rd_error *e)
{
    if (t->n_columns == COLUMNS_MOST)
        return rd_fail(e, "%s: has more than %d columns; leave some out", t->file, COLUMNS_MOST);
    char **const names = realloc(t->name, ((size_t)t->n_columns + 1) * sizeof *names);
    if (names)
        t->name = names;
    char *const copy = names ? strndup(name, length) : NULL;
    if (!copy)
        return rd_fail(e, "out of memory for the columns of %s", t->file);
    t->name[t->n_columns++] = copy;
    return true;
}

/* ---- comma-separated values ---- */

struct lines {
    FILE *in;
    char *text; /* owned by getline */
    size_t room;
    int64_t number;
    int64_t capacity; /* rows that t->value can hold */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds the next entry of a line, without blanks and quotes around it. Moves *at behind it, or to
   NULL after the last one. */
static const char *next_entry(const char **at, size_t *length)
{
    const char *begin = *at, *end = begin + strcspn(begin, ",");
    *at = *end == ',' ? end + 1 : NULL;
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    *length = (size_t)(end - begin);
    return begin;
}

/* Reads the next line that is not blank; returns false at the end. */
static bool next_line(struct lines *l)
{
    while (getline(&l->text, &l->room, l->in) >= 0) {
        const char *c = l->text;
        l->number++;
        while (is_blank(*c))
            c++;
        if (*c)
            return true;
    }
    return false;
}

/* Reads the names of the columns, after a byte order mark and the # of numpy.savetxt. */
static bool read_names(struct rd_number_table *t, struct lines *l, struct rd_error *e)
{
    if (!next_line(l))
        return rd_fail(e, "%s: is empty; begin it with a line of names, as in \"k1,k2\"", t->file);
    const char *at = l->text;
    at += strncmp(at, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    at += *at == '#';
    while (at) {
        size_t length;
        const char *const name = next_entry(&at, &length);
        if (length == 0)
            return rd_fail(e,
                           "%s:%lld: column %d has no name; name it, or leave the column "
                           "out (pandas: index=False)",
                           t->file, (long long)l->number, t->n_columns + 1);
        if (!add_column(t, name, length, e))
            return false;
    }
    return true;
}

static bool check_number(const struct rd_number_table *t, int64_t line, int column, double value,
                         struct rd_error *e)
{
    return isfinite(value) || rd_fail(e, "%s:%lld: %s is %g; give a finite number", t->file,
                                      (long long)line, t->name[column], value);
}

static bool read_entry(const struct rd_number_table *t, const struct lines *l, int column,
                       const char *at, size_t length, double *value, struct rd_error *e)
{
    char *end;
    *value = strtod(at, &end);
    if (length == 0 || end != at + length)
        return rd_fail(e, "%s:%lld: %s is '%.*s'; write a number, as in 0.5 or 1e-3", t->file,
                       (long long)l->number, t->name[column], length < 40 ? (int)length : 40, at);
    return check_number(t, l->number, column, *value, e);
}

static bool make_room(struct rd_number_table *t, struct lines *l, struct rd_error *e)
{
    if (t->n_rows < l->capacity)
        return true;
    if (t->n_rows >= ROWS_MOST)
        return rd_fail(e, "%s: has more than %d rows; divide it", t->file, ROWS_MOST);
    const int64_t n = l->capacity > 0 ? 2 * l->capacity : 64;
    double *const more = realloc(t->value, (size_t)n * (size_t)t->n_columns * sizeof *more);
    if (!more)
        return rd_fail(e, "out of memory for %lld rows of %s", (long long)n, t->file);
    t->value = more;
    l->capacity = n;
    return true;
}

static bool read_row(struct rd_number_table *t, struct lines *l, struct rd_error *e)
{
    if (!make_room(t, l, e))
        return false;
    int column = 0;
    for (const char *at = l->text; at; column++) {
        size_t length;
        const char *const entry = next_entry(&at, &length);
        if (column < t->n_columns && !read_entry(t, l, column, entry, length,
                                                 &t->value[t->n_rows * t->n_columns + column], e))
            return false;
    }
    t->n_rows++;
    return column == t->n_columns ||
           rd_fail(e,
                   "%s:%lld: has %d numbers, but the first line has %d names; write one for each",
                   t->file, (long long)l->number, column, t->n_columns);
}

static bool read_text(struct rd_number_table *t, struct rd_error *e)
{
    const char *why;
    struct lines l = {.in = rd_file_open_stream(t->file, &why)};
    if (!l.in)
        return rd_fail(e, "%s: cannot be opened: %s; name another file", t->file, why);
    bool ok = read_names(t, &l, e);
    while (ok && next_line(&l))
        ok = read_row(t, &l, e);
    if (ok && ferror(l.in))
        ok = rd_fail(e, "%s: cannot be read; name another file", t->file);
    free(l.text);
    fclose(l.in);
    return ok;
}

/* ---- HDF5 ---- */

/* Lists what the iteration over the data sets of a file collects. */
struct column_search {
    struct rd_number_table *t;
    hid_t at;
    struct rd_error *e;
};

/* Adds a data set as a column, but the numbers of rows, as results have them. Returns 0 to go on,
 * or -1 with a message. */
static herr_t take_name(hid_t at, const char *name, const H5L_info_t *info, void *to)
{
    const struct column_search *const c = to;
    (void)at;
    (void)info;
    return strcmp(name, "row") == 0 || add_column(c->t, name, strlen(name), c->e) ? 0 : -1;
}

/* Returns the length of a data set of one dimension, or -1. */
static int64_t length_of(hid_t set)
{
    hsize_t length = 0;
    const hid_t space = H5Dget_space(set);
    const bool is_line = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                         H5Sget_simple_extent_dims(space, &length, NULL) == 1;
    rd_h5_drop(space);
    return is_line && length <= ROWS_MOST ? (int64_t)length : -1;
}

/* Reads column k, whose numbers are checked, into the table. */
static bool take_numbers(struct rd_number_table *t, int k, double *number, struct rd_error *e)
{
    for (int64_t row = 0; row < t->n_rows; row++) {
        if (!isfinite(number[row]))
            return rd_fail(e, "%s: row %lld: %s is %g; give a finite number", t->file,
                           (long long)row, t->name[k], number[row]);
        t->value[row * t->n_columns + k] = number[row];
    }
    return true;
}

/* Makes the table for as many rows as the first column has, and checks the length of others. */
static bool has_length(struct rd_number_table *t, int k, int64_t n, struct rd_error *e)
{
    if (n < 0)
        return rd_fail(e, "%s: %s has not one dimension; store a number for each row", t->file,
                       t->name[k]);
    if (k > 0)
        return n == t->n_rows ||
               rd_fail(e, "%s: %s has %lld numbers, but %s has %lld; store one for each row",
                       t->file, t->name[k], (long long)n, t->name[0], (long long)t->n_rows);
    t->n_rows = n;
    t->value = calloc((size_t)n * (size_t)t->n_columns + 1, sizeof *t->value);
    return t->value || rd_fail(e, "out of memory for %lld rows of %s", (long long)n, t->file);
}

static bool read_column(struct rd_number_table *t, hid_t at, int k, struct rd_error *e)
{
    struct rd_why why = {""};
    const hid_t set = H5Dopen2(at, t->name[k], H5P_DEFAULT);
    const enum rd_number_kind kind = set >= 0 ? rd_numbers_kind(set) : RD_NUMBERS_NONE;
    bool ok = kind != RD_NUMBERS_NONE ||
              rd_fail(e, "%s: %s is no data set of numbers; leave it out", t->file, t->name[k]);
    ok = ok && has_length(t, k, length_of(set), e);
    const double bytes = (double)t->n_rows * sizeof(double);
    if (ok && !rd_inspect_check_set(set, bytes > RD_CHUNK_MOST ? bytes : RD_CHUNK_MOST, &why))
        ok = rd_fail(e, "%s: %s %s", t->file, t->name[k], why.text);
    double *const number = ok ? malloc((size_t)t->n_rows * sizeof *number + 1) : NULL;
    if (ok && !number)
        ok = rd_fail(e, "out of memory for %lld rows of %s", (long long)t->n_rows, t->file);
    if (ok && (!rd_numbers_read(set, kind, H5S_ALL, H5S_ALL, number) ||
               rd_numbers_real(number, t->n_rows, kind) != t->n_rows))
        ok = rd_fail(e, "%s: %s cannot be read as numbers; store 64-bit floating point", t->file,
                     t->name[k]);
    ok = ok && take_numbers(t, k, number, e);
    free(number);
    rd_h5_drop(set);
    return ok;
}

static bool read_hdf5(struct rd_number_table *t, struct rd_error *e)
{
    rd_h5_listen(NULL);
    rd_crash_guard_raise(t->file);
    const hid_t file = rd_h5_read_only(t->file);
    const hid_t group = file >= 0 && H5Lexists(file, "rows", H5P_DEFAULT) > 0
                            ? H5Gopen2(file, "rows", H5P_DEFAULT)
                            : H5I_INVALID_HID;
    struct column_search c = {t, group >= 0 ? group : file, e};
    const int before = e->n;
    bool ok = file >= 0 || rd_fail(e, "%s: cannot be read as HDF5; name another file", t->file);
    ok = ok && H5Literate(c.at, H5_INDEX_NAME, H5_ITER_INC, NULL, take_name, &c) >= 0;
    for (int k = 0; ok && k < t->n_columns; k++)
        ok = read_column(t, c.at, k, e);
    if (!ok && e->n == before)
        rd_fail(e, "%s: cannot be read; name another file", t->file);
    rd_h5_drop(group);
    rd_h5_drop(file);
    rd_crash_guard_drop();
    return ok;
}

/* Returns whether the file begins as HDF5 files do. */
static bool is_hdf5(const char *file)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char begin[8] = "";
    const char *why;
    FILE *const in = rd_file_open_stream(file, &why);
    const bool is = in && fread(begin, 1, sizeof begin, in) == sizeof begin &&
                    memcmp(begin, signature, sizeof begin) == 0;
    if (in)
        fclose(in);
    return is;
}

bool rd_number_table_read(struct rd_number_table *t, const char *file, struct rd_error *e)
{
    if (!(t->file = strdup(file)))
        return rd_fail(e, "out of memory for the rows of %s", file);
    return (is_hdf5(file) ? read_hdf5(t, e) : read_text(t, e)) &&
           (t->n_rows > 0 || rd_fail(e, "%s: has no rows; write a line of numbers for each", file));
}
