/* asked - makes the model of a correct configuration, for tests. */
#ifndef RD_ASKED_H
#define RD_ASKED_H

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the model of text, which must be correct; the caller frees it. A fault fails the test. */
static inline struct rd_model model_of(const char *text)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    if (!rd_config_parse(&c, "dir/model.v2.cfg", text, NULL, 0, &e) || !rd_model_make(&m, c, &e))
        fail_msg("%s", e.text);
    rd_config_free(c);
    return m;
}

/* Returns the value of x at the start, for an x that has the same value everywhere. */
static inline double value_of(const struct rd_expr *x, const struct rd_model *m)
{
    const struct rd_eval_context at = {.parameter = m->value, .volume = m->grid.volume};
    return rd_expr_value(x, &at);
}

#endif
