/* handmade - a world that is filled without a configuration or a plan, for tests of the solvers.
   Species are letters; A is the first. */
#ifndef RD_HANDMADE_H
#define RD_HANDMADE_H

#include "kernels/core/world.h"
#include "probability.h"

enum { HANDMADE_SPECIES = 3, HANDMADE_REACTIONS = 80, HANDMADE_OPS = 8 };

struct handmade {
    struct rd_world world;
    struct rd_step_clock step_clock;
    struct rd_transport transport[HANDMADE_SPECIES];
    struct rd_channel channel[HANDMADE_REACTIONS];
    struct rd_reactant reactant[HANDMADE_REACTIONS * HANDMADE_SPECIES];
    struct rd_reactant change[HANDMADE_REACTIONS * HANDMADE_SPECIES];
    struct rd_op law[HANDMADE_OPS];
    struct rd_fault fault[RD_N_FAULTS];
    uint64_t *mask; /* every site belongs to region 0 only */
    int32_t *count;
    int64_t *fired, *lost, *entered;
};

/* Opens a world of empty voxels of volume 1, without movement and reactions; the name makes the
   seed. */
void handmade_open(struct handmade *h, const char *name, const int32_t size[3], int64_t runs);
void handmade_close(struct handmade *h);

/* Returns a pointer to the count of the species at the site. */
int32_t *handmade_count(const struct handmade *h, int64_t run, char species, int64_t site);
/* Returns the total over the sites of a run. */
int64_t handmade_total(const struct handmade *h, int64_t run, char species);
/* Sets the count of the species at the site in all runs. */
void handmade_put(struct handmade *h, char species, int64_t site, int32_t number);

void handmade_move(struct handmade *h, char species, const double rate[RD_N_FACES],
                   const double pass[RD_N_FACES]);

/* Adds a reaction ("AAB" -> "C" is 2 A + B -> C) and returns its channel, which may be changed. */
struct rd_channel *handmade_react(struct handmade *h, const char *from, const char *to,
                                  double rate);

#endif
