/* law_paths - tests paths of individuals, followed by their ids: with the displacement
   distributions of molecules, or with diffusivity and drift of their own. The walk is exact for
   steps of any length. A stated resolution is 5 standard errors. */
#include "probability.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>

/* Holds the place of each individual of one run, by id, at each output time; and its first
   attribute at the start. */
enum { IDS = 40000, TIMES = 4 };
struct tracks {
    int n_times;
    double time[TIMES], x[TIMES][IDS], y[TIMES][IDS], own[IDS];
};

static void look_tracks(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct tracks *const t = to;
    const struct rd_individuals *const of = &s->individuals[0];
    const int n = t->n_times++;
    t->time[n] = s->time;
    assert_int_equal(of->n, IDS);
    for (int64_t i = 0; i < IDS; i++) {
        const int64_t id = of->id[i];
        assert_true(id < IDS);
        t->x[n][id] = (double)(of->site[i] % m->grid.size[0]) * m->grid.edge[0];
        t->y[n][id] = (double)(of->site[i] / m->grid.size[0]) * m->grid.edge[1];
        if (n == 0)
            t->own[id] = m->species[0].n_attributes > 0 ? of->attribute[0][i] : 0;
        else if (m->species[0].n_attributes > 0)
            assert_true(t->own[id] == of->attribute[0][i]);
    }
}

static struct tracks *tracks_of(const struct trial *t)
{
    struct tracks *const all = calloc(1, sizeof *all);
    assert_non_null(all);
    trial_run(t, look_tracks, all);
    assert_int_equal(all->n_times, TIMES);
    return all;
}

/* Tests that in each interval of .5 the displacements have variances 2 Dx t = .5 and 2 Dy t = .25,
   and fourth cumulants of the same numbers (h = 1). Displacements in two intervals, along two axes
   and of two individuals are independent. */
static void compare_displacements(struct verdict *v, const struct tracks *t, const char *how)
{
    const double variance[2] = {0.5, 0.25};
    for (int k = 0; k < TIMES - 1; k++) {
        struct lab_sums along[2] = {{.n = 0}, {.n = 0}};
        double axes = 0, next = 0, neighbour = 0;
        for (int id = 0; id < IDS; id++) {
            const int after = (k + 1) % (TIMES - 1), beside = (id + 1) % IDS;
            const double dx = t->x[k + 1][id] - t->x[k][id], dy = t->y[k + 1][id] - t->y[k][id];
            lab_add(&along[0], dx);
            lab_add(&along[1], dy);
            axes += dx * dy;
            next += dx * (t->x[after + 1][id] - t->x[after][id]);
            neighbour += dx * (t->x[k + 1][beside] - t->x[k][beside]);
        }
        for (int axis = 0; axis < 2; axis++)
            verdict_add_sums(v, &along[axis], variance[axis], 1 / variance[axis],
                             "displacements along axis %d, %s", axis, how);

        verdict_add(v, axes / sqrt(IDS * variance[0] * variance[1]), "%s, axes", how);
        verdict_add(v, next / sqrt(IDS) / variance[0], "%s, stretches", how);
        verdict_add(v, neighbour / sqrt(IDS) / variance[0], "%s, neighbours", how);
    }
}

/* Resolves 5 % of the mean squares and correlations of .025, with 40,000 individuals from one
   voxel. Detects: ids that are not moved when their voxel is sorted; one draw for all in a voxel; D
   wrong by a tenth. */
static void law_mean_square_displacements(void **state)
{
    (void)state;
    static const char *const step[] = {"0.5", "0.1"};
    const char *const *const as_counted =
        SETS("species.W.diffusion=(0.5, 0.25)", "species.W.individuals={ max = 40000; }");
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char how[64];
        snprintf(how, sizeof how, "%s %s", __func__, i / 2 ? "by own rates" : "as counted");
        struct tracks *const t =
            tracks_of(&(struct trial){how, "physics/paths.cfg", .sets = i / 2 ? NULL : as_counted,
                                      .step = step[i % 2], .runs = 1});
        compare_displacements(&v, t, how);
        free(t);
    }
    verdict_check(&v);
}

/* Tests an individual drift u, N(.5, .3). The displacement has mean .5 t and variance 2 D t + .09
   t^2, since u is constant (if it were drawn in each step: 2 D t + .09 t dt). The displacement
   minus u t is independent of u. D = 1, h = .5. 40,000 individuals resolve 4 % of the variance, of
   which .09 t^2 is a seventh, and .02 in the covariance with u. Detects: u of another individual; D
   a tenth too large. */
static void law_own_drift(void **state)
{
    (void)state;
    static const char *const step[] = {"4", "0.3"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct tracks *const all = tracks_of(
            &(struct trial){__func__, "physics/own_drift.cfg", .step = step[i], .runs = 1});
        for (int k = 1; k < TIMES; k++) {
            const double t = all->time[k], walk = 2 * t, both = walk + 0.09 * t * t;
            struct lab_sums x = {.mean = 0.5 * t}, rest = {0};
            double product = 0;
            for (int id = 0; id < IDS; id++) {
                const double dx = all->x[k][id] - all->x[0][id], own = dx - all->own[id] * t;
                lab_add(&x, dx);
                lab_add(&rest, own);
                product += own * (all->own[id] - 0.5);
            }
            verdict_add_sums(&v, &x, both, walk * 0.25 / (both * both),
                             "displacements, step %s, t = %g", step[i], t);
            verdict_add(&v, lab_variance_z(&rest, walk, 0.25 / walk),
                        "step %s, t = %g, variance of the walk", step[i], t);
            verdict_add(&v, product / sqrt(IDS * walk * 0.09), "step %s, t = %g, covariance",
                        step[i], t);
        }
        free(all);
    }
    verdict_check(&v);
}

