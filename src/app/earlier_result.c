/* earlier_result - an existing result with --resume; separate because job.c has the most lines. */
#include "app/earlier_result.h"

#include "result/files/run_state.h"

void rd_earlier_result_look(struct rd_job *j, struct rd_error *e)
{
    const char *const file = j->setup.model.file;
    struct rd_error nothing = {0};
    j->past = rd_checkpoints_past(j->setup.config, file, e);
    if (j->past == RD_PAST_NONE)
        rd_fail(&nothing, "%s: does not exist; the run begins at the start", file);
    else if (j->past == RD_PAST_BEGUN)
        rd_fail(&nothing, "%s: has no checkpoint; the run begins at the start", file);
    j->warn(j->warn_to, &nothing);
    rd_error_free(&nothing);
}

bool rd_job_has_faults(const struct rd_job *j)
{
    return j->past == RD_PAST_WHOLE ? rd_store_state(j->setup.model.file).state == RD_STATE_FAULTED
                                    : j->sim.n_faulted > 0;
}

bool rd_earlier_result_check(struct rd_job *j, struct rd_error *e)
{
    const char *const file = j->setup.model.file;
    struct rd_error reported = {0};
    if (!j->options->quick && !rd_store_verify(file, e))
        return rd_fail(e, "%s: is complete, but damaged; make it again with --force", file);
    if (rd_store_clear_leftover(file))
        rd_fail(&reported,
                "%s.parts: is left by a killed process, although %s is complete; it is removed",
                file, file);
    j->warn(j->warn_to, &reported);
    rd_error_free(&reported);
    return !rd_job_has_faults(j) || rd_fail(e,
                                            "%s: is complete, but runs faulted; list them with "
                                            "rdsim info, or begin again with --force",
                                            file);
}
