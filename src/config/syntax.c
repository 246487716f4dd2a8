/* syntax - checks a configuration's text before libconfig reads it: bytes, names, numbers, texts
   and brackets. libconfig 1.5 wraps large integers, 1.7 reads a leading 0 as octal. Both report no
   more than "syntax error", and leak memory when they do. */
#include "config/syntax.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- names, numbers, texts and brackets ---- */

/* Names the kinds of lexemes; a sign is its own kind. */
enum {
    LEXEME_END = 0,
    LEXEME_WORD = 'a',
    LEXEME_NUMBER = '0',
    LEXEME_TEXT = '"',
    LEXEME_WRONG = '!' /* an error, already reported */
};

struct lexeme {
    char kind;
    char *start;
    size_t length;
    int shown; /* number of bytes that a message shows */
    int line;
};

struct scan {
    const char *name; /* name of the file */
    char *at;
    bool lines; /* messages have line numbers */
    int line;
    enum rd_syntax state;
    struct rd_error *e;
};

enum { MOST_SHOWN = 40 };

/* Reports an error of that line. Sets the state to RD_SYNTAX_FAULTS if it was RD_SYNTAX_RIGHT. */
__attribute__((format(printf, 3, 4))) static void fault(struct scan *s, int line,
                                                        const char *format, ...)
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

/* Returns whether all bytes of text are UTF-8 text without control characters; reports the first
   that is not. */
static bool check_is_utf8(struct scan *s, const char *text)
{
    int line = 1;
    for (const char *p = text; *p;) {
        const int length = rd_text_character(p);
        if (length == 0 || *p == 0x7f || (length == 1 && *p < ' ' && !strchr("\t\r\n", *p))) {
            fault(s, line, "the byte 0x%02x is not text; write text in UTF-8", (unsigned char)*p);
            return false;
        }
        line += *p == '\n';
        p += length;
    }
    return true;
}

static bool skip_comment(struct scan *s)
{
    const int line = s->line;
    char *const end = strstr(s->at + 2, "*/");
    if (!end) {
        fault(s, line, "the comment that begins here has no '*/'; add it");
        s->state = RD_SYNTAX_BROKEN;
        return false;
    }
    for (; s->at < end + 2; s->at++)
        s->line += *s->at == '\n';
    return true;
}

/* Skips blanks and comments. */
static bool skip_comments(struct scan *s)
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

