/* token - an expression's text cut into numbers, names and signs, and the sentence that points
   at one of them. */
#ifndef RD_EXPR_TOKEN_H
#define RD_EXPR_TOKEN_H

#include "base/error.h"

#include <stdbool.h>

/* The text, where it stands, and where its faults are told. */
struct rd_source {
    const char *text, *place;
    struct rd_error *e;
};

enum rd_token_kind { RD_TOKEN_END, RD_TOKEN_NUMBER, RD_TOKEN_NAME, RD_TOKEN_SIGN };

struct rd_token {
    enum rd_token_kind kind;
    const char *start;
    int length;
};

/* The first token at or after `at`; the text ends with a zero. A number's sign is not part of it,
   and a character that nothing begins with is a sign. */
struct rd_token rd_token_at(const char *at);

/* Whether the token is spelled so. */
bool rd_token_is(const struct rd_token *t, const char *spelling);

/* Adds "place: 'text', column 7: ...", with the text shortened around t; gives false. */
bool rd_token_fail(const struct rd_source *s, const struct rd_token *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds "... found 'x'; expected what"; gives false. */
bool rd_token_expected(const struct rd_source *s, const struct rd_token *t, const char *what);

#endif
