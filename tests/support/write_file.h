/* write_file - writes a file for a test. */
#ifndef RD_WRITE_FILE_H
#define RD_WRITE_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline void write_file(const char *name, const char *text)
{
    FILE *const f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

#endif
