/* tables - the section `tables`: numbers that expressions look up by an index, from the
   configuration, from a column of comma-separated values, or from an HDF5 data set. */
#include "base/csv.h"
#include "base/text.h"
#include "config/source.h"
#include "hdf5/labels.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- comma-separated values ---- */

/* Returns the length of the line at this place, and sets *next to the line after it. */
static size_t length_of_table_line(const char *line, const char **next)
{
    const size_t n = strcspn(line, "\r\n");
    *next = line + n;
    *next += **next == '\r';
    *next += **next == '\n';
    return n;
}

static bool is_blank_line(const char *line, size_t n)
{
    return n == 0 || *line == '#' || strspn(line, " \t") >= n;
}

/* Describes the columns of a file. */
struct lookup_columns {
    int n;  /* 0: the first line is not read yet */
    int at; /* the one with the numbers */
};

/* Counts the columns in the first line and finds the one of that name. */
static bool find_column(struct rd_reader *r, const rd_node *node, const struct rd_lookup *t,
                        struct rd_csv_line header, const char *name, struct lookup_columns *columns)
{
    const char *entry;
    size_t length;
    char names[160] = "";
    int found = 0;
    for (int i = 0; rd_csv_next(&header, ",", &entry, &length); i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "", (int)length, entry);
        columns->n = i + 1;
        if (strlen(name) != length || memcmp(entry, name, length) != 0)
            continue;
        columns->at = i;
        found++;
    }
    if (found > 1)
        return rd_reader_fail(r, node, "%s has several columns '%.60s'; leave one of them", t->file,
                              name);
    return found == 1 || rd_reader_fail(r, node, "%s has no column '%.60s'; choose one of: %s",
                                        t->file, name, names);
}

/* Reads the number in a column of a line; `line` is its number in the file. */
static bool read_lookup_entry(struct rd_reader *r, const rd_node *node, const struct rd_lookup *t,
                              struct rd_csv_line row, struct lookup_columns columns, int line,
                              double *value)
{
    const char *entry, *text = "";
    size_t length, size = 0;
    int n = 0;
    for (; rd_csv_next(&row, ",", &entry, &length); n++)
        if (n == columns.at) {
            text = entry;
            size = length;
        }
    if (n <= columns.at)
        return rd_reader_fail(r, node, "line %d of %s ends before column %d; complete it", line,
                              t->file, columns.at + 1);
    if (n > columns.n)
        return rd_reader_fail(r, node,
                              "line %d of %s has %d entries, more than columns (%d); write "
                              "numbers with a decimal point, and texts with commas in quotes",
                              line, t->file, n, columns.n);
    return (rd_csv_number(text, size, value) && isfinite(*value)) ||
           rd_reader_fail(r, node, "line %d of %s has '%.*s' in column %d; give a finite number",
                          line, t->file, size < 64 ? (int)size : 64, text, columns.at + 1);
}

/* Makes room for one more value. */
static bool add_table_value(struct rd_reader *r, const rd_node *node, struct rd_lookup *t,
                            double value)
{
    if (t->n == RD_TABLE_MOST)
        return rd_reader_fail(r, node, "has more than %d values; use fewer", RD_TABLE_MOST);
    if ((t->n & (t->n - 1)) == 0) { /* room is a power of 2 */
        const size_t room = t->n > 0 ? 2 * (size_t)t->n : 1;
        double *const more = realloc(t->value, room * sizeof *more);
        if (!more)
            return rd_fail(r->e, "out of memory for table '%s'", t->name);
        t->value = more;
    }
    t->value[t->n++] = value;
    return true;
}

static bool read_lookup_rows(struct rd_reader *r, const rd_node *node, struct rd_lookup *t,
                             const char *text, const char *column)
{
    struct lookup_columns columns = {0};
    bool read = true;
    const char *next;
    for (int line = 1; read && *text; text = next, line++) {
        const size_t n = length_of_table_line(text, &next);
        const struct rd_csv_line row = {text, text + n};
        double value = 0.0;
        if (is_blank_line(text, n))
            continue;
        if (columns.n == 0)
            read = find_column(r, node, t, row, column, &columns);
        else
            read = read_lookup_entry(r, node, t, row, columns, line, &value) &&
                   add_table_value(r, node, t, value);
    }
    return read && (t->n > 0 || rd_reader_fail(r, node, "%s has no values; add lines", t->file));
}

