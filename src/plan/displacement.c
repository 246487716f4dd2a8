/* displacement - the chances of the walk along one axis after a step, by uniformisation (Jensen
   1953): all terms are positive, so nothing cancels. What is cut off - jumps and outcomes - has
   less than 2^-33 of the chance of leaving, so that a slow species is as exact as a fast one. */
#include "plan/displacement.h"

#include <stdlib.h>

/* 2^-34: half of the cut goes to the number of jumps, half to rare outcomes. */
static const double cut = 1.0 / 17179869184.0;

enum { JUMPS_MOST = 512 };

/* The chances of 0, 1, ... jumps in the step, and of at least so many. */
struct jumps {
    int n; /* the last that counts */
    double chance[JUMPS_MOST + 2], at_least[JUMPS_MOST + 2];
};

/* Poisson chances for the mean; as many as the cut asks for, relative to that of any jump. */
static void jumps_make(struct jumps *j, double mean)
{
    double chance = rd_exp(-mean);
    for (int m = 0; m <= JUMPS_MOST + 1; m++) {
        j->chance[m] = chance;
        chance *= mean / (double)(m + 1);
    }
    double tail = 0.0;
    for (int m = JUMPS_MOST + 1; m >= 0; m--)
        j->at_least[m] = tail += j->chance[m];
    j->n = 1;
    while (j->n < JUMPS_MOST && j->at_least[j->n + 1] > cut * -rd_expm1(-mean))
        j->n++;
}

/* Grows an array to hold n entries of the size. */
static bool reserve(void **array, int64_t n, size_t size, struct rd_error *e)
{
    /* in powers of two, so that adding one by one stays linear */
    if (n > 16 && (n & (n - 1)) != 0)
        return true;
    void *const grown = realloc(*array, (size_t)(n < 16 ? 16 : 2 * n) * size);
    if (!grown)
        return rd_fail(e, "out of memory for the tables of movement");
    *array = grown;
    return true;
}

/* Where a walk from one place is after the step. shift = -reach .. reach stands at [reach + shift];
   lost[end][m]: absorbed at that end at the m-th jump. */
struct spread {
    int reach; /* places to either side that it can reach: jumps.n */
    double *chance;
    double *now, *next; /* over the same places, after m jumps */
    double *lost[2];
    double taken[2]; /* chance of being absorbed within the step */
};

static bool spread_make(struct spread *s, int reach, struct rd_error *e)
{
    const size_t places = (size_t)(2 * reach + 3), jumps = (size_t)(reach + 2);
    double *const all = calloc(3 * places + 2 * jumps, sizeof *all);
    if (!all)
        return rd_fail(e, "out of memory for the tables of movement");
    s->reach = reach;
    s->chance = all;
    s->now = all + places;
    s->next = all + 2 * places;
    s->lost[0] = all + 3 * places;
    s->lost[1] = s->lost[0] + jumps;
    return true;
}

/* One jump of the walk that began at place i: from now to next. */
static void spread_jump(struct spread *s, const struct rd_walk_of *walk, bool is_inner, int32_t i,
                        int m)
{
    const double forward = walk->forward / (walk->forward + walk->back), back = 1.0 - forward;
    const int width = 2 * s->reach + 1;
    memset(s->next, 0, (size_t)width * sizeof *s->next);
    for (int k = 0; k < width; k++) {
        const double here = s->now[k];
        if (here == 0.0)
            continue;
        const int32_t at = i + (k - s->reach);
        const bool is_low = !is_inner && at == 0, is_high = !is_inner && at == walk->n - 1;
        const double up = here * forward, down = here * back;
        if (is_high) {
            s->lost[1][m] += up * walk->take[1];
            s->next[k] += up * (1.0 - walk->take[1]);
        } else if (k + 1 < width) {
            s->next[k + 1] += up;
        }
        if (is_low) {
            s->lost[0][m] += down * walk->take[0];
            s->next[k] += down * (1.0 - walk->take[0]);
        } else if (k > 0) {
            s->next[k - 1] += down;
        }
    }
    double *const swap = s->now;
    s->now = s->next;
    s->next = swap;
}

