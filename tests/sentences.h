/* sentences - what is said of a configuration, up to its model. */
#ifndef RD_SENTENCES_H
#define RD_SENTENCES_H

#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* All sentences about text; the caller frees. */
static inline struct rd_error sentences_on(const char *text)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    if (rd_config_parse(&c, "m.cfg", text, NULL, 0, &e)) {
        const bool made = rd_model_make(&m, c, &e);
        assert_int_equal(made, e.n == 0);
        assert_int_equal(made, !e.wrong);
    }
    rd_config_free(c);
    rd_model_free(&m);
    return e;
}

#endif
