/* sbml_values - the values of the symbols of an SBML model, during the simulation and at its start,
   in the terms of a configuration: numbers of molecules, concentrations, parameters. */
#include "formats/sbml_model.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds a part of a model that messages are about, while another part is read. */
struct place {
    char about[200];
    unsigned line;
};

static struct place keep_place(const struct rd_sbml *s)
{
    struct place p = {.line = s->line};
    memcpy(p.about, s->about, sizeof p.about);
    return p;
}

static void return_to(struct rd_sbml *s, const struct place *p)
{
    s->line = p->line;
    memcpy(s->about, p->about, sizeof s->about);
}

static void about_symbol(struct rd_sbml *s, const struct rd_sbml_symbol *x)
{
    static const char *const kind[] = {"compartment", "species", "parameter", "reaction",
                                       "reference"};
    rd_sbml_about(s, SBase_getLine(x->object), "%s '%.60s'", kind[x->kind], x->id);
}

static rd_formula named(struct rd_sbml *s, enum rd_formula_kind kind,
                        const struct rd_sbml_symbol *x)
{
    return rd_formula_name(&s->pool, kind, x->name);
}

/* ---- numbers of the document ---- */

static bool is_set(const struct rd_sbml *s, const struct rd_sbml_symbol *x)
{
    switch (x->kind) {
    case RD_SBML_COMPARTMENT:
        return Compartment_isSetSize(x->object);
    case RD_SBML_PARAMETER:
        return Parameter_isSetValue(x->object);
    default:
        (void)s;
        return Species_isSetInitialAmount(x->object) ||
               Species_isSetInitialConcentration(x->object);
    }
}

static double size_of_compartment(struct rd_sbml *s, int compartment)
{
    return compartment < 0 ? 1.0 : rd_sbml_number(s, rd_sbml_start(s, &s->symbol[compartment]));
}

struct rd_sbml_symbol *rd_sbml_compartment(const struct rd_sbml *s, const struct rd_sbml_symbol *x)
{
    return x->kind == RD_SBML_SPECIES && x->compartment >= 0 ? &s->symbol[x->compartment] : NULL;
}

double rd_sbml_voxel_size(struct rd_sbml *s)
{
    return size_of_compartment(s, s->voxel);
}

/* Returns the value of a species' symbol at the start: an amount or a concentration. */
static double start_of_species(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    const Species_t *const species = x->object;
    const bool has_concentration = Species_isSetInitialConcentration(species);
    const double given = has_concentration ? Species_getInitialConcentration(species)
                                           : Species_getInitialAmount(species);
    if (has_concentration == x->is_concentration)
        return given;
    const double size = size_of_compartment(s, x->compartment);
    if (size == 0.0) {
        rd_sbml_fail(s, "is a concentration in the compartment '%.60s' of size 0; give that a size",
                     s->symbol[x->compartment].id);
        return 0.0;
    }
    return has_concentration ? given * size : given / size;
}

/* Returns the number that the document gives for the symbol. */
static double given_number(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    double value;
    if (!is_set(s, x)) {
        if (x->kind == RD_SBML_PARAMETER) {
            rd_sbml_fail(s, "has no value; give it one");
            return 0.0;
        }
        rd_sbml_note(s, "has no %s; it is %d",
                     x->kind == RD_SBML_SPECIES ? "initial amount" : "size",
                     x->kind == RD_SBML_SPECIES ? 0 : 1);
        return x->kind == RD_SBML_SPECIES ? 0.0 : 1.0;
    }
    value = x->kind == RD_SBML_COMPARTMENT ? Compartment_getSize(x->object)
            : x->kind == RD_SBML_PARAMETER ? Parameter_getValue(x->object)
                                           : start_of_species(s, x);
    if (!isfinite(value))
        rd_sbml_fail(s, "its value is %g; give a finite one", value);
    else if (x->kind == RD_SBML_COMPARTMENT && value < 0.0)
        rd_sbml_fail(s, "its size is %g; give a positive one", value);
    return isfinite(value) ? value : 0.0;
}

