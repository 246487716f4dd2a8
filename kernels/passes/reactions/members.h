/* members - the living individuals of a list in one voxel while its events are applied: finds,
   draws, removes and adds them. They stand in places 0, 1, ..., at first in the order of the list.
   The number of a member is its index among the entries of the voxel, or among those born there in
   the step, with the bit RD_NEWBORN. */
#ifndef RD_PASSES_REACTIONS_MEMBERS_H
#define RD_PASSES_REACTIONS_MEMBERS_H

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"

/* Returns the number of individuals in the voxel before the step. */
RD_FN int64_t rd_members_old(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel)
{
    return lists->first[l->voxels + voxel + 1] - lists->first[l->voxels + voxel];
}

/* Returns the address of place k. The second buffer of the list is free during the events; it holds
   as many members as the voxel had before. members[] holds as many more as were born. */
RD_FN uint32_t *rd_members_at(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel,
                              int64_t k)
{
    const int64_t c = l->voxels + voxel, n_old = rd_members_old(lists, l, voxel);
    return k < n_old ? &lists->slot_next[l->base + lists->first[c] + k]
                     : &lists->members[lists->capacity[c] + k - n_old];
}

/* Puts the individuals of the list in the voxel into places 0, 1, ... */
RD_FN void rd_members_open(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel)
{
    const int64_t n_old = rd_members_old(lists, l, voxel);
    for (int64_t k = 0; k < n_old; k++)
        *rd_members_at(lists, l, voxel, k) = (uint32_t)k;
}

RD_FN bool rd_is_newborn(uint32_t member)
{
    return (member & RD_NEWBORN) != 0;
}

/* Returns the entry of a member that is not newborn. */
RD_FN int64_t rd_entry_of(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel,
                          uint32_t member)
{
    return l->base + lists->first[l->voxels + voxel] + member;
}

RD_FN struct rd_newborn *rd_newborn_of(const struct rd_lists *lists, const struct rd_list *l,
                                       int64_t voxel, uint32_t member)
{
    return &lists->newborn[lists->capacity[l->voxels + voxel] + (int64_t)(member & ~RD_NEWBORN)];
}

/* Returns the attributes of a member: attribute k is result[k * stride]. */
RD_FN const double *rd_traits_of(const struct rd_lists *lists, const struct rd_list *l,
                                 int64_t voxel, uint32_t member, int64_t *stride)
{
    if (rd_is_newborn(member)) {
        *stride = 1;
        return lists->newborn_trait + (rd_newborn_of(lists, l, voxel, member) - lists->newborn) *
                                          (int64_t)lists->most_traits;
    }
    *stride = l->most;
    return lists->trait + l->trait + lists->slot[rd_entry_of(lists, l, voxel, member)];
}

/* Returns the value of an expression of the attributes of the member at place k, to which it sets
   those of the context. An attribute alone is read without an evaluation, which on a GPU takes
   several times as long. */
RD_FN double rd_of_member(const struct rd_world *w, const struct rd_list *l, int64_t voxel,
                          int64_t k, const struct rd_rule *rule,
                          struct rd_eval_context *eval_context)
{
    const struct rd_op *const op = w->expressions.program + rule->program;
    eval_context->own = rd_traits_of(&w->lists, l, voxel, *rd_members_at(&w->lists, l, voxel, k),
                                     &eval_context->own_stride);
    if (rule->n_program == 1 && op->code == RD_OP_OWN)
        return eval_context->own[op->index * eval_context->own_stride];
    return rd_eval_rule(&w->expressions, rule, eval_context);
}

/* Returns the sum of an expression over the members, in the order of their places. */
RD_FN double rd_members_sum(const struct rd_world *w, int64_t voxel, const struct rd_total *total,
                            struct rd_eval_context *eval_context)
{
    const struct rd_list *const l = &w->lists.list[total->list];
    const int64_t n = w->counts.count[l->column * w->lattice.n_voxels + voxel];
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++)
        sum += rd_of_member(w, l, voxel, k, &total->of, eval_context);
    return sum;
}

/* Sets the most sums in an expression. */
enum { RD_TOTALS_MOST = 8 };

/* Returns the value of the expression of a reaction, which may read sums over members. */
RD_FN double rd_eval_reaction(const struct rd_world *w, const struct rd_channel *c,
                              const struct rd_eval_context *eval_context)
{
    if (c->n_sums == 0)
        return rd_eval(w->expressions.program + c->program, c->n_program, eval_context);
    double sum[RD_TOTALS_MOST];
    struct rd_eval_context with_sums = *eval_context;
    for (int32_t k = 0; k < c->n_sums; k++)
        sum[k] = rd_members_sum(w, eval_context->voxel, &w->reactions.sum[c->sum + k], &with_sums);
    with_sums.sum = sum;
    return rd_eval(w->expressions.program + c->program, c->n_program, &with_sums);
}

/* Returns a place among the first n, drawn in proportion to the weights of the members; -1 if a
   weight is negative or not a number, or if all are 0. */
RD_FN int64_t rd_members_weigh(const struct rd_world *w, const struct rd_list *l, int64_t voxel,
                               int64_t n, const struct rd_rule *weight,
                               const struct rd_eval_context *eval_context,
                               struct rd_stream *individual)
{
    struct rd_eval_context own = *eval_context;
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++) {
        const double v = rd_of_member(w, l, voxel, k, weight, &own);
        sum = v >= 0.0 ? sum + v : (double)NAN;
    }
    if (!(sum > 0.0 && sum < INFINITY))
        return -1;
    double aim = rd_uniform(individual) * sum;
    int64_t last = -1; /* the last with a weight, if rounding passes the end */
    for (int64_t k = 0; k < n; k++) {
        const double v = rd_of_member(w, l, voxel, k, weight, &own);
        if (v > 0.0)
            last = k;
        if (aim < v)
            break;
        aim -= v;
    }
    return last;
}

/* Swaps the members at places j and k. */
RD_FN void rd_members_swap(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel,
                           int64_t j, int64_t k)
{
    uint32_t *const a = rd_members_at(lists, l, voxel, j);
    uint32_t *const b = rd_members_at(lists, l, voxel, k);
    const uint32_t member = *a;
    *a = *b;
    *b = member;
}

/* Reserves room for one more newborn of the list in the voxel. While events are only counted
   beforehand, the number of births is unknown; the room of the voxel is then doubled when it is
   full. It returns false if newborn[] is too small. */
RD_FN bool rd_members_reserve(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel,
                              bool is_enacted)
{
    const int64_t c = l->voxels + voxel, n = lists->births[c];
    if (is_enacted || (n & (n - 1)) != 0 || (n > 0 && n < 4))
        return true;
    const int64_t more = n == 0 ? 4 : 2 * n, from = lists->capacity[c];
    const int64_t to = rd_add_i64(&lists->need->guessed, more);
    if (to + more > lists->n_newborn)
        return false;
    for (int64_t k = 0; k < n; k++) {
        lists->newborn[to + k] = lists->newborn[from + k];
        lists->members[to + k] = lists->members[from + k];
        for (int32_t a = 0; a < lists->most_traits; a++)
            lists->newborn_trait[(to + k) * lists->most_traits + a] =
                lists->newborn_trait[(from + k) * lists->most_traits + a];
    }
    lists->capacity[c] = (int32_t)to;
    return true;
}

#endif
