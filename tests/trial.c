/* trial - runs the configuration of a physics test with a seed of its own, and judges the
   deviations in standard errors. */
#include "trial.h"
#include "theory.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double alpha = 2e-5;

void trial_follow(const struct trial *t, lab_look *look, lab_live *live, void *to)
{
    char name[128], seed[64], how[64], runs[32];
    snprintf(name, sizeof name, "%s %s", t->test, t->step);
    snprintf(seed, sizeof seed, "run.seed=%" PRIu64 "L", lab_seed(name));
    snprintf(runs, sizeof runs, "run.runs=%d", t->runs);
    if (strcmp(t->step, "exact") == 0)
        snprintf(how, sizeof how, "solver=\"exact\"");
    else
        snprintf(how, sizeof how, "time.step=%s", t->step);
    const char *const sets[] = {seed, how, t->runs > 0 ? runs : NULL, NULL};
    const struct lab lab = {.look = look, .live = live, .to = to};
    lab_run(&lab, t->text, sets);
}

void trial_run(const struct trial *t, lab_look *look, void *to)
{
    trial_follow(t, look, NULL, to);
}

void verdict_hear(struct verdict *v, double z, const char *format, ...)
{
    const double away = isnan(z) ? INFINITY : fabs(z);
    v->n++;
    if (away < v->worst)
        return;
    v->worst = away;
    va_list list;
    va_start(list, format);
    vsnprintf(v->what, sizeof v->what, format, list);
    va_end(list);
}

void verdict_give(const struct verdict *v)
{
    assert_true(v->n > 0);
    print_message("             %.2f standard errors at most, of %" PRId64 " comparisons (%s)\n",
                  v->worst, v->n, v->what);
    if (!(2 * theory_normal_tail(v->worst) * (double)v->n >= alpha))
        fail_msg("%s: %.2f standard errors off", v->what, v->worst);
}
