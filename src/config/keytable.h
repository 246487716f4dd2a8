/* keytable - how the tables of keys are written. */
#ifndef RD_KEYTABLE_H
#define RD_KEYTABLE_H

#include "keys.h"

#include <math.h>

#define POSITIVE      .high = INFINITY, .open = true
#define NOT_NEGATIVE  .high = INFINITY
#define BETWEEN(a, b) .low = (a), .high = (b)
#define SECTION(name, where, what)                                                                 \
    static const struct rd_section name = {.title = where,                                         \
                                           .about = what,                                          \
                                           .n_keys = sizeof name##_keys / sizeof name##_keys[0],   \
                                           .key = name##_keys}

#endif
