/* syntax - checks a configuration's text before libconfig reads it. libconfig 1.5 wraps large
   integers, 1.7 reads a leading 0 as octal. Both report no more than "syntax error", and leak
   memory when they do. */
#include "config/syntax.h"

#include "config/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 32,       /* nested brackets */
    MOST_KEYS = 16384,     /* in one group: libconfig searches them for each new key */
    MOST_VALUES = 8000000, /* in a configuration, at about 100 bytes each */
    MOST_NAME = 63
};

/* Describes a pair of brackets. */
struct group_level {
    char open, close;
    const char *start; /* of the text in the brackets */
    int line;
    int n_keys;
};

/* Holds what is read so far. */
struct parse {
    struct rd_lexer lexer;
    struct group_level level[MOST_DEPTH + 1]; /* [0]: outside of all brackets */
    int depth;
    int n_values;
    struct rd_lexeme *key; /* those of the group, after those of the groups around it */
    int n_keys, capacity;
    bool after_text; /* the last value was a text, to which another one may be joined */
    char *comma;     /* the last comma, or NULL */
};

/* Names what may stand next. */
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
    p->lexer.is_broken = true;
    return WANT_NO_MORE;
}

static enum want misplaced(struct parse *p, const struct rd_lexeme *t, const char *wanted)
{
    const struct group_level *const level = &p->level[p->depth];
    if (t->kind == RD_LEXEME_END && p->depth > 0)
        rd_lexer_fault(&p->lexer, level->line, "the '%c' of this line has no closing '%c'; add it",
                       level->open, level->close);
    else if (t->kind == RD_LEXEME_END)
        rd_lexer_fault(&p->lexer, t->line, "the file ends here; expected %s", wanted);
    else if (t->kind == RD_LEXEME_WORD && strncmp(wanted, "a value", 7) == 0)
        rd_lexer_fault(&p->lexer, t->line, "'%.*s' is not a value; put a text in quotes, \"%.*s\"",
                       t->shown, t->start, t->shown, t->start);
    else if (t->kind != RD_LEXEME_WRONG)
        rd_lexer_fault(&p->lexer, t->line, "found '%.*s'; expected %s", t->shown, t->start, wanted);
    return stop(p);
}

/* Explains a number or text where a key belongs, if it is a decimal comma or a list in braces. */
static enum want misplaced_value(struct parse *p, const struct rd_lexeme *t, const char *wanted)
{
    const struct group_level *const level = &p->level[p->depth];
    const char *const comma = p->comma, *before = comma;
    const size_t length = level->start ? strcspn(level->start, "{}=;\n") : 0;
    while (before && before > level->start && isdigit((unsigned char)before[-1]))
        before--;
    if (t->kind == RD_LEXEME_NUMBER && comma && comma + 1 == t->start && before < comma)
        rd_lexer_fault(&p->lexer, t->line, "'%.*s,%.*s' has a comma; write %.*s.%.*s",
                       (int)(comma - before), before, t->shown, t->start, (int)(comma - before),
                       before, t->shown, t->start);
    else if (level->open == '{' && level->n_keys == 0 && length < RD_SHOWN_MOST &&
             level->start[length] == '}')
        rd_lexer_fault(&p->lexer, t->line, "'{%.*s}' is a list in braces; write (%.*s)",
                       (int)length, level->start, (int)length, level->start);
    else
        return misplaced(p, t, wanted);
    return stop(p);
}

