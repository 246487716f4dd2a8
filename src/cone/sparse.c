/* sparse - vectors of integers of which most are 0, and integer arithmetic that never overflows
   silently. */
#include "cone/sparse.h"

#include <stdlib.h>

int64_t rd_sparse_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

rd_int128 rd_sparse_gcd128(rd_int128 a, rd_int128 b)
{
    while (b != 0) {
        if (rd_sparse_fits(a) && rd_sparse_fits(b)) /* divided in a tenth of the time */
            return rd_sparse_gcd((int64_t)a, (int64_t)b);
        const rd_int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

int64_t rd_sparse_at(const struct rd_sparse *v, int32_t at)
{
    for (int i = 0; i < v->n; i++)
        if (v->entry[i].at == at)
            return v->entry[i].value;
    return 0;
}

bool rd_sparse_open_sum(struct rd_sparse *sum, const struct rd_sparse *a, const struct rd_sparse *b)
{
    *sum =
        (struct rd_sparse){.entry = malloc(((size_t)a->n + (size_t)b->n + 1) * sizeof *sum->entry)};
    return sum->entry != NULL;
}

bool rd_sparse_combine(struct rd_sparse *sum, const struct rd_sparse *a, int64_t times_a,
                       const struct rd_sparse *b, int64_t times_b)
{
    for (int i = 0, j = 0; i < a->n || j < b->n;) {
        const int32_t in_a = i < a->n ? a->entry[i].at : INT32_MAX;
        const int32_t in_b = j < b->n ? b->entry[j].at : INT32_MAX;
        const int32_t at = in_a < in_b ? in_a : in_b;
        rd_int128 value = 0;
        if (in_a == at)
            value += (rd_int128)times_a * a->entry[i++].value;
        if (in_b == at)
            value += (rd_int128)times_b * b->entry[j++].value;
        if (!rd_sparse_fits(value))
            return false;
        if (value != 0)
            sum->entry[sum->n++] = (struct rd_entry){at, (int64_t)value};
    }
    return true;
}

bool rd_sparse_copy(struct rd_sparse *copy, const struct rd_sparse *v)
{
    const struct rd_sparse zero = {0};
    return rd_sparse_open_sum(copy, v, &zero) && rd_sparse_combine(copy, v, 1, &zero, 0);
}

int64_t rd_sparse_content(const struct rd_sparse *v)
{
    int64_t content = 0;
    for (int i = 0; i < v->n; i++)
        content = rd_sparse_gcd(content, v->entry[i].value);
    return content;
}

void rd_sparse_divide(struct rd_sparse *v, int64_t divisor)
{
    for (int i = 0; i < v->n; i++)
        v->entry[i].value /= divisor;
}

void rd_sparse_free(struct rd_sparse *v)
{
    free(v->entry);
    *v = (struct rd_sparse){0};
}
