/* error - sentences for the user: every fault found so far, in the order of finding.
   It stands on the ground floor because every file may fail; only error.c there knows stdio. */
#ifndef RD_BASE_ERROR_H
#define RD_BASE_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialised is empty. The sentences stand one a line in text, without a last newline. */
struct rd_error {
    int n;      /* how many sentences */
    char *text; /* owned; NULL while n is 0 */
    bool wrong; /* the command or the configuration is wrong (exit 2), not the run (exit 1) */
};

/* Adds a sentence (no trailing newline) and returns false, so that a function can say
   `return rd_fail(e, "%s:%d: ...", file, line)`. A sentence that stands there already is not
   said twice; after RD_ERROR_MOST of them only the number goes up. */
bool rd_fail(struct rd_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sentence after the one at `at` (NULL: the first), and its length; NULL after the last. */
const char *rd_error_next(const struct rd_error *e, const char *at, int *length);
void rd_error_free(struct rd_error *e);

enum { RD_ERROR_MOST = 100 };

#ifdef __cplusplus
}
#endif

#endif
