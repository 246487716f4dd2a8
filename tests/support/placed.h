/* placed - a stage whose lists hold the individuals that its configuration places, and access to
   them, for tests of individuals on the host. */
#ifndef RD_PLACED_H
#define RD_PLACED_H

#include "stage.h"

/* Opens the stage as stage_open does and places the individuals of the start. Returns the messages,
   or NULL if there are none. The caller frees the text and closes the stage in either case. */
char *placed_open(struct stage *s, const char *name, const char *const *sets, double step);
/* Applies the removals and additions of event number i at time t. Returns messages as placed_open
   does. */
char *placed_event(struct stage *s, int i, double t);
/* Does the same as placed_open for a correct model; a fault fails the test. */
void placed_start(struct stage *s, const char *name, const char *const *sets, double step);

/* Returns the number of living individuals of the list over all runs. */
int64_t placed_live(const struct stage *s, int list);

/* Holds the individual at one entry of a list. */
struct placed_one {
    int64_t voxel, id, parent;
    double born;
};
struct placed_one placed_one(const struct stage *s, int list, int64_t i);
double placed_trait(const struct stage *s, int list, int64_t i, int attribute);

#endif
