/* sbml_text - checks an SBML text before libSBML reads it. libSBML is recursive and takes time in
   proportion to the square of the parts of an operation: without this check some texts would
   exhaust the stack, or take hours. It reads the number with which a text begins, as 1 of "1,5". */
#include "formats/sbml_document.h"

#include <string.h>

enum { DEPTH_MOST = 2000, PARTS_MOST = 5000 };

/* Describes the place in the text, and the elements that are open there. */
struct xml_place {
    const char *at;
    unsigned line;
    int depth;
    int n_parts[DEPTH_MOST + 1];       /* [depth] */
    bool is_operation[DEPTH_MOST + 1]; /* [depth]: an operation in MathML */
};

/* Goes on to the character after the next `end`, or to the end of the text. */
static void skip_past(struct xml_place *n, const char *end)
{
    const char *const found = strstr(n->at, end);
    const char *const to = found ? found + strlen(end) : n->at + strlen(n->at);
    for (; n->at < to; n->at++)
        n->line += *n->at == '\n';
}

/* Goes on to the end of a tag, over values in quotes. Returns whether the element is empty. */
static bool skip_tag(struct xml_place *n)
{
    char quote = 0, before = 0;
    for (; *n->at && (quote || *n->at != '>'); n->at++) {
        if (quote ? *n->at == quote : *n->at == '"' || *n->at == '\'')
            quote = quote ? 0 : *n->at;
        n->line += *n->at == '\n';
        before = *n->at;
    }
    n->at += *n->at == '>';
    return before == '/';
}

/* Returns whether a tag has this name, with any prefix. */
static bool has_local_name(const char *tag, const char *name)
{
    const size_t n = strcspn(tag, " \t\r\n/>"), length = strlen(name);
    const char *const colon = memchr(tag, ':', n);
    const char *const local = colon ? colon + 1 : tag;
    return n - (size_t)(local - tag) == length && strncmp(local, name, length) == 0;
}

/* Returns whether a text stands between two places. */
static bool has_part(const char *begin, const char *end, const char *part)
{
    while (begin < end && strncmp(begin, part, strlen(part)) != 0)
        begin++;
    return begin < end;
}

/* Checks the content of a number in MathML up to the next element, as the mantissa up to <sep/>. */
static bool check_number(const struct xml_place *n, const char *tag, const char *path,
                         struct rd_error *e)
{
    static const char blanks[] = " \t\r\n";
    const bool is_integer = has_part(tag, n->at, "integer") || has_part(tag, n->at, "rational");
    const char *const text = n->at + strspn(n->at, blanks);
    const char *const end = text + strspn(text, is_integer ? "+-0123456789" : "+-.0123456789eE");
    const int length = (int)strcspn(text, "<\r\n");
    return end[strspn(end, blanks)] == '<' ||
           rd_fail(e, "%s:%u: math has '%.*s' in place of %s", path, n->line,
                   length < 40 ? length : 40, text,
                   is_integer ? "an integer; write one, or remove its type"
                              : "a number; write one, as 1.5e-3");
}

/* Opens an element. */
static bool open_element(struct xml_place *n, const char *path, struct rd_error *e)
{
    const char *const tag = n->at;
    const bool is_operation = has_local_name(tag, "apply") || has_local_name(tag, "piecewise");
    if (n->is_operation[n->depth] && ++n->n_parts[n->depth] > PARTS_MOST)
        return rd_fail(e, "%s:%u: math has an operation on more than %d parts; use fewer", path,
                       n->line, PARTS_MOST);
    if (n->depth == DEPTH_MOST)
        return rd_fail(e, "%s:%u: elements are nested more than %d times; make it simpler", path,
                       n->line, DEPTH_MOST);
    if (!skip_tag(n)) {
        n->depth++;
        n->n_parts[n->depth] = 0;
        n->is_operation[n->depth] = is_operation;
        return !has_local_name(tag, "cn") || check_number(n, tag, path, e);
    }
    return true;
}

bool rd_sbml_check_text(const char *path, const char *text, struct rd_error *e)
{
    struct xml_place n = {.at = text, .line = 1};
    bool ok = true;
    while (ok && *n.at) {
        skip_past(&n, "<");
        if (strncmp(n.at, "!--", 3) == 0) {
            skip_past(&n, "-->");
        } else if (strncmp(n.at, "![CDATA[", 8) == 0) {
            skip_past(&n, "]]>");
        } else if (*n.at == '!' || *n.at == '?') {
            skip_past(&n, ">");
        } else if (*n.at == '/') {
            skip_past(&n, ">");
            n.depth -= n.depth > 0;
        } else if (*n.at) {
            ok = open_element(&n, path, e);
        }
    }
    return ok;
}