/* ---- at the start ---- */

/* Returns the value at the start, without memory of it. */
static rd_formula find_start(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    const bool is_ruled = x->rule && Rule_isAssignment(x->rule);
    if (x->kind == RD_SBML_REACTION) {
        rd_sbml_fail(s, "its rate is used at the start, which is not supported; use its law");
        return rd_formula_number(&s->pool, 0.0);
    }
    if (is_ruled)
        return rd_sbml_math(s, Rule_getMath(x->rule), true, NULL);
    if (x->kind == RD_SBML_REFERENCE)
        return rd_formula_number(&s->pool, rd_sbml_stoichiometry(s, x->object));
    if (x->initial)
        return rd_sbml_math(s, InitialAssignment_getMath(x->initial), true, NULL);
    return rd_formula_number(&s->pool, given_number(s, x));
}

/* Computes a value once; a symbol that needs itself is an error. */
static rd_formula compute_once(struct rd_sbml *s, struct rd_sbml_symbol *x, struct rd_sbml_value *v,
                               rd_formula (*find)(struct rd_sbml *, struct rd_sbml_symbol *))
{
    const struct place before = keep_place(s);
    if (v->state == RD_SBML_DONE)
        return v->formula;
    about_symbol(s, x);
    if (v->state == RD_SBML_OPEN) {
        rd_sbml_fail(s, "is computed from itself; remove the circle");
        v->formula = rd_formula_number(&s->pool, 0.0);
    } else {
        v->state = RD_SBML_OPEN;
        v->formula = find(s, x);
    }
    v->state = RD_SBML_DONE;
    return_to(s, &before);
    return v->formula;
}

rd_formula rd_sbml_start(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    const rd_formula f = compute_once(s, x, &x->start, find_start);
    const bool is_parameter = x->role == RD_SBML_IS_PARAMETER &&
                              (x->kind == RD_SBML_PARAMETER || x->kind == RD_SBML_COMPARTMENT);
    return is_parameter ? named(s, RD_FORMULA_NAME, x) : f;
}

static double value_at_start(void *of, rd_formula name)
{
    struct rd_sbml *const s = of;
    struct rd_sbml_symbol *const x = rd_sbml_named(s, name);
    if (x && x->role == RD_SBML_IS_COUNT) {
        const bool is_density = name->kind == RD_FORMULA_CONCENTRATION && !x->is_bracketed;
        return floor(x->count + 0.5) / (is_density ? size_of_compartment(s, x->compartment) : 1.0);
    }
    if (x) {
        rd_sbml_start(s, x);
        return rd_sbml_number(s, x->start.formula);
    }
    if (strcmp(name->name, "t") == 0)
        return 0.0;
    if (strcmp(name->name, "volume") == 0)
        return size_of_compartment(s, s->voxel);
    for (int i = 0; i < s->n_constants; i++)
        if (strcmp(s->constant[i].name, name->name) == 0)
            return s->constant[i].value;
    return NAN;
}

double rd_sbml_number(struct rd_sbml *s, rd_formula f)
{
    return rd_formula_value(f, value_at_start, s);
}

/* ---- during the simulation ---- */

bool rd_sbml_varies(const void *of, rd_formula name)
{
    const struct rd_sbml *const s = of;
    const struct rd_sbml_symbol *const x = rd_sbml_named(s, name);
    bool does = !x && strcmp(name->name, "t") == 0;
    for (int i = 0; i < s->n_constants && !x && !does; i++)
        does = s->constant[i].is_set && strcmp(s->constant[i].name, name->name) == 0;
    return does ||
           (x && (x->role == RD_SBML_IS_COUNT || x->role == RD_SBML_IS_ODE || x->is_set_by_event));
}

