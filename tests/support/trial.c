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
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double alpha = 2e-5;

void trial_run_lineage(const struct trial *t, lab_look *look, lab_live *live, void *to)
{
    enum { MOST = 12 };
    char name[128], seed[64], how[64], runs[32];
    const char *sets[MOST + 4] = {NULL};
    int n = 0;
    for (; t->sets && t->sets[n]; n++) {
        assert_true(n < MOST);
        sets[n] = t->sets[n];
    }
    snprintf(name, sizeof name, "%s %s", t->test, t->step);
    snprintf(seed, sizeof seed, "run.seed=%" PRIu64 "L", lab_seed(name));
    snprintf(runs, sizeof runs, "run.runs=%d", t->runs);
    if (strcmp(t->step, "exact") == 0)
        snprintf(how, sizeof how, "solver=exact");
    else
        snprintf(how, sizeof how, "time.step=%s", t->step);
    sets[n++] = seed;
    sets[n++] = how;
    sets[n] = t->runs > 0 ? runs : NULL;
    const struct lab lab = {.look = look, .live = live, .to = to};
    char *const text = model_text(t->model);
    lab_run(&lab, text, sets);
    free(text);
}

void trial_run(const struct trial *t, lab_look *look, void *to)
{
    trial_run_lineage(t, look, NULL, to);
}

void verdict_add(struct verdict *v, double z, const char *format, ...)
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

void verdict_add_sums(struct verdict *v, const struct lab_sums *s, double variance, double excess,
                      const char *format, ...)
{
    char what[128];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    verdict_add(v, lab_mean_z(s, variance), "mean of %s", what);
    verdict_add(v, lab_variance_z(s, variance, excess), "variance of %s", what);
}

void verdict_check(const struct verdict *v)
{
    assert_true(v->n > 0);
    print_message("             %.2f standard errors at most, of %" PRId64 " comparisons (%s)\n",
                  v->worst, v->n, v->what);
    if (!(2 * theory_normal_tail(v->worst) * (double)v->n >= alpha))
        fail_msg("%s: %.2f standard errors off", v->what, v->worst);
}
