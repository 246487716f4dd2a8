/* name_index - finds names in constant time, by a hash table of their numbers. */
#ifndef RD_BASE_NAME_INDEX_H
#define RD_BASE_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds the numbers of names, which an array of the caller contains. A zero-initialised struct is
   empty. */
struct rd_name_index {
    char *const *name; /* borrowed */
    int32_t *slot;     /* owned: number + 1, or 0 */
    size_t n_slots;    /* a power of 2 */
};

/* Prepares an index of at most n names; returns false if there is no memory. */
bool rd_name_index_open(struct rd_name_index *x, char *const *name, int n);
void rd_name_index_free(struct rd_name_index *x);

/* Adds name[number] if no equal name is there. */
void rd_name_index_add(struct rd_name_index *x, int number);
/* Returns the number of the name of this length, or -1. */
int rd_name_index_find(const struct rd_name_index *x, const char *name, size_t length);

#endif
