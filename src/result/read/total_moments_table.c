/* total_moments_table - reads the totals of an ensemble from a table of text of another program. */
#define _POSIX_C_SOURCE 200809L
#include "base/csv.h"
#include "base/text.h"
#include "result/read/total_moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds a table while it is read. */
struct moments_table {
    struct rd_total_moments *s;
    struct rd_error *e;
    char *rest; /* the lines that are not yet read */
    int line;
    int n_columns, time, run; /* numbers of columns; run: -1 if there is none */
    int64_t n_values;         /* columns besides these */
    int *mean, *deviation;    /* [species]: columns of exact moments; owned together */
    double *value;            /* [row][column] */
    int64_t *at;              /* [row]: number of its time */
    int64_t n_rows, capacity;
};

/* Returns the next line that is not blank, without its end; NULL after the last. */
static char *next_moments_line(struct moments_table *t)
{
    while (*t->rest) {
        char *const line = t->rest;
        const size_t length = strcspn(line, "\n");
        t->rest += length + (line[length] == '\n');
        line[length] = 0;
        t->line++;
        if (line[strspn(line, " \t\r")])
            return line;
    }
    return NULL;
}

static const char separators[] = ",;\t";

/* Cuts the next value from a line; NULL after the last. */
static char *next_value(struct rd_csv_line *line)
{
    const char *value;
    size_t length;
    if (!rd_csv_next(line, separators, &value, &length))
        return NULL;
    char *const text = (char *)value; /* of the table, which is changed as it is read */
    text[length] = 0;
    return text;
}

