/* lexeme - splits a configuration's text into names, numbers, texts and brackets. It accepts the
   spelling that every version of libconfig reads alike, and refuses what they would silently
   change. */
#ifndef RD_CONFIG_LEXEME_H
#define RD_CONFIG_LEXEME_H

#include "config/syntax.h"

#include <stddef.h>

/* Names the kinds of tokens; a sign is its own kind. */
enum {
    RD_LEXEME_END = 0,
    RD_LEXEME_WORD = 'a',
    RD_LEXEME_NUMBER = '0',
    RD_LEXEME_TEXT = '"',
    RD_LEXEME_WRONG = '!' /* an error, already reported */
};

struct rd_lexeme {
    char kind;
    char *start;
    size_t length;
    int shown; /* number of bytes that a message shows */
    int line;
};

struct rd_scan {
    const char *name; /* name of the file */
    char *at;
    bool lines; /* messages have line numbers */
    int line;
    enum rd_syntax state;
    struct rd_error *e;
};

/* Returns whether all bytes of text are UTF-8 text; reports the first that is not. */
bool rd_lexeme_bytes(struct rd_scan *s, const char *text);
struct rd_lexeme rd_lexeme_read(struct rd_scan *s);
bool rd_lexeme_is_bool(const struct rd_lexeme *t);

/* Reports an error of that line. Sets the state to RD_SYNTAX_FAULTS if it was RD_SYNTAX_RIGHT. */
void rd_lexeme_fault(struct rd_scan *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
