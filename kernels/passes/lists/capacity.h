/* capacity - the check of room before events; its own file because the host includes it, too.

   It checks whether there is room for the newborn, the lineage entries and the living individuals
   of each list. If there is not, a pause follows. The host therefore reserves capacity for many
   steps and need not check each one. */
#ifndef RD_PASSES_LISTS_CAPACITY_H
#define RD_PASSES_LISTS_CAPACITY_H

#include "kernels/passes/lists/expand.h"

/* Resets the requirements of the events of the step. */
RD_FN void rd_reserve(const struct rd_world *w, int64_t item)
{
    struct rd_need *const need = w->lists.need;
    (void)item;
    need->newborn = need->notes = need->guessed = need->n_newborn = 0;
    need->touched = need->lacks = 0;
    need->from = w->pass.step_clock->pass;
}

/* Returns the number of newborn[] that the step needs; counting the events may need more than
   applying them. */
RD_FN int64_t rd_newborn_needed(const struct rd_need *need)
{
    return need->guessed > need->newborn ? need->guessed : need->newborn;
}

/* Returns the most lineage entries that the step adds: walls may take all living individuals. */
RD_FN int64_t rd_notes_needed(const struct rd_counts *counts, const struct rd_need *need,
                              int64_t live)
{
    return need->notes + (counts->n_lost > 0 ? live + need->newborn : 0);
}

/* Checks the room of one list, and the room that all lists share. */
RD_FN void rd_check_capacity(const struct rd_world *w, int64_t item)
{
    struct rd_need *const need = w->lists.need;
    (void)item;
    int64_t live = 0;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        live += w->lists.live[i];
    const bool list_lacks = w->lists.reach < w->lists.now.most &&
                            w->lists.live[w->lists.at_list] + need->newborn > w->lists.reach;
    const bool notes_lack =
        w->lists.n_note > 0 &&
        need->n_notes + rd_notes_needed(&w->counts, need, live) > w->lists.n_note;
    if (!list_lacks && !notes_lack && rd_newborn_needed(need) <= w->lists.n_newborn)
        return;
    need->lacks = 1;
    rd_min_i64(w->runs.first_faulting_pass, w->pass.step_clock->pass);
}

#endif
