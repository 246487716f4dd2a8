/* placing - one amount in one run: what puts its molecules into voxels, and what takes them. A
   header of its own, since place.h is for other users. */
#ifndef RD_SIM_PLACING_H
#define RD_SIM_PLACING_H

#include "plan/plan.h"
#include "sim/host_counts.h"
#include "sim/occasion.h"
#include "sim/placement.h"

struct rd_placing;

/* Lists the voxels in which a species may be placed. */
struct rd_sites {
    int32_t domain, region; /* bits of the regions that contain them, or -1 */
    int64_t n;
    int32_t *site; /* owned; NULL: all n voxels of a run */
};

/* Holds the latest lists of voxels, since many amounts use the same ones. A zero-initialised struct
   is empty. */
enum { RD_SITES_KEPT = 4 };
struct rd_sites_kept {
    struct rd_sites of[RD_SITES_KEPT];
    int n, oldest;
};

/* Lists what is done with each amount of an occasion. */
struct rd_action {
    const struct rd_occasion *o;
    bool (*act)(struct rd_placing *g);
    int64_t entry;                    /* of the event; or item of the stream at the start */
    struct rd_placements *placements; /* placements of individuals */
    struct rd_host_counts *counts;
    struct rd_sites_kept *kept;
};

struct rd_placing {
    const struct rd_action *action;
    const struct rd_plan *p;
    const double *value;
    const int64_t *total; /* totals of the run; NULL if no expression uses one */
    const struct rd_amount *a;
    double t;
    int32_t species;     /* canonical number */
    const int32_t *site; /* voxels where it may be; NULL: all */
    const double *upto; /* on a surface: [i]: sum of the measures of the first i sites; else NULL */
    int64_t n_sites, run;
    int32_t *count;   /* [site]: counts of the species in the run */
    int32_t *becomes; /* likewise, of the species that the molecules become; or NULL */
    uint8_t *touched; /* blocks of the counts of all runs that are marked as changed; or NULL */
    struct rd_stream stream;
    struct rd_error *e;
};

/* Returns the i-th of the voxels where the amount may be. */
static inline int64_t rd_placing_site(const struct rd_placing *g, int64_t i)
{
    return g->site ? g->site[i] : i;
}

/* Returns the context for an expression of the amount that is for all voxels together. */
static inline struct rd_eval_context rd_placing_context(const struct rd_placing *g)
{
    return (struct rd_eval_context){
        .volume = g->p->world.lattice.volume, .t = g->t, .parameter = g->value, .total = g->total};
}

/* Returns the stream of an amount in a run. At the start, blocks of voxels have streams of their
   own. */
struct rd_stream rd_action_stream(const struct rd_world *w, const struct rd_action *x, int64_t run,
                                  int64_t block);

/* Puts the amount's molecules into voxels: adds them to g->count. Returns false with a message if
   that is impossible; the counts are then undefined. */
bool rd_put_amount(struct rd_placing *g);
/* Takes the molecules that the amount gives from g->count, and adds them to g->becomes if that is
   given. Fails as rd_put_amount does. */
bool rd_take_amount(struct rd_placing *g);

#endif
