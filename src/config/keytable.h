/* keytable - macros for the tables of keys; separate because several files share it. */
#ifndef RD_CONFIG_KEYTABLE_H
#define RD_CONFIG_KEYTABLE_H

#include "config/keys.h"

#include <math.h>

#define POSITIVE      .high = INFINITY, .open = true
#define NOT_NEGATIVE  .high = INFINITY
#define BETWEEN(a, b) .low = (a), .high = (b)
/* Makes the section of the keys name_keys[]. */
#define SECTION_OF(name, where, what)                                                              \
    {                                                                                              \
        .title = where, .about = what, .n_keys = sizeof name##_keys / sizeof name##_keys[0],       \
        .key = name##_keys                                                                         \
    }
#define SECTION(name, where, what)                                                                 \
    static const struct rd_section name = SECTION_OF(name, where, what)

/* Describe named parts of the lattice, fields, and borders between regions (keys_regions.c). */
extern const struct rd_section rd_keys_region, rd_keys_box, rd_keys_ball, rd_keys_rod, rd_keys_half,
    rd_keys_oval, rd_keys_labels, rd_keys_surface, rd_keys_compartment, rd_keys_field,
    rd_keys_border, rd_keys_table;
/* Describe molecules at the start, and events (keys_amounts.c). */
extern const struct rd_section rd_keys_initial, rd_keys_add, rd_keys_removed, rd_keys_divided,
    rd_keys_converted, rd_keys_event;

/* Describe time, output and runs (keys_run.c). */
extern const struct rd_section rd_keys_span, rd_keys_output, rd_keys_by, rd_keys_run;

#endif
