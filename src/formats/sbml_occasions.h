/* sbml_occasions - when the events of an SBML model happen, in which order, and with which values.
 */
#ifndef RD_FORMATS_SBML_OCCASIONS_H
#define RD_FORMATS_SBML_OCCASIONS_H

#include "formats/sbml_model.h"

/* Parameters that an entry sets besides the assignments of its event. The pool owns the lists. */
struct rd_sbml_settings {
    rd_formula *name, *value;
    int n;
};

/* Describes an entry of the configuration: what an event does at a time, or on a condition. */
struct rd_sbml_occasion {
    Event_t *event;
    rd_formula when; /* NULL: at the time */
    double time, priority;
    int number;     /* of the event in the model */
    int sequence;   /* of the entry */
    bool is_helper; /* it does nothing but the settings */
    struct rd_sbml_settings settings;
    const rd_formula *saved; /* [assignment]: values of the time of the trigger, or NULL */
    rd_formula only_if;      /* NULL: it happens in any case */
};

struct rd_sbml_occasions {
    struct rd_sbml_occasion *occasion; /* owned */
    int n;
};

/* Finds the entries, in the order in which they happen if they are simultaneous. The caller frees
   the list. */
void rd_sbml_find_occasions(struct rd_sbml *s, struct rd_sbml_occasions *all);

/* Makes a parameter of the configuration that is named after the event. */
rd_formula rd_sbml_event_parameter(struct rd_sbml *s, Event_t *event, const char *ending,
                                   double value);

#endif
