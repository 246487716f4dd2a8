/* stage - a configuration's text brought as far as its plan, and on to the CPU: for tests of what
   comes after the model. A fault on the way fails the test. The seed is a hash of the text. */
#ifndef RD_STAGE_H
#define RD_STAGE_H

#include "probability.h"
#include "sim/sim.h"

struct stage {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
    struct rd_sim sim; /* its world has host pointers: passes may be called by hand */
};

/* Up to the plan, without rates. */
void stage_plan(struct stage *s, const char *text);
/* The plan finds no rates, and says why. */
void stage_refused(const char *text, const char *message);
/* Up to a simulator of one thread with probabilities for steps of this length, nothing placed. */
void stage_open(struct stage *s, const char *text, double step);
void stage_close(struct stage *s);

/* The count of the species (canonical number) at a site of a run, on the simulator. */
int32_t *stage_count(const struct stage *s, int64_t run, int species, int64_t site);
/* Sums of counts, and of what is on its way, over the sites of a run. */
int64_t stage_total(const struct stage *s, int64_t run, int species);
int64_t stage_arriving(const struct stage *s, int64_t run, int species);
/* What a face took, or let in, over all stripes. */
int64_t stage_lost(const struct stage *s, int64_t run, int species, int face);
int64_t stage_entered(const struct stage *s, int64_t run, int species, int face);

/* Fails unless the text contains the words. */
void assert_said(const char *text, const char *words);

#endif
