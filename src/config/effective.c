/* effective - writes a configuration's whole tree so that it reads back to the same model. */
#include "config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds a growing text. */
struct key_page {
    char *text;
    size_t used, capacity;
    bool failed;
    bool is_sorted;          /* members are sorted by name, since their order has no meaning */
    const rd_node *left_out; /* a member to leave out, or NULL */
    const rd_node *species;  /* the list of species, whose `store` is left out; or NULL */
    bool is_in_species;
};

static void add_characters(struct key_page *p, const char *text)
{
    const size_t length = strlen(text);
    if (p->used + length + 1 > p->capacity) {
        const size_t capacity = 2 * (p->used + length + 1);
        char *const more = realloc(p->text, capacity);
        if (!more) {
            p->failed = true;
            return;
        }
        p->text = more;
        p->capacity = capacity;
    }
    memcpy(p->text + p->used, text, length + 1);
    p->used += length;
}

static void add_text(struct key_page *p, const char *text)
{
    static const char special[] = "\"\\\n\r\t\f", letter[] = "\"\\nrtf";
    add_characters(p, "\"");
    for (; *text; text++) {
        const char *const found = strchr(special, *text);
        const char escape[] = {'\\', found ? letter[found - special] : 0, 0};
        const char plain[] = {*text, 0};
        add_characters(p, found ? escape : plain);
    }
    add_characters(p, "\"");
}

/* Adds the shortest form that reads back to the same double. */
static void add_number(struct key_page *p, double v)
{
    char text[RD_NUMBER_BYTES];
    rd_number_write(v, text);
    add_characters(p, text);
}

static void add_node_value(struct key_page *p, const rd_node *n, int depth);

static void add_member(struct key_page *p, const rd_node *n, int depth)
{
    if (n == p->left_out || (p->is_in_species && strcmp(rd_node_name(n), "store") == 0))
        return;
    for (int k = 0; k < depth; k++)
        add_characters(p, "    ");
    add_characters(p, rd_node_name(n));
    add_characters(p, " = ");
    add_node_value(p, n, depth);
    add_characters(p, ";\n");
}

/* Returns the member whose name follows in the alphabet; NULL after the last. */
static const rd_node *member_after(const rd_node *group, const char *name)
{
    const rd_node *next = NULL;
    for (int i = 0; i < rd_node_length(group); i++) {
        const rd_node *const n = rd_node_at(group, i);
        if (strcmp(rd_node_name(n), name) > 0 &&
            (!next || strcmp(rd_node_name(n), rd_node_name(next)) < 0))
            next = n;
    }
    return next;
}

static void add_members(struct key_page *p, const rd_node *group, int depth)
{
    if (p->is_sorted)
        for (const rd_node *n = NULL; (n = member_after(group, n ? rd_node_name(n) : ""));)
            add_member(p, n, depth);
    else
        for (int i = 0; i < rd_node_length(group); i++)
            add_member(p, rd_node_at(group, i), depth);
}

static void add_node_value(struct key_page *p, const rd_node *n, int depth)
{
    if (rd_node_is_group(n)) {
        add_characters(p, "{\n");
        add_members(p, n, depth + 1);
        for (int k = 0; k < depth; k++)
            add_characters(p, "    ");
        add_characters(p, "}");
    } else if (rd_node_is_list(n)) {
        p->is_in_species = p->is_in_species || n == p->species;
        add_characters(p, "(");
        for (int i = 0; i < rd_node_length(n); i++) {
            add_characters(p, i > 0 ? ", " : "");
            add_node_value(p, rd_node_at(n, i), depth);
        }
        add_characters(p, ")");
        p->is_in_species = p->is_in_species && n != p->species;
    } else if (rd_node_is_text(n)) {
        add_text(p, rd_node_text(n));
    } else if (rd_node_is_number(n)) {
        add_number(p, rd_node_number(n));
    } else {
        add_characters(p, rd_node_bool(n) ? "true" : "false");
    }
}

/* Returns the text of a page; the caller frees it. */
static char *finish_page(struct key_page *p)
{
    if (!p->failed)
        return p->text;
    free(p->text);
    return NULL;
}

char *rd_config_effective(const rd_config *c)
{
    struct key_page p = {0};
    add_members(&p, rd_config_root(c), 0);
    return finish_page(&p);
}

/* Returns the path of the result; any group of the output may have it. */
static const rd_node *file_of(const rd_config *c)
{
    const rd_node *const output = rd_node_member(rd_config_root(c), "output");
    const rd_node *file = rd_node_member(output, "file");
    for (int i = 0; !file && rd_node_is_list(output) && i < rd_node_length(output); i++)
        file = rd_node_member(rd_node_at(output, i), "file");
    return file;
}

char *rd_config_identity(const rd_config *c)
{
    struct key_page p = {.is_sorted = true,
                         .left_out = file_of(c),
                         .species = rd_node_member(rd_config_root(c), "species")};
    add_members(&p, rd_config_root(c), 0);
    return finish_page(&p);
}

bool rd_config_is(const rd_config *c, const char *effective)
{
    struct rd_error ignored = {0};
    rd_config *there = NULL;
    char *const here = rd_config_identity(c);
    char *other = NULL;
    if (rd_config_parse(&there, "", effective, NULL, 0, &ignored))
        other = rd_config_identity(there);
    const bool is = here && other && strcmp(here, other) == 0;
    free(here);
    free(other);
    rd_config_free(there);
    rd_error_free(&ignored);
    return is;
}

void rd_number_write(double v, char text[RD_NUMBER_BYTES])
{
    rd_text_number(v, text);
    if (!strpbrk(text, ".en") && fabs(v) > INT32_MAX)
        strcat(text, "L");
}

char *rd_node_written(const rd_node *n)
{
    struct key_page p = {0};
    add_node_value(&p, n, 0);
    return finish_page(&p);
}
