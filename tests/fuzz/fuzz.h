/* fuzz - helpers of the fuzz targets: the fuzzer's bytes as text, and a check of the messages. */
#ifndef RD_FUZZ_H
#define RD_FUZZ_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Is called by libFuzzer with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the bytes as a terminated string; the caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* Checks that a failure has a message and that a success has none. */
static inline void fuzz_judge(bool ok, struct rd_error *e)
{
    int length = 0;
    const char *const first = rd_error_next(e, NULL, &length);
    if (ok != (e->n == 0) || (!ok && (!first || length == 0)))
        abort();
    rd_error_free(e);
}

#endif
