/* take - takes molecules from the voxels of a run at an event. A header of its own, since place.h
   is for other users. */
#ifndef RD_SIM_TAKE_H
#define RD_SIM_TAKE_H

#include "plan/plan.h"

/* One amount that is put into the voxels of one run, or taken from them. */
struct rd_placing {
    const struct rd_plan *p;
    const double *value;
    const int64_t *total; /* totals of the run; NULL if no expression uses one */
    const struct rd_amount *a;
    double t;
    int32_t species;     /* canonical number */
    const int64_t *site; /* voxels where it may be */
    const double *upto; /* on a surface: [i]: sum of the measures of the first i sites; else NULL */
    int64_t n_sites, run;
    int32_t *count;   /* [site]: counts of the species in the run */
    int32_t *becomes; /* likewise, of the species that the molecules become; or NULL */
    struct rd_stream stream;
    struct rd_error *e;
};

/* Returns the context for an expression of the amount that is for all voxels together. */
static inline struct rd_eval_context rd_placing_context(const struct rd_placing *g)
{
    return (struct rd_eval_context){
        .volume = g->p->world.lattice.volume, .t = g->t, .parameter = g->value, .total = g->total};
}

/* Takes the molecules that the amount gives from g->count, and adds them to g->becomes if that is
   given. Returns false with a message if that is impossible; the counts are then undefined. */
bool rd_take_amount(struct rd_placing *g);

#endif
