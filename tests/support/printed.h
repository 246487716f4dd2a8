/* printed - the text that a function prints to a temporary file. */
#ifndef RD_PRINTED_H
#define RD_PRINTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Opens the file to print to. */
static inline FILE *open_printed(void)
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    return file;
}

/* Closes the file and returns its text; the caller frees it. */
static inline char *close_printed(FILE *file)
{
    const long length = ftell(file);
    char *const printed = calloc((size_t)length + 1, 1);
    assert_non_null(printed);
    rewind(file);
    assert_int_equal(fread(printed, 1, (size_t)length, file), length);
    fclose(file);
    return printed;
}

#endif
