/* derived - facts in a result file besides its data: derived quantities, origin and wall times. */
#ifndef RD_APP_DERIVED_H
#define RD_APP_DERIVED_H

#include "plan/step_limit.h"
#include "record/record.h"

/* Limits the facts: those of times and passes are most. */
enum { RD_FACTS_MOST = RD_N_TIMES + 16 };

struct rd_facts {
    struct rd_fact fact[RD_FACTS_MOST];
    int n;
    char text[2][256]; /* texts that are made here */
};

void rd_facts_derived(struct rd_facts *f, const struct rd_plan *p, const struct rd_forecast *o);
void rd_facts_provenance(struct rd_facts *f, const struct rd_sim *s);
/* Holds the names of the items of seconds[] of a simulation: "seconds_REACT", ... */
extern const char *const rd_facts_second[RD_N_TIMES];
/* Collects the wall times at the end of a run. */
void rd_facts_timing(struct rd_facts *f, const struct rd_sim *s, const struct rd_recorder *r);
/* Adds one number; `name` must live as long as f. */
void rd_facts_add(struct rd_facts *f, const char *name, double value);
/* Adds one text, which must live as long as f, as `name`. */
void rd_facts_add_text(struct rd_facts *f, const char *name, const char *value);

#endif
