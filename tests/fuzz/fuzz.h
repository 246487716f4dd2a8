/* fuzz - what the targets share: bytes of the fuzzer as a text, and whether what was said of it is
   fit to be said. */
#ifndef RD_FUZZ_H
#define RD_FUZZ_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes with an end; the caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* What failed says why, and what did not fail says nothing. */
static inline void fuzz_judge(bool ok, struct rd_error *e)
{
    int length = 0;
    const char *const first = rd_error_next(e, NULL, &length);
    if (ok != (e->n == 0) || (!ok && (!first || length == 0)))
        abort();
    rd_error_free(e);
}

#endif
