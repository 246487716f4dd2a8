/* derived - what a result file tells beside its data: what was derived, and where it came from. */
#ifndef RD_APP_DERIVED_H
#define RD_APP_DERIVED_H

#include "plan/forecast.h"
#include "record/record.h"

enum { RD_FACTS_MOST = 64 };

struct rd_facts {
    struct rd_fact fact[RD_FACTS_MOST];
    int n;
    char text[2][256]; /* of those that are made here */
};

void rd_facts_derived(struct rd_facts *f, const struct rd_plan *p, const struct rd_outlook *o);
void rd_facts_provenance(struct rd_facts *f, const struct rd_sim *s);
/* What each of a simulation's seconds[] is for: "seconds_REACT", ... */
extern const char *const rd_facts_second[RD_N_TIMES];
/* Known at the end: wall time per pass. */
void rd_facts_timing(struct rd_facts *f, const struct rd_sim *s, const struct rd_recorder *r);
/* One more number; the name must live as long. */
void rd_facts_add(struct rd_facts *f, const char *name, double value);

#endif
