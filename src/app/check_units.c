/* check_units - prints rates, densities and diffusivities in units of the field, and the mean time
   in which a molecule crosses a voxel. */
#include "app/check_units.h"

#include "base/text.h"
#include "expr/dimension_text.h"

#include <math.h>

/* Describes a figure in the units of the model, and in those of the field if that has others. */
struct figure {
    double value, other;
    char unit[48];          /* "um^3/s"; "" if units are not known */
    const char *other_unit; /* or NULL */
};

/* Returns the usual unit of that dimension, or NULL. */
static const char *usual_unit(struct rd_dimension d)
{
    static const struct {
        struct rd_dimension d;
        const char *unit;
    } table[] = {{{2, -1}, "um^2/s"},  {{1, -1}, "um/s"},      {{0, -1}, "/s"},
                 {{0, 1}, "s"},        {{-3, 0}, "nM"},        {{-3, -1}, "nM/s"},
                 {{3, -1}, "1/(M s)"}, {{6, -1}, "1/(M^2 s)"}, {{-2, 0}, "/um^2"},
                 {{-1, 0}, "/um"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (rd_dimension_is_same(d, table[i].d))
            return table[i].unit;
    return NULL;
}

static struct figure figure_of(const struct rd_model *m, double value, struct rd_dimension d)
{
    const struct rd_units u = rd_units_of(m->length_unit, m->time_unit);
    struct figure f = {.value = value};
    const char *const usual = u.are_known ? usual_unit(d) : NULL;
    if (u.are_known)
        rd_dimension_units(&u, d, f.unit, sizeof f.unit);
    if (usual && rd_units_in(&u, d, usual) != 1.0) {
        f.other_unit = usual;
        f.other = value * rd_units_in(&u, d, usual);
    }
    return f;
}

static void print_unit_figure(FILE *out, const struct figure *f)
{
    fprintf(out, "%.6g%s%s", f->value, *f->unit ? " " : "", f->unit);
    if (f->other_unit)
        fprintf(out, " = %.4g %s", f->other, f->other_unit);
}

void rd_check_usual_unit(FILE *out, const struct rd_model *m, double value, struct rd_dimension d)
{
    const struct figure f = figure_of(m, value, d);
    if (f.other_unit)
        fprintf(out, " = %.4g %s", f.other, f.other_unit);
}

static void print_in_units(FILE *out, const struct rd_model *m, double value, struct rd_dimension d)
{
    const struct figure f = figure_of(m, value, d);
    print_unit_figure(out, &f);
}

/* ---- movement ---- */

/* Describes how fast a species crosses the voxels along the axes with more than one. */
struct crossing {
    int n;        /* of axes; 0: it does not move, or does not diffuse everywhere alike */
    char axis[4]; /* their names, as "xz" */
    double diffusivity[3];
    double time[3];  /* INFINITY along an axis without movement */
    bool is_alike;   /* the diffusivity is the same along all of them */
    bool is_raised;  /* a strong drift makes the diffusivity of the lattice larger */
    bool is_at_most; /* a drift that is not constant may make the times shorter */
};

static struct crossing find_crossing(const struct rd_model *m, const struct rd_species *s)
{
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    struct crossing x = {.is_alike = true};
    bool moves = false;
    for (int axis = 0; axis < m->grid.dim; axis++) {
        if (!rd_plan_is_constant(&s->diffusion[axis]))
            return (struct crossing){0};
        if (m->grid.size[axis] == 1)
            continue;
        const bool is_drift_known = rd_plan_is_constant(&s->drift[axis]);
        const double h = m->grid.edge[axis], d = rd_expr_value(&s->diffusion[axis], &start);
        const double drift = is_drift_known ? rd_expr_value(&s->drift[axis], &start) : 0.0;
        const double actual = fmax(d, fabs(drift) * h / 2.0);
        x.axis[x.n] = "xyz"[axis];
        x.diffusivity[x.n] = d;
        x.time[x.n++] = actual > 0.0 ? h * h / (2.0 * actual) : INFINITY;
        x.is_alike = x.is_alike && d == x.diffusivity[0];
        x.is_raised = x.is_raised || actual > d;
        x.is_at_most = x.is_at_most || !is_drift_known;
        moves = moves || actual > 0.0;
    }
    return moves ? x : (struct crossing){0};
}

/* Returns the longest time along the axes from..end - 1 in which the species moves, or INFINITY. */
static double longest_time(const struct crossing *x, int from, int end)
{
    double longest = 0.0;
    for (int i = from; i < end; i++)
        longest = isfinite(x->time[i]) ? fmax(longest, x->time[i]) : longest;
    return longest > 0.0 ? longest : INFINITY;
}

void rd_check_crossing(FILE *out, const struct rd_model *m, const struct rd_species *s)
{
    const struct crossing x = find_crossing(m, s);
    if (x.n == 0)
        return;
    double shortest = INFINITY;
    fprintf(out, "            diffusivity ");
    for (int i = 0; i < x.n; i++)
        shortest = fmin(shortest, x.time[i]);
    for (int i = 0; i < (x.is_alike ? 1 : x.n); i++) {
        if (!x.is_alike)
            fprintf(out, "%s%c ", i > 0 ? ", " : "", x.axis[i]);
        print_in_units(out, m, x.diffusivity[i], (struct rd_dimension){2, -1});
    }
    const double longest = longest_time(&x, 0, x.n);
    fprintf(out, "; mean time to cross a voxel ");
    if (x.is_at_most)
        fprintf(out, "at most ");
    else if (longest > shortest * (1.0 + 1e-9))
        fprintf(out, "%.4g to ", shortest);
    print_in_units(out, m, longest, (struct rd_dimension){0, 1});
    fprintf(out, x.is_raised ? " (h^2/2D, with D >= |v|h/2)\n" : " (h^2/2D)\n");
}

/* ---- rates ---- */

/* Sets the figure of the rate constant; returns false if it is none, or units are not known. */
static bool find_constant(const struct rd_model *m, const struct rd_reaction *x, struct figure *f)
{
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    if (x->has_propensity || !rd_plan_is_constant(&x->rate))
        return false;
    *f = figure_of(m, rd_expr_value(&x->rate, &start), rd_model_rate_dimension(m, x));
    return *f->unit != 0;
}

void rd_check_rate(FILE *out, const struct rd_model *m, const struct rd_reaction *x)
{
    struct figure f;
    if (!find_constant(m, x, &f))
        return;
    fprintf(out, "            rate ");
    print_unit_figure(out, &f);
    fprintf(out, "\n");
}

/* ---- densities ---- */

/* Returns the volume or area over which molecules of the amount are spread; 0: not known. */
static double extent_of_amount(const struct rd_model *m, const struct rd_amount *a)
{
    const struct rd_species *const s = &m->species[a->species];
    const int region = a->region >= 0 ? a->region : s->region;
    if (a->is_at || a->site || (a->region >= 0 && s->region >= 0 && a->region != s->region))
        return 0.0;
    return region < 0  ? m->grid.volume * (double)m->grid.n_sites
           : m->extent ? m->extent[region].size
                       : 0.0;
}

/* Sets the figure of the density at the start; returns false if it is not known. */
static bool find_density(const struct rd_model *m, const struct rd_amount *a, struct figure *f)
{
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    if (a->kind == RD_AMOUNT_FROM || a->species < 0 || !rd_plan_is_constant(&a->much))
        return false;
    const double size = extent_of_amount(m, a), much = rd_expr_value(&a->much, &start);
    const bool is_on_surface = m->species[a->species].surface >= 0;
    const int compartment = m->species[a->species].compartment;
    const double voxel = compartment < 0 ? m->grid.volume : m->compartment[compartment].volume;
    const double density = a->kind == RD_AMOUNT_DENSITY ? much
                           : a->kind == RD_AMOUNT_VALUE ? much / voxel
                           : size > 0.0                 ? much / size
                                                        : NAN;
    if (isnan(density) || (is_on_surface && a->kind == RD_AMOUNT_VALUE))
        return false;
    *f = figure_of(m, density, (struct rd_dimension){is_on_surface - m->grid.dim, 0});
    return *f->unit != 0;
}

void rd_check_densities(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        struct figure f;
        if (!find_density(m, a, &f))
            continue;
        fprintf(out, "initial     %s: density ", m->species[a->species].name);
        print_unit_figure(out, &f);
        fprintf(out, "%s%s\n", a->region < 0 ? "" : " in ",
                a->region < 0 ? "" : m->region[a->region].name);
    }
}

/* ---- JSON ---- */

/* Prints {"NAME": TEXT, "VALUE": number, "unit": ..., and the same in units of the field. */
static void print_json(FILE *out, const char **before, const char *name, const char *text,
                       const struct figure *f)
{
    fprintf(out, "%s\n    {\"%s\": ", *before, name);
    *before = ",";
    rd_json_text(out, text);
    fputs(", \"value\": ", out);
    rd_json_number(out, f->value);
    fputs(", \"unit\": ", out);
    rd_json_text(out, f->unit);
    fputs(", \"usual_value\": ", out);
    rd_json_number(out, f->other_unit ? f->other : f->value);
    fputs(", \"usual_unit\": ", out);
    rd_json_text(out, f->other_unit ? f->other_unit : f->unit);
}

/* Prints a document for all axes if the diffusivity is the same along them, else one for each. */
static void print_crossing_json(FILE *out, const char **before, const struct rd_model *m,
                                const struct rd_species *s)
{
    const struct crossing x = find_crossing(m, s);
    for (int i = 0, next = 0; i < x.n; i = next) {
        next = x.is_alike ? x.n : i + 1;
        const struct figure f = figure_of(m, x.diffusivity[i], (struct rd_dimension){2, -1});
        print_json(out, before, "species", s->name, &f);
        fprintf(out, ", \"axes\": \"%.*s\", \"crossing_time\": ", next - i, x.axis + i);
        rd_json_number(out, longest_time(&x, i, next));
        fputs("}", out);
    }
}

void rd_check_units_json(FILE *out, const struct rd_model *m)
{
    struct figure f;
    const char *before = "";
    fputs("  \"diffusivities\": [", out);
    for (int i = 0; i < m->n_species; i++)
        print_crossing_json(out, &before, m, &m->species[i]);
    before = "";
    fputs("\n  ],\n  \"rates\": [", out);
    for (int i = 0; i < m->n_reactions; i++)
        if (find_constant(m, &m->reaction[i], &f)) {
            print_json(out, &before, "reaction", m->reaction[i].equation, &f);
            fputs("}", out);
        }
    before = "";
    fputs("\n  ],\n  \"densities\": [", out);
    for (int i = 0; i < m->n_initial; i++)
        if (find_density(m, &m->initial[i], &f)) {
            print_json(out, &before, "species", m->species[m->initial[i].species].name, &f);
            fputs("}", out);
        }
    fputs("\n  ],\n", out);
}
