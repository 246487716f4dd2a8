/* lexeme - splits a configuration's text into names, numbers, texts and brackets. It defines the
   spelling of numbers, texts and comments. */
#include "config/lexeme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 40 };

void rd_lexeme_fault(struct rd_scan *s, int line, const char *format, ...)
{
    char message[256];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (s->lines)
        rd_fail(s->e, "%s:%d: %s", s->name, line, message);
    else
        rd_fail(s->e, "%s: %s", s->name, message);
    if (s->state == RD_SYNTAX_RIGHT)
        s->state = RD_SYNTAX_FAULTS;
}

static void broken(struct rd_scan *s)
{
    s->state = RD_SYNTAX_BROKEN;
}

/* Returns the bytes of the character at p, in UTF-8 without overlong forms and surrogates (RFC
   3629, section 4); 0 if it is none, or a control character. */
static int character_length(const unsigned char *p)
{
    if (p[0] < 0x80)
        return (p[0] >= ' ' && p[0] != 0x7f) || strchr("\t\r\n", p[0]) ? 1 : 0;
    const int length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    uint32_t code = p[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    const uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return p[0] < 0xc0 || code < least || code > 0x10ffff || surrogate ? 0 : length;
}

bool rd_lexeme_bytes(struct rd_scan *s, const char *text)
{
    int line = 1;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const int length = character_length(p);
        if (length == 0) {
            rd_lexeme_fault(s, line,
                            "the byte 0x%02x is not text; a configuration is text in UTF-8", *p);
            return false;
        }
        line += *p == '\n';
        p += length;
    }
    return true;
}

static void skip_line(struct rd_scan *s)
{
    s->at += strcspn(s->at, "\n");
}

static bool skip_comment(struct rd_scan *s)
{
    const int line = s->line;
    char *const end = strstr(s->at + 2, "*/");
    if (!end) {
        rd_lexeme_fault(s, line, "the comment that opens here has no '*/'");
        broken(s);
        return false;
    }
    for (; s->at < end + 2; s->at++)
        s->line += *s->at == '\n';
    return true;
}

/* Skips blanks and comments. */
static bool skip_blanks(struct rd_scan *s)
{
    for (;;) {
        if (*s->at == '#' || strncmp(s->at, "//", 2) == 0) {
            skip_line(s);
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

static void read_text(struct rd_scan *s, struct rd_lexeme *t)
{
    t->length = text_length(t->start);
    if (t->length == 0) {
        rd_lexeme_fault(s, t->line,
                        "a text opens here that has no closing quote on its line; a "
                        "long one is written \"in parts \" \"that are joined\"");
        broken(s);
        t->kind = RD_LEXEME_WRONG;
        return;
    }
    for (const char *p = t->start + 1; p < t->start + t->length; p++) {
        if (*p == '\\' && !strchr("nrtf\\\"", *++p))
            rd_lexeme_fault(s, t->line, "'\\%c' in a text; known are \\n \\r \\t \\f \\\\ \\\"",
                            *p);
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

static void check_integer(struct rd_scan *s, const struct rd_lexeme *t)
{
    const char *const digits = t->start + (*t->start == '+' || *t->start == '-');
    errno = 0;
    const long long v = strtoll(t->start, NULL, 0);
    if (digits[0] == '0' && isdigit((unsigned char)digits[1]))
        rd_lexeme_fault(s, t->line, "the integer %.*s begins with 0; write it without", t->shown,
                        t->start);
    else if (errno == ERANGE)
        rd_lexeme_fault(s, t->line, "the integer %.*s does not fit 64 bits", t->shown, t->start);
    else if ((v < INT32_MIN || v > INT32_MAX) && t->start[t->length - 1] != 'L')
        rd_lexeme_fault(s, t->line, "the integer %.*s does not fit 32 bits; write %.*sL", t->shown,
                        t->start, t->shown, t->start);
}

static void check_float(struct rd_scan *s, const struct rd_lexeme *t)
{
    errno = 0;
    const double v = strtod(t->start, NULL);
    if (errno == ERANGE)
        rd_lexeme_fault(s, t->line, "the number %.*s is too %s; it must be %s", t->shown, t->start,
                        fabs(v) > 1.0 ? "large" : "near to 0",
                        fabs(v) > 1.0 ? "at most 1.7e308" : "0 or at least 2.3e-308");
}

/* Returns whether a number begins at p: a digit, after an optional sign and point. */
static bool is_number(const char *p)
{
    p += *p == '+' || *p == '-';
    p += *p == '.';
    return isdigit((unsigned char)*p);
}

static void read_number(struct rd_scan *s, struct rd_lexeme *t)
{
    const char *p = t->start + 1;
    while (isalnum((unsigned char)*p) || *p == '.' || *p == '_' ||
           ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E')))
        p++;
    t->kind = RD_LEXEME_NUMBER;
    t->length = (size_t)(p - t->start);
    t->shown = t->length < MOST_SHOWN ? (int)t->length : MOST_SHOWN;
    const enum form form = number_form(t->start, p);
    if (form == FORM_INTEGER) {
        check_integer(s, t);
    } else if (form == FORM_FLOAT) {
        check_float(s, t);
    } else {
        rd_lexeme_fault(s, t->line, "'%.*s' is not a number", t->shown, t->start);
        broken(s);
    }
}

static void read_stray(struct rd_scan *s, struct rd_lexeme *t)
{
    if (strncmp(t->start, "@include", 8) == 0)
        rd_lexeme_fault(s, t->line,
                        "@include is not read here: a configuration is one file, so "
                        "that a result can hold all of it");
    else if (isprint((unsigned char)*t->start))
        rd_lexeme_fault(s, t->line, "the character '%c' stands outside of a text", *t->start);
    else
        rd_lexeme_fault(s, t->line, "the byte 0x%02x stands outside of a text",
                        (unsigned char)*t->start);
    broken(s);
    t->kind = RD_LEXEME_WRONG;
}

/* Returns whether a character belongs to a word. Names with - or * are one word, so that a message
   shows them whole. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

struct rd_lexeme rd_lexeme_read(struct rd_scan *s)
{
    struct rd_lexeme t = {.kind = RD_LEXEME_WRONG};
    if (!skip_blanks(s))
        return t;
    t = (struct rd_lexeme){.kind = *s->at, .start = s->at, .length = 1, .line = s->line};
    if (t.kind == RD_LEXEME_END)
        return t;
    if (isalpha((unsigned char)t.kind) || t.kind == '_') {
        t.kind = RD_LEXEME_WORD;
        while (in_word(t.start[t.length]))
            t.length++;
    } else if (is_number(t.start)) {
        read_number(s, &t);
    } else if (t.kind == RD_LEXEME_TEXT) {
        read_text(s, &t);
    } else if (!strchr("{}()[]=:;,", t.kind)) {
        read_stray(s, &t);
    }
    t.shown = t.length < MOST_SHOWN ? (int)t.length : MOST_SHOWN;
    s->at += t.length;
    return t;
}

static bool is_word(const struct rd_lexeme *t, const char *word)
{
    for (size_t i = 0; i < t->length; i++) {
        if (tolower((unsigned char)t->start[i]) != word[i])
            return false;
    }
    return word[t->length] == 0;
}

bool rd_lexeme_is_bool(const struct rd_lexeme *t)
{
    return t->kind == RD_LEXEME_WORD && (is_word(t, "true") || is_word(t, "false"));
}
