/* faults - what became of faults in passes: they end the simulation or, where runs fault alone, the
   one run, which stands still from then on and is remembered with its sentence. */
#ifndef RD_SIM_FAULTS_H
#define RD_SIM_FAULTS_H

#include "result/files/checkpoint_file.h"
#include "sim/placement.h"
#include "sim/sim.h"

/* There were none yet. */
bool rd_faults_open(struct rd_sim *s, struct rd_error *e);
void rd_faults_close(struct rd_sim *s);

/* The runs in which an event at time t could not be. False likewise. */
bool rd_faults_refused(struct rd_sim *s, struct rd_roster *roster, double t, struct rd_error *e);
/* Those since the last look, but for passes from number `again` on, which are gone through once
   more. False with sentences if they end the simulation: they are not of runs
   alone, or no run is left. */
bool rd_faults_look(struct rd_sim *s, int64_t again, struct rd_error *e);
/* A snapshot comes, after so many: the runs that faulted since the last one are no part of it. From
   now on the runs stand in order. */
void rd_faults_date(struct rd_sim *s, int64_t n_times);
/* Whether the run is one of those here: the simulator knows those of earlier batches too. */
bool rd_faults_is_here(const struct rd_world *w, const struct rd_faulted *f);
/* What the simulator of the batch before knows is the next one's. */
void rd_faults_hand_on(struct rd_sim *next, struct rd_sim *before);
/* To a checkpoint, or from it. */
bool rd_faults_pass(struct rd_sim *s, struct rd_checkpoint_file *t, struct rd_error *e);

#endif
