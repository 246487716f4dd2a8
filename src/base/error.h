/* error - collects messages for the user: all errors found so far, in the order of finding.
   It is in src/base, the lowest folder, because functions of every folder report errors. */
#ifndef RD_BASE_ERROR_H
#define RD_BASE_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Holds messages, one per line in text, without a last newline. The zero-initialised struct is
   empty. */
struct rd_error {
    int n;              /* number of messages */
    char *text;         /* owned; NULL while n is 0 */
    bool lacks_memory;  /* a message reports too little memory, or is missing for that reason */
    bool is_incomplete; /* a message is missing: there was no memory for it */
    bool wrong; /* the command or the configuration is wrong (exit 2), not the run (exit 1) */
};

/* Adds a message (no trailing newline) and returns false, so that a function can write `return
   rd_fail(e, "%s:%d: ...", file, line)`. A message that is present is not added again. After
   RD_ERROR_MOST messages only n increases. */
bool rd_fail(struct rd_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Does the same, and notes in lacks_memory that the message reports too little memory. */
bool rd_fail_memory(struct rd_error *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds all messages of `from`. */
void rd_error_add(struct rd_error *e, const struct rd_error *from);
/* Returns the message after the one at `at` (NULL: the first) and its length; NULL after the
   last. */
const char *rd_error_next(const struct rd_error *e, const char *at, int *length);
void rd_error_free(struct rd_error *e);

enum { RD_ERROR_MOST = 100 };

#ifdef __cplusplus
}
#endif

#endif
