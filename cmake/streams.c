/* streams - the standard streams for a static HDF5 in a shared library. Debian compiles that HDF5
   for programs, so that it cannot refer to variables of the C library from a shared library; here
   are copies of those that it uses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN FILE *rd_stream_err __asm__("stderr");
HIDDEN FILE *rd_stream_out __asm__("stdout");
HIDDEN FILE *rd_stream_in __asm__("stdin");

static FILE *stream_of(const char *name)
{
    FILE *const *const stream = dlsym(RTLD_DEFAULT, name);
    return stream ? *stream : NULL;
}

__attribute__((constructor)) static void copy_streams(void)
{
    rd_stream_err = stream_of("stderr");
    rd_stream_out = stream_of("stdout");
    rd_stream_in = stream_of("stdin");
}
