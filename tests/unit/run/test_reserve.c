/* test_reserve - on a GPU all memory of a run is computed and allocated when the run opens: no step
   allocates more. */
#include "lab.h"
#include "record/record.h"
#include "stage.h"

#include "handmade.h"

#include <stdio.h>

/* The arrays take about 50 MB each. The tolerance for whole pages is below the size of any of
   them. */
enum { PAGES = 4 << 20 };

struct reserve_watching {
    struct stage s;
    int64_t begin, least; /* free bytes */
};

static bool look(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    struct reserve_watching *const w = to;
    (void)time;
    const bool ok = sim->backend->sync(sim->machine, e);
    const int64_t now = sim->backend->memory(sim->machine);
    w->least = now < w->least ? now : w->least;
    return ok;
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    (void)to;
    (void)time;
    (void)n_steps;
    return RD_GO_ON;
}

/* Returns the bytes that were allocated between the opening and the end of a run. */
static int64_t taken_later(const char *name)
{
    struct reserve_watching w = {.least = INT64_MAX};
    struct rd_error e = {0};
    struct rd_recorder r = {0};
    double stopped;
    stage_plan(&w.s, name, NULL);
    if (!rd_plan_rates(&w.s.plan, w.s.model.value, &e))
        fail_msg("%s", e.text);
    const struct rd_machine_of device = {.backend = "cuda", .aboard = rd_record_aboard(&w.s.plan)};
    const struct rd_watch watch = {.record = look, .record_to = &w, .go_on = go_on};
    if (!rd_sim_open(&w.s.sim, &w.s.plan, &device, &e))
        fail_msg("%s", e.text);
    w.begin = w.s.sim.backend->memory(w.s.sim.machine);
    if (!rd_recorder_open(&r, &w.s.sim, RD_AS_DUE, &e) ||
        !rd_run(&w.s.plan, &w.s.sim, &watch, &stopped, &e))
        fail_msg("%s", e.text);
    rd_recorder_close(&r, &w.s.sim);
    stage_close(&w.s);
    return w.begin - w.least;
}

/* Checks the second of two runs; in the first one the program itself is loaded onto the device. */
static void steps_allocate_no_memory(void **state)
{
    (void)state;
    static const char *const model[] = {"run/reserve_counted.cfg", "run/reserve_individuals.cfg",
                                        "run/reserve_rates.cfg"};
    for (int i = 0; i < 3; i++) {
        taken_later(model[i]);
        const int64_t taken = taken_later(model[i]);
        printf("%lld bytes later\n", (long long)taken);
        assert_true(taken <= PAGES);
    }
}

int test_reserve(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_allocate_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
