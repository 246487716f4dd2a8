/* sbml_times - the times at which a trigger that depends on the time alone becomes true. */
#ifndef RD_FORMATS_SBML_TIMES_H
#define RD_FORMATS_SBML_TIMES_H

#include "formats/sbml_model.h"

/* Describes a moment at which a trigger becomes true, and until when it stays so (INFINITY: to the
   end). */
struct rd_sbml_moment {
    double from, until;
};

enum { RD_SBML_MOMENTS_MOST = 64 };

/* Finds the moments; returns their number, or -1 if the trigger depends on more than the time, or
   in another way than by comparisons that are linear in the time. was_true: its value before time
   0. */
int rd_sbml_moments(struct rd_sbml *s, rd_formula trigger, bool was_true,
                    struct rd_sbml_moment moment[RD_SBML_MOMENTS_MOST]);

/* Describes the times at which comparisons in kinetic laws change. */
struct rd_sbml_breaks {
    double at[RD_SBML_MOMENTS_MOST]; /* in ascending order, each once */
    int n;
};

/* Finds them, for comparisons that are linear in the time. */
struct rd_sbml_breaks rd_sbml_find_breaks(struct rd_sbml *s);

/* Writes events that end a step at these times: within a step the time is that of its middle. The
   first one has the separator before it. */
void rd_sbml_write_breaks(struct rd_sbml *s, const struct rd_sbml_breaks *breaks,
                          const char *separator, FILE *out);

#endif
