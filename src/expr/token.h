/* token - splits an expression's text into numbers, names and operators, and reports errors at one
   of them. */
#ifndef RD_EXPR_TOKEN_H
#define RD_EXPR_TOKEN_H

#include "base/error.h"

#include <stdbool.h>

/* Holds the text, its place in the configuration, and the receiver of errors. */
struct rd_expr_source {
    const char *text, *place;
    struct rd_error *e;
};

enum rd_token_kind { RD_TOKEN_END, RD_TOKEN_NUMBER, RD_TOKEN_NAME, RD_TOKEN_SIGN };

struct rd_token {
    enum rd_token_kind kind;
    const char *start;
    int length;
};

/* Returns the first token at or after `at`. The text ends with a zero byte. A number excludes its
   sign. A character that begins no token is returned as RD_TOKEN_SIGN. */
struct rd_token rd_token_at(const char *at);

/* Returns whether the token has this spelling. */
bool rd_token_is(const struct rd_token *t, const char *spelling);

/* Adds "place: 'text', column 7: ...", with the text shortened around t; returns false. */
bool rd_token_fail(const struct rd_expr_source *s, const struct rd_token *t, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Adds "... found 'x'; expected what"; returns false. */
bool rd_token_expected(const struct rd_expr_source *s, const struct rd_token *t, const char *what);

#endif
