/* shared_text - a text that one thread extends while others copy it. A file of its own, since
   nothing else in the folder needs a lock of this kind. */
#define _POSIX_C_SOURCE 200809L
#include "base/shared_text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rd_shared_text {
    pthread_mutex_t lock;
    char *text; /* owned */
    size_t length, capacity;
};

rd_shared_text *rd_shared_text_open(void)
{
    rd_shared_text *const t = calloc(1, sizeof *t);
    if (!t || !(t->text = calloc(1, 1)) || pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t ? t->text : NULL);
        free(t);
        return NULL;
    }
    t->capacity = 1;
    return t;
}

void rd_shared_text_close(rd_shared_text *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t->text);
    free(t);
}

/* Makes room for so many characters and a zero. */
static bool grow_text(rd_shared_text *t, size_t length)
{
    if (length < t->capacity)
        return true;
    const size_t capacity = 2 * length + 1;
    char *const text = realloc(t->text, capacity);
    if (!text)
        return false;
    t->text = text;
    t->capacity = capacity;
    return true;
}

bool rd_shared_text_add(rd_shared_text *t, const char *more)
{
    const size_t n = strlen(more);
    pthread_mutex_lock(&t->lock);
    const bool ok = grow_text(t, t->length + n);
    if (ok) {
        memcpy(t->text + t->length, more, n + 1);
        t->length += n;
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

char *rd_shared_text_copy(rd_shared_text *t)
{
    pthread_mutex_lock(&t->lock);
    char *const copy = strdup(t->text);
    pthread_mutex_unlock(&t->lock);
    return copy;
}