static bool read_csv(struct rd_reader *r, const rd_node *node, struct rd_lookup *t,
                     const char *column)
{
    char place[256];
    snprintf(place, sizeof place, "%.120s: table '%.60s': %.60s", t->place, t->name, t->file);
    char *const text = rd_source_load(t->file, place, "table", NULL, r->e);
    const bool read = text && read_lookup_rows(r, node, t, rd_text_after_mark(text), column);
    free(text);
    return read;
}

/* ---- the section ---- */

static bool read_lookup_set(struct rd_reader *r, struct rd_lookup *t, const char *dataset)
{
    char which[256];
    int64_t n = 0;
    snprintf(which, sizeof which, "%.160s: table '%.60s'", t->place, t->name);
    if (!rd_store_series(t->file, dataset, RD_TABLE_MOST, &t->value, &n, which, r->e))
        return false;
    t->n = (int32_t)n;
    for (int32_t i = 0; i < t->n; i++)
        if (!isfinite(t->value[i]))
            return rd_fail(r->e, "%s: %s in %s has %g at index %d; give finite numbers", which,
                           dataset, t->file, t->value[i], (int)i);
    return true;
}

static bool read_lookup_file(struct rd_reader *r, const rd_node *group, struct rd_lookup *t)
{
    static const char *const key[] = {"column", "dataset"};
    const int which = rd_reader_one_of(r, group, 2, key);
    t->file = rd_reader_copy(r, rd_node_text(rd_node_member(group, "file")));
    if (which < 0 || !t->file)
        return false;
    const char *const name = rd_node_text(rd_node_member(group, key[which]));
    return which == 0 ? read_csv(r, group, t, name) : read_lookup_set(r, t, name);
}

static bool read_table_values(struct rd_reader *r, const rd_node *list, struct rd_lookup *t)
{
    bool read = true;
    for (int i = 0; read && i < rd_node_length(list); i++) {
        struct rd_expr x = {0};
        const rd_node *const node = rd_node_at(list, i);
        const struct rd_scope none = {0};
        read =
            rd_node_is_number(node)
                ? add_table_value(r, node, t, rd_node_number(node))
                : rd_expr_compile(&x, rd_node_text(node), &none, rd_node_place(r->c, node), r->e) &&
                      add_table_value(r, node, t, rd_expr_value(&x, &(struct rd_eval_context){0}));
        rd_expr_free(&x);
        if (read && !isfinite(t->value[t->n - 1]))
            read = rd_reader_fail(r, node, "value %d is %g; give a finite number", t->n - 1,
                                  t->value[t->n - 1]);
    }
    return read && (t->n > 0 || rd_reader_fail(r, list, "has no values; give some"));
}

static bool read_table(struct rd_reader *r, const rd_node *group, struct rd_lookup *t)
{
    static const char *const key[] = {"values", "file"};
    t->name = rd_reader_copy(r, rd_node_name(group));
    t->place = rd_reader_copy(r, rd_node_place(r->c, group));
    if (!t->name || !t->place)
        return false;
    rd_reader_about(r, "table '%.60s'", t->name);
    t->is_linear = strcmp(rd_node_text(rd_node_member(group, "interpolate")), "linear") == 0;
    const int which = rd_reader_one_of(r, group, 2, key);
    for (int i = 0; which == 0 && i < 2; i++) {
        static const char *const of_file[] = {"column", "dataset"};
        if (rd_node_member(group, of_file[i]))
            return rd_reader_fail(r, group, "has %s without file; leave it out", of_file[i]);
    }
    if (which < 0 || !(which == 0 ? read_table_values(r, rd_node_member(group, "values"), t)
                                  : read_lookup_file(r, group, t)))
        return false;
    const rd_node *const unit = rd_node_member(group, "unit");
    t->unit = unit ? rd_reader_copy(r, rd_node_text(unit)) : NULL;
    return !unit || (t->unit && rd_quantities_convert(r, unit, t->value, t->n, &t->dimension));
}

bool rd_tables_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const group = rd_node_member(rd_config_root(r->c), "tables");
    bool read = true;
    m->table = rd_reader_array(r, rd_node_length(group), sizeof *m->table);
    for (int i = 0; m->table && i < rd_node_length(group); i++)
        read = read_table(r, rd_node_at(group, i), &m->table[m->n_tables++]) && read;
    rd_reader_about(r, "%s", "");
    return read && m->table;
}

void rd_tables_free(struct rd_model *m)
{
    for (int i = 0; i < m->n_tables; i++) {
        free(m->table[i].name);
        free(m->table[i].place);
        free(m->table[i].file);
        free(m->table[i].value);
        free(m->table[i].unit);
    }
    free(m->table);
}
