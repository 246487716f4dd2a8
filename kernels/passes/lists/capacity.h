/* capacity - the check of room before events; its own file because the host includes it, too.

   It checks whether there is room for the newborn, the lineage entries and the living individuals
   of each list. If there is not, a pause follows. The host therefore grants room for many steps and
   need not check each one. */
#ifndef RD_PASSES_LISTS_CAPACITY_H
#define RD_PASSES_LISTS_CAPACITY_H

#include "kernels/passes/lists/expand.h"

/* Resets the requirements of the events of the step. */
RD_FN void rd_reserve(const struct rd_world *w, int64_t item)
{
    struct rd_need *const need = w->need;
    (void)item;
    need->newborn = need->notes = need->guessed = need->n_newborn = 0;
    need->touched = need->lacks = 0;
    need->from = w->step_clock->pass;
}

/* Returns the number of newborn[] that the step needs; counting the events may need more than
   applying them. */
RD_FN int64_t rd_newborn_needed(const struct rd_need *need)
{
    return need->guessed > need->newborn ? need->guessed : need->newborn;
}

/* Returns the most lineage entries that the step adds: walls may take all living individuals. */
RD_FN int64_t rd_notes_needed(const struct rd_world *w, const struct rd_need *need, int64_t live)
{
    return need->notes + (w->n_lost > 0 ? live + need->newborn : 0);
}

/* Checks the room of one list, and the room that all lists share. */
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
