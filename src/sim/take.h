/* take - takes molecules from the voxels of a run at an event. A header of its own, since place.h
   is for other users. */
#ifndef RD_SIM_TAKE_H
#define RD_SIM_TAKE_H

#include "sim/placing.h"

/* Takes the molecules that the amount gives from g->count, and adds them to g->becomes if that is
   given. Returns false with a message if that is impossible; the counts are then undefined. */
bool rd_take_amount(struct rd_placing *g);

#endif
