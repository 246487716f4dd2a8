/* lexeme - cuts a configuration's text into names, numbers, texts and brackets, in the spelling
   that every version of libconfig reads alike; refuses what they would silently change. */
#ifndef RD_CONFIG_LEXEME_H
#define RD_CONFIG_LEXEME_H

#include "config/syntax.h"

#include <stddef.h>

/* A token's kind is its first character, where it stands for itself, or one of these. */
enum {
    RD_LEXEME_END = 0,
    RD_LEXEME_WORD = 'a',
    RD_LEXEME_NUMBER = '0',
    RD_LEXEME_TEXT = '"',
    RD_LEXEME_WRONG = '!' /* and the sentence is told */
};

struct rd_lexeme {
    char kind;
    char *start;
    size_t length;
    int shown; /* how much of it a sentence shows */
    int line;
};

struct rd_scan {
    const char *name; /* of the file */
    char *at;
    bool lines; /* sentences have line numbers */
    int line;
    enum rd_syntax state;
    struct rd_error *e;
};

/* Whether all bytes of text are those of a text in UTF-8; tells the first that is not. */
bool rd_lexeme_bytes(struct rd_scan *s, const char *text);
struct rd_lexeme rd_lexeme_read(struct rd_scan *s);
bool rd_lexeme_is_bool(const struct rd_lexeme *t);

/* Tells a fault of that line. The state becomes RD_SYNTAX_FAULTS, if it was right. */
void rd_lexeme_fault(struct rd_scan *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