/* The whole step from place i, or from a place far from both ends. */
static void spread_step(struct spread *s, const struct rd_walk_of *walk, bool is_inner, int32_t i,
                        const struct jumps *j)
{
    const int width = 2 * s->reach + 1;
    memset(s->chance, 0, (size_t)width * sizeof *s->chance);
    memset(s->now, 0, (size_t)width * sizeof *s->now);
    for (int end = 0; end < 2; end++) {
        memset(s->lost[end], 0, (size_t)(s->reach + 2) * sizeof(double));
        s->taken[end] = 0.0;
    }
    s->now[s->reach] = 1.0;
    for (int m = 0; m <= j->n; m++) {
        if (m > 0)
            spread_jump(s, walk, is_inner, i, m);
        for (int k = 0; k < width; k++)
            s->chance[k] += j->chance[m] * s->now[k];
        for (int end = 0; end < 2; end++)
            s->taken[end] += s->lost[end][m] * j->at_least[m];
    }
}

/* An outcome with its chance, for sorting. */
struct weighed {
    double chance;
    int32_t shift;
};

static int by_chance(const void *a, const void *b)
{
    const struct weighed *const x = a, *const y = b;
    if (x->chance != y->chance)
        return x->chance < y->chance ? 1 : -1;
    return (x->shift > y->shift) - (x->shift < y->shift);
}

static uint32_t threshold(double share)
{
    return share >= 1.0 ? UINT32_MAX : (uint32_t)(share * 4294967296.0);
}

/* Everything that leaving can lead to; gives how many. */
static int spread_list(const struct spread *s, struct weighed *list)
{
    int n = 0;
    for (int k = 0; k <= 2 * s->reach; k++)
        if (k != s->reach && s->chance[k] > 0.0)
            list[n++] = (struct weighed){s->chance[k], k - s->reach};
    if (s->taken[0] > 0.0)
        list[n++] = (struct weighed){s->taken[0], RD_LOST_LOW};
    if (s->taken[1] > 0.0)
        list[n++] = (struct weighed){s->taken[1], RD_LOST_HIGH};
    return n;
}

/* Likeliest first, without the rarest; gives how many are left, and the chance of all. */
static int sort_and_cut(struct weighed *list, int n, double *all)
{
    qsort(list, (size_t)n, sizeof *list, by_chance);
    *all = 0.0;
    for (int k = n - 1; k >= 0; k--) /* smallest first: the sum keeps its digits */
        *all += list[k].chance;
    double rest = 0.0;
    while (n > 1 && rest + list[n - 1].chance < cut * *all)
        rest += list[--n].chance;
    return n;
}

/* When the walk was absorbed at the end, as thresholds over the jumps; gives its number. */
static bool add_when(struct rd_rows *rows, const struct spread *s, int end, double mean,
                     const struct jumps *j, int32_t *number, struct rd_error *e)
{
    *number = -1;
    if (s->taken[end] <= 0.0)
        return true;
    if (!reserve((void **)&rows->when, rows->n_when, sizeof *rows->when, e))
        return false;
    *number = (int32_t)rows->n_when++;
    rows->when[*number] =
        (struct rd_when){.mean = mean, .first = (int32_t)rows->n_when_below, .n = j->n};
    double sum = 0.0;
    for (int m = 1; m <= j->n; m++) {
        if (!reserve((void **)&rows->when_below, rows->n_when_below, sizeof *rows->when_below, e))
            return false;
        sum += s->lost[end][m] * j->at_least[m];
        rows->when_below[rows->n_when_below++] = threshold(sum / s->taken[end]);
    }
    return true;
}

/* A row of the n outcomes listed; no end takes it. */
static bool add_outcomes(struct rd_rows *rows, struct weighed *list, int n, struct rd_error *e)
{
    if (!reserve((void **)&rows->row, rows->n_row, sizeof *rows->row, e))
        return false;
    struct rd_row row = {.first = (int32_t)rows->n_outcome, .lost = {-1, -1}};
    row.n = sort_and_cut(list, n, &row.leave);
    double sum = 0.0;
    for (int k = 0; k < row.n; k++) {
        if (!reserve((void **)&rows->outcome, rows->n_outcome, sizeof *rows->outcome, e))
            return false;
        sum += list[k].chance;
        rows->outcome[rows->n_outcome++] =
            (struct rd_outcome){.below = k == row.n - 1 ? UINT32_MAX : threshold(sum / row.leave),
                                .shift = list[k].shift};
    }
    rows->row[rows->n_row++] = row;
    return true;
}