static void read_text_lexeme(struct scan *s, struct lexeme *t)
{
    t->length = text_length(t->start);
    if (t->length == 0) {
        fault(s, t->line,
              "a text begins here that has no closing quote on its line; add it, or write a long "
              "text \"in parts \" \"that are joined\"");
        s->state = RD_SYNTAX_BROKEN;
        t->kind = LEXEME_WRONG;
        return;
    }
    for (const char *p = t->start + 1; p < t->start + t->length; p++) {
        if (*p == '\\' && !strchr("nrtf\\\"", *++p))
            fault(s, t->line, "the text has '\\%c'; use \\n \\r \\t \\f \\\\ or \\\"", *p);
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

static void check_integer(struct scan *s, const struct lexeme *t)
{
    const char *const digits = t->start + (*t->start == '+' || *t->start == '-');
    errno = 0;
    const long long v = strtoll(t->start, NULL, 0);
    if (digits[0] == '0' && isdigit((unsigned char)digits[1]))
        fault(s, t->line, "the integer %.*s begins with 0; write it without", t->shown, t->start);
    else if (errno == ERANGE)
        fault(s, t->line, "the integer %.*s does not fit 64 bits; write a smaller one", t->shown,
              t->start);
    else if ((v < INT32_MIN || v > INT32_MAX) && t->start[t->length - 1] != 'L')
        fault(s, t->line, "the integer %.*s does not fit 32 bits; write %.*sL", t->shown, t->start,
              t->shown, t->start);
}

static void check_float(struct scan *s, const struct lexeme *t)
{
    errno = 0;
    const double v = strtod(t->start, NULL);
    if (errno == ERANGE)
        fault(s, t->line, "the number %.*s is too %s; give %s", t->shown, t->start,
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

static void read_number_lexeme(struct scan *s, struct lexeme *t)
{
    const char *p = t->start + 1;
    while (isalnum((unsigned char)*p) || *p == '.' || *p == '_' ||
           ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E')))
        p++;
    t->kind = LEXEME_NUMBER;
    t->length = (size_t)(p - t->start);
    t->shown = t->length < MOST_SHOWN ? (int)t->length : MOST_SHOWN;
    const enum form form = number_form(t->start, p);
    if (form == FORM_INTEGER) {
        check_integer(s, t);
    } else if (form == FORM_FLOAT) {
        check_float(s, t);
    } else {
        const int digits = (int)strspn(t->start, "0123456789.");
        if (digits < t->shown && isalpha((unsigned char)t->start[digits]))
            fault(s, t->line, "'%.*s' is not a number; put \"%.*s * %.*s\" in quotes", t->shown,
                  t->start, digits, t->start, t->shown - digits, t->start + digits);
        else
            fault(s, t->line, "'%.*s' is not a number; write it as in 12, 0.5 or 1e-3", t->shown,
                  t->start);
        s->state = RD_SYNTAX_BROKEN;
    }
}

static void read_stray(struct scan *s, struct lexeme *t)
{
    if (strncmp(t->start, "@include", 8) == 0)
        fault(s, t->line,
              "@include is not supported; write include = \"FILE\"; outside of all groups");
    else if (*t->start == '\'')
        fault(s, t->line, "a text is in double quotes; write \"TEXT\" instead of 'TEXT'");
    else if (isprint((unsigned char)*t->start))
        fault(s, t->line, "the character '%c' stands outside of a text; %s", *t->start,
              strchr("*/+-^<>!&|%", *t->start) ? "put an expression in quotes, as in \"2 * k\""
                                               : "remove it");
    else
        fault(s, t->line, "the byte 0x%02x stands outside of a text; remove it",
              (unsigned char)*t->start);
    s->state = RD_SYNTAX_BROKEN;
    t->kind = LEXEME_WRONG;
}

/* Returns whether a character belongs to a word. Names with - or * are one word, so that a message
   shows them whole. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

static struct lexeme next_lexeme(struct scan *s)
{
    struct lexeme t = {.kind = LEXEME_WRONG};
    if (!skip_comments(s))
        return t;
    t = (struct lexeme){.kind = *s->at, .start = s->at, .length = 1, .line = s->line};
    if (t.kind == LEXEME_END)
        return t;
    if (isalpha((unsigned char)t.kind) || t.kind == '_') {
        t.kind = LEXEME_WORD;
        while (in_word(t.start[t.length]))
            t.length++;
    } else if (begins_number(t.start)) {
        read_number_lexeme(s, &t);
    } else if (t.kind == LEXEME_TEXT) {
        read_text_lexeme(s, &t);
    } else if (!strchr("{}()[]=:;,", t.kind)) {
        read_stray(s, &t);
    }
    t.shown = t.length < MOST_SHOWN ? (int)t.length : MOST_SHOWN;
    s->at += t.length;
    return t;
}

static bool is_word_lexeme(const struct lexeme *t, const char *word)
{
    for (size_t i = 0; i < t->length; i++) {
        if (tolower((unsigned char)t->start[i]) != word[i])
            return false;
    }
    return word[t->length] == 0;
}

static bool is_bool_lexeme(const struct lexeme *t)
{
    return t->kind == LEXEME_WORD && (is_word_lexeme(t, "true") || is_word_lexeme(t, "false"));
}

/* ---- the grammar ---- */

enum {
    MOST_DEPTH = 32,       /* nested brackets */
    MOST_KEYS = 16384,     /* in one group: libconfig searches them for each new key */
    MOST_VALUES = 8000000, /* in a configuration, at about 100 bytes each */
    MOST_NAME = 63
};

struct group_level {
    char open, close;
    const char *start; /* of the text in the brackets */
    int line;
    int n_keys;
};

struct parse {
    struct scan scan;
    struct group_level level[MOST_DEPTH + 1]; /* [0]: outside of all brackets */
    int depth;
    int n_values;
    bool after_text; /* the last value was a text, to which another one may be joined */
    char *comma;     /* the last comma, or NULL */
};

enum want {
    WANT_KEY,
    WANT_EQUALS,
    WANT_VALUE,
    WANT_FIRST, /* the first element of a list, or its end */
    WANT_MORE,  /* an element after a comma, or the end of the list */
    WANT_NEXT,
    WANT_NO_MORE
};

static enum want stop(struct parse *p)
{
    p->scan.state = RD_SYNTAX_BROKEN;
    return WANT_NO_MORE;
}

static enum want misplaced(struct parse *p, const struct lexeme *t, const char *wanted)
{
    const struct group_level *const level = &p->level[p->depth];
    if (t->kind == LEXEME_END && p->depth > 0)
        fault(&p->scan, level->line, "the '%c' of this line has no closing '%c'; add it",
              level->open, level->close);
    else if (t->kind == LEXEME_END)
        fault(&p->scan, t->line, "the file ends here; expected %s", wanted);
    else if (t->kind == LEXEME_WORD && strncmp(wanted, "a value", 7) == 0)
        fault(&p->scan, t->line, "'%.*s' is not a value; put a text in quotes, \"%.*s\"", t->shown,
              t->start, t->shown, t->start);
    else if (t->kind != LEXEME_WRONG)
        fault(&p->scan, t->line, "found '%.*s'; expected %s", t->shown, t->start, wanted);
    return stop(p);
}

/* Explains a number or text where a key belongs, if it is a decimal comma or a list in braces. */
static enum want misplaced_value(struct parse *p, const struct lexeme *t, const char *wanted)
{
    const struct group_level *const level = &p->level[p->depth];
    const char *const comma = p->comma, *before = comma;
    const size_t length = level->start ? strcspn(level->start, "{}=;\n") : 0;
    while (before && before > level->start && isdigit((unsigned char)before[-1]))
        before--;
    if (t->kind == LEXEME_NUMBER && comma && comma + 1 == t->start && before < comma)
        fault(&p->scan, t->line, "'%.*s,%.*s' has a comma; write %.*s.%.*s", (int)(comma - before),
              before, t->shown, t->start, (int)(comma - before), before, t->shown, t->start);
    else if (level->open == '{' && level->n_keys == 0 && length < MOST_SHOWN &&
             level->start[length] == '}')
        fault(&p->scan, t->line, "'{%.*s}' is a list in braces; write (%.*s)", (int)length,
              level->start, (int)length, level->start);
    else
        return misplaced(p, t, wanted);
    return stop(p);
}

static enum want open_bracket(struct parse *p, struct lexeme *t)
{
    if (p->depth == MOST_DEPTH) {
        fault(&p->scan, t->line, "brackets are nested more than %d deep; nest them less",
              MOST_DEPTH);
        return stop(p);
    }
    const char close = t->kind == '{' ? '}' : t->kind == '[' ? ']' : ')';
    p->level[++p->depth] = (struct group_level){
        .open = t->kind, .close = close, .start = t->start + 1, .line = t->line};
    if (t->kind == '[')
        *t->start = '(';
    return t->kind == '{' ? WANT_KEY : WANT_FIRST;
}

static enum want close_bracket(struct parse *p, struct lexeme *t)
{
    if (t->kind == ']')
        *t->start = ')';
    p->depth--;
    p->after_text = false;
    return WANT_NEXT;
}

static bool closes(const struct parse *p, const struct lexeme *t)
{
    return p->depth > 0 && t->kind == p->level[p->depth].close;
}

static void check_key_name(struct parse *p, const struct lexeme *t)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (t->length > MOST_NAME)
        fault(&p->scan, t->line, "the name '%.*s...' has %zu letters; use at most %d", t->shown,
              t->start, t->length, MOST_NAME);
    else if (*t->start == '_' || strspn(t->start, letters) < t->length)
        fault(&p->scan, t->line, "'%.*s' is not a name; write a letter, then letters, digits or _",
              t->shown, t->start);
}

static enum want read_key(struct parse *p, struct lexeme *t, const char *wanted)
{
    if (t->kind == LEXEME_END && p->depth == 0)
        return WANT_NO_MORE;
    if (closes(p, t))
        return close_bracket(p, t);
    if (t->kind == LEXEME_NUMBER || t->kind == LEXEME_TEXT)
        return misplaced_value(p, t, wanted);
    if (t->kind != LEXEME_WORD || is_bool_lexeme(t))
        return misplaced(p, t, wanted);
    check_key_name(p, t);
    if (p->level[p->depth].n_keys++ < MOST_KEYS)
        return WANT_EQUALS;
    fault(&p->scan, t->line, "the group has more than %d keys; remove some", MOST_KEYS);
    return stop(p);
}

static enum want read_value_lexeme(struct parse *p, struct lexeme *t)
{
    if (p->n_values++ == MOST_VALUES) {
        fault(&p->scan, t->line, "the configuration has more than %d values; remove some",
              MOST_VALUES);
        return stop(p);
    }
    p->after_text = t->kind == LEXEME_TEXT;
    if (t->kind == '{' || t->kind == '(' || t->kind == '[')
        return open_bracket(p, t);
    if (t->kind == LEXEME_TEXT || t->kind == LEXEME_NUMBER || is_bool_lexeme(t))
        return WANT_NEXT;
    return misplaced(p, t, "a value (a number, \"text\", (list) or { group })");
}

static enum want read_next(struct parse *p, struct lexeme *t)
{
    if (t->kind == LEXEME_TEXT && p->after_text)
        return WANT_NEXT;
    p->after_text = false;
    const char close = p->level[p->depth].close;
    p->comma = t->kind == ',' ? t->start : NULL;
    if (close == ')' || close == ']') {
        if (t->kind == ',')
            return WANT_MORE;
        return closes(p, t) ? close_bracket(p, t)
                            : misplaced(p, t, close == ')' ? "',' or ')'" : "',' or ']'");
    }
    if (t->kind == ';' || t->kind == ',')
        return WANT_KEY;
    return read_key(p, t, "';'");
}

/* Reads an element of a list, or its end after a comma, which is erased: older versions of
   libconfig do not have it. */
static enum want read_element(struct parse *p, struct lexeme *t)
{
    if (!closes(p, t))
        return read_value_lexeme(p, t);
    *p->comma = ' ';
    return close_bracket(p, t);
}

static enum want read_token(struct parse *p, enum want want)
{
    struct lexeme t = next_lexeme(&p->scan);
    switch (want) {
    case WANT_KEY:
        return read_key(p, &t, p->depth > 0 ? "a key or '}'" : "a key, such as grid = { ... },");
    case WANT_EQUALS:
        return t.kind == '=' || t.kind == ':' ? WANT_VALUE : misplaced(p, &t, "'='");
    case WANT_FIRST:
        return closes(p, &t) ? close_bracket(p, &t) : read_value_lexeme(p, &t);
    case WANT_MORE:
        return read_element(p, &t);
    case WANT_VALUE:
        return read_value_lexeme(p, &t);
    default:
        return read_next(p, &t);
    }
}

enum rd_syntax rd_syntax_check(char *text, const char *name, bool lines, struct rd_error *e)
{
    struct parse p = {.scan = {.name = name, .at = text, .lines = lines, .line = 1, .e = e}};
    enum want want = check_is_utf8(&p.scan, text) ? WANT_KEY : WANT_NO_MORE;
    while (want != WANT_NO_MORE && e->n < RD_ERROR_MOST)
        want = read_token(&p, want);
    return p.scan.state;
}

bool rd_syntax_is_text(const char *value, const char *name, struct rd_error *e)
{
    struct scan scan = {.name = name, .e = e};
    return check_is_utf8(&scan, value);
}
