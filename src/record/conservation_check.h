/* conservation_check - holds the conservation laws against the totals of every snapshot: what a law
   sums up is what the start and events put there, less what walls took, with what they let in. Only
   a defect, of the program or of the machine's memory, can break it. */
#ifndef RD_RECORD_CONSERVATION_CHECK_H
#define RD_RECORD_CONSERVATION_CHECK_H

#include "plan/plan.h"
#include "result/format/snapshot.h"

__extension__ typedef __int128 rd_i128;

/* Zero-initialised has nothing to watch. */
struct rd_conservation_check {
    const struct rd_plan *plan;
    int64_t n_runs, n_species;
    rd_i128 *apart; /* [run][law]: of a run whose start was not seen, what else there was; owned */
    double good;    /* time of the last snapshot that kept the laws; NAN before the first */
};

bool rd_conservation_check_open(struct rd_conservation_check *g, const struct rd_plan *p,
                                struct rd_error *e);
void rd_conservation_check_close(struct rd_conservation_check *g);

/* False, with a sentence for each law that a run broke; `placed` is the simulator's as it was then.
   A run that was taken up on its way begins with its first snapshot. */
bool rd_conservation_check_check(struct rd_conservation_check *g, const int64_t *placed,
                                 bool is_begun, const struct rd_snapshot *now, struct rd_error *e);

#endif
