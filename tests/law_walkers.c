/* law_walkers - individuals on their way, followed by their ids: by rows as molecules are, or with
   diffusivity and drift of their own, that may depend on what is around; against walls that turn
   them; and again after none was left. Exact for steps of any length.
   What is said to be seen lies 5 standard errors out in the first way that a test computes. */
#include "crowd.h"

#include "chance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each of one run is, by id, at each output time; and its first attribute at the start. */
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

/* In each stretch of .5 the displacements have variances 2 Dx t = .5 and 2 Dy t = .25 and fourth
   cumulants of the same numbers (h = 1), whoever it is; and those of two stretches, and of two
   axes, have nothing to do with each other. */
static void hear_stretches(struct verdict *v, const struct tracks *t, const char *how)
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
        for (int axis = 0; axis < 2; axis++) {
            verdict_hear(v, lab_mean_z(&along[axis], variance[axis]), "%s, mean %d", how, axis);
            verdict_hear(v, lab_variance_z(&along[axis], variance[axis], 1 / variance[axis]),
                         "%s, mean square %d", how, axis);
        }
        verdict_hear(v, axes / sqrt(IDS * variance[0] * variance[1]), "%s, axes", how);
        verdict_hear(v, next / sqrt(IDS) / variance[0], "%s, stretches", how);
        verdict_hear(v, neighbour / sqrt(IDS) / variance[0], "%s, neighbours", how);
    }
}

/* 40,000 from one cell: mean squares to 5 %, correlations to .025. Caught: ids that stay behind
   when their cell is sorted; one draw for all in a cell; D wrong by a tenth. */
static void law_mean_square_displacements(void **state)
{
    (void)state;
    static const char *const motion[] = {
        "diffusion = (0.5, 0.25); individuals = { max = 40000; };",
        "diffusion = (\"d\", \"d / 2\"); individuals = { max = 40000;"
        "  attributes = ( { name = \"d\"; initial = 0.5; } ); };"};
    static const char *const step[] = {"0.5", "0.1"};
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char text[640], how[64];
        snprintf(text, sizeof text,
                 "grid = { cells = (41, 41); edge = 1.0; };"
                 "species = ( { name = \"W\"; %s } );"
                 "initial = ( { species = \"W\"; count = 40000; cell = (20, 20); } );"
                 "time = { end = 1.5; }; output = { every = 0.5; };",
                 motion[i / 2]);
        snprintf(how, sizeof how, "%s %s", __func__, i / 2 ? "own" : "rows");
        struct tracks *const t = tracks_of(&(struct trial){how, text, step[i % 2], 1});
        hear_stretches(&v, t, how);
        free(t);
    }
    verdict_give(&v);
}

/* A drift u of one's own, N(.5, .3): the displacement has mean .5 t and variance 2 D t + .09 t^2,
   since u stays the same (drawn anew each step it would be 2 D t + .09 t dt), and less u t it is a
   walk that knows nothing of u. D = 1, h = .5. 40,000: the variance to 4 %, where .09 t^2 is a
   seventh of it; the covariance with u to .02. Caught: u drawn in each step; drift of another. */
static void law_drift_of_ones_own(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { cells = (400, 1); edge = 0.5; };"
        "species = ( { name = \"W\"; diffusion = 1.0; drift = (\"u\", 0); individuals = { max = "
        "40000;"
        "  attributes = ( { name = \"u\"; initial = \"normal(0.5, 0.3)\"; } ); }; } );"
        "initial = ( { species = \"W\"; count = 40000; cell = (200, 0); } );"
        "time = { end = 4.0; }; output = { times = (0, 0.5, 2, 4); };";
    static const char *const step[] = {"4", "0.3"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct tracks *const all = tracks_of(&(struct trial){__func__, text, step[i], 1});
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
            verdict_hear(&v, lab_mean_z(&x, both), "step %s, t = %g, mean", step[i], t);
            verdict_hear(&v, lab_variance_z(&x, both, walk * 0.25 / (both * both)),
                         "step %s, t = %g, variance", step[i], t);
            verdict_hear(&v, lab_variance_z(&rest, walk, 0.25 / walk),
                         "step %s, t = %g, variance of the walk", step[i], t);
            verdict_hear(&v, product / sqrt(IDS * walk * 0.09), "step %s, t = %g, covariance",
                         step[i], t);
        }
        free(all);
    }
    verdict_give(&v);
}

