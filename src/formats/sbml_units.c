/* sbml_units - the units of an SBML model: numbers of molecules, and the unit of time. */
#include "expr/units.h"
#include "formats/sbml_model.h"

#include <math.h>
#include <string.h>

/* Returns the molecules in one unit of a definition; 0 if it is no unit of substance. */
static double items_of_definition(const UnitDefinition_t *d)
{
    double items = 1.0;
    for (unsigned i = 0; i < UnitDefinition_getNumUnits(d); i++) {
        const Unit_t *const u = UnitDefinition_getUnit((UnitDefinition_t *)d, i);
        const double exponent = Unit_getExponentAsDouble(u);
        double one = Unit_getMultiplier(u);
        for (int k = Unit_getScale(u); k != 0 && isnormal(one); k -= k > 0 ? 1 : -1)
            one = k > 0 ? one * 10.0 : one / 10.0;
        if (Unit_isMole(u))
            one *= RD_AVOGADRO;
        else if (!Unit_isItem(u) && !Unit_isDimensionless(u))
            return 0.0;
        if (exponent != 1.0 && !(Unit_isDimensionless(u) && one == 1.0))
            return 0.0;
        items *= one;
    }
    return isnormal(items) ? items : 0.0;
}

double rd_sbml_items_per_unit(struct rd_sbml *s, const char *units)
{
    if (!units || !*units)
        return 0.0;
    const UnitDefinition_t *const d = Model_getUnitDefinitionById(s->model, units);
    const double items = d                                     ? items_of_definition(d)
                         : strcmp(units, "item") == 0          ? 1.0
                         : strcmp(units, "dimensionless") == 0 ? 1.0
                         : strcmp(units, "mole") == 0          ? RD_AVOGADRO
                         : strcmp(units, "avogadro") == 0      ? RD_SBML_AVOGADRO
                                                               : 0.0;
    if (!(items > 0.0) && (d || strcmp(units, "substance") != 0))
        rd_sbml_fail(s, "unit '%.60s' measures no number of molecules; use item or mole", units);
    return items;
}

bool rd_sbml_is_model_time(const struct rd_sbml *s, const char *units)
{
    return strcmp(units, "time") == 0 ||
           (strcmp(units, "second") == 0 && !Model_getUnitDefinitionById(s->model, "time"));
}

void rd_sbml_check_units_of_law(struct rd_sbml *s, Reaction_t *r)
{
    const KineticLaw_t *const law = Reaction_getKineticLaw(r);
    const char *const time = KineticLaw_isSetTimeUnits(law) ? KineticLaw_getTimeUnits(law) : "time";
    rd_sbml_about(s, SBase_getLine((SBase_t *)r), "reaction '%.60s'", Reaction_getId(r));
    if (!rd_sbml_is_model_time(s, time))
        rd_sbml_fail(s, "its law is per '%.60s'; convert it to the time unit of the model", time);
    const char *const unit =
        KineticLaw_isSetSubstanceUnits(law) ? KineticLaw_getSubstanceUnits(law) : "substance";
    if (strcmp(unit, "substance") != 0 && rd_sbml_items_per_unit(s, unit) != s->extent)
        rd_sbml_fail(s, "its law is in '%.60s'; convert it to the model's unit of substance", unit);
}

/* Returns whether all amounts at the start are whole numbers. */
static bool has_whole_amounts(const struct rd_sbml *s)
{
    bool is = true;
    for (unsigned i = 0; i < Model_getNumSpecies(s->model); i++) {
        const Species_t *const x = Model_getSpecies(s->model, i);
        const double amount = Species_isSetInitialAmount(x)          ? Species_getInitialAmount(x)
                              : Species_isSetInitialConcentration(x) ? NAN
                                                                     : 0.0;
        is = is && amount == floor(amount);
    }
    return is;
}

/* Level 2 has the mole where a model says nothing; models of molecules often say nothing, too. */
double rd_sbml_default_items(struct rd_sbml *s, const char *units)
{
    double items = rd_sbml_items_per_unit(s, s->level < 3 ? "substance" : units);
    if (items > 0.0)
        return items;
    if (s->level >= 3)
        return 1.0;
    if (!has_whole_amounts(s))
        return RD_AVOGADRO;
    rd_sbml_about(s, 1, "model");
    rd_sbml_note(s, "does not define the unit 'substance', and all initial amounts are whole "
                    "numbers; they are taken as numbers of molecules, not moles");
    return 1.0;
}
