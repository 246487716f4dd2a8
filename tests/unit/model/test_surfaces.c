/* test_surfaces - tests the propensities of reactions on surfaces in each voxel against the formula
   k X / (x_1 x_2 ...). */
#include "make_model.h"

#include <math.h>

/* Holds what stands in the formula for one reaction of on_surfaces.cfg. */
struct formula {
    const char *equation;
    int surface;
    const char *where;  /* one region, or two, of the voxels in which it happens; "": all */
    char measure;       /* X: 'e' the exchange area, 'h' half of it, 'a' the area */
    const char *shares; /* x of each reactant: as above, or 'V' the volume, 'P' that of the pool */
};

enum { LINE, MEMBRANE };

static const struct formula formulas[] = {
    {"A -> M", MEMBRANE, "c", 'e', "V"},
    {"L -> M", MEMBRANE, "l", 'e', "V"},
    {"L + A -> F", MEMBRANE, "lc", 'e', "VV"},
    {"W + M -> F", MEMBRANE, "", 'e', "Va"},
    {"M -> L", MEMBRANE, "l", 'e', "a"},
    {"2 M -> 0", MEMBRANE, "", 'a', "aa"},
    {"F -> 0", MEMBRANE, "", 'h', "h"},
    {"F + M -> M", MEMBRANE, "", 'h', "ha"},
    {"F -> W", MEMBRANE, "", 'e', "h"},
    {"M -> 0", MEMBRANE, "l", 'a', "a"},
    {"0 -> M", MEMBRANE, "c", 'a', ""},
    {"M + P -> M", MEMBRANE, "", 'a', "aP"},
    {"2 L -> N", LINE, "l", 'e', "VV"},
    {"N + W -> N", LINE, "", 'e', "aV"},
    {"N -> 0", LINE, "", 'a', "a"},
    {"2 N -> N", LINE, "c", 'a', "aa"},
    {"G -> 0", LINE, "", 'e', "e"},
    {"G + N -> N", LINE, "", 'e', "ea"},
    {"W -> 0", LINE, "", 'e', "V"},
};

static double share_of(const struct rd_model *m, const struct rd_surface_voxel *v, char what)
{
    switch (what) {
    case 'e':
        return v->exchange;
    case 'h':
        return v->exchange / 2;
    case 'a':
        return v->area;
    case 'P':
        return 3.0;
    default:
        return m->grid.volume;
    }
}

/* Returns X / (x_1 x_2 ...), and X in *measure; both are 0 outside of the regions. */
static double expected(const struct rd_model *m, const struct formula *f,
                       const struct rd_surface_voxel *v, double *measure)
{
    const uint64_t mask = m->mask[v->site];
    *measure = 0;
    for (const char *in = f->where; *in; in++)
        if (!(mask >> (*in == 'c') & 1))
            return 0;
    double share = *measure = share_of(m, v, f->measure);
    for (const char *x = f->shares; share > 0 && *x; x++)
        share /= share_of(m, v, *x);
    return share;
}

static const struct rd_reaction *reaction_of(const struct rd_model *m, const char *equation)
{
    for (int i = 0; i < m->n_reactions; i++)
        if (strcmp(m->reaction[i].equation, equation) == 0)
            return &m->reaction[i];
    fail_msg("there is no reaction '%s'", equation);
    return NULL;
}

/* The field component, times mean_share, is the formula; mean_share is its mean, weighted by X. */
static void check_reaction(const struct rd_model *m, const struct formula *f)
{
    const struct rd_reaction *const x = reaction_of(m, f->equation);
    const struct rd_surface *const s = &m->surface[f->surface];
    const double *const share = m->field_component + x->share * m->grid.n_sites;
    double sum = 0, all = 0, measure;
    int64_t n = 0;
    assert_int_equal(x->surface, f->surface);
    for (int64_t i = 0; i < s->n_voxels; i++) {
        const double value = expected(m, f, &s->voxel[i], &measure);
        if (!(fabs(share[s->voxel[i].site] * x->mean_share - value) <= 1e-12 * value))
            fail_msg("%s at site %lld: %.15g, not %.15g", f->equation, (long long)s->voxel[i].site,
                     share[s->voxel[i].site] * x->mean_share, value);
        sum += measure * value;
        all += measure;
        n += value > 0;
    }
    assert_true(n > 0 && (n < s->n_voxels || f->where[0] == '\0'));
    assert_true(fabs(x->mean_share - sum / all) <= 1e-12 * x->mean_share);
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        assert_true(share[site] == 0 || m->mask[site] >> s->region & 1);
}

static void propensities_follow_the_formula(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/on_surfaces.cfg", NULL);
    const int n = sizeof formulas / sizeof *formulas;
    assert_int_equal(m.n_reactions, n + 1);
    for (int i = 0; i < n; i++)
        check_reaction(&m, &formulas[i]);
    assert_int_equal(reaction_of(&m, "2 P -> P")->surface, -1);
    rd_model_free(&m);
}

/* Tests that a reaction on a surface without a region of its own happens in the surface's region
   only. */
static void regions_of_reactions_are_those_of_the_surface(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/on_surfaces.cfg", NULL);
    assert_int_equal(reaction_of(&m, "A -> M")->region, m.surface[MEMBRANE].region);
    assert_int_equal(reaction_of(&m, "N -> 0")->region, m.surface[LINE].region);
    assert_int_equal(reaction_of(&m, "M -> 0")->region, 0);
    rd_model_free(&m);
}

static void two_surfaces_are_refused(void **state)
{
    (void)state;
    assert_model_refused("model/on_surfaces.cfg",
                         SETS("reactions=( { equation = \"N -> M\"; rate = 1; } )"),
                         "it takes place on two surfaces, 'line' and 'membrane'; a reaction can");
}

int test_surfaces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(propensities_follow_the_formula),
        cmocka_unit_test(regions_of_reactions_are_those_of_the_surface),
        cmocka_unit_test(two_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
