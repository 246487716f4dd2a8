/* law_surroundings - tests individuals whose movement depends on their surroundings: on the numbers
   of another species and their gradients, and on walls that turn them. The walk is exact for steps
   of any length. A stated resolution is 5 standard errors in the first variant of a test. */
#include "theory.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Compares the numbers in each state of a small chain with probabilities, which are the initial
   ones times exp(Q t). */
enum { STATES = 30 };
struct surrounding_counts {
    int n_states;
    double q[STATES * STATES], start[STATES];
    /* returns the state of an individual */
    int (*state_of)(const struct rd_individuals *of, int64_t row);
    /* fills q from the first snapshot; or NULL */
    void (*open)(struct surrounding_counts *p, const struct rd_snapshot *s);
    struct verdict *verdict;
    const char *how;
};

static void add_rate(struct surrounding_counts *p, int from, int to, double rate)
{
    p->q[to * p->n_states + from] += rate;
    p->q[from * p->n_states + from] -= rate;
}

static void look_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct surrounding_counts *const p = to;
    const struct rd_individuals *const of = &s->individuals[0];
    if (s->time == 0 && p->open)
        p->open(p, s);
    double seen[STATES] = {0}, probability[STATES] = {0}, power[STATES * STATES];
    for (int64_t i = 0; i < of->n; i++)
        seen[p->state_of(of, i)]++;
    if (s->time == 0)
        memcpy(p->start, seen, sizeof seen);
    theory_expm(p->q, p->n_states, s->time, power);
    for (int i = 0; i < p->n_states * p->n_states; i++)
        probability[i / p->n_states] += power[i] * p->start[i % p->n_states] / (double)of->n;
    for (int i = 0; i < p->n_states && s->time > 0; i++)
        verdict_add(p->verdict, theory_binomial_deviate(seen[i], (double)of->n, probability[i]),
                    "%s, t = %g, state %d: %g instead of %g", p->how, s->time, i, seen[i],
                    probability[i] * (double)of->n);
}

/* Tests chemotaxis on 6 x 5 voxels, periodic along x. The diffusivity increases with the number of
   F in the voxel and the drift with its gradient, from both neighbours, or at a wall from one and
   the voxel itself. F does not move. */
enum { NX = 6, NY = 5 };

static int site_state(const struct rd_individuals *of, int64_t row)
{
    return (int)of->site[row];
}

static void open_chemotaxis(struct surrounding_counts *p, const struct rd_snapshot *s)
{
    const int32_t *const food = s->counts + NX * NY;
    for (int i = 0; i < NX * NY; i++) {
        const int x = i % NX, y = i / NX;
        const int left = y * NX + (x + NX - 1) % NX, right = y * NX + (x + 1) % NX;
        const int below = y > 0 ? i - NX : i, above = y < NY - 1 ? i + NX : i;
        const double spread = 0.1 + 0.05 * food[i];
        struct theory_walk w = {.size = {NX, NY, 1}};
        theory_set_rates(&w, 0, spread, 0.3 * (food[right] - food[left]) / 2.0, 1);
        theory_set_rates(
            &w, 1, spread,
            0.2 * (food[above] - food[below]) / (0.8 * (below < i && i < above ? 2 : 1)), 0.8);
        add_rate(p, i, left, w.rate[0]);
        add_rate(p, i, right, w.rate[1]);
        add_rate(p, i, below, w.rate[2]);
        add_rate(p, i, above, w.rate[3]);
    }
}

/* Resolves 10 to 20 % of a voxel's mean, with 20,000 individuals. Detects: gradients of the voxel
   in which the step began; gradients of half the length at walls; drift down the gradient. */
static void law_chemotaxis(void **state)
{
    (void)state;
    static const char *const step[] = {"3", "0.1"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct surrounding_counts p = {.n_states = NX * NY,
                                       .state_of = site_state,
                                       .open = open_chemotaxis,
                                       .verdict = &v,
                                       .how = step[i]};
        trial_run(&(struct trial){__func__, "physics/chemotaxis.cfg", .step = step[i], .runs = 1},
                  look_places, &p);
    }
    verdict_check(&v);
}

/* Tests a line whose ends reverse the drift u = 1.2 or -1.2 of an individual that hits them. */
enum { LINE = 10 };

static int turning_state(const struct rd_individuals *of, int64_t row)
{
    assert_true(fabs(of->attribute[0][row]) == 1.2);
    return (int)of->site[row] + (of->attribute[0][row] < 0 ? LINE : 0);
}

static void set_turning(struct surrounding_counts *p, double diffusion)
{
    for (int i = 0; i < 2 * LINE; i++) {
        const int x = i % LINE, other = (i + LINE) % (2 * LINE);
        const bool is_up = i < LINE;
        struct theory_walk w = {.size = {LINE, 1, 1}};
        theory_set_rates(&w, 0, diffusion, is_up ? 1.2 : -1.2, 0.7);
        add_rate(p, i, x > 0 ? i - 1 : is_up ? i : other, w.rate[0]);
        add_rate(p, i, x < LINE - 1 ? i + 1 : is_up ? other : i, w.rate[1]);
    }
}

/* Tests moderate and high Peclet numbers. 20,000 individuals resolve 8 % of a state's mean.
   Detects: individuals reversed that move away from the wall; rates that do not follow the reversal
   within the step. */
static void law_ballistic_walls(void **state)
{
    (void)state;
    static const char *const step[] = {"2.5", "0.2"};
    const double diffusion[] = {0.8, 0.1};
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char set[64], how[64];
        snprintf(set, sizeof set, "species.W.diffusion=%g", diffusion[i / 2]);
        snprintf(how, sizeof how, "%s, D = %g, step %s", __func__, diffusion[i / 2], step[i % 2]);
        struct surrounding_counts p = {
            .n_states = 2 * LINE, .state_of = turning_state, .verdict = &v, .how = how};
        set_turning(&p, diffusion[i / 2]);
        trial_run(&(struct trial){how, "physics/ballistic_walls.cfg", .sets = SETS(set),
                                  .step = step[i % 2], .runs = 1},
                  look_places, &p);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_chemotaxis),
        cmocka_unit_test(law_ballistic_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
