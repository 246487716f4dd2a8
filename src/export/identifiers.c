/* identifiers - identifiers of an SBML document, each of which it has once. */
#include "export/identifiers.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void rd_identifiers_free(struct rd_identifiers *t)
{
    for (size_t i = 0; i < t->size; i++)
        free(t->slot[i]);
    free(t->slot);
    *t = (struct rd_identifiers){0};
}

static bool is_id_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_id_part(char c)
{
    return is_id_letter(c) || (c >= '0' && c <= '9');
}

/* Returns the slot that has the text, or the empty one for it. */
static char **find_slot(char **slot, size_t size, const char *text)
{
    size_t at = (size_t)rd_hash_on(RD_HASH_OF_NOTHING, text, strlen(text)) & (size - 1);
    while (slot[at] && strcmp(slot[at], text) != 0)
        at = (at + 1) & (size - 1);
    return &slot[at];
}

/* Makes room for one more, so that half of the slots stay empty. */
static bool grow_identifiers(struct rd_identifiers *t)
{
    if (2 * (t->n + 1) <= t->size)
        return true;
    const size_t size = t->size ? 2 * t->size : 256;
    char **const slot = calloc(size, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slot[i])
            *find_slot(slot, size, t->slot[i]) = t->slot[i];
    free(t->slot);
    t->slot = slot;
    t->size = size;
    return true;
}

/* Returns a copy in which each series of other characters is replaced by _; the caller frees it. */
static char *spell(const char *wanted)
{
    char *const text = rd_text_format("%s%s", is_id_letter(*wanted) ? "" : "_", wanted);
    char *to = text;
    for (const char *c = text; c && *c; c++)
        if (is_id_part(*c))
            *to++ = *c;
        else if (is_id_part(c[1]) || !c[1])
            *to++ = '_';
    if (to)
        *to = 0;
    return text;
}

const char *rd_identifiers_new(struct rd_identifiers *t, const char *wanted)
{
    char *const spelt = spell(wanted);
    char *text = spelt ? rd_text_format("%s", spelt) : NULL;
    const bool has_room = grow_identifiers(t);
    for (int k = 2; has_room && text && *find_slot(t->slot, t->size, text); k++) {
        free(text);
        text = rd_text_format("%s_%d", spelt, k);
    }
    free(spelt);
    if (!has_room || !text) {
        free(text);
        t->is_full = true;
        return "";
    }
    *find_slot(t->slot, t->size, text) = text;
    t->n++;
    return text;
}
