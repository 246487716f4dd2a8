/* lexeme - the words of a configuration's text: names, numbers, texts, brackets and signs. */
#ifndef RD_CONFIG_LEXEME_H
#define RD_CONFIG_LEXEME_H

#include "base/error.h"

#include <stddef.h>

enum rd_syntax {
    RD_SYNTAX_RIGHT,
    RD_SYNTAX_FAULTS, /* the form is right, but a number, name or byte is not */
    RD_SYNTAX_BROKEN  /* the form is not that of a configuration */
};

/* Names the kinds of lexemes; a sign is its own kind. */
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

/* Sets the number of bytes of a lexeme that a message shows. */
enum { RD_LEXEME_SHOWN = 40 };

/* Reports an error of that line. Sets the state to RD_SYNTAX_FAULTS if it was RD_SYNTAX_RIGHT. */
void rd_lexeme_fault(struct rd_scan *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns whether all bytes of text are UTF-8 text without control characters; reports the first
   that is not. */
bool rd_lexeme_check_text(struct rd_scan *s, const char *text);

/* Returns the next lexeme; its kind is RD_LEXEME_WRONG if it was reported. */
struct rd_lexeme rd_lexeme_next(struct rd_scan *s);

/* Returns whether the lexeme is true or false, in letters of any case. */
bool rd_lexeme_is_bool(const struct rd_lexeme *t);

#endif
