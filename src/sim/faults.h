/* faults - consequences of faults in passes.

   A fault ends the simulation. If the runs of an ensemble fail separately (faults_are_separate), it
   ends only its own run. That run is frozen from then on, and recorded with its message. */
#ifndef RD_SIM_FAULTS_H
#define RD_SIM_FAULTS_H

#include "result/files/checkpoint_file.h"
#include "sim/occasion.h"
#include "sim/placement.h"
#include "sim/sim.h"

/* Clears all fault records on the machine. Returns false with a message on failure. */
bool rd_faults_open(struct rd_sim *s, struct rd_error *e);
void rd_faults_close(struct rd_sim *s);

/* Records the runs in which the event of the occasion was refused, and freezes them. Returns false
   with a message if that fails, or if no run is left. */
bool rd_faults_refused(struct rd_sim *s, struct rd_placements *placements,
                       const struct rd_occasion *o, struct rd_error *e);
/* Records n runs from `first` (in this batch) on as faulted with this message before they begin,
   and freezes them. Returns false with a message if that fails, or if no run is left. */
bool rd_faults_leave_out(struct rd_sim *s, int64_t first, int64_t n, const char *text,
                         struct rd_error *e);
/* Records that run number `run` (in this batch) faulted at that time with this message, and freezes
   it. Returns false with a message if that fails, if runs do not fail separately, or if no run is
   left. */
bool rd_faults_end_run(struct rd_sim *s, int64_t run, double time, const char *text,
                       struct rd_error *e);
/* Sets *exist to whether there are faults that are not recorded. Returns false with a message on
   failure. */
bool rd_faults_exist(struct rd_sim *s, bool *exist, struct rd_error *e);
/* Records the faults since the last check, except those of passes from number `again` on, which are
   repeated. Returns false with messages if the faults end the simulation: either runs do not fail
   separately, or no run is left. */
bool rd_faults_check(struct rd_sim *s, int64_t again, struct rd_error *e);
/* Dates the runs that faulted since the last call: they are part of n_times snapshots, and not of
   the next one. Sorts all faulted runs by number. */
void rd_faults_date(struct rd_sim *s, int64_t n_times);
/* Returns whether the run belongs to this batch; the simulator also keeps the faults of earlier
   ones. */
bool rd_faults_is_here(const struct rd_world *w, const struct rd_faulted *f);
/* Adds copies of n runs that faulted in other processes, sorted by number. */
bool rd_faults_add(struct rd_sim *s, const struct rd_faulted *faulted, int64_t n,
                   struct rd_error *e);
/* Moves the fault records of a batch's simulator to that of the next batch. */
void rd_faults_hand_on(struct rd_sim *next, struct rd_sim *before);
/* Writes the faulted runs to a checkpoint, or reads them from it. */
bool rd_faults_pass(struct rd_sim *s, struct rd_checkpoint_file *t, struct rd_error *e);

#endif
