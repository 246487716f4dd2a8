/* little_memory - lets allocations fail in a program that runs with it as LD_PRELOAD. The places in
   the program itself, not in its libraries, that call malloc, calloc or realloc are numbered from 1
   in the order of their first calls. The first call from place FAIL_PLACE and the next FAIL_COUNT -
   1 calls from any place return NULL. The number of places is written to the file CALLS. */
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
enum { PLACES_MOST = 4096 };
static _Atomic uintptr_t place[PLACES_MOST]; /* the calls return to it */
static atomic_long n_left;                   /* calls that fail */
static long fail_place, fail_count;

/* Notes where the code of the first object is, which is the program. */
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
    fail_place = number_in("FAIL_PLACE");
    fail_count = number_in("FAIL_COUNT");
    dl_iterate_phdr(find_program, NULL);
}

/* Returns the number of a place if it is new, else 0. */
static long number_if_new(uintptr_t at)
{
    for (long i = 0; i < PLACES_MOST; i++) {
        uintptr_t known = 0;
        if (atomic_compare_exchange_strong(&place[i], &known, at))
            return i + 1;
        if (known == at)
            return 0;
    }
    return 0;
}

static bool fails(void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (at < program_begin || at >= program_end)
        return false;
    const long number = number_if_new(at);
    if (number > 0 && number == fail_place)
        atomic_store(&n_left, fail_count);
    return atomic_load(&n_left) > 0 && atomic_fetch_sub(&n_left, 1) > 0;
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

__attribute__((destructor)) static void print_places(void)
{
    FILE *const out = getenv("CALLS") ? fopen(getenv("CALLS"), "w") : NULL;
    long n = 0;
    while (n < PLACES_MOST && atomic_load(&place[n]))
        n++;
    if (out) {
        fprintf(out, "%ld\n", n);
        fclose(out);
    }
}