/* Returns the size of the compartment of a species. */
static rd_formula size_now(struct rd_sbml *s, const struct rd_sbml_symbol *x, bool is_start)
{
    struct rd_sbml_symbol *const c = &s->symbol[x->compartment];
    return is_start ? rd_sbml_start(s, c) : rd_sbml_now(s, c);
}

rd_formula rd_sbml_count(struct rd_sbml *s, const struct rd_sbml_symbol *x)
{
    return named(s, x->is_bracketed ? RD_FORMULA_CONCENTRATION : RD_FORMULA_NAME, x);
}

static rd_formula count_now(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    const rd_formula items = rd_sbml_factor(s, x->items);
    if (!x->is_concentration || x->compartment < 0)
        return rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, rd_sbml_count(s, x), items);
    if (s->has_mixed || x->compartment == s->voxel)
        return rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, named(s, RD_FORMULA_CONCENTRATION, x),
                               items);
    const rd_formula unit =
        rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, items, size_now(s, x, false));
    return rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, rd_sbml_count(s, x), unit);
}

static rd_formula find_now(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    switch (x->role) {
    case RD_SBML_IS_COUNT:
        return count_now(s, x);
    case RD_SBML_IS_VOLUME:
        return rd_formula_name(&s->pool, RD_FORMULA_NAME, "volume");
    case RD_SBML_IS_FORMULA:
        if (x->solved)
            return x->solved;
        if (x->kind == RD_SBML_REACTION)
            return rd_sbml_law(s, x->object);
        if (x->kind == RD_SBML_REFERENCE)
            return rd_formula_number(&s->pool, rd_sbml_stoichiometry(s, x->object));
        return rd_sbml_math(s, Rule_getMath(x->rule), false, NULL);
    default:
        return named(s, RD_FORMULA_NAME, x);
    }
}

rd_formula rd_sbml_now(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    return compute_once(s, x, &x->now, find_now);
}

rd_formula rd_sbml_molecules(struct rd_sbml *s, struct rd_sbml_symbol *x, rd_formula value,
                             bool is_start)
{
    rd_formula amount = value;
    if (x->is_concentration && x->compartment >= 0)
        amount = rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, value, size_now(s, x, is_start));
    return rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, amount, rd_sbml_factor(s, x->items));
}

/* Returns total(NAME), over the volume if it is a concentration. */
static rd_formula total_of_name(struct rd_sbml *s, const struct rd_sbml_symbol *x, rd_formula name)
{
    const rd_formula plain = rd_formula_name(&s->pool, RD_FORMULA_NAME, name->name);
    const rd_formula total = rd_formula_call(&s->pool, "total", plain);
    if (name->kind == RD_FORMULA_NAME)
        return total;
    const rd_formula size = s->has_mixed ? named(s, RD_FORMULA_NAME, &s->symbol[x->compartment])
                                         : rd_formula_number(&s->pool, rd_sbml_voxel_size(s));
    return rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, total, size);
}

rd_formula rd_sbml_of_run(struct rd_sbml *s, rd_formula f)
{
    const bool is_name = f->kind == RD_FORMULA_NAME || f->kind == RD_FORMULA_CONCENTRATION;
    const struct rd_sbml_symbol *const x = is_name ? rd_sbml_named(s, f) : NULL;
    if (is_name && !x && strcmp(f->name, "volume") == 0)
        return rd_formula_number(&s->pool, size_of_compartment(s, s->voxel));
    if (is_name)
        return x && (x->role == RD_SBML_IS_COUNT || x->is_counted) ? total_of_name(s, x, f) : f;
    rd_formula *const part = f->n > 0 ? rd_formula_list(&s->pool, (size_t)f->n) : NULL;
    if (!part)
        return f;
    for (int i = 0; i < f->n; i++)
        part[i] = rd_sbml_of_run(s, f->part[i]);
    return rd_formula_of(&s->pool, f->kind, f->name, part, f->n);
}