/* The row of the walk that was just spread. */
static bool add_row(struct rd_rows *rows, const struct spread *s, double mean,
                    const struct jumps *j, struct rd_error *e)
{
    struct weighed list[2 * JUMPS_MOST + 4];
    if (!add_outcomes(rows, list, spread_list(s, list), e))
        return false;
    int32_t *const lost = rows->row[rows->n_row - 1].lost;
    return add_when(rows, s, 0, mean, j, &lost[0], e) && add_when(rows, s, 1, mean, j, &lost[1], e);
}

/* How far the outcomes of the row go. */
static int32_t row_reach(const struct rd_rows *rows, int64_t number)
{
    int32_t reach = 0;
    const struct rd_row *const row = &rows->row[number];
    for (int32_t k = 0; k < row->n; k++) {
        const int32_t shift = rows->outcome[row->first + k].shift;
        const int32_t far = shift < 0 ? -shift : shift;
        reach = far > reach ? far : reach;
    }
    return reach;
}

static bool add_all(struct rd_rows *rows, const struct rd_walk_of *walk, struct rd_track *track,
                    struct spread *s, const struct jumps *j, struct rd_error *e)
{
    const double mean = walk->forward + walk->back;
    const int64_t first = rows->n_row, first_outcome = rows->n_outcome;
    track->first = (int32_t)first;
    spread_step(s, walk, true, 0, j);
    if (!add_row(rows, s, mean, j, e))
        return false;
    if (walk->wraps)
        return true;
    const int32_t reach = row_reach(rows, first);
    rows->n_row = first; /* the inner row comes again, in its place */
    rows->n_outcome = first_outcome;
    const bool has_inner = walk->n > 2 * reach;
    track->reach = has_inner ? reach : walk->n;
    const int32_t n_rows = has_inner ? 2 * reach + 1 : walk->n;
    for (int32_t r = 0; r < n_rows; r++) {
        const int32_t i = r <= reach || !has_inner ? r : walk->n - n_rows + r;
        spread_step(s, walk, has_inner && r == reach, i, j);
        if (!add_row(rows, s, mean, j, e))
            return false;
    }
    return true;
}

/* A place that nothing leaves. */
static bool add_rest(struct rd_rows *rows, struct rd_track *track, struct rd_error *e)
{
    if (!reserve((void **)&rows->row, rows->n_row, sizeof *rows->row, e) ||
        !reserve((void **)&rows->outcome, rows->n_outcome, sizeof *rows->outcome, e))
        return false;
    track->first = (int32_t)rows->n_row;
    rows->row[rows->n_row++] =
        (struct rd_row){.first = (int32_t)rows->n_outcome, .n = 1, .lost = {-1, -1}};
    rows->outcome[rows->n_outcome++] = (struct rd_outcome){UINT32_MAX, 0};
    return true;
}

bool rd_rows_add(struct rd_rows *rows, const struct rd_walk_of *walk, struct rd_track *track,
                 struct rd_error *e)
{
    const double mean = walk->forward + walk->back;
    assert(mean <= RD_ROWS_MOST * 1.0001);
    track->wraps = walk->wraps;
    track->reach = 0;
    const bool is_shut = walk->take[0] <= 0.0 && walk->take[1] <= 0.0;
    if (mean <= 0.0 || (walk->n == 1 && (walk->wraps || is_shut)))
        return add_rest(rows, track, e);
    struct jumps j;
    jumps_make(&j, mean);
    struct spread s = {0};
    if (!spread_make(&s, j.n, e))
        return false;
    const struct spread owned = s; /* now and next change places */
    const bool ok = add_all(rows, walk, track, &s, &j, e);
    free(owned.chance);
    return ok;
}

/* The first of the tries that is a hop is the k-th with chance share (1 - share)^(k - 1), and of
   the Poisson number of all of them so many follow it. */
bool rd_rows_add_tries(struct rd_rows *rows, double mean, double share, int32_t *number,
                       struct rd_error *e)
{
    struct jumps j;
    jumps_make(&j, mean);
    struct weighed list[JUMPS_MOST + 1];
    for (int m = 0; m < j.n; m++) {
        double chance = 0.0, first = share;
        for (int k = 1; m + k <= j.n; k++, first *= 1.0 - share)
            chance += first * j.chance[m + k];
        list[m] = (struct weighed){chance, m};
    }
    *number = (int32_t)rows->n_row;
    return add_outcomes(rows, list, j.n, e);
}

void rd_rows_free(struct rd_rows *rows)
{
    free(rows->row);
    free(rows->outcome);
    free(rows->when);
    free(rows->when_below);
    *rows = (struct rd_rows){0};
}
