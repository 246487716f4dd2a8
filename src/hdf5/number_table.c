/* number_table - reads a table of numbers from comma-separated values or HDF5. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/number_table.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "config/filetype.h"
#include "hdf5/crash_guard.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/series.h"

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

/* Reads the next line that is not blank; returns false at the end. */
static bool next_number_line(struct lines *l)
{
    while (getline(&l->text, &l->room, l->in) >= 0) {
        l->number++;
        if (l->text[strspn(l->text, " \t\r\n")])
            return true;
    }
    return false;
}

/* Reads the names of the columns, after a byte order mark and the # of numpy.savetxt. */
static bool read_header_names(struct rd_number_table *t, struct lines *l, struct rd_error *e)
{
    if (!next_number_line(l))
        return rd_fail(e, "%s: is empty; begin it with a line of names, as in \"k1,k2\"", t->file);
    const char *const begin = rd_text_after_mark(l->text), *name;
    size_t length;
    struct rd_csv_line line = rd_csv_line_of(begin + (*begin == '#'));
    while (rd_csv_next(&line, ",", &name, &length)) {
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

static bool check_finite_entry(const struct rd_number_table *t, int64_t line, int column,
                               double value, struct rd_error *e)
{
    return isfinite(value) || rd_fail(e, "%s:%lld: %s is %g; give a finite number", t->file,
                                      (long long)line, t->name[column], value);
}

static bool read_table_entry(const struct rd_number_table *t, const struct lines *l, int column,
                             const char *at, size_t length, double *value, struct rd_error *e)
{
    if (!rd_csv_number(at, length, value))
        return rd_fail(e, "%s:%lld: %s is '%.*s'; write a number, as in 0.5 or 1e-3", t->file,
                       (long long)l->number, t->name[column], length < 40 ? (int)length : 40, at);
    return check_finite_entry(t, l->number, column, *value, e);
}

static bool extend_number_table(struct rd_number_table *t, struct lines *l, struct rd_error *e)
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

static bool read_number_row(struct rd_number_table *t, struct lines *l, struct rd_error *e)
{
    if (!extend_number_table(t, l, e))
        return false;
    int column = 0;
    const char *entry;
    size_t length;
    struct rd_csv_line line = rd_csv_line_of(l->text);
    for (; rd_csv_next(&line, ",", &entry, &length); column++) {
        if (column < t->n_columns &&
            !read_table_entry(t, l, column, entry, length,
                              &t->value[t->n_rows * t->n_columns + column], e))
            return false;
    }
    t->n_rows++;
    return column == t->n_columns ||
           rd_fail(e,
                   "%s:%lld: has %d numbers, but the first line has %d names; write one for each",
                   t->file, (long long)l->number, column, t->n_columns);
}

static bool read_table_text(struct rd_number_table *t, struct rd_error *e)
{
    const char *why;
    struct lines l = {.in = rd_file_open_stream(t->file, &why)};
    if (!l.in)
        return rd_fail(e, "%s: cannot be opened: %s; name another file", t->file, why);
    bool ok = read_header_names(t, &l, e);
    while (ok && next_number_line(&l))
        ok = read_number_row(t, &l, e);
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
static herr_t add_set_as_column(hid_t at, const char *name, const H5L_info_t *info, void *to)
{
    const struct column_search *const c = to;
    (void)at;
    (void)info;
    return strcmp(name, "row") == 0 || add_column(c->t, name, strlen(name), c->e) ? 0 : -1;
}

/* Reads column k, whose numbers are checked, into the table. */
static bool take_numbers(struct rd_number_table *t, int k, const double *number, struct rd_error *e)
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
    if (k > 0)
        return n == t->n_rows ||
               rd_fail(e, "%s: %s has %lld numbers, but %s has %lld; store one for each row",
                       t->file, t->name[k], (long long)n, t->name[0], (long long)t->n_rows);
    t->n_rows = n;
    t->value = calloc((size_t)n * (size_t)t->n_columns + 1, sizeof *t->value);
    return t->value || rd_fail(e, "out of memory for %lld rows of %s", (long long)n, t->file);
}

static bool read_table_column(struct rd_number_table *t, hid_t at, int k, struct rd_error *e)
{
    char *const place = rd_text_format("%s: %s", t->file, t->name[k]);
    const hid_t set = H5Dopen2(at, t->name[k], H5P_DEFAULT);
    double *number = NULL;
    int64_t n = 0;
    const bool ok = place ? rd_series_read(set, ROWS_MOST, &number, &n, place, e) &&
                                has_length(t, k, n, e) && take_numbers(t, k, number, e)
                          : rd_fail(e, "out of memory for the columns of %s", t->file);
    free(number);
    free(place);
    rd_h5_drop(set);
    return ok;
}

static bool read_hdf5(struct rd_number_table *t, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    rd_h5_listen(&cause);
    rd_crash_guard_raise(t->file);
    const hid_t file = rd_h5_read_only(t->file);
    const hid_t group = file >= 0 && H5Lexists(file, "rows", H5P_DEFAULT) > 0
                            ? H5Gopen2(file, "rows", H5P_DEFAULT)
                            : H5I_INVALID_HID;
    struct column_search c = {t, group >= 0 ? group : file, e};
    const int before = e->n;
    bool ok = file >= 0 || rd_fail(e, "%s: cannot be read as HDF5; name another file", t->file);
    ok = ok && H5Literate(c.at, H5_INDEX_NAME, H5_ITER_INC, NULL, add_set_as_column, &c) >= 0;
    for (int k = 0; ok && k < t->n_columns; k++)
        ok = read_table_column(t, c.at, k, e);
    if (!ok && e->n == before)
        rd_fail(e, "%s: cannot be read; name another file", t->file);
    rd_h5_drop(group);
    rd_h5_drop(file);
    rd_crash_guard_drop();
    rd_h5_listen(NULL);
    return ok;
}

/* Returns whether the file begins as HDF5 files do. */
static bool is_hdf5(const char *file)
{
    char begin[8] = "";
    const char *why;
    FILE *const in = rd_file_open_stream(file, &why);
    const bool is = in && rd_filetype_is_hdf5(begin, fread(begin, 1, sizeof begin, in));
    if (in)
        fclose(in);
    return is;
}

bool rd_number_table_read(struct rd_number_table *t, const char *file, struct rd_error *e)
{
    if (!(t->file = strdup(file)))
        return rd_fail(e, "out of memory for the rows of %s", file);
    return (is_hdf5(file) ? read_hdf5(t, e) : read_table_text(t, e)) &&
           (t->n_rows > 0 || rd_fail(e, "%s: has no rows; write a line of numbers for each", file));
}
