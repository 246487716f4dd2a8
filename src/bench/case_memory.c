/* case_memory - what a simulation takes of the machine's memory. */
#include "case_texts.h"
#include "cases.h"

#include <stdio.h>

static bool add_bytes(struct rd_bench *b, struct rd_trial *t, double number, const char *unit,
                      struct rd_error *e)
{
    t->more.least = t->more.most = 1;
    if (!rd_trial(b, t, e))
        return false;
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g", t->size.cells, t->size.load);
    const struct rd_figure f = rd_figure_beside(t, what, t->m.bytes / number, unit);
    rd_error_free(&t->m.why);
    return rd_report_add(&b->report, &f, e);
}

bool rd_case_memory(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size large[] = {{128, 0.1}, {128, 4.0}},
                                small[] = {{64, 0.1}, {64, 4.0}};
    const struct rd_size *const list = b->of->is_quick ? small : large;
    struct rd_trial bulk = {.of = "memory", .text = rd_text_peer, .steps = 1};
    struct rd_trial herd = {.of = "memory", .text = rd_text_turnover, .steps = 1};
    rd_sizes(b->of, &list[0], 1, 1, &bulk.size);
    rd_sizes(b->of, &list[1], 1, 1, &herd.size);
    const double cells = (double)bulk.size.cells * bulk.size.cells * bulk.size.cells;
    const double room = 1.05 * (double)rd_size_number(&herd.size) + 1000.0;
    rd_settings_add(&herd.set, "species.W.individuals.max", "%.0f", room);
    return add_bytes(b, &bulk, 3.0 * cells, "B a cell and species", e) &&
           add_bytes(b, &herd, room, "B an individual", e);
}
