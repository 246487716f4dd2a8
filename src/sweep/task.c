/* task - makes one task of a sweep: its settings and the name of its result; and checks all of
   them. */
#define _POSIX_C_SOURCE 200809L
#include "config/tree.h"
#include "model/model.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

/* Sets the number of values of an axis that are checked before the sweep; each task checks its
   own. */
enum { CHECKED_MOST = 1000 };

static int digits_of(int64_t n)
{
    int digits = 1;
    for (; n > 9; n /= 10)
        digits++;
    return digits;
}

/* Writes a value for the name of a file: replaces characters that are unusual in names. */
static void write_sanitised(FILE *out, const char *value)
{
    for (const char *c = value; *c; c++)
        if (*c != '"')
            fputc((unsigned char)*c < ' ' || *c == 127 || strchr("/ (){},*?'\\$&|;<>:`", *c) ? '_'
                                                                                             : *c,
                  out);
}

static bool write_word(FILE *out, const struct rd_sweep *s, const struct rd_task *t,
                       const char *word, size_t length)
{
    const struct {
        const char *name;
        int64_t number, most;
    } own[] = {{"task", t->number, s->n_tasks},
               {"point", t->point, s->n_points},
               {"repeat", t->repeat, s->n_repeats}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i].name) == length && strncmp(word, own[i].name, length) == 0)
            return fprintf(out, "%0*lld", digits_of(own[i].most), (long long)own[i].number) > 0;
    for (int i = 0; i < s->n_axes; i++) {
        const char *const name = s->axis[i].name;
        if (strlen(name) != length || strncmp(word, name, length) != 0)
            continue;
        write_sanitised(out, rd_sweep_value(s, i, t->point));
        return true;
    }
    return false;
}

/* Writes the pattern with the words in braces replaced. */
static bool write_task_name(FILE *out, const struct rd_sweep *s, const struct rd_task *t,
                            struct rd_error *e)
{
    for (const char *at = s->pattern; *at;) {
        const size_t plain = strcspn(at, "{");
        fwrite(at, 1, plain, out);
        at += plain;
        if (!*at)
            return true;
        const size_t length = strcspn(++at, "}");
        if (at[length] != '}')
            return rd_fail(e, "%s: output: '{%s' has no closing '}'; add it", s->file, at);
        if (!write_word(out, s, t, at, length))
            return rd_fail(e,
                           "%s: output: {%.*s} has no meaning; write task, point, repeat or a "
                           "varied name in braces",
                           s->file, (int)length, at);
        at += length + 1;
    }
    return true;
}

/* Returns the bytes of the pattern that name the folder of all results, which the user may choose
   freely. */
static size_t folder_length(const char *pattern)
{
    size_t length = strcspn(pattern, "{");
    while (length > 0 && pattern[length - 1] != '/')
        length--;
    return length;
}

/* Checks that after the folder no part of the name is empty, "." or "..". So it stays in the
   folder, and different names are different files. */
static bool is_inside_folder(const struct rd_sweep *s, const struct rd_task *t, struct rd_error *e)
{
    const size_t folder = folder_length(s->pattern);
    for (const char *part = t->output + folder; part;) {
        const size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
            return rd_fail(e,
                           "%s: output: task %lld would write '%s', whose part '%.*s' leads out of "
                           "the folder '%.*s' or names no file; remove it, or give another value",
                           s->file, (long long)t->number, t->output, (int)n, part,
                           folder > 0 ? (int)folder : 1, folder > 0 ? s->pattern : ".");
        part = part[n] ? part + n + 1 : NULL;
    }
    return true;
}

bool rd_sweep_task(struct rd_task *t, const struct rd_sweep *s, int64_t number, struct rd_error *e)
{
    const int64_t point = (number - 1) / s->n_repeats + 1, repeat = (number - 1) % s->n_repeats + 1;
    *t = (struct rd_task){.number = number,
                          .point = point,
                          .repeat = repeat,
                          .seed = rd_sweep_seed(s->seed, point, repeat)};
    size_t length = 0;
    FILE *const out = open_memstream(&t->output, &length);
    t->set = calloc((size_t)s->n_axes, sizeof *t->set);
    if (!out || !t->set) {
        if (out)
            fclose(out);
        return rd_fail(e, "out of memory for a task");
    }
    for (int i = 0; i < s->n_axes; i++)
        t->set[i] = (struct rd_set){s->axis[i].path, rd_sweep_value(s, i, point), s->axis[i].place};
    const bool ok = write_task_name(out, s, t, e);
    if (fclose(out) != 0 || !t->output)
        return rd_fail(e, "out of memory for a task");
    return ok && is_inside_folder(s, t, e);
}

void rd_task_free(struct rd_task *t)
{
    free(t->output);
    free(t->set);
    *t = (struct rd_task){0};
}

/* Copies messages, and puts the varied values before those that name a place of the base only. */
static void name_values(const struct rd_sweep *s, const struct rd_set *set,
                        const struct rd_error *from, struct rd_error *to)
{
    char values[200] = "";
    size_t used = 0;
    int length;
    for (int i = 0; i < s->n_axes && used < sizeof values; i++)
        used += (size_t)snprintf(values + used, sizeof values - used, "%s%s = %s",
                                 i > 0 ? ", " : "", s->axis[i].name, set[i].value);
    for (const char *at = NULL; (at = rd_error_next(from, at, &length));)
        if (strncmp(at, s->file, strlen(s->file)) == 0)
            rd_fail(to, "%.*s", length, at);
        else
            rd_fail(to, "%s: with %s: %.*s", s->file, values, length, at);
}

