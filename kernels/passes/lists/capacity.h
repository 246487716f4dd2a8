/* capacity - before the events of a step happen: whether there is room for what was counted, the
   newborn, the lines of the lineage, the living of each list. If not there is a pause. So the host
   grants room for many steps, and need not look at each. */
#ifndef RD_PASSES_LISTS_CAPACITY_H
#define RD_PASSES_LISTS_CAPACITY_H

#include "kernels/passes/lists/expand.h"

/* Nothing is counted yet of what the events of the step will take. */
RD_FN void rd_reserve(const struct rd_world *w, int64_t item)
{
    struct rd_need *const need = w->need;
    (void)item;
    need->newborn = need->notes = need->guessed = need->n_newborn = 0;
    need->touched = need->lacks = 0;
    need->from = w->step_clock->pass;
}

/* How many newborn[] the step takes; while they are only counted it may be more. */
RD_FN int64_t rd_newborn_needed(const struct rd_need *need)
{
    return need->guessed > need->newborn ? need->guessed : need->newborn;
}

/* How many lines of the lineage the step adds at most: walls may take all who live. */
RD_FN int64_t rd_notes_needed(const struct rd_world *w, const struct rd_need *need, int64_t live)
{
    return need->notes + (w->n_lost > 0 ? live + need->newborn : 0);
}

/* The room of one list, and that which all lists share. */
RD_FN void rd_check_capacity(const struct rd_world *w, int64_t item)
{
    struct rd_need *const need = w->need;
    (void)item;
    int64_t live = 0;
    for (int64_t i = 0; i < w->n_list; i++)
        live += w->live[i];
    const bool list_lacks =
        w->reach < w->now.most && w->live[w->at_list] + need->newborn > w->reach;
    const bool notes_lack =
        w->n_note > 0 && need->n_notes + rd_notes_needed(w, need, live) > w->n_note;
    if (!list_lacks && !notes_lack && rd_newborn_needed(need) <= w->n_newborn)
        return;
    need->lacks = 1;
    rd_min_i64(w->first_faulting_pass, w->step_clock->pass);
}

#endif
