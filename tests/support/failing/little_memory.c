/* little_memory - lets an allocation fail in a program that runs with it as LD_PRELOAD. The calls
   of malloc, calloc and realloc that the program itself makes, not its libraries, are numbered from
   1. From number FAIL_FROM on, FAIL_COUNT of them return NULL. Their number is written to the file
   CALLS. */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);

static uintptr_t program_begin, program_end; /* its code */
static atomic_long n_calls;
static long fail_from, fail_count;

/* Takes over the place of the code of the first object, which is the program. */
static int find_program(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            program_begin = object->dlpi_addr + part->p_vaddr;
            program_end = program_begin + part->p_memsz;
        }
    }
    return 1;
}

static long number_in(const char *variable)
{
    const char *const text = getenv(variable);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    fail_from = number_in("FAIL_FROM");
    fail_count = number_in("FAIL_COUNT");
    dl_iterate_phdr(find_program, NULL);
}

static bool fails(void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (at < program_begin || at >= program_end)
        return false;
    const long call = atomic_fetch_add(&n_calls, 1) + 1;
    return fail_from > 0 && call >= fail_from && call - fail_from < fail_count;
}

void *malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, n);
}

__attribute__((destructor)) static void print_calls(void)
{
    FILE *const out = getenv("CALLS") ? fopen(getenv("CALLS"), "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", atomic_load(&n_calls));
        fclose(out);
    }
}