/* Returns whether the base with these values makes a model. */
static bool makes_model(const struct rd_sweep *s, const struct rd_set *set, struct rd_error *e)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error why = {0};
    const bool ok = rd_config_read(&c, s->base, set, s->n_axes, e) && rd_model_make(&m, c, &why);
    name_values(s, set, &why, e);
    rd_error_free(&why);
    rd_model_free(&m);
    rd_config_free(c);
    return ok;
}

/* Checks every value of every axis once, with the first values of the other axes. */
static bool check_values(const struct rd_sweep *s, const struct rd_task *first, struct rd_error *e)
{
    if (!makes_model(s, first->set, e))
        return false;
    const int before = e->n;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_set kept = first->set[i];
        const int64_t stride = 1 + s->axis[i].n / CHECKED_MOST;
        for (int64_t k = stride; k < s->axis[i].n; k += stride) {
            first->set[i].value = s->axis[i].value[k];
            makes_model(s, first->set, e);
        }
        first->set[i] = kept;
    }
    return e->n == before;
}

static int order_by_file_name(const void *a, const void *b)
{
    return strcmp(((const struct rd_task *)a)->output, ((const struct rd_task *)b)->output);
}

static const struct rd_task *find_output(const struct rd_task *task, int64_t n, char *name)
{
    const struct rd_task wanted = {.output = name};
    return bsearch(&wanted, task, (size_t)n, sizeof *task, order_by_file_name);
}

/* Returns the task whose result, or whose file with an added ending (.parts, .failed), is this
   path. */
static const struct rd_task *find_owner(const struct rd_task *task, int64_t n, char *path,
                                        bool is_folder)
{
    static const char *const ending[] = {".parts", ".failed", ".collecting"};
    const size_t length = strlen(path);
    const struct rd_task *owner = is_folder ? find_output(task, n, path) : NULL;
    for (size_t i = 0; !owner && i < sizeof ending / sizeof *ending; i++) {
        const size_t tail = strlen(ending[i]);
        if (length <= tail || strcmp(path + length - tail, ending[i]) != 0)
            continue;
        path[length - tail] = 0;
        owner = find_output(task, n, path);
        path[length - tail] = ending[i][0];
    }
    return owner;
}

/* Returns the task that needs this path, or a folder on the way to it. */
static const struct rd_task *find_rival(const struct rd_task *task, int64_t n, char *path,
                                        size_t folder)
{
    const struct rd_task *rival = find_owner(task, n, path, false);
    for (char *slash = path + folder; !rival && (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        rival = find_owner(task, n, path, true);
        *slash = '/';
    }
    return rival;
}

/* Returns whether no other task needs the name of the result, or of a folder that contains it. */
static bool is_free_path(const struct rd_sweep *s, const struct rd_task *task, int64_t n,
                         const struct rd_task *t, struct rd_error *e)
{
    char *const path = strdup(t->output);
    if (!path)
        return rd_fail(e, "out of memory for the names of results");
    const struct rd_task *const rival = find_rival(task, n, path, folder_length(s->pattern));
    free(path);
    return !rival || rd_fail(e,
                             "%s: output: task %lld would write %s, a name that task %lld needs "
                             "for %s; put {task} into the name",
                             s->file, (long long)t->number, t->output, (long long)rival->number,
                             rival->output);
}

static bool check_names_differ(const struct rd_sweep *s, struct rd_task *task, int64_t n,
                               struct rd_error *e)
{
    qsort(task, (size_t)n, sizeof *task, order_by_file_name);
    for (int64_t i = 1; i < n; i++)
        if (strcmp(task[i - 1].output, task[i].output) == 0)
            return rd_fail(e,
                           "%s: output: tasks %lld and %lld would both write %s; put {task} into "
                           "the name, or {point} and {repeat}, or a varied name",
                           s->file, (long long)task[i - 1].number, (long long)task[i].number,
                           task[i].output);
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = is_free_path(s, task, n, &task[i], e);
    return ok;
}

/* Returns whether the pattern has only numbers and they make all names different: each number has
   the same number of digits in every name. */
static bool are_numbered(const struct rd_sweep *s)
{
    bool task = false, point = false, repeat = false;
    for (const char *at = s->pattern; (at = strchr(at, '{')) != NULL; at++) {
        const bool is_task = strncmp(at, "{task}", 6) == 0;
        const bool is_point = strncmp(at, "{point}", 7) == 0;
        const bool is_repeat = strncmp(at, "{repeat}", 8) == 0;
        if (!is_task && !is_point && !is_repeat)
            return false;
        task = task || is_task;
        point = point || is_point;
        repeat = repeat || is_repeat;
    }
    return task || (point && (repeat || s->n_repeats == 1));
}

/* Checks that no two tasks write the same file, and that none writes outside of the folder. */
static bool check_task_files(const struct rd_sweep *s, struct rd_error *e)
{
    if (are_numbered(s))
        return true;
    struct rd_task *const task = calloc((size_t)s->n_tasks, sizeof *task);
    if (!task)
        return rd_fail(e, "out of memory for %lld tasks", (long long)s->n_tasks);
    bool ok = true;
    int64_t n = 0;
    while (ok && n < s->n_tasks) {
        ok = rd_sweep_task(&task[n], s, n + 1, e);
        n++;
    }
    ok = ok && check_names_differ(s, task, n, e);
    for (int64_t i = 0; i < n; i++)
        rd_task_free(&task[i]);
    free(task);
    return ok;
}

bool rd_sweep_check(const struct rd_sweep *s, struct rd_error *e)
{
    struct rd_task first;
    const bool ok =
        rd_sweep_task(&first, s, 1, e) && check_task_files(s, e) && check_values(s, &first, e);
    rd_task_free(&first);
    e->wrong |= !ok;
    return ok;
}
