/* mustered - a stage whose lists are filled as its configuration asks, and who stands in them. */
#include "mustered.h"

#include "sim/place_individuals.h"

#include <stdlib.h>

/* The start (-1), or an event. */
static char *happen(struct stage *s, int event, double t)
{
    struct rd_error e = {0};
    struct rd_roster roster = {0};
    const double *const value = s->model.value;
    int32_t *const count = calloc((size_t)s->sim.world.n_count, sizeof *count);
    assert_non_null(count);
    assert_true(rd_sim_get_counts(&s->sim, count, &e));
    bool ok = event < 0 ? rd_place_start(&s->plan, value, count, &roster, &e)
                        : rd_place_event(&s->plan, value, event, t, s->sim.step_clock.step, count,
                                         &roster, &e);
    ok = ok && rd_place_individuals(&s->sim, &roster, value, count, event, t, &e) &&
         rd_sim_put_counts(&s->sim, count, &e);
    assert_true(ok == (e.n == 0));
    rd_roster_free(&roster);
    free(count);
    return e.text;
}

char *mustered_open(struct stage *s, const char *text, double step)
{
    stage_open(s, text, step);
    return happen(s, -1, 0);
}

char *mustered_event(struct stage *s, int i, double t)
{
    return happen(s, i, t);
}

void mustered_start(struct stage *s, const char *text, double step)
{
    char *const said = mustered_open(s, text, step);
    if (said)
        fail_msg("%s", said);
}

int64_t mustered_live(const struct stage *s, int list)
{
    return s->sim.world.live[list];
}

static int64_t slot_of(const struct stage *s, int list, int64_t i)
{
    return s->sim.world.slot[s->plan.list[list].base + i];
}

struct mustered_one mustered_one(const struct stage *s, int list, int64_t i)
{
    const struct rd_world *const w = &s->sim.world;
    const int64_t base = s->plan.list[list].base, at = base + slot_of(s, list, i);
    assert_true(i < w->live[list]);
    return (struct mustered_one){w->key[base + i], w->id[at], w->parent[at], w->born[at]};
}

double mustered_trait(const struct stage *s, int list, int64_t i, int attribute)
{
    const struct rd_list *const l = &s->plan.list[list];
    return s->sim.world.trait[l->trait + attribute * l->most + slot_of(s, list, i)];
}
