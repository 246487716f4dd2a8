/* merge_lineage - merges the births and deaths of all batches: of the next rows of all batches,
   the earliest one comes first. */
#include "result/batches/merge_lineage.h"

#include <stdlib.h>

/* Gives rows that are read together. */
enum { ROWS = 32 };

struct piece {
    int64_t at, n;
};

/* Holds the rows of one batch that are not yet merged. */
struct stream {
    struct piece *piece; /* owned */
    int64_t n_pieces, next;
    int64_t at, left; /* of the current piece, in the file */
    struct rd_life row[ROWS];
    int64_t n, given;
};

struct rd_merge {
    struct stream *stream; /* owned: of the earlier batches */
    int64_t n;
    const struct rd_life *own;
    int64_t n_own;
    const struct rd_block_file *files; /* of batch i: files[i % n_files] */
    int n_files;
};

bool rd_merge_open(rd_merge **to, int64_t n_batches, struct rd_error *e)
{
    rd_merge *const m = *to = calloc(1, sizeof *m);
    if (m)
        m->stream = calloc((size_t)n_batches, sizeof *m->stream);
    if (!m || !m->stream)
        return rd_fail(e, "out of memory for the lineage of %lld batches of runs",
                       (long long)n_batches);
    m->n = n_batches;
    return true;
}

void rd_merge_close(rd_merge *m)
{
    if (!m)
        return;
    for (int64_t i = 0; i < m->n; i++)
        free(m->stream[i].piece);
    free(m->stream);
    free(m);
}

bool rd_merge_note(rd_merge *m, int64_t batch, int64_t at, int64_t n, struct rd_error *e)
{
    struct stream *const s = &m->stream[batch];
    struct piece *const more = realloc(s->piece, (size_t)(s->n_pieces + 1) * sizeof *more);
    if (!more)
        return rd_fail(e, "out of memory for the lineage of batches of runs");
    s->piece = more;
    s->piece[s->n_pieces++] = (struct piece){at, n};
    return true;
}

void rd_merge_add(rd_merge *m, const struct rd_life *life, int64_t n)
{
    m->own = life;
    m->n_own = n;
}

/* Makes the next row of batch i available, unless there is none. */
static bool fill_stream(const rd_merge *m, int64_t i, struct rd_error *e)
{
    struct stream *const s = &m->stream[i];
    if (s->given < s->n)
        return true;
    while (s->left == 0 && s->next < s->n_pieces) {
        s->at = s->piece[s->next].at;
        s->left = s->piece[s->next++].n;
    }
    s->given = 0;
    s->n = s->left < ROWS ? s->left : ROWS;
    s->left -= s->n;
    return rd_block_file_read(&m->files[i % m->n_files], s->row, s->n * (int64_t)sizeof *s->row,
                              &s->at, e);
}

static int compare_lives(const struct rd_life *a, const struct rd_life *b)
{
    if (a->order_key != b->order_key)
        return a->order_key < b->order_key ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

/* Finds the earliest row that is left; NULL: none. */
static bool find_earliest_row(rd_merge *m, const struct rd_life **first, struct rd_error *e)
{
    *first = m->n_own > 0 ? m->own : NULL;
    for (int64_t i = 0; i < m->n; i++) {
        struct stream *const s = &m->stream[i];
        if (!fill_stream(m, i, e))
            return false;
        const struct rd_life *const head = s->given < s->n ? &s->row[s->given] : NULL;
        if (head && (!*first || compare_lives(head, *first) < 0))
            *first = head;
    }
    return true;
}

/* Copies all rows of the same event as this one, batch after batch, until `to` is full. */
static bool give_all(rd_merge *m, const struct rd_life *as, struct rd_life *to, int64_t *n,
                     int64_t most, struct rd_error *e)
{
    for (int64_t i = 0; i < m->n; i++) {
        struct stream *const s = &m->stream[i];
        for (; *n < most; to[(*n)++] = s->row[s->given++]) {
            if (!fill_stream(m, i, e))
                return false;
            if (s->given == s->n || compare_lives(&s->row[s->given], as) != 0)
                break;
        }
    }
    for (; *n < most && m->n_own > 0 && compare_lives(m->own, as) == 0; m->own++, m->n_own--)
        to[(*n)++] = *m->own;
    return true;
}

int64_t rd_merge_next(rd_merge *m, const struct rd_block_file *l, int n_files, int64_t order_key,
                      struct rd_life *to, int64_t most, struct rd_error *e)
{
    m->files = l;
    m->n_files = n_files;
    int64_t n = 0;
    while (n < most) {
        const struct rd_life *first;
        if (!find_earliest_row(m, &first, e))
            return -1;
        if (!first || first->order_key >= order_key)
            break;
        const struct rd_life as = *first;
        if (!give_all(m, &as, to, &n, most, e))
            return -1;
    }
    return n;
}
