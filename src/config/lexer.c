/* lexer - reads a configuration's text as names, numbers, texts and brackets. */
#include "config/lexer.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void rd_lexer_fault(struct rd_lexer *s, int line, const char *format, ...)
{
    char message[256];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (s->has_lines)
        rd_fail(s->e, "%s:%d: %s", s->name, line, message);
    else
        rd_fail(s->e, "%s: %s", s->name, message);
    s->has_fault = true;
}

bool rd_lexer_check_utf8(struct rd_lexer *s, const char *text)
{
    int line = 1;
    for (const char *p = text; *p;) {
        const int length = rd_text_character(p);
        if (length == 0 || *p == 0x7f || (length == 1 && *p < ' ' && !strchr("\t\r\n", *p))) {
            rd_lexer_fault(s, line, "the byte 0x%02x is not text; write text in UTF-8",
                           (unsigned char)*p);
            return false;
        }
        line += *p == '\n';
        p += length;
    }
    return true;
}

static bool skip_comment(struct rd_lexer *s)
{
    const int line = s->line;
    char *const end = strstr(s->at + 2, "*/");
    if (!end) {
        rd_lexer_fault(s, line, "the comment that begins here has no '*/'; add it");
        s->is_broken = true;
        return false;
    }
    for (; s->at < end + 2; s->at++)
        s->line += *s->at == '\n';
    return true;
}

/* Skips blanks and comments. */
static bool skip_comments(struct rd_lexer *s)
{
    for (;;) {
        if (*s->at == '#' || strncmp(s->at, "//", 2) == 0) {
            s->at += strcspn(s->at, "\n");
        } else if (strncmp(s->at, "/*", 2) == 0) {
            if (!skip_comment(s))
                return false;
        } else if (*s->at && strchr(" \t\r\n", *s->at)) {
            s->line += *s->at++ == '\n';
        } else {
            return true;
        }
    }
}

/* Returns the length of the text that opens at p, with both quotes; 0 if it does not end on its
   line. */
static size_t text_length(const char *p)
{
    size_t n = 1;
    while (p[n] && p[n] != '"' && p[n] != '\n')
        n += p[n] == '\\' && p[n + 1] && p[n + 1] != '\n' ? 2 : 1;
    return p[n] == '"' ? n + 1 : 0;
}

static void read_text_lexeme(struct rd_lexer *s, struct rd_lexeme *t)
{
    t->length = text_length(t->start);
    if (t->length == 0) {
        rd_lexer_fault(
            s, t->line,
            "a text begins here that has no closing quote on its line; add it, or write a long "
            "text \"in parts \" \"that are joined\"");
        s->is_broken = true;
        t->kind = RD_LEXEME_WRONG;
        return;
    }
    for (const char *p = t->start + 1; p < t->start + t->length; p++) {
        if (*p == '\\' && !strchr("nrtf\\\"", *++p))
            rd_lexer_fault(s, t->line, "the text has '\\%c'; use \\n \\r \\t \\f \\\\ or \\\"", *p);
    }
}

static size_t span_digits(const char *p)
{
    return strspn(p, "0123456789");
}

enum form { FORM_NONE, FORM_INTEGER, FORM_FLOAT };

static enum form number_form(const char *p, const char *end)
{
    enum form form = FORM_INTEGER;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2 + strspn(p + 2, "0123456789abcdefABCDEF");
    } else {
        p += *p == '+' || *p == '-';
        p += span_digits(p);
        if (*p == '.') {
            form = FORM_FLOAT;
            p += 1 + span_digits(p + 1);
        }
        if (*p == 'e' || *p == 'E') {
            form = FORM_FLOAT;
            p += 1 + (p[1] == '+' || p[1] == '-');
            if (!isdigit((unsigned char)*p))
                return FORM_NONE;
            p += span_digits(p);
        }
    }
    if (form == FORM_INTEGER && *p == 'L')
        p += 1 + (p[1] == 'L');
    return p == end && p[-1] != 'x' && p[-1] != 'X' ? form : FORM_NONE;
}

static void check_integer(struct rd_lexer *s, const struct rd_lexeme *t)
{
    const char *const digits = t->start + (*t->start == '+' || *t->start == '-');
    errno = 0;
    const long long v = strtoll(t->start, NULL, 0);
    if (digits[0] == '0' && isdigit((unsigned char)digits[1]))
        rd_lexer_fault(s, t->line, "the integer %.*s begins with 0; write it without", t->shown,
                       t->start);
    else if (errno == ERANGE)
        rd_lexer_fault(s, t->line, "the integer %.*s does not fit 64 bits; write a smaller one",
                       t->shown, t->start);
    else if ((v < INT32_MIN || v > INT32_MAX) && t->start[t->length - 1] != 'L')
        rd_lexer_fault(s, t->line, "the integer %.*s does not fit 32 bits; write %.*sL", t->shown,
                       t->start, t->shown, t->start);
}

