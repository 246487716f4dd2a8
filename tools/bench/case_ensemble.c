/* case_ensemble - many runs of a well-mixed model, against a direct method written for this
   model. */
#include "base/clock.h"
#include "bench/case_texts.h"
#include "bench/cases.h"
#include "bench/plain_direct_method.h"

#include <stdio.h>

enum {
    RANDOM_WORDS = 4,
    TIMES_BY_HAND = 5
}; /* words per event; number of times that the peer is timed */

/* Returns the events per second of plain_direct_method on one core. */
static double rate_by_hand(int runs, double load)
{
    struct rd_sample rate = {0};
    for (int i = 0; i < TIMES_BY_HAND; i++) {
        const double begin = rd_clock();
        const struct rd_by_hand h = rd_by_hand_run(runs, load, (uint64_t)i);
        rd_sample_add(&rate, (double)h.events / (rd_clock() - begin));
    }
    return rd_sample_median(&rate);
}

static bool add_peer(struct rd_bench *b, const struct rd_trial *t, double rate, struct rd_error *e)
{
    const double by_hand = rate_by_hand(b->of->is_quick ? 200 : 1000, t->size.load);
    struct rd_figure f = rd_figure_beside(t, "    against one core, hand-written",
                                          t->m.has_run ? rate / by_hand : 0.0, "x");
    if (t->m.has_run)
        snprintf(f.note, sizeof f.note, "Gillespie's direct method for this model only: %.3g M/s",
                 by_hand * 1e-6);
    return rd_report_add(&b->report, &f, e);
}

bool rd_case_ensemble(struct rd_bench *b, struct rd_error *e)
{
    struct rd_trial t = {.of = "ensemble", .text = rd_text_expression, .steps = 10};
    t.size = (struct rd_size){1, b->of->load > 0.0 ? b->of->load : 10.0};
    rd_settings_add(&t.set, "run.runs", "%d", b->of->is_quick ? 2000 : 10000);
    if (!rd_trial(b, &t, e))
        return false;
    struct rd_figure f = rd_trial_figure(b, &t, t.m.fired, "events/s");
    f.floor = b->ceiling.words > 0.0 ? RANDOM_WORDS * t.m.fired / b->ceiling.words : 0.0;
    snprintf(f.what, sizeof f.what, "runs of five reactions: a time unit");
    const bool ok = rd_report_add(&b->report, &f, e) && add_peer(b, &t, f.value, e);
    rd_error_free(&t.m.why);
    return ok;
}
