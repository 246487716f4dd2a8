/* make_model - makes the model of a correct configuration, and checks the message about a wrong
   one, for tests. */
#ifndef RD_MAKE_MODEL_H
#define RD_MAKE_MODEL_H

#include "model/model.h"
#include "model_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the model of tests/models/NAME with these settings (NULL: none), which must be correct;
   the caller frees it. A fault fails the test. */
static inline struct rd_model model_from(const char *name, const char *const *sets)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    if (!model_read(&c, name, sets, &e) || !rd_model_make(&m, c, &e))
        fail_msg("%s", e.text);
    rd_config_free(c);
    return m;
}

/* Does the same for a text. */
static inline struct rd_model model_of(const char *text)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    if (!model_parse(&c, "model.cfg", text, NULL, &e) || !rd_model_make(&m, c, &e))
        fail_msg("%s", e.text);
    rd_config_free(c);
    return m;
}

/* Fails unless the model is refused with one message, which contains the words. */
static inline void assert_model_refused(const char *name, const char *const *sets,
                                        const char *words)
{
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    const bool is_read = model_read(&c, name, sets, &e);
    assert_false(is_read && rd_model_make(&m, c, &e));
    if (!strstr(e.text, words))
        fail_msg("'%s' is not in: %s", words, e.text);
    assert_int_equal(e.n, 1);
    rd_model_free(&m);
    rd_config_free(c);
    rd_error_free(&e);
}

/* Returns the value of x at the start, for an x that has the same value everywhere. */
static inline double value_of(const struct rd_expr *x, const struct rd_model *m)
{
    const struct rd_eval_context at = {.parameter = m->value, .volume = m->grid.volume};
    return rd_expr_value(x, &at);
}

#endif
