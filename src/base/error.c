/* error - collects messages for the user. */
#include "base/error.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *rd_error_next(const struct rd_error *e, const char *at, int *length)
{
    const char *const end = at ? strchr(at, '\n') : NULL;
    const char *const next = at ? (end ? end + 1 : NULL) : e->text;
    if (next)
        *length = (int)strcspn(next, "\n");
    return next;
}

static bool has_message(const struct rd_error *e, const char *message)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(e, at, &length));)
        if ((size_t)length == strlen(message) && strncmp(at, message, (size_t)length) == 0)
            return true;
    return false;
}

static void append_message(struct rd_error *e, const char *message)
{
    const size_t old = e->text ? strlen(e->text) : 0;
    char *const text = rd_memory_guard(realloc(e->text, old + strlen(message) + 2));
    e->is_incomplete = e->is_incomplete || !text;
    if (!text)
        return;
    if (old)
        text[old] = '\n';
    strcpy(text + old + (old > 0), message);
    e->text = text;
}

/* Removes the minus sign of NaN: it depends on the machine, and results keep the messages. */
static void drop_signs_of_nan(char *message)
{
    for (char *at = message; (at = strstr(at, " -nan"));)
        memmove(at + 1, at + 2, strlen(at + 1));
}

/* Replaces control characters of names and values by blanks: a message is one line. */
static void blank_controls(char *message)
{
    for (; *message; message++)
        if (iscntrl((unsigned char)*message))
            *message = ' ';
}

static void add_message(struct rd_error *e, const char *format, va_list list)
{
    char *const message = rd_text_format_list(format, list);
    if (message) {
        drop_signs_of_nan(message);
        blank_controls(message);
    }
    e->is_incomplete = e->is_incomplete || !message;
    if (!message || !has_message(e, message)) {
        if (message && e->n < RD_ERROR_MOST)
            append_message(e, message);
        e->n++;
    }
    free(message);
    e->lacks_memory = e->lacks_memory || e->is_incomplete;
}

bool rd_fail(struct rd_error *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_message(e, format, list);
    va_end(list);
    return false;
}

bool rd_fail_memory(struct rd_error *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_message(e, format, list);
    va_end(list);
    e->lacks_memory = true;
    return false;
}

void rd_error_add(struct rd_error *e, const struct rd_error *from)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(from, at, &length));)
        rd_fail(e, "%.*s", length, at);
    e->is_incomplete = e->is_incomplete || from->is_incomplete;
    e->lacks_memory = e->lacks_memory || from->lacks_memory;
}

void rd_error_free(struct rd_error *e)
{
    free(e->text);
    *e = (struct rd_error){0};
}
