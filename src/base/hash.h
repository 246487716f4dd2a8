/* hash - FNV-1a (Fowler, Noll, Vo), over bytes in parts; separate because four folders use it.
   It detects accidental changes, not intended ones. */
#ifndef RD_BASE_HASH_H
#define RD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RD_HASH_OF_NOTHING UINT64_C(14695981039346656037)

/* Continues a hash with n bytes and returns it. Each step is one-to-one, so every change of a
   single byte changes the hash. */
static inline uint64_t rd_hash_on(uint64_t hash, const void *from, size_t n)
{
    const unsigned char *const byte = from;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