/* A diffusivity of one's own, uniform in (.1, 2): squares over 2 D t have mean 1 and variance 2 +
   h^2 / 2 D t, in each fifth of the diffusivities; D = .3 along y for all. 8000 of each: to 8 %.
   Caught: D of another in the cell; the mean D for all. */
static void law_diffusivity_of_ones_own(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { cells = (61, 41); edge = 1.0; };"
        "species = ( { name = \"W\"; diffusion = (\"d\", 0.3); individuals = { max = 40000;"
        "  attributes = ( { name = \"d\"; initial = \"uniform(0.1, 2)\"; } ); }; } );"
        "initial = ( { species = \"W\"; count = 40000; cell = (30, 20); } );"
        "time = { end = 4.0; }; output = { times = (0, 0.5, 1, 4); };";
    static const char *const step[] = {"4", "0.1"};
    enum { FIFTHS = 5 };
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct tracks *const all = tracks_of(&(struct trial){__func__, text, step[i], 1});
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
                verdict_hear(&v, away[f] / sqrt(variance[f]), "step %s, t = %g, fifth %d", step[i],
                             all->time[k], f);
            verdict_hear(&v, y / sqrt(IDS * (2 + 1 / (0.6 * all->time[k]))),
                         "step %s, t = %g, along y", step[i], all->time[k]);
        }
        free(all);
    }
    verdict_give(&v);
}

/* How many are in each state of a small chain, whose chances are those of states at the start times
   exp(Q t). */
enum { STATES = 30 };
struct places {
    int n_states;
    double q[STATES * STATES], start[STATES];
    /* the state of an individual */
    int (*state_of)(const struct rd_individuals *of, int64_t row);
    /* fills q from the first snapshot; or NULL */
    void (*open)(struct places *p, const struct rd_snapshot *s);
    struct verdict *verdict;
    const char *how;
};

static void add_rate(struct places *p, int from, int to, double rate)
{
    p->q[to * p->n_states + from] += rate;
    p->q[from * p->n_states + from] -= rate;
}

static void look_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct places *const p = to;
    const struct rd_individuals *const of = &s->individuals[0];
    if (s->time == 0 && p->open)
        p->open(p, s);
    double seen[STATES] = {0}, chance[STATES] = {0}, power[STATES * STATES];
    for (int64_t i = 0; i < of->n; i++)
        seen[p->state_of(of, i)]++;
    if (s->time == 0)
        memcpy(p->start, seen, sizeof seen);
    theory_expm(p->q, p->n_states, s->time, power);
    for (int i = 0; i < p->n_states * p->n_states; i++)
        chance[i / p->n_states] += power[i] * p->start[i % p->n_states] / (double)of->n;
    for (int i = 0; i < p->n_states && s->time > 0; i++)
        verdict_hear(p->verdict, theory_binomial_deviate(seen[i], (double)of->n, chance[i]),
                     "%s, t = %g, state %d: %g instead of %g", p->how, s->time, i, seen[i],
                     chance[i] * (double)of->n);
}

/* Chemotaxis on 6 x 5 cells, periodic along x: the diffusivity grows with the number of F in the
   cell and the drift with its slopes, from both neighbours, or at a wall from one and the cell
   itself. F does not move. */
enum { NX = 6, NY = 5 };

static int site_state(const struct rd_individuals *of, int64_t row)
{
    return (int)of->site[row];
}

static void open_chemotaxis(struct places *p, const struct rd_snapshot *s)
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

/* 20,000: 10 to 20 % of a cell's mean. Caught: slopes of the cell left at the start of the step;
   slopes of half the length at walls; drift down the slope. */
