/* syntax - checks a configuration's text before libconfig reads it: bytes, names, numbers and
   brackets. libconfig 1.5 wraps large integers, 1.7 reads a leading 0 as octal. Both report no more
   than "syntax error", and leak memory when they do. */
#include "config/syntax.h"
#include "config/lexeme.h"

#include <string.h>

enum {
    MOST_DEPTH = 32,       /* nested brackets */
    MOST_KEYS = 4096,      /* in one group: libconfig searches them for each new key */
    MOST_VALUES = 1000000, /* in a configuration, at about 100 bytes each */
    MOST_NAME = 63
};

struct level {
    char open, close;
    int line;
    int n_keys;
};

struct parse {
    struct rd_scan scan;
    struct level level[MOST_DEPTH + 1]; /* [0]: outside of all brackets */
    int depth;
    int n_values;
    bool after_text; /* the last value was a text, to which another one may be joined */
};

enum want { WANT_KEY, WANT_EQUALS, WANT_VALUE, WANT_FIRST, WANT_NEXT, WANT_NO_MORE };

static enum want stop(struct parse *p)
{
    p->scan.state = RD_SYNTAX_BROKEN;
    return WANT_NO_MORE;
}

static enum want misplaced(struct parse *p, const struct rd_lexeme *t, const char *wanted)
{
    const struct level *const level = &p->level[p->depth];
    if (t->kind == RD_LEXEME_END && p->depth > 0)
        rd_lexeme_fault(&p->scan, level->line, "the '%c' of this line is never closed by a '%c'",
                        level->open, level->close);
    else if (t->kind == RD_LEXEME_END)
        rd_lexeme_fault(&p->scan, t->line, "the file ends where %s should stand", wanted);
    else if (t->kind == RD_LEXEME_WORD && strncmp(wanted, "a value", 7) == 0)
        rd_lexeme_fault(&p->scan, t->line,
                        "'%.*s' is not a value; a text stands in quotes, \"%.*s\"", t->shown,
                        t->start, t->shown, t->start);
    else if (t->kind != RD_LEXEME_WRONG)
        rd_lexeme_fault(&p->scan, t->line, "'%.*s' stands where %s should", t->shown, t->start,
                        wanted);
    return stop(p);
}

static enum want open_bracket(struct parse *p, struct rd_lexeme *t)
{
    if (p->depth == MOST_DEPTH) {
        rd_lexeme_fault(&p->scan, t->line, "more than %d brackets inside each other", MOST_DEPTH);
        return stop(p);
    }
    const char close = t->kind == '{' ? '}' : t->kind == '[' ? ']' : ')';
    p->level[++p->depth] = (struct level){.open = t->kind, .close = close, .line = t->line};
    if (t->kind == '[')
        *t->start = '(';
    return t->kind == '{' ? WANT_KEY : WANT_FIRST;
}

static enum want close_bracket(struct parse *p, struct rd_lexeme *t)
{
    if (t->kind == ']')
        *t->start = ')';
    p->depth--;
    p->after_text = false;
    return WANT_NEXT;
}

static bool closes(const struct parse *p, const struct rd_lexeme *t)
{
    return p->depth > 0 && t->kind == p->level[p->depth].close;
}

static void check_name(struct parse *p, const struct rd_lexeme *t)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (t->length > MOST_NAME)
        rd_lexeme_fault(&p->scan, t->line, "the name '%.*s...' has %zu letters; %d are the most",
                        t->shown, t->start, t->length, MOST_NAME);
    else if (*t->start == '_' || strspn(t->start, letters) < t->length)
        rd_lexeme_fault(&p->scan, t->line,
                        "'%.*s' is not a name; names have letters, digits and _, a letter first",
                        t->shown, t->start);
}

static enum want read_key(struct parse *p, struct rd_lexeme *t, const char *wanted)
{
    if (t->kind == RD_LEXEME_END && p->depth == 0)
        return WANT_NO_MORE;
    if (closes(p, t))
        return close_bracket(p, t);
    if (t->kind != RD_LEXEME_WORD || rd_lexeme_is_bool(t))
        return misplaced(p, t, wanted);
    check_name(p, t);
    if (p->level[p->depth].n_keys++ < MOST_KEYS)
        return WANT_EQUALS;
    rd_lexeme_fault(&p->scan, t->line, "more than %d keys in one group", MOST_KEYS);
    return stop(p);
}

static enum want read_value(struct parse *p, struct rd_lexeme *t)
{
    if (p->n_values++ == MOST_VALUES) {
        rd_lexeme_fault(&p->scan, t->line, "more than %d values in one configuration", MOST_VALUES);
        return stop(p);
    }
    p->after_text = t->kind == RD_LEXEME_TEXT;
    if (t->kind == '{' || t->kind == '(' || t->kind == '[')
        return open_bracket(p, t);
    if (t->kind == RD_LEXEME_TEXT || t->kind == RD_LEXEME_NUMBER || rd_lexeme_is_bool(t))
        return WANT_NEXT;
    return misplaced(p, t, "a value (a number, \"text\", (list) or { group })");
}

static enum want read_next(struct parse *p, struct rd_lexeme *t)
{
    if (t->kind == RD_LEXEME_TEXT && p->after_text)
        return WANT_NEXT;
    p->after_text = false;
    const char close = p->level[p->depth].close;
    if (close == ')' || close == ']') {
        if (t->kind == ',')
            return WANT_VALUE;
        return closes(p, t) ? close_bracket(p, t)
                            : misplaced(p, t, close == ')' ? "',' or ')'" : "',' or ']'");
    }
    if (t->kind == ';' || t->kind == ',')
        return WANT_KEY;
    return read_key(p, t, "';'");
}

static enum want read_token(struct parse *p, enum want want)
{
    struct rd_lexeme t = rd_lexeme_read(&p->scan);
    switch (want) {
    case WANT_KEY:
        return read_key(p, &t, p->depth > 0 ? "a key or '}'" : "a key, such as grid = { ... },");
    case WANT_EQUALS:
        return t.kind == '=' || t.kind == ':' ? WANT_VALUE : misplaced(p, &t, "'='");
    case WANT_FIRST:
        return closes(p, &t) ? close_bracket(p, &t) : read_value(p, &t);
    case WANT_VALUE:
        return read_value(p, &t);
    default:
        return read_next(p, &t);
    }
}

enum rd_syntax rd_syntax_check(char *text, const char *name, bool lines, struct rd_error *e)
{
    struct parse p = {.scan = {.name = name, .at = text, .lines = lines, .line = 1, .e = e}};
    enum want want = rd_lexeme_bytes(&p.scan, text) ? WANT_KEY : WANT_NO_MORE;
    while (want != WANT_NO_MORE && e->n < RD_ERROR_MOST)
        want = read_token(&p, want);
    return p.scan.state;
}

bool rd_syntax_is_text(const char *value, const char *name, struct rd_error *e)
{
    struct rd_scan scan = {.name = name, .e = e};
    return rd_lexeme_bytes(&scan, value);
}
