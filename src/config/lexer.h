/* lexer - reads a configuration's text as names, numbers, texts and brackets, and reports those
   that are wrong. */
#ifndef RD_CONFIG_LEXER_H
#define RD_CONFIG_LEXER_H

#include "base/error.h"

#include <stddef.h>

/* Limits the bytes of a lexeme that a message shows. */
enum { RD_SHOWN_MOST = 40 };

/* Names the kinds of lexemes; a sign is its own kind. */
enum {
    RD_LEXEME_END = 0,
    RD_LEXEME_WORD = 'a',
    RD_LEXEME_NUMBER = '0',
    RD_LEXEME_TEXT = '"',
    RD_LEXEME_WRONG = '!' /* an error, already reported */
};

/* Holds one of them, which stands in the text. */
struct rd_lexeme {
    char kind;
    char *start;
    size_t length;
    int shown; /* number of bytes that a message shows */
    int line;
};

/* Holds the place that is reached in a text. */
struct rd_lexer {
    const char *name; /* name of the file */
    char *at;
    bool has_lines; /* messages have line numbers */
    int line;
    bool has_fault; /* an error was reported */
    bool is_broken; /* an error was reported after which the rest cannot be read */
    struct rd_error *e;
};

/* Reports an error of that line. */
void rd_lexer_fault(struct rd_lexer *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns whether all bytes of text are UTF-8 text without control characters; reports the first
   that is not. */
bool rd_lexer_check_utf8(struct rd_lexer *s, const char *text);
/* Returns the next lexeme; the comments before it are left out. */
struct rd_lexeme rd_lexer_next(struct rd_lexer *s);
/* Returns whether it is true or false, in letters of any case. */
bool rd_lexer_is_bool(const struct rd_lexeme *t);

#endif
