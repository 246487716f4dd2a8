/* config_messages - the messages about a configuration, up to its model. */
#ifndef RD_CONFIG_MESSAGES_H
#define RD_CONFIG_MESSAGES_H

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns all messages about text; the caller frees them. */
static inline struct rd_error messages_on(const char *text)
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

/* Fails unless the messages about text contain the part. */
static inline void messages_have(const char *text, const char *part)
{
    struct rd_error e = messages_on(text);
    if (!e.text || !strstr(e.text, part) || strstr(e.text, "(null)"))
        fail_msg("%s\ngives: %s\nnot: %s", text, e.text ? e.text : "nothing", part);
    rd_error_free(&e);
}

/* Fails unless the messages about text are exactly these n, in any order. */
static inline void messages_are(const char *text, const char *const part[], int n)
{
    struct rd_error e = messages_on(text);
    assert_int_equal(e.n, n);
    for (int i = 0; i < n; i++)
        if (!strstr(e.text, part[i]))
            fail_msg("%s\nlacks: %s", e.text, part[i]);
    rd_error_free(&e);
}

#endif
