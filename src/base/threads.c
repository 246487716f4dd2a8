/* threads - runs a function for each of many items, on several threads. */
#include "base/threads.h"

#include "base/c_locale.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

int rd_threads_number(int wanted)
{
    return wanted > 0 ? wanted : omp_get_num_procs();
}

static void end_waiting_threads(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

void rd_threads_allow_forks(void)
{
    pthread_atfork(end_waiting_threads, NULL, NULL);
}

void rd_threads_each(int threads, int64_t n, void (*work)(void *of, int64_t i), void *of)
{
    const int most = n < threads ? (int)n : threads;
    if (most <= 1) { /* a team of one thread would wake the threads of the last one */
        for (int64_t i = 0; i < n; i++)
            work(of, i);
        return;
    }
#pragma omp parallel num_threads(most)
    {
        void *const locale = rd_c_locale_enter(); /* for numbers in messages */
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n; i++)
            work(of, i);
        rd_c_locale_leave(locale);
    }
}

/* Holds the results of work that can fail. */
struct attempts {
    bool (*work)(void *of, int64_t i, struct rd_error *e);
    void *of;
    struct attempt {
        struct rd_error why;
        bool good;
    } * attempt;
};

static void attempt_one(void *of, int64_t i)
{
    const struct attempts *const a = of;
    a->attempt[i].good = a->work(a->of, i, &a->attempt[i].why);
}

/* Adds the first message of `why` to e, and returns false. */
static bool pass_on(const struct rd_error *why, struct rd_error *e)
{
    int length = 0;
    const char *const at = rd_error_next(why, NULL, &length);
    return rd_fail(e, "%.*s", length, at ? at : "");
}

bool rd_threads_try(int threads, int64_t n, bool (*work)(void *of, int64_t i, struct rd_error *e),
                    void *of, struct rd_error *e)
{
    const struct attempts a = {work, of, calloc((size_t)n + 1, sizeof *a.attempt)};
    bool good = a.attempt != NULL || rd_fail(e, "out of memory for %lld results", (long long)n);
    if (good)
        rd_threads_each(threads, n, attempt_one, (void *)&a);
    for (int64_t i = 0; a.attempt && i < n; i++) {
        good = good && (a.attempt[i].good || pass_on(&a.attempt[i].why, e));
        rd_error_free(&a.attempt[i].why);
    }
    free(a.attempt);
    return good;
}
