/* stage - makes a plan of a model, and a simulator on the CPU, for tests of everything after the
   model. A fault on the way fails the test. The seed is a hash of the name of the model and of the
   settings, or of its text. */
#ifndef RD_STAGE_H
#define RD_STAGE_H

#include "model_file.h"
#include "probability.h"
#include "sim/sim.h"

struct stage {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
    struct rd_sim sim; /* its world has host pointers, so that a test may call passes */
};

/* Makes everything up to the plan, without probabilities, of tests/models/NAME with these settings
   (NULL: none); messages call the file NAME. */
void stage_plan(struct stage *s, const char *name, const char *const *sets);
/* Does the same for a text, which messages call stage.cfg. */
void stage_plan_text(struct stage *s, const char *text);
/* Fails unless the plan refuses the model with this message. */
void stage_refused(const char *name, const char *const *sets, const char *message);
/* Opens a simulator with one thread and with probabilities for steps of this length; no molecules
   are placed. */
void stage_open(struct stage *s, const char *name, const char *const *sets, double step);
void stage_open_text(struct stage *s, const char *text, double step);
void stage_close(struct stage *s);

/* Sets the interval as rd_sim_aim does, and runs a pass. */
void stage_pass(struct stage *s, enum rd_pass pass, uint32_t part, double from, double dt);

/* Returns a pointer to the count of the species (canonical number) at a site of a run, in the
   simulator. */
int32_t *stage_count(const struct stage *s, int64_t run, int species, int64_t site);
/* Returns the sum over the sites of a run, of counts or of arriving molecules. */
int64_t stage_total(const struct stage *s, int64_t run, int species);
int64_t stage_arriving(const struct stage *s, int64_t run, int species);
/* Returns the number that a face absorbed, or let in, over all stripes. */
int64_t stage_lost(const struct stage *s, int64_t run, int species, int face);
int64_t stage_entered(const struct stage *s, int64_t run, int species, int face);

/* Fails unless the text contains the words. */
void assert_contains(const char *text, const char *words);

#endif