/* Returns whether a name ends so. */
static bool has_end(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static int index_of(const struct rd_total_moments *s, const char *name)
{
    for (int64_t i = 0; i < s->n_species; i++)
        if (strcmp(s->species[i], name) == 0)
            return (int)i;
    return -1;
}

/* Pairs the columns A-mean and A-sd of a table of exact moments: its species become the names
   without these ends, and mean[i] and deviation[i] their columns. */
static bool pair_columns(struct moments_table *t)
{
    struct rd_total_moments *const s = t->s;
    char **const name = calloc((size_t)s->n_species + 1, sizeof *name);
    t->mean = calloc(2 * (size_t)s->n_species, sizeof *t->mean);
    t->deviation = t->mean ? t->mean + s->n_species : NULL;
    bool good = (name && t->mean) || rd_fail(t->e, "%s: out of memory for its columns", s->path);
    int n = 0;
    for (int i = 0; good && i < s->n_species; i++) {
        if (!has_end(s->species[i], "-mean"))
            continue;
        const int length = (int)(strlen(s->species[i]) - strlen("-mean"));
        char *const deviation = rd_text_format("%.*s-sd", length, s->species[i]);
        t->mean[n] = i;
        t->deviation[n] = deviation ? index_of(s, deviation) : -1;
        free(deviation);
        if (t->deviation[n] < 0 || !(name[n++] = strndup(s->species[i], (size_t)length)))
            good = rd_fail(t->e, "%s:%d: has '%s' without '%.*s-sd'; add that column", s->path,
                           t->line, s->species[i], length, s->species[i]);
    }
    if (good && 2 * n != s->n_species)
        good = rd_fail(t->e,
                       "%s:%d: has columns besides those that end in -mean and -sd; remove "
                       "them",
                       s->path, t->line);
    for (char **old = s->species; *old; old++)
        free(*old);
    free(s->species);
    s->species = name;
    s->n_species = n;
    s->is_exact = true;
    return good;
}

/* Returns whether the table has exact moments. */
static bool has_moments(const struct rd_total_moments *s)
{
    for (int64_t i = 0; i < s->n_species; i++)
        if (has_end(s->species[i], "-mean"))
            return true;
    return false;
}

static bool refuse_text(const struct moments_table *t)
{
    return rd_fail(t->e,
                   "%s: is neither a result nor a table; begin a table with a line as "
                   "'run,time,A,B' or 'time,A-mean,A-sd'",
                   t->s->path);
}

/* Reads the names of the columns. */
static bool read_moments_columns(struct moments_table *t)
{
    struct rd_total_moments *const s = t->s;
    const char *const line = next_moments_line(t);
    size_t most = 2;
    if (!line || !strstr(line, "time"))
        return refuse_text(t);
    for (const char *c = line; *c; c++)
        most += strchr(separators, *c) != NULL;
    if (!(s->species = calloc(most, sizeof *s->species)))
        return rd_fail(t->e, "%s: out of memory for its columns", s->path);
    struct rd_csv_line rest = rd_csv_line_of(line);
    for (char *name; (name = next_value(&rest)); t->n_columns++) {
        if (strcmp(name, "time") == 0 && t->time < 0)
            t->time = t->n_columns;
        else if (strcmp(name, "run") == 0 && t->run < 0)
            t->run = t->n_columns;
        else if (!*name || index_of(s, name) >= 0)
            return rd_fail(t->e, "%s:%d: column %d is named '%s'; give each a name of its own",
                           s->path, t->line, t->n_columns + 1, name);
        else if (!(s->species[s->n_species++] = strdup(name)))
            return rd_fail(t->e, "%s: out of memory for its columns", s->path);
    }
    if (t->time < 0 || s->n_species == 0)
        return refuse_text(t);
    t->n_values = s->n_species;
    return !has_moments(s) || pair_columns(t);
}

/* Returns the number of a time, which is new if no row had it; -1 with a message. */
static int64_t number_of_time(struct moments_table *t, double time)
{
    struct rd_total_moments *const s = t->s;
    const int64_t next = t->n_rows > 0 ? t->at[t->n_rows - 1] + 1 : 0;
    if (next < s->n_times && s->time[next] == time)
        return next;
    for (int64_t i = 0; i < s->n_times; i++)
        if (s->time[i] == time)
            return i;
    double *const more = realloc(s->time, ((size_t)s->n_times + 1) * sizeof *more);
    if (!more) {
        rd_fail(t->e, "%s: out of memory for its times", s->path);
        return -1;
    }
    s->time = more;
    s->time[s->n_times] = time;
    return s->n_times++;
}

static bool make_row(struct moments_table *t)
{
    if (t->n_rows < t->capacity)
        return true;
    t->capacity = 2 * t->capacity + 64;
    const size_t n = (size_t)t->capacity;
    double *const value = realloc(t->value, n * (size_t)t->n_values * sizeof *value);
    if (value)
        t->value = value;
    int64_t *const at = realloc(t->at, n * sizeof *at);
    if (at)
        t->at = at;
    return (value && at) || rd_fail(t->e, "%s: out of memory for its rows", t->s->path);
}

static bool read_moments_row(struct moments_table *t, const char *line)
{
    if (!make_row(t))
        return false;
    double *const value = t->value + t->n_rows * t->n_values;
    double at = (double)NAN;
    int n = 0, k = 0;
    struct rd_csv_line rest = rd_csv_line_of(line);
    for (char *text, *end; (text = next_value(&rest)); n++) {
        const double number = strtod(text, &end);
        if (!*text || *end || !isfinite(number))
            return rd_fail(t->e, "%s:%d: '%.40s' is not a number; write it as in 12, 0.5 or 1e-3",
                           t->s->path, t->line, text);
        if (n == t->time)
            at = number;
        else if (n != t->run && k < t->n_values)
            value[k++] = number;
    }
    if (n != t->n_columns)
        return rd_fail(t->e, "%s:%d: has %s values than the first line has names; give %d",
                       t->s->path, t->line, n < t->n_columns ? "less" : "more", t->n_columns);
    t->at[t->n_rows] = number_of_time(t, at);
    return t->at[t->n_rows++] >= 0;
}

/* Computes the moments of totals: the means, then the powers of deviations. */
static void reduce_runs(struct moments_table *t)
{
    struct rd_total_moments *const s = t->s;
    for (int64_t row = 0; row < t->n_rows; row++)
        for (int64_t i = 0; i < s->n_species; i++) {
            struct rd_moments *const m = &s->of[t->at[row] * s->n_species + i];
            m->n++;
            m->mean += (t->value[row * s->n_species + i] - m->mean) / m->n;
        }
    for (int64_t row = 0; row < t->n_rows; row++)
        for (int64_t i = 0; i < s->n_species; i++) {
            struct rd_moments *const m = &s->of[t->at[row] * s->n_species + i];
            const double by = t->value[row * s->n_species + i] - m->mean;
            m->variance += by * by / (m->n - 1.0);
            m->fourth += by * by * by * by / m->n;
        }
}

/* Takes the means and deviations of a table of exact moments. */
static bool take_moments(struct moments_table *t)
{
    struct rd_total_moments *const s = t->s;
    for (int64_t row = 0; row < t->n_rows; row++)
        for (int64_t i = 0; i < s->n_species; i++) {
            const double *const value = t->value + row * t->n_values;
            const double deviation = value[t->deviation[i]];
            s->of[t->at[row] * s->n_species + i] = (struct rd_moments){
                RD_RUNS_EXACT, value[t->mean[i]], deviation * deviation, (double)NAN};
        }
    return t->n_rows == s->n_times ||
           rd_fail(t->e, "%s: has several rows for one time; give one, as its values are exact",
                   s->path);
}

/* Checks that each time has equally many runs. */
static bool check_equal_runs(struct moments_table *t)
{
    const struct rd_total_moments *const s = t->s;
    for (int64_t i = 0; i < s->n_times; i++)
        if (s->of[i * s->n_species].n != s->of[0].n)
            return rd_fail(t->e,
                           "%s: has %g rows at t = %g, but %g at t = %g; give one for each "
                           "run and time",
                           s->path, s->of[i * s->n_species].n, s->time[i], s->of[0].n, s->time[0]);
    return true;
}

bool rd_total_moments_read_table(struct rd_total_moments *s, char *text, struct rd_error *e)
{
    struct moments_table t = {.s = s, .e = e, .rest = text, .time = -1, .run = -1};
    t.rest += rd_text_after_mark(text) - text;
    bool good = read_moments_columns(&t);
    for (const char *line; good && (line = next_moments_line(&t));)
        good = read_moments_row(&t, line);
    if (good && t.n_rows == 0)
        good = rd_fail(e, "%s: has no rows; give one for each run and time", s->path);
    good = good && rd_total_moments_allocate(s, e);
    if (good && s->is_exact) {
        good = take_moments(&t);
    } else if (good) {
        reduce_runs(&t);
        good = check_equal_runs(&t);
    }
    s->n_runs = good ? s->of[0].n : 0.0;
    free(t.mean);
    free(t.value);
    free(t.at);
    return good;
}