/* ---- reactions ---- */

rd_formula rd_sbml_law(struct rd_sbml *s, Reaction_t *r)
{
    KineticLaw_t *const law = Reaction_getKineticLaw(r);
    enum { LOCALS_MOST = 256 };
    struct rd_sbml_local local[LOCALS_MOST];
    int n = 0;
    rd_sbml_about(s, SBase_getLine((SBase_t *)(law ? (void *)law : (void *)r)), "reaction '%.60s'",
                  Reaction_getId(r));
    if (!law || !KineticLaw_isSetMath(law)) {
        rd_sbml_fail(s, "has no kinetic law; give it one");
        return rd_formula_number(&s->pool, 0.0);
    }
    for (; n < LOCALS_MOST && rd_sbml_local_parameter(s, law, (unsigned)n); n++) {
        Parameter_t *const p = rd_sbml_local_parameter(s, law, (unsigned)n);
        local[n] = (struct rd_sbml_local){
            .id = Parameter_getId(p),
            .value = rd_formula_name(&s->pool, RD_FORMULA_NAME, SBase_getUserData((SBase_t *)p)),
            .next = n > 0 ? &local[n - 1] : NULL};
    }
    if (rd_sbml_local_parameter(s, law, LOCALS_MOST))
        rd_sbml_fail(s, "has more than %d parameters of its own; use fewer", n);
    return rd_sbml_math(s, KineticLaw_getMath(law), false, n > 0 ? &local[n - 1] : NULL);
}

static double refuse_stoichiometry(struct rd_sbml *s, const char *what, const char *id)
{
    rd_sbml_fail(s, "%s changes the stoichiometry '%.60s'; write a number", what, id);
    return NAN;
}

/* Returns the value of math that does not change; else NAN, with a message about the stoichiometry
   of this id. */
static double steady_stoichiometry(struct rd_sbml *s, const ASTNode_t *math, const char *what,
                                   const char *id)
{
    const rd_formula f = rd_sbml_math(s, math, false, NULL);
    return rd_formula_any(f, rd_sbml_varies, s) ? refuse_stoichiometry(s, what, id)
                                                : rd_sbml_number(s, f);
}

double rd_sbml_stoichiometry(struct rd_sbml *s, SpeciesReference_t *r)
{
    struct rd_sbml_symbol *const x = rd_sbml_find(s, SpeciesReference_getId(r));
    if (x && x->rule)
        return Rule_isAssignment(x->rule)
                   ? steady_stoichiometry(s, Rule_getMath(x->rule), "a rule", x->id)
                   : refuse_stoichiometry(s, "a rule", x->id);
    if (x && x->is_set_by_event)
        return refuse_stoichiometry(s, "an event", x->id);
    if (x && x->initial)
        return rd_sbml_number(s,
                              rd_sbml_math(s, InitialAssignment_getMath(x->initial), true, NULL));
    if (SpeciesReference_isSetStoichiometryMath(r))
        return steady_stoichiometry(
            s, StoichiometryMath_getMath(SpeciesReference_getStoichiometryMath(r)),
            "stoichiometryMath", SpeciesReference_getSpecies(r));
    if (SpeciesReference_isSetStoichiometry(r))
        return SpeciesReference_getStoichiometry(r) / SpeciesReference_getDenominator(r);
    if (s->level >= 3) /* level 2: it is 1 by definition */
        rd_sbml_note(s, "a stoichiometry of '%.60s' is not given; it is 1",
                     SpeciesReference_getSpecies(r));
    return 1.0;
}

void rd_sbml_write_number(FILE *out, double number)
{
    char text[RD_NUMBER_BYTES];
    rd_text_number(number, text);
    fputs(text, out);
    if (!strpbrk(text, ".en") && fabs(number) > INT32_MAX)
        fputs(".0", out); /* an integer would need more than 32 bits */
}