/* Tests an individual diffusivity, uniform in (.1, 2). Squares over 2 D t have mean 1 and variance
   2 + h^2 / 2 D t in each fifth of the diffusivities; D = .3 along y for all. 8000 of each resolve
   8 %. Detects: D of another individual; D a tenth too large. */
static void law_own_diffusivity(void **state)
{
    (void)state;
    static const char *const step[] = {"4", "0.1"};
    enum { FIFTHS = 5 };
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct tracks *const all = tracks_of(
            &(struct trial){__func__, "physics/own_diffusivity.cfg", .step = step[i], .runs = 1});
        for (int k = 1; k < TIMES; k++) {
            double away[FIFTHS] = {0}, variance[FIFTHS] = {0}, y = 0;
            for (int id = 0; id < IDS; id++) {
                const double both = 2 * all->own[id] * all->time[k];
                const int fifth = (int)((all->own[id] - 0.1) / 1.9 * FIFTHS);
                const double dx = all->x[k][id] - all->x[0][id], dy = all->y[k][id] - all->y[0][id];
                away[fifth] += dx * dx / both - 1;
                variance[fifth] += 2 + 1 / both;
                y += dy * dy / (0.6 * all->time[k]) - 1;
            }
            for (int f = 0; f < FIFTHS; f++)
                verdict_add(&v, away[f] / sqrt(variance[f]), "step %s, t = %g, fifth %d", step[i],
                            all->time[k], f);
            verdict_add(&v, y / sqrt(IDS * (2 + 1 / (0.6 * all->time[k]))),
                        "step %s, t = %g, along y", step[i], all->time[k]);
        }
        free(all);
    }
    verdict_check(&v);
}

/* Tests movement that changes with time: D = .2 + .3 t, v = .4 t. Each movement takes both at its
   middle, which is exact for linear functions: mean .2 t^2, variance .4 t + .3 t^2, fourth cumulant
   h^2 times that. 40,000 individuals resolve .06 in the mean and 4 % of the variance. Detects: the
   time of the step's begin. */
static void law_individuals_in_time(void **state)
{
    (void)state;
    static const char *const step[] = {"0.5", "0.1"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct tracks *const all = tracks_of(&(struct trial){
            __func__, "physics/individuals_in_time.cfg", .step = step[i], .runs = 1});
        for (int k = 1; k < TIMES; k++) {
            const double t = all->time[k], both = 0.4 * t + 0.3 * t * t;
            struct lab_sums x = {.mean = 0.2 * t * t};
            for (int id = 0; id < IDS; id++)
                lab_add(&x, all->x[k][id] - all->x[0][id]);
            verdict_add_sums(&v, &x, both, 0.25 / both, "displacements, step %s, t = %g", step[i],
                             t);
        }
        free(all);
    }
    verdict_check(&v);
}

/* Holds individuals that are born during the run: the place of birth and sums over them. */
enum { BORN_MOST = 60000 };
struct newborn {
    int site[BORN_MOST];
    double away, variance, cross, n;
};

static void live_newborn(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    (void)m;
    struct newborn *const c = to;
    for (int64_t i = 0; i < n; i++) {
        assert_true(life[i].id < BORN_MOST);
        c->site[life[i].id] = (int)life[i].site;
    }
}

static void look_newborn(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct newborn *const c = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t i = 0; i < of->n; i++) {
        const double both = 2 * of->attribute[0][i] * (s->time - of->born[i]);
        const double dx = (double)(of->site[i] - c->site[of->id[i]]);
        c->away += dx * dx - both;
        c->variance += 2 * both * both + both;
        c->cross += dx;
        c->n += both;
    }
}

/* Tests newborn with an individual diffusivity, uniform in (.1, 2), by which they move from birth
   on. Squares are 2 D (t - birth) on average. All births of a pass move from the same time on, but
   their times of birth are uniform over the pass with the same mean. 40,000 individuals resolve 4
   %. Detects: newborn that do not move for a step. */
static void law_newborn_individuals_move(void **state)
{
    (void)state;
    static const char *const step[] = {"0.1", "1"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct newborn *const c = calloc(1, sizeof *c);
        assert_non_null(c);
        trial_run_lineage(
            &(struct trial){__func__, "physics/newborn.cfg", .step = step[i], .runs = 1},
            look_newborn, live_newborn, c);
        verdict_add(&v, c->away / sqrt(c->variance), "step %s, squares", step[i]);
        verdict_add(&v, c->cross / sqrt(c->n), "step %s, mean", step[i]);
        free(c);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_mean_square_displacements), cmocka_unit_test(law_own_drift),
        cmocka_unit_test(law_own_diffusivity),           cmocka_unit_test(law_individuals_in_time),
        cmocka_unit_test(law_newborn_individuals_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