static enum want open_bracket(struct parse *p, struct rd_lexeme *t)
{
    if (p->depth == MOST_DEPTH) {
        rd_lexer_fault(&p->lexer, t->line, "brackets are nested more than %d deep; nest them less",
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

static enum want close_bracket(struct parse *p, struct rd_lexeme *t)
{
    if (t->kind == ']')
        *t->start = ')';
    p->n_keys -= p->level[p->depth--].n_keys;
    p->after_text = false;
    return WANT_NEXT;
}

static bool closes(const struct parse *p, const struct rd_lexeme *t)
{
    return p->depth > 0 && t->kind == p->level[p->depth].close;
}

static void check_key_name(struct parse *p, const struct rd_lexeme *t)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (t->length > MOST_NAME)
        rd_lexer_fault(&p->lexer, t->line, "the name '%.*s...' has %zu letters; use at most %d",
                       t->shown, t->start, t->length, MOST_NAME);
    else if (*t->start == '_' || strspn(t->start, letters) < t->length)
        rd_lexer_fault(&p->lexer, t->line,
                       "'%.*s' is not a name; write a letter, then letters, digits or _", t->shown,
                       t->start);
}

/* Reports a key that the group has already. */
static void check_key_is_new(struct parse *p, const struct rd_lexeme *t)
{
    struct rd_lexer *const s = &p->lexer;
    for (int i = p->n_keys - p->level[p->depth].n_keys; i < p->n_keys; i++) {
        const struct rd_lexeme *const k = &p->key[i];
        if (k->length != t->length || memcmp(k->start, t->start, t->length) != 0)
            continue;
        if (s->has_lines && k->line != t->line)
            rd_lexer_fault(s, t->line, "'%.*s' is given twice, first in line %d; remove one",
                           t->shown, t->start, k->line);
        else
            rd_lexer_fault(s, t->line, "'%.*s' is given twice; remove one", t->shown, t->start);
        return;
    }
}

/* Adds a key to those of its group. */
static bool add_key(struct parse *p, const struct rd_lexeme *t)
{
    if (p->n_keys == p->capacity) {
        const int capacity = 2 * p->capacity + 64;
        struct rd_lexeme *const key = realloc(p->key, (size_t)capacity * sizeof *key);
        if (!key)
            return rd_fail(p->lexer.e, "out of memory for the configuration");
        p->key = key;
        p->capacity = capacity;
    }
    p->key[p->n_keys++] = *t;
    p->level[p->depth].n_keys++;
    return true;
}

static enum want read_key(struct parse *p, struct rd_lexeme *t, const char *wanted)
{
    if (t->kind == RD_LEXEME_END && p->depth == 0)
        return WANT_NO_MORE;
    if (closes(p, t))
        return close_bracket(p, t);
    if (t->kind == RD_LEXEME_NUMBER || t->kind == RD_LEXEME_TEXT)
        return misplaced_value(p, t, wanted);
    if (t->kind != RD_LEXEME_WORD || rd_lexer_is_bool(t))
        return misplaced(p, t, wanted);
    check_key_name(p, t);
    check_key_is_new(p, t);
    if (p->level[p->depth].n_keys < MOST_KEYS)
        return add_key(p, t) ? WANT_EQUALS : stop(p);
    rd_lexer_fault(&p->lexer, t->line, "the group has more than %d keys; remove some", MOST_KEYS);
    return stop(p);
}

static enum want read_value_lexeme(struct parse *p, struct rd_lexeme *t)
{
    if (p->n_values++ == MOST_VALUES) {
        rd_lexer_fault(&p->lexer, t->line, "the configuration has more than %d values; remove some",
                       MOST_VALUES);
        return stop(p);
    }
    p->after_text = t->kind == RD_LEXEME_TEXT;
    if (t->kind == '{' || t->kind == '(' || t->kind == '[')
        return open_bracket(p, t);
    if (t->kind == RD_LEXEME_TEXT || t->kind == RD_LEXEME_NUMBER || rd_lexer_is_bool(t))
        return WANT_NEXT;
    return misplaced(p, t, "a value (a number, \"text\", (list) or { group })");
}

static enum want read_next(struct parse *p, struct rd_lexeme *t)
{
    if (t->kind == RD_LEXEME_TEXT && p->after_text)
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
static enum want read_element(struct parse *p, struct rd_lexeme *t)
{
    if (!closes(p, t))
        return read_value_lexeme(p, t);
    *p->comma = ' ';
    return close_bracket(p, t);
}

static enum want read_token(struct parse *p, enum want want)
{
    struct rd_lexeme t = rd_lexer_next(&p->lexer);
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
    struct parse p = {.lexer = {.name = name, .at = text, .has_lines = lines, .line = 1, .e = e}};
    enum want want = rd_lexer_check_utf8(&p.lexer, text) ? WANT_KEY : WANT_NO_MORE;
    while (want != WANT_NO_MORE && e->n < RD_ERROR_MOST)
        want = read_token(&p, want);
    free(p.key);
    return p.lexer.is_broken   ? RD_SYNTAX_BROKEN
           : p.lexer.has_fault ? RD_SYNTAX_FAULTS
                               : RD_SYNTAX_RIGHT;
}

bool rd_syntax_is_text(const char *value, const char *name, struct rd_error *e)
{
    struct rd_lexer lexer = {.name = name, .e = e};
    return rd_lexer_check_utf8(&lexer, value);
}
