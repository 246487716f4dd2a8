/* conservation_check - checks the conservation laws against the totals of every snapshot.

   The weighted sum of a law equals that of the placed molecules, less those that walls absorbed,
   plus those that walls let in. Only a defect of the program or of the machine's
   memory can break a law. */
#ifndef RD_RECORD_CONSERVATION_CHECK_H
#define RD_RECORD_CONSERVATION_CHECK_H

#include "plan/plan.h"
#include "result/format/snapshot.h"

__extension__ typedef __int128 rd_i128;

/* A zero-initialised struct has no laws to check. */
struct rd_conservation_check {
    const struct rd_plan *plan;
    int64_t n_runs, n_species;
    rd_i128 *apart; /* [run][law]: the part of the sum beyond `placed`, for a run whose start was
                       not seen; owned */
    double good;    /* time of the last snapshot that kept the laws; NAN before the first */
};

bool rd_conservation_check_open(struct rd_conservation_check *g, const struct rd_plan *p,
                                struct rd_error *e);
void rd_conservation_check_close(struct rd_conservation_check *g);

/* Checks a snapshot against `placed`, which is the simulator's at the same time. Returns false with
   a message for each law that a run broke. If is_begun is false, the first snapshot sets the sums
   that later ones must have. */
bool rd_conservation_check_check(struct rd_conservation_check *g, const int64_t *placed,
                                 bool is_begun, const struct rd_snapshot *now, struct rd_error *e);

#endif
