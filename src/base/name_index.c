/* name_index - finds names by a hash table with linear probing. At most half of its slots are
   used. */
#include "base/name_index.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

bool rd_name_index_open(struct rd_name_index *x, char *const *name, int n)
{
    *x = (struct rd_name_index){.name = name, .n_slots = 2};
    while (x->n_slots < 2 * (size_t)n)
        x->n_slots *= 2;
    x->slot = calloc(x->n_slots, sizeof *x->slot);
    return x->slot != NULL;
}

void rd_name_index_free(struct rd_name_index *x)
{
    free(x->slot);
    *x = (struct rd_name_index){0};
}

/* Returns the slot of the name, or the empty slot in which it would be. */
static int32_t *slot_of(const struct rd_name_index *x, const char *name, size_t length)
{
    size_t at = (size_t)rd_hash_on(RD_HASH_OF_NOTHING, name, length) & (x->n_slots - 1);
    for (; x->slot[at] != 0; at = (at + 1) & (x->n_slots - 1)) {
        const char *const other = x->name[x->slot[at] - 1];
        if (strncmp(other, name, length) == 0 && other[length] == 0)
            break;
    }
    return &x->slot[at];
}

void rd_name_index_add(struct rd_name_index *x, int number)
{
    int32_t *const slot = slot_of(x, x->name[number], strlen(x->name[number]));
    if (*slot == 0)
        *slot = number + 1;
}

int rd_name_index_find(const struct rd_name_index *x, const char *name, size_t length)
{
    return x->slot ? *slot_of(x, name, length) - 1 : -1;
}
