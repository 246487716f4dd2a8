/* identifiers - identifiers of an SBML document, each of which it has once; separate because they
   are the only part that reads nothing of a model. */
#ifndef RD_EXPORT_IDENTIFIERS_H
#define RD_EXPORT_IDENTIFIERS_H

#include <stdbool.h>
#include <stddef.h>

/* Owns the identifiers. The zero-initialised struct is empty. */
struct rd_identifiers {
    char **slot; /* a hash table */
    size_t n, size;
    bool is_full; /* there was no memory for one */
};

void rd_identifiers_free(struct rd_identifiers *t);
/* Returns an identifier that is new: `wanted`, where _ replaces everything but letters and digits,
   with a number behind it if that is taken. It is owned by t; "" if there is no memory. */
const char *rd_identifiers_new(struct rd_identifiers *t, const char *wanted);

#endif
