/* placed - a stage whose lists hold the individuals that its configuration places, and access to
   them. */
#include "placed.h"

#include "sim/place_individuals.h"

#include <stdlib.h>

/* Applies the placements of the start (event -1) or of an event. */
static char *place(struct stage *s, int event, double t)
{
    struct rd_error e = {0};
    struct rd_placements placements = {0};
    const struct rd_occasion o = {.event = event < 0 ? NULL : &s->model.event[event],
                                  .number = event,
                                  .time = t,
                                  .step = s->sim.step_clock.step,
                                  .value = s->model.value};
    struct rd_host_counts counts;
    assert_true(rd_host_counts_open(&counts, &s->plan, NULL, &e) &&
                rd_host_counts_get(&counts, &s->sim, &e));
    bool ok = event < 0 ? rd_place_start(&s->plan, o.value, &counts, &placements, &e)
                        : rd_place_event(&s->plan, &o, &counts, &placements, &e);
    ok = ok && rd_place_individuals(&s->sim, &placements, &o, &counts, &e) &&
         rd_host_counts_put(&counts, &s->sim, &e);
    assert_true(ok == (e.n == 0));
    rd_placements_free(&placements);
    rd_host_counts_close(&counts);
    return e.text;
}

char *placed_open(struct stage *s, const char *name, const char *const *sets, double step)
{
    stage_open(s, name, sets, step);
    return place(s, -1, 0);
}

char *placed_event(struct stage *s, int i, double t)
{
    return place(s, i, t);
}

void placed_start(struct stage *s, const char *name, const char *const *sets, double step)
{
    char *const messages = placed_open(s, name, sets, step);
    if (messages)
        fail_msg("%s", messages);
}

int64_t placed_live(const struct stage *s, int list)
{
    return s->sim.world.lists.live[list];
}

static int64_t slot_of(const struct stage *s, int list, int64_t i)
{
    return s->sim.world.lists.slot[s->plan.list[list].base + i];
}

struct placed_one placed_one(const struct stage *s, int list, int64_t i)
{
    const struct rd_world *const w = &s->sim.world;
    const int64_t base = s->plan.list[list].base, at = base + slot_of(s, list, i);
    assert_true(i < w->lists.live[list]);
    return (struct placed_one){w->lists.key[base + i], w->lists.id[at], w->lists.parent[at],
                               w->lists.born[at]};
}

double placed_trait(const struct stage *s, int list, int64_t i, int attribute)
{
    const struct rd_list *const l = &s->plan.list[list];
    return s->sim.world.lists.trait[l->trait + attribute * l->most + slot_of(s, list, i)];
}
