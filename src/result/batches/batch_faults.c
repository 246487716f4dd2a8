/* batch_faults - the faulted runs of batches that other processes simulate, in the blocks that end
   these batches; and the message if all runs faulted. */
#include "result/batches/batch_faults.h"

#include <stdlib.h>
#include <string.h>

/* Precedes the text of a faulted run in a block. */
struct head {
    int64_t run, n_times, bytes;
    double time;
};

bool rd_batch_faults_put(struct rd_block_file *l, const struct rd_block *as,
                         const struct rd_faulted *faulted, int64_t n, struct rd_error *e)
{
    struct rd_block block = *as;
    int64_t at;
    block.number = n;
    block.bytes = n * (int64_t)sizeof(struct head);
    for (int64_t i = 0; i < n; i++)
        block.bytes += (int64_t)strlen(faulted[i].text);
    rd_block_file_begin(l, &block, &at);
    bool ok = true;
    for (const struct rd_faulted *f = faulted; ok && f < faulted + n; f++) {
        const struct head head = {f->run, f->n_times, (int64_t)strlen(f->text), f->time};
        ok = rd_block_file_add(l, &head, sizeof head, e) &&
             rd_block_file_add(l, f->text, head.bytes, e);
    }
    return ok && rd_block_file_end(l, e);
}

/* Adds the faulted run whose head is at *at, and moves *at behind its text, which ends at `end` or
   before. */
static bool get_one(struct rd_batch_faults *f, const struct rd_block_file *l, int64_t *at,
                    int64_t end, struct rd_error *e)
{
    struct head head;
    if (!rd_block_file_read(l, &head, sizeof head, at, e))
        return false;
    if (head.bytes < 0 || head.bytes > end - *at)
        return rd_block_file_refuse(l, e);
    char *const text = calloc((size_t)head.bytes + 1, 1);
    struct rd_faulted *const more = realloc(f->faulted, ((size_t)f->n + 1) * sizeof *more);
    if (more)
        f->faulted = more;
    if (!text || !more) {
        free(text);
        return rd_fail(e, "out of memory for the faults of %lld runs", (long long)f->n + 1);
    }
    f->faulted[f->n++] = (struct rd_faulted){head.run, head.n_times, head.time, text};
    return rd_block_file_read(l, text, head.bytes, at, e);
}

bool rd_batch_faults_get(struct rd_batch_faults *f, const struct rd_block_file *l,
                         const struct rd_block *block, int64_t at, struct rd_error *e)
{
    const int64_t end = at + block->bytes;
    bool ok = true;
    for (int64_t i = 0; ok && i < block->number; i++)
        ok = get_one(f, l, &at, end, e);
    return ok;
}

void rd_batch_faults_free(struct rd_batch_faults *f)
{
    for (int64_t i = 0; i < f->n; i++)
        free(f->faulted[i].text);
    free(f->faulted);
    *f = (struct rd_batch_faults){0};
}

bool rd_faulted_report_all(const struct rd_faulted *faulted, int64_t n, struct rd_error *e)
{
    const struct rd_faulted *first = faulted;
    for (const struct rd_faulted *f = first; f < faulted + n; f++)
        if (f->time < first->time || (f->time <= first->time && f->run < first->run))
            first = f;
    const bool began =
        first->time > 0.0; /* false: all runs faulted at the start, and one message is enough */
    return rd_fail(e, "%s%s", first->text, began ? "; then all other runs faulted too" : "");
}
