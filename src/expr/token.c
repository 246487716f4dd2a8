/* token - splits an expression's text into numbers, names and operators, and reports errors at one
   of them. */
#include "expr/token.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool is_one_of(const char *set, char c)
{
    return c && strchr(set, c);
}

/* Returns whether a byte continues a UTF-8 character. */
static bool is_inner_byte(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

static size_t sign_length(const char *s)
{
    static const char *const pairs[] = {"<=", ">=", "==", "!=", "&&", "||", "**"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strncmp(s, pairs[i], 2) == 0)
            return 2;
    size_t length = 1;
    while (length < 4 && is_inner_byte(s[length]))
        length++;
    return length;
}

struct rd_token rd_token_at(const char *at)
{
    const char *const s = at + strspn(at, " \t\r\n");
    const size_t number = rd_text_number_length(s);
    if (!*s)
        return (struct rd_token){RD_TOKEN_END, s, 0};
    if (number)
        return (struct rd_token){RD_TOKEN_NUMBER, s, (int)number};
    if (is_one_of(LETTERS, *s))
        return (struct rd_token){RD_TOKEN_NAME, s, (int)strspn(s, LETTERS DIGITS "_")};
    return (struct rd_token){RD_TOKEN_SIGN, s, (int)sign_length(s)};
}

bool rd_token_is(const struct rd_token *t, const char *spelling)
{
    return strlen(spelling) == (size_t)t->length &&
           strncmp(t->start, spelling, (size_t)t->length) == 0;
}

/* Copies the text around `at` for a message: one line, with dots for what is left out. */
static void quote(char quoted[96], const char *text, const char *at)
{
    enum { REACH = 36 };
    const char *from = at - text > REACH ? at - REACH : text;
    const char *to = at;
    while (*to && to - at < REACH)
        to++;
    while (is_inner_byte(*from))
        from++;
    while (is_inner_byte(*to) && to > from)
        to--;
    snprintf(quoted, 96, "%s%.*s%s", from > text ? "..." : "", (int)(to - from), from,
             *to ? "..." : "");
    for (char *c = quoted; *c; c++)
        if (is_control(*c))
            *c = ' ';
}

static int column_in_text(const char *text, const char *at)
{
    int column = 1;
    for (const char *c = text; c < at; c++)
        column += !is_inner_byte(*c);
    return column;
}

bool rd_token_fail(const struct rd_expr_source *s, const struct rd_token *t, const char *format,
                   ...)
{
    char quoted[96], what[512];
    quote(quoted, s->text, t->start);
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return rd_fail(s->e, "%s: '%s', column %d: %s", s->place, quoted,
                   column_in_text(s->text, t->start), what);
}

/* Returns what to write instead of a sign where an operator belongs; NULL if that is not clear. */
static const char *replacement(const struct rd_token *t)
{
    static const char *const instead[][2] = {{"%", "a - b * floor(a / b)"},
                                             {"=", "=="},
                                             {"&", "and"},
                                             {"|", "or"},
                                             {"\u00B7", "*"},
                                             {"\u00D7", "*"},
                                             {"\u22C5", "*"},
                                             {"\u00F7", "/"},
                                             {"\u2212", "-"},
                                             {"\u00B2", "^ 2"},
                                             {"\u00B3", "^ 3"},
                                             {"\u2264", "<="},
                                             {"\u2265", ">="},
                                             {"\u2260", "!="}};
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        if (rd_token_is(t, instead[i][0]))
            return instead[i][1];
    return NULL;
}

/* Returns whether the token is the comma of 0,5. */
static bool is_decimal_comma(const struct rd_expr_source *s, const struct rd_token *t)
{
    return rd_token_is(t, ",") && t->start > s->text && is_one_of(DIGITS, t->start[-1]) &&
           is_one_of(DIGITS, t->start[1]);
}

/* Reports a token where an operator belongs, if it is clear what to write; returns whether. */
static bool report_operator(const struct rd_expr_source *s, const struct rd_token *t)
{
    const char *const instead = replacement(t);
    if (instead) {
        rd_token_fail(s, t, "found '%.*s'; write %s", t->length, t->start, instead);
        return true;
    }
    if (!is_decimal_comma(s, t))
        return false;
    const char *from = t->start;
    while (from > s->text && is_one_of(DIGITS, from[-1]))
        from--;
    const int whole = (int)(t->start - from), part = (int)strspn(t->start + 1, DIGITS);
    rd_token_fail(s, t, "'%.*s' has a comma; write %.*s.%.*s", whole + 1 + part, from, whole, from,
                  part, t->start + 1);
    return true;
}

bool rd_token_expected(const struct rd_expr_source *s, const struct rd_token *t, const char *what)
{
    enum { MOST = 40 };
    const bool takes_operator = strncmp(what, "an operator", 11) == 0;
    const bool is_hexadecimal = t->start > s->text && is_one_of(DIGITS, t->start[-1]);
    const bool is_name = t->kind == RD_TOKEN_NAME && !is_hexadecimal;
    const bool is_factor =
        takes_operator && (is_name || rd_token_is(t, "(") || rd_token_is(t, "["));
    if (takes_operator && report_operator(s, t))
        return false;
    if (t->kind == RD_TOKEN_END)
        return rd_token_fail(s, t, "the expression ends here; expected %s", what);
    if (is_control(*t->start))
        return rd_token_fail(s, t, "found character number %d; expected %s", *t->start, what);
    return rd_token_fail(s, t, "found '%.*s'; expected %s%s", t->length < MOST ? t->length : MOST,
                         t->start, what, is_factor ? ", such as *" : "");
}
