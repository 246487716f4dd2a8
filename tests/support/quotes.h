/* quotes - lets a test write a fragment of a configuration with ' in place of ", which C would have
   to escape. (Short, since tests of several kinds need it.) */
#ifndef RD_QUOTES_H
#define RD_QUOTES_H

#include <stdlib.h>
#include <string.h>

/* Replaces each ' of the text by ". */
static inline void put_quotes(char *text)
{
    for (char *at = text; (at = strchr(at, '\''));)
        *at = '"';
}

/* Returns a copy of the text with each ' replaced by "; the caller frees it. */
static inline char *with_quotes(const char *text)
{
    char *const copy = malloc(strlen(text) + 1);
    if (copy)
        put_quotes(strcpy(copy, text));
    return copy;
}

#endif
