/* placed - a stage whose lists are filled as its configuration asks, and who stands in them: for
   tests of individuals on the host. */
#ifndef RD_PLACED_H
#define RD_PLACED_H

#include "stage.h"

/* As stage_open, then the start; the sentences, or NULL. The caller frees either. */
char *placed_open(struct stage *s, const char *text, double step);
/* What event number i removes and adds at time t; likewise. */
char *placed_event(struct stage *s, int i, double t);
/* The text is right. */
void placed_start(struct stage *s, const char *text, double step);

/* How many of the list are alive, over all runs. */
int64_t placed_live(const struct stage *s, int list);

/* Who stands at entry i of the list. */
struct placed_one {
    int64_t voxel, id, parent;
    double born;
};
struct placed_one placed_one(const struct stage *s, int list, int64_t i);
double placed_trait(const struct stage *s, int list, int64_t i, int attribute);

#endif
