/* sbml_nesting - checks the nesting of an SBML text. libSBML is recursive and takes time in
   proportion to the square of the parts of an operation: without this check some texts would
   exhaust the stack, or take hours. */
#include "formats/sbml_document.h"

#include <string.h>

enum { DEPTH_MOST = 2000, PARTS_MOST = 5000 };

/* Describes the place in the text, and the elements that are open there. */
struct nesting {
    const char *at;
    unsigned line;
    int depth;
    int n_parts[DEPTH_MOST + 1];       /* [depth] */
    bool is_operation[DEPTH_MOST + 1]; /* [depth]: an operation in MathML */
};

/* Goes on to the character after the next `end`, or to the end of the text. */
static void skip_past(struct nesting *n, const char *end)
{
    const char *const found = strstr(n->at, end);
    const char *const to = found ? found + strlen(end) : n->at + strlen(n->at);
    for (; n->at < to; n->at++)
        n->line += *n->at == '\n';
}

/* Goes on to the end of a tag, over values in quotes. Returns whether the element is empty. */
static bool skip_tag(struct nesting *n)
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

/* Returns whether a tag opens an operation: apply or piecewise, with any prefix. */
static bool opens_operation(const char *name)
{
    const size_t n = strcspn(name, " \t\r\n/>");
    const char *const colon = memchr(name, ':', n);
    const char *const local = colon ? colon + 1 : name;
    const size_t length = n - (size_t)(local - name);
    return (length == 5 && strncmp(local, "apply", 5) == 0) ||
           (length == 9 && strncmp(local, "piecewise", 9) == 0);
}

/* Opens an element. */
static bool open_element(struct nesting *n, const char *path, struct rd_error *e)
{
    const bool is_operation = opens_operation(n->at);
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
    }
    return true;
}

bool rd_sbml_check_nesting(const char *path, const char *text, struct rd_error *e)
{
    struct nesting n = {.at = text, .line = 1};
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
