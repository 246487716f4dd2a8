/* shared_text - a text that one thread extends while others copy it. Its numbers are written when
   it is copied, since it is extended between two steps. A file of its own, since nothing else in
   the folder needs a lock of this kind. */
#define _POSIX_C_SOURCE 200809L
#include "base/shared_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Describes numbers that stand in the text before its character `at`. */
struct number_list {
    size_t at, n;
};

struct rd_shared_text {
    pthread_mutex_t lock;
    char *text;               /* owned; without the numbers */
    int64_t *number;          /* owned: those of all lists */
    struct number_list *list; /* owned */
    size_t length, n_numbers, n_lists;
    size_t text_capacity, number_capacity, list_capacity;
};

rd_shared_text *rd_shared_text_open(void)
{
    rd_shared_text *const t = calloc(1, sizeof *t);
    if (t && pthread_mutex_init(&t->lock, NULL) == 0)
        return t;
    free(t);
    return NULL;
}

void rd_shared_text_close(rd_shared_text *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t->text);
    free(t->number);
    free(t->list);
    free(t);
}

/* Makes room for n elements. Returns the array, which may have moved; NULL if there is no memory.
 */
static void *grow(void *array, size_t n, size_t size, size_t *capacity)
{
    if (n <= *capacity)
        return array;
    const size_t more = 2 * n;
    void *const grown = more > SIZE_MAX / size ? NULL : realloc(array, more * size);
    *capacity = grown ? more : *capacity;
    return grown;
}

static bool make_text_room(rd_shared_text *t, size_t length, size_t n_numbers)
{
    char *const text = grow(t->text, t->length + length, 1, &t->text_capacity);
    t->text = text ? text : t->text;
    int64_t *const number =
        grow(t->number, t->n_numbers + n_numbers + 1, sizeof *number, &t->number_capacity);
    t->number = number ? number : t->number;
    struct number_list *const list = grow(t->list, t->n_lists + 1, sizeof *list, &t->list_capacity);
    t->list = list ? list : t->list;
    return text && number && list;
}

static void append(rd_shared_text *t, const char *more, size_t length)
{
    memcpy(t->text + t->length, more, length);
    t->length += length;
}

static void append_numbers(rd_shared_text *t, const int64_t *number, size_t n)
{
    if (n == 0)
        return;
    memcpy(t->number + t->n_numbers, number, n * sizeof *number);
    t->list[t->n_lists++] = (struct number_list){t->length, n};
    t->n_numbers += n;
}

bool rd_shared_text_add(rd_shared_text *t, const char *before, const int64_t *number, int64_t n,
                        const char *after)
{
    const size_t before_length = strlen(before), after_length = strlen(after);
    pthread_mutex_lock(&t->lock);
    const bool ok = make_text_room(t, before_length + after_length + 1, (size_t)n);
    if (ok) {
        append(t, before, before_length);
        append_numbers(t, number, (size_t)n);
        append(t, after, after_length);
    }
    pthread_mutex_unlock(&t->lock);
    return ok;
}

bool rd_shared_text_is_empty(rd_shared_text *t)
{
    pthread_mutex_lock(&t->lock);
    const bool is_empty = t->length == 0;
    pthread_mutex_unlock(&t->lock);
    return is_empty;
}

/* Gives the characters of a number, with L and the ", " after it, at most. */
enum { NUMBER_MOST = 22 };

/* Writes a number in the syntax of a configuration. Returns the end. */
static char *write_number(char *p, int64_t number)
{
    char digit[NUMBER_MOST];
    int n = 0;
    const bool is_long = number > INT32_MAX;
    do
        digit[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *p++ = digit[--n];
    if (is_long)
        *p++ = 'L';
    return p;
}

/* Writes the whole text. */
static void write_text(const rd_shared_text *t, char *p)
{
    const int64_t *number = t->number;
    size_t from = 0;
    for (size_t i = 0; i < t->n_lists; from = t->list[i++].at) {
        const struct number_list *const list = &t->list[i];
        memcpy(p, t->text + from, list->at - from);
        p += list->at - from;
        for (size_t k = 0; k < list->n; k++) {
            p = k > 0 ? memcpy(p, ", ", 2), p + 2 : p;
            p = write_number(p, *number++);
        }
    }
    if (t->length > from)
        memcpy(p, t->text + from, t->length - from);
    p[t->length - from] = '\0';
}

char *rd_shared_text_copy(rd_shared_text *t)
{
    pthread_mutex_lock(&t->lock);
    char *const copy = malloc(t->length + t->n_numbers * NUMBER_MOST + 1);
    if (copy)
        write_text(t, copy);
    pthread_mutex_unlock(&t->lock);
    return copy;
}
