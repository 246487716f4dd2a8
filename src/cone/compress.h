/* compress - makes a system smaller without losing an elementary vector: rows are eliminated whose
   balance leaves no choice (Gagneur and Klamt, BMC Bioinformatics 5, 175, 2004). Exact. */
#ifndef RD_COMPRESS_H
#define RD_COMPRESS_H

#include "cone/system.h"

enum rd_block_reason {
    RD_BLOCK_NOT,
    RD_BLOCK_EXCLUDED, /* it must not run */
    RD_BLOCK_SINGLE,   /* no other reaction changes the row */
    RD_BLOCK_SOURCE,   /* nothing makes the row */
    RD_BLOCK_SINK,     /* nothing consumes the row */
    RD_BLOCK_OPPOSITE, /* two coupled reactions would have to run in impossible directions */
    RD_BLOCK_BALANCE   /* it is 0 in every solution */
};

struct rd_blocked {
    enum rd_block_reason reason;
    int32_t row; /* -1: none */
};

/* Stands for one or more columns of the system; it runs exactly if the column of the
   system that is its own does. */
struct rd_core_column {
    struct rd_sparse net;    /* rows */
    struct rd_sparse origin; /* columns of the system that it is made of */
    int32_t own;             /* one of them, in no other column */
    bool is_reversible;
};

/* Holds the compressed system: columns that can run, and why others cannot. A zero-initialised
   struct is empty. */
struct rd_core {
    int n_rows, n_original;
    struct rd_core_column *column; /* owned */
    int n;
    struct rd_core_column *loop; /* owned: columns without net change, each a vector by itself */
    int n_loops;
    bool lacks_memory;        /* an allocation has failed */
    struct rd_blocked *block; /* [n_original]: why one is in no column and no loop */
};

/* Compresses a system. Returns false with a message if there is no memory. */
bool rd_core_make(struct rd_core *c, const struct rd_system *s, struct rd_error *e);
void rd_core_free(struct rd_core *c);

#endif