static void check_float(struct rd_lexer *s, const struct rd_lexeme *t)
{
    errno = 0;
    const double v = strtod(t->start, NULL);
    if (errno == ERANGE)
        rd_lexer_fault(s, t->line, "the number %.*s is too %s; give %s", t->shown, t->start,
                       fabs(v) > 1.0 ? "large" : "close to 0",
                       fabs(v) > 1.0 ? "at most 1.7e308" : "0 or at least 2.3e-308");
}

/* Returns whether a number begins at p: a digit, after an optional sign and point. */
static bool begins_number(const char *p)
{
    p += *p == '+' || *p == '-';
    p += *p == '.';
    return isdigit((unsigned char)*p);
}

static void read_number_lexeme(struct rd_lexer *s, struct rd_lexeme *t)
{
    const char *p = t->start + 1;
    while (isalnum((unsigned char)*p) || *p == '.' || *p == '_' ||
           ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E')))
        p++;
    t->kind = RD_LEXEME_NUMBER;
    t->length = (size_t)(p - t->start);
    t->shown = t->length < RD_SHOWN_MOST ? (int)t->length : RD_SHOWN_MOST;
    const enum form form = number_form(t->start, p);
    if (form == FORM_INTEGER) {
        check_integer(s, t);
    } else if (form == FORM_FLOAT) {
        check_float(s, t);
    } else {
        const int digits = (int)strspn(t->start, "0123456789.");
        if (digits < t->shown && isalpha((unsigned char)t->start[digits]))
            rd_lexer_fault(s, t->line, "'%.*s' is not a number; put \"%.*s * %.*s\" in quotes",
                           t->shown, t->start, digits, t->start, t->shown - digits,
                           t->start + digits);
        else
            rd_lexer_fault(s, t->line, "'%.*s' is not a number; write it as in 12, 0.5 or 1e-3",
                           t->shown, t->start);
        s->is_broken = true;
    }
}

/* Reports a character that is not in ASCII, with its number in Unicode: some are invisible. */
static void fault_letter(struct rd_lexer *s, const struct rd_lexeme *t)
{
    const int n = rd_text_character(t->start);
    unsigned number = (unsigned char)*t->start & (0x7fU >> n);
    for (int i = 1; i < n; i++)
        number = number << 6 | ((unsigned char)t->start[i] & 0x3fU);
    rd_lexer_fault(s, t->line, "the character '%.*s' (U+%04X) stands outside of a text; remove it",
                   n, t->start, number);
}

static void read_stray(struct rd_lexer *s, struct rd_lexeme *t)
{
    if (strncmp(t->start, "@include", 8) == 0)
        rd_lexer_fault(
            s, t->line,
            "@include is not supported; write include = \"FILE\"; outside of all groups");
    else if (*t->start == '\'')
        rd_lexer_fault(s, t->line, "a text is in double quotes; write \"TEXT\" instead of 'TEXT'");
    else if (isprint((unsigned char)*t->start))
        rd_lexer_fault(s, t->line, "the character '%c' stands outside of a text; %s", *t->start,
                       strchr("*/+-^<>!&|%", *t->start)
                           ? "put an expression in quotes, as in \"2 * k\""
                           : "remove it");
    else
        fault_letter(s, t);
    s->is_broken = true;
    t->kind = RD_LEXEME_WRONG;
}

/* Returns whether a character belongs to a word. Names with - or * are one word, so that a message
   shows them whole. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

struct rd_lexeme rd_lexer_next(struct rd_lexer *s)
{
    struct rd_lexeme t = {.kind = RD_LEXEME_WRONG};
    if (!skip_comments(s))
        return t;
    t = (struct rd_lexeme){.kind = *s->at, .start = s->at, .length = 1, .line = s->line};
    if (t.kind == RD_LEXEME_END)
        return t;
    if (isalpha((unsigned char)t.kind) || t.kind == '_') {
        t.kind = RD_LEXEME_WORD;
        while (in_word(t.start[t.length]))
            t.length++;
    } else if (begins_number(t.start)) {
        read_number_lexeme(s, &t);
    } else if (t.kind == RD_LEXEME_TEXT) {
        read_text_lexeme(s, &t);
    } else if (!strchr("{}()[]=:;,", t.kind)) {
        read_stray(s, &t);
    }
    t.shown = t.length < RD_SHOWN_MOST ? (int)t.length : RD_SHOWN_MOST;
    s->at += t.length;
    return t;
}

static bool is_word_lexeme(const struct rd_lexeme *t, const char *word)
{
    for (size_t i = 0; i < t->length; i++) {
        if (tolower((unsigned char)t->start[i]) != word[i])
            return false;
    }
    return word[t->length] == 0;
}

bool rd_lexer_is_bool(const struct rd_lexeme *t)
{
    return t->kind == RD_LEXEME_WORD && (is_word_lexeme(t, "true") || is_word_lexeme(t, "false"));
}
