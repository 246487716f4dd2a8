/* job_shares - what a job does if several processes share its batches (--devices). A header of its
   own, since only job.c calls these functions. */
#ifndef RD_APP_JOB_SHARES_H
#define RD_APP_JOB_SHARES_H

#include "app/job.h"

/* Sets in a new batch the number of processes, and the runs and first batch of this one. Returns
   false with a message if processes cannot share them. */
bool rd_job_shares_divide(struct rd_job *j, struct rd_error *e);
/* Opens the file for the batches of a process that is not the first. */
bool rd_job_shares_open(struct rd_job *j, struct rd_error *e);
/* Starts the other processes from the first one. */
bool rd_job_shares_start(struct rd_job *j, struct rd_error *e);
/* Returns false after another process failed. */
bool rd_job_shares_are_well(struct rd_job *j);
/* Ends the current batch of a process that is not the first. */
bool rd_job_shares_end_batch(struct rd_job *j, struct rd_error *e);
/* Waits in the first process for the others, and writes the snapshots of all runs. If a signal
   stops that, j->stopped is set. If the run was stopped already, it ends the others. Returns false
   with a message on failure, also of another process. */
bool rd_job_shares_join(struct rd_job *j, struct rd_error *e);

#endif