static void law_chemotaxis(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { cells = (6, 5); edge = (1.0, 0.8); walls = { x = \"periodic\"; }; };"
        "species = ("
        "  { name = \"W\"; diffusion = \"0.1 + 0.05 * F\"; individuals = { max = 20000; };"
        "    drift = (\"0.3 * slope_x(F)\", \"0.2 * slope_y(F)\"); }, { name = \"F\"; } );"
        "initial = ( { species = \"W\"; count = 20000; cell = (1, 3); },"
        "  { species = \"F\"; value = \"floor(6 + 4 * sin(2 * x) + 2 * cos(3 * y + x))\"; } );"
        "time = { end = 3.0; }; output = { times = (0, 0.4, 3); };";
    static const char *const step[] = {"3", "0.1"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct places p = {.n_states = NX * NY,
                           .state_of = site_state,
                           .open = open_chemotaxis,
                           .verdict = &v,
                           .how = step[i]};
        trial_run(&(struct trial){__func__, text, step[i], 1}, look_places, &p);
    }
    verdict_give(&v);
}

/* A line whose ends turn the drift u = 1.2 or -1.2 of one who runs against them. */
enum { LINE = 10 };

static int turning_state(const struct rd_individuals *of, int64_t row)
{
    assert_true(fabs(of->attribute[0][row]) == 1.2);
    return (int)of->site[row] + (of->attribute[0][row] < 0 ? LINE : 0);
}

static void set_turning(struct places *p, double diffusion)
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

/* At moderate and at high Peclet number. 20,000: 8 % of a state's mean. Caught: those turned who
   run away from the wall; rates that do not follow the turn within the step. */
static void law_ballistic_walls(void **state)
{
    (void)state;
    static const char *const step[] = {"2.5", "0.2"};
    const double diffusion[] = {0.8, 0.1};
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char text[640], how[64];
        snprintf(text, sizeof text,
                 "grid = { cells = 10; edge = 0.7; walls = { x = \"ballistic\"; }; };"
                 "species = ( { name = \"W\"; diffusion = %g; drift = (\"u\"); individuals = {"
                 "  max = 20000; attributes = ( { name = \"u\"; initial ="
                 "  \"if(uniform(0, 1) < 0.7, 1.2, -1.2)\"; } ); }; } );"
                 "initial = ( { species = \"W\"; count = 20000; cell = (7); } );"
                 "time = { end = 5.0; }; output = { times = (0, 1, 5); };",
                 diffusion[i / 2]);
        snprintf(how, sizeof how, "%s, D = %g, step %s", __func__, diffusion[i / 2], step[i % 2]);
        struct places p = {
            .n_states = 2 * LINE, .state_of = turning_state, .verdict = &v, .how = how};
        set_turning(&p, diffusion[i / 2]);
        trial_run(&(struct trial){how, text, step[i % 2], 1}, look_places, &p);
    }
    verdict_give(&v);
}

/* All are removed at t = .5, others are born from t = 1 on, in two cells, and die: they move as
   Poisson numbers do. 1000 runs: 20 % of a cell's mean. Caught: nothing moves after a list was
   empty. */
static void law_born_again(void **state)
{
    (void)state;
    static const char *const motion[] = {
        "diffusion = 0.5; drift = (0.3); individuals = { max = 400; };",
        "diffusion = \"d\"; drift = (0.3); individuals = { max = 400;"
        "  attributes = ( { name = \"d\"; initial = 0.5; } ); };"};
    double source[9] = {0};
    source[2] = source[3] = 2;
    struct theory_walk w = {.size = {9, 1, 1}, .decay = 0.5, .source = source};
    theory_set_rates(&w, 0, 0.5, 0.3, 1);
    const struct crowd c = {.walk = &w, .from = 1};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        char text[1024], how[64];
        snprintf(text, sizeof text,
                 "grid = { cells = 9; edge = 1.0; }; parameters = { k = 0.0; };"
                 "regions = ( { name = \"nest\"; box = { from = (2); to = (4); }; } );"
                 "species = ( { name = \"W\"; %s } );"
                 "reactions = ( { equation = \"0 -> W\"; rate = \"k\"; in = \"nest\"; },"
                 "              { equation = \"W -> 0\"; rate = 0.5; } );"
                 "initial = ( { species = \"W\"; count = 100; } );"
                 "events = ( { time = 0.5; remove = { species = \"W\"; all = true; }; },"
                 "           { time = 1.0; set = { k = 2.0; }; } );"
                 "time = { end = 4.0; }; output = { times = (4.0); };",
                 motion[i]);
        snprintf(how, sizeof how, "%s %s", __func__, i ? "own" : "rows");
        crowd_judge(&c, &(struct trial){how, text, "0.02", 1000}, &v);
    }
    verdict_give(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_mean_square_displacements), cmocka_unit_test(law_drift_of_ones_own),
        cmocka_unit_test(law_diffusivity_of_ones_own),   cmocka_unit_test(law_chemotaxis),
        cmocka_unit_test(law_ballistic_walls),           cmocka_unit_test(law_born_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
