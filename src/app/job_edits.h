/* job_edits - the repetition of the edits of an earlier run; rd_job_edit, for new ones, is in
   job.h. A header of its own, since only job.c calls these functions. */
#ifndef RD_APP_JOB_EDITS_H
#define RD_APP_JOB_EDITS_H

#include "app/job.h"

/* Reads the journal of an earlier run into j->edits, if there is one. Returns false with a message
   if it does not fit the model. */
bool rd_job_edits_read(struct rd_job *j, struct rd_error *e);
/* Applies the edits of that journal that are due now, and pauses the run at the next one. Returns
   false with a message on failure. */
bool rd_job_edits_replay(struct rd_job *j, struct rd_error *e);

#endif
