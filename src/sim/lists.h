/* lists - the individuals of a simulation between its passes: how large their arrays are, the scans
   and the sort that stages are made of, room for the newborn, and lines of the lineage on their way
   out. */
#ifndef RD_LISTS_H
#define RD_LISTS_H

#include "sim.h"

/* How many entries each array of the lists has, at first. */
void rd_lists_size(const struct rd_plan *p, struct rd_world *w);
/* All slots in the pools. */
bool rd_lists_open(struct rd_sim *s, struct rd_error *e);

/* The passes and verbs that follow are for list number i. */
void rd_lists_choose(struct rd_sim *s, int64_t i);
/* Over the cells: the room before each occupied one's first individual, and ranks of the newborn.
 */
void rd_lists_scan_births(struct rd_sim *s);
/* Over the entries: how far each one moves on. */
void rd_lists_scan_offsets(struct rd_sim *s);
/* By cell, stably; those that a wall took go behind the others. */
void rd_lists_sort(struct rd_sim *s);
/* The lists as they will be are the lists now, unless there was a fault. */
void rd_lists_swap(struct rd_sim *s);

/* Nothing has been taken yet of what the step's events will take. */
void rd_lists_ask(struct rd_sim *s);
/* Whether the newborn that were counted have room; if not, it is made, and they are to be counted
   again. */
bool rd_lists_have_room(struct rd_sim *s);
/* Room for at least so many newborn and notes. False with a sentence. */
bool rd_lists_reserve(struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e);
/* Whether something happens at all in the step at hand. */
bool rd_lists_are_touched(const struct rd_sim *s);

/* Notes become rows of the lineage, in the order of cells and of events in each. */
void rd_lists_drain(struct rd_sim *s);
/* Room for n more rows. False with a sentence. */
bool rd_lists_expect_lives(struct rd_sim *s, int64_t n, struct rd_error *e);

#endif
