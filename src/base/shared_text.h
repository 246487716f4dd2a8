/* shared_text - a text that one thread extends while others copy it; a header of its own, since
   programs write it and results contain it. */
#ifndef RD_BASE_SHARED_TEXT_H
#define RD_BASE_SHARED_TEXT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rd_shared_text rd_shared_text;

/* Returns an empty text; NULL if there is no memory. rd_shared_text_close accepts NULL. */
rd_shared_text *rd_shared_text_open(void);
void rd_shared_text_close(rd_shared_text *t);
/* Appends `before`, n numbers >= 0 with ", " between them, and `after`. Returns false
   if there is no memory; the text stays as it is then. */
bool rd_shared_text_add(rd_shared_text *t, const char *before, const int64_t *number, int64_t n,
                        const char *after);
/* Returns whether the text has no characters. */
bool rd_shared_text_is_empty(rd_shared_text *t);
/* Returns a copy of the present text, which the caller frees; NULL if there is no memory. */
char *rd_shared_text_copy(rd_shared_text *t);

#endif
