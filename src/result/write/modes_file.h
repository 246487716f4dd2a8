/* modes_file - a file of elementary flux modes: which reactions each uses, and how often. */
#ifndef RD_MODES_FILE_H
#define RD_MODES_FILE_H

#include "base/error.h"

#include <stdint.h>

/* Writes a file mode after mode; the arrays are those of a sparse matrix in rows: mode i has
   reaction[start[i]] ... reaction[start[i + 1] - 1], with the coefficients there. */
struct rd_modes_file;

/* Describes all modes of a file together. */
struct rd_modes_state {
    uint64_t hash;
    bool is_partial; /* the search did not end */
    bool has_more;   /* only the shortest were asked for, and there are more */
};

/* Returns whether a new file can be made at path: nothing has this name, and its folder can be
   written. Otherwise returns false with a message, which is about a wrong input. */
bool rd_modes_file_check(const char *path, struct rd_error *e);
/* Begins a new file under another name beside path. Returns NULL with a message. */
struct rd_modes_file *rd_modes_file_open(const char *path, int n_reactions,
                                         const char *const *reaction, struct rd_error *e);
/* Adds a mode: coefficients of all reactions. */
bool rd_modes_file_add(struct rd_modes_file *f, const int64_t *flux, struct rd_error *e);
/* Closes the file and renames it to its path, which must still be free. Removes it and returns
   false with a message if that fails, or if is_kept is false. */
bool rd_modes_file_close(struct rd_modes_file *f, bool is_kept, const struct rd_modes_state *s,
                         struct rd_error *e);

#endif
