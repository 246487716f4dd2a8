/* keys - THE TABLE of keys; keys_regions.c has the sections of regions, fields
   and borders, keys_run.c those of time, output and runs. */
#include "config/keytable.h"
#include "kernels/core/rng.h"

#include <stdint.h>
#include <string.h>

/* ---- lattice and units ---- */

static const struct rd_key units_keys[] = {
    {"length", RD_KEY_TEXT, .standard = "\"\"", .meaning = "The unit of length, as \"um\"."},
    {"time", RD_KEY_TEXT, .standard = "\"\"",
     .meaning = "The unit of time, as \"s\". Results have the symbol of a word: h for hours."},
};
SECTION(
    units, "units",
    "The units of every number of the configuration that is a length, a time or made of them. "
    "If both are in the table of docs/units.md, such a number may also be a quantity: a text "
    "of a number and units, as \"50 nM\" or \"0.5 um^2/s\", which is converted and checked. "
    "A parameter must not have the name of a unit of the table then. Other names, as \"pixel\", "
    "only stand in results and plots. A unit of another dimension is an error.");

static const struct rd_key wall_keys[] = {
    {"kind", RD_KEY_WORD, .required = true,
     .words = {"reflect", "periodic", "absorb", "reservoir", "ballistic"},
     .meaning =
         "The fate of a molecule that would cross the face: it stays (reflect), re-enters at the "
         "opposite face (periodic), is removed and counted (absorb), is removed while others enter "
         "(reservoir; not for individuals), or stays while its drift along the axis, which must be "
         "one of its attributes, changes sign (ballistic; for individuals only)."},
    {"probability", RD_KEY_NUMBER, BETWEEN(0, 1), .absent = "1", .unit = "probability",
     .meaning = "With `absorb`: the probability that an attempt to cross succeeds; otherwise the "
                "molecule stays."},
    {"mean", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules per voxel",
     .meaning = "With `reservoir`: the mean number of molecules in a voxel's volume beyond the "
                "face. A reservoir has exactly one of `mean` and `density`."},
    {"density", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules/volume",
     .meaning = "With `reservoir`: the same as a density."},
};
SECTION(wall, "a wall as a group", "As in `xmin = { kind = \"absorb\"; probability = 0.5; }`.");

#define WALL_WORDS                                                                                 \
    {                                                                                              \
        "reflect", "periodic", "absorb", "ballistic"                                               \
    }
#define WALL(face, what)                                                                           \
    {                                                                                              \
        face, RD_KEY_CHOICE, .words = WALL_WORDS, .meaning = what, .inside = &wall                 \
    }
static const struct rd_key walls_keys[] = {
    WALL("x", "Both faces of the x axis."),         WALL("y", "Both faces of the y axis."),
    WALL("z", "Both faces of the z axis."),         WALL("xmin", "The face at the low end of x."),
    WALL("xmax", "The face at the high end of x."), WALL("ymin", "The face at the low end of y."),
    WALL("ymax", "The face at the high end of y."), WALL("zmin", "The face at the low end of z."),
    WALL("zmax", "The face at the high end of z."),
};
SECTION(walls, "grid.walls, species[].walls",
        "Each wall is a word or a group. A face that is not named reflects; a single face "
        "overrides its axis, and a species' walls override the grid's, face by face. Periodic "
        "walls hold for both faces of an axis.");

static const struct rd_key grid_keys[] = {
    {"voxels", RD_KEY_INTEGERS, .required = true, BETWEEN(1, INT32_MAX), .unit = "voxels",
     .meaning = "Number of voxels along each axis. The length of the list is the dimension: `100` "
                "or `(100)` is a line, `(64, 64)` a plane, `(64, 64, 1)` a layer."},
    {"edge", RD_KEY_VECTOR, .required = true, POSITIVE, .unit = "length",
     .meaning = "Edges of a voxel, one for each axis, or one number for all."},
    {"origin", RD_KEY_VECTOR, .each = true, .standard = "0", .unit = "length",
     .meaning = "Coordinates of the box's low corner; 0 on all axes by default."},
    {"walls", RD_KEY_CHOICE, .words = WALL_WORDS, .absent = "every face reflects",
     .meaning = "The walls of the faces; a word is for all of them.", .inside = &walls},
};
SECTION(grid, "grid", "The lattice of voxels.");

/* ---- species and events ---- */

static const struct rd_key attribute_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for expressions (`speed`, or `walker.speed` where several species "
                "meet) and for results."},
    {"kind", RD_KEY_WORD, .words = {"float", "integer"}, .standard = "\"float\"",
     .meaning = "Type of the number. The rules of an integer must give whole numbers."},
    {"initial", RD_KEY_NUMBER, .required = true,
     .meaning = "Its value in an individual that `initial` or an event places. An expression may "
                "use parameters, x, y, z, t, volume, fields, species, uniform(), normal(), and the "
                "attributes that stand before this one."},
    {"birth", RD_KEY_NUMBER,
     .absent = "the parent's attribute of this name, or if it has none `initial`",
     .meaning = "Its value in an individual that a reaction makes from another one, its parent, or "
                "next to it. An expression may also use `parent.NAME`: an attribute of the parent, "
                "as it was before the reaction."},
    {"orphan", RD_KEY_NUMBER, .absent = "`birth` if that uses no parent, or without it `initial`",
     .meaning = "Its value in an individual that a reaction makes without a parent. It is required "
                "where there is such a reaction and `birth` uses a parent."},
};
SECTION(attribute, "species[].individuals.attributes[]",
        "A number that belongs to each individual.");

static const struct rd_key individuals_keys[] = {
    {"max", RD_KEY_INTEGER, .required = true, BETWEEN(1, INT32_MAX),
     .meaning =
         "The largest number of individuals in a run; one more ends the run with a fault, "
         "immediately if one voxel exceeds it within a step. The memory is reserved at the start."},
    {"attributes", RD_KEY_LIST, .standard = "()",
     .meaning = "Numbers that belong to each individual.", .inside = &attribute},
    {"record", RD_KEY_WORD, .words = {"state", "lineage", "none"}, .standard = "\"state\"",
     .meaning = "What the result has besides their counts: every individual in each snapshot "
                "(state), also each birth and death (lineage), or nothing (none)."},
};
SECTION(individuals, "species[].individuals",
        "Makes each molecule of the species an individual, with a number that is never used again, "
        "a parent, and attributes. The individuals that react are drawn uniformly from those in "
        "the voxel, or in proportion to a reaction's `weight` or to the summand of its rate.");

static const struct rd_key species_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for equations, expressions and results."},
    {"label", RD_KEY_TEXT, .absent = "its name", .meaning = "Its name in pictures, any text."},
    {"colour", RD_KEY_TEXT, .absent = "one of a palette",
     .meaning = "Its colour in pictures: a word such as \"red\", or \"#d62728\"."},
    {"color", RD_KEY_TEXT, .meaning = "The same as `colour`."},
    {"diffusion", RD_KEY_VECTOR, NOT_NEGATIVE, .standard = "0", .unit = "length^2/time",
     .meaning = "Diffusivity, one number for all axes or one for each. An expression may use x, "
                "y, z, t, volume, fields, species, their slopes and the region: `\"if(in(gel), "
                "0.1, 1)\"`; of individuals also their attributes."},
    {"drift", RD_KEY_VECTOR, .each = true, .standard = "0", .unit = "length/time",
     .meaning =
         "Mean velocity, a number for each axis. An expression may use the same; one with "
         "gradient() is for all axes: `\"2 * gradient(food)\"`. Where it is above 2 D / h, h "
         "being the voxel's edge, the diffusivity is h / 2 times its size, in place of D."},
    {"in", RD_KEY_TEXTS, .absent = "everywhere",
     .meaning = "The region that it never leaves, or a list of regions: their union; or the "
                "compartment in which it is."},
    {"on", RD_KEY_TEXT, .absent = "the volume",
     .meaning =
         "The surface that it lives on, if it is only counted. It diffuses there at one rate, "
         "without drift."},
    {"walls", RD_KEY_CHOICE, .words = WALL_WORDS, .absent = "the grid's",
     .meaning = "The walls of the faces for this species.", .inside = &walls},
    {"store", RD_KEY_WORD, .words = {"auto", "grid", "list"}, .standard = "\"auto\"",
     .meaning =
         "How its counts are kept in memory: a number for each voxel (grid), or an entry for "
         "each voxel that has a molecule (list), for species that are rare. auto takes "
         "lists in lattices of many rare species. No result depends on it."},
    {"individuals", RD_KEY_GROUP, .absent = "molecules are only counted",
     .meaning = "Makes each molecule an individual.", .inside = &individuals},
};
SECTION(species, "species[]", "");

static const struct rd_key reaction_keys[] = {
    {"name", RD_KEY_TEXT, .absent = "its equation",
     .meaning = "Its name, for results and for `--set reactions.NAME.rate=2`. Equal equations "
                "without a name get \" #2\", \" #3\" in results. The reverse of `<->` is \"NAME, "
                "back\"."},
    {"equation", RD_KEY_TEXT, .required = true,
     .meaning = "As in \"A + 2 B -> C\"; 0 is nothing, as in \"0 -> A\". \"A + B <-> C\" is two "
                "reactions, with the speeds `rate` and `back`. Other arrows are `=>`, `-->`, `<=>` "
                "and those of Unicode. With `rate` at most 100 molecules react, of which at most "
                "8 are individuals."},
    {"rate", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "volume^(order-1)/time",
     .meaning = "Mass action's rate constant: `\"2 A -> B\"` at rate k is `d[A]/dt = -2 k [A]^2`. "
                "An expression may use parameters, t, x, y, z, volume, `in(region)`, fields, "
                "species, and sums over the individuals of a reactant, as in `\"k * "
                "sum(A.speed)\"`: a sum replaces the number of the reactant, and the individuals "
                "that react are drawn in proportion to the summand."},
    {"propensity", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "1/time",
     .meaning = "Instead of `rate`: the propensity of a voxel, as in `\"vmax * S / (km + S)\"`, "
                "where S is the number of molecules in the voxel and `[S]` their density. Sums may "
                "be over any individuals."},
    {"rate_law", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "1/(volume time)",
     .meaning = "Instead of `rate`: events per volume and time, as papers write rate laws: `\"vmax "
                "* [S] / (km + [S])\"`. The propensity of a voxel is this times its volume. Sums "
                "may be over any individuals."},
    {"back", RD_KEY_NUMBER, NOT_NEGATIVE, .absent = "the equation has one direction",
     .meaning = "With `<->`: the speed of the reverse reaction, in the form in which the other one "
                "is given: a rate constant, a propensity or a rate law."},
    {"rate_model", RD_KEY_WORD, .words = {"mass_action", "microscopic", "instant"},
     .absent = "\"mass_action\"",
     .meaning =
         "\"microscopic\": two molecules that diffuse react with the intrinsic rate `rate` when "
         "they touch, at the distance `radius` (Collins and Kimball). The rate constant of the "
         "voxels "
         "is chosen so that the lattice reacts as fast as that. Only for cubes in three "
         "dimensions. \"instant\": with `A <-> P` between voxels and a compartment: each step "
         "places the molecules of both anew, as after a long time; only the ratio of `rate` and "
         "`back` matters."},
    {"radius", RD_KEY_NUMBER, POSITIVE, .unit = "length",
     .meaning =
         "With `rate_model = \"microscopic\"`: the distance at which the two molecules touch."},
    {"reverse", RD_KEY_TEXT, .absent = "no other rate changes",
     .meaning = "With `rate_model = \"microscopic\"`: the equation of the reverse reaction, as in "
                "\"C -> A "
                "+ B\". Its rate is corrected by the same factor, so that the equilibrium stays."},
    {"weight", RD_KEY_NUMBER, NOT_NEGATIVE, .absent = "equal weights, or the summand of the rate",
     .meaning = "The individuals of one reactant are drawn in proportion to it. An expression of "
                "their attributes (`A.age`, or `age` if no other reactant has individuals), "
                "parameters, t, x, y, z, volume, fields and species."},
    {"becomes", RD_KEY_TEXTS, .absent = "reactants and products in the order of their names",
     .meaning = "Which product is the same individual as which reactant, as in `\"busy -> "
                "mRNA\"`, or a list of such pairs: it keeps the id, the parent, the time of birth "
                "and the attributes of the same name (docs/theory.md). With `<->` the reverse "
                "reaction has the reverse pairs."},
    {"in", RD_KEY_TEXTS, .absent = "everywhere",
     .meaning = "The region, or regions, in which it happens, or the compartment."},
};
SECTION(reaction, "reactions[]",
        "Each has an equation, and exactly one of `rate`, `propensity` and `rate_law`.");

static const struct rd_key observable_keys[] = {
    {"name", RD_KEY_TEXT, .required = true, .meaning = "Its name, for results."},
    {"sum", RD_KEY_TEXT,
     .meaning = "The species that are added up, as in `\"A + 2 D\"`: a whole number and a species "
                "each. 0 is no species."},
    {"value", RD_KEY_TEXT,
     .meaning = "Instead of `sum`: an expression of totals, parameters, t and volume, as in "
                "`\"total(A) / (1 + t)\"`."},
};
SECTION(observable, "observables[]",
        "A named number of molecules in all voxels, or another number, which the result has beside "
        "the totals of species. Each has exactly one of `sum` and `value`.");

static const struct rd_key ode_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for expressions, events and results. It is a parameter with a value of "
                "its own in each run."},
    {"value", RD_KEY_NUMBER, .required = true,
     .meaning = "Its value at the start. An expression may use parameters."},
    {"rate", RD_KEY_NUMBER, .required = true, .unit = "its value/time",
     .meaning = "Its change per time, as in `\"k * total(A) - d * x\"`. An expression may use "
                "parameters, other variables, totals, t and volume."},
};
SECTION(ode, "odes[]",
        "A variable x that follows an ordinary differential equation dx/dt = rate between the "
        "reactions, with an error of 1e-10 in each step. It needs `solver = \"exact\"` and one "
        "voxel. Propensities, conditions and rates may use it, and events may `set` it.");

/* ---- root ---- */

static const struct rd_key root_keys[] = {
    {"include", RD_KEY_TEXTS, .absent = "no other file",
     .meaning = "Other configurations that are part of this one, as in `include = \"model.cfg\"`. "
                "Their paths count from the folder of this file, and its values win over theirs: "
                "docs/models.md."},
    {"title", RD_KEY_TEXT, .standard = "\"\"", .meaning = "Title of the result."},
    {"units", RD_KEY_GROUP, .standard = "{}", .meaning = "The units of length and time.",
     .inside = &units},
    {"grid", RD_KEY_GROUP, .required = true, .meaning = "The lattice.", .inside = &grid},
    {"parameters", RD_KEY_NAMES, .standard = "{}",
     .meaning =
         "Named numbers for expressions, as in `parameters = { k = 0.01; k2 = \"2 * k\"; };`, "
         "in any order. These are what `--set parameters.k=0.02` and events change."},
    {"tables", RD_KEY_GROUPS, .standard = "{}",
     .meaning = "Named lists of numbers, which `look(name, index)` reads in expressions.",
     .inside = &rd_keys_table},
    {"regions", RD_KEY_LIST, .standard = "()", .meaning = "Named parts of the box.",
     .inside = &rd_keys_region},
    {"surfaces", RD_KEY_LIST, .standard = "()",
     .meaning = "Boundaries of regions, on which species live.", .inside = &rd_keys_surface},
    {"compartments", RD_KEY_LIST, .standard = "()",
     .meaning = "Well-mixed volumes beside the lattice.", .inside = &rd_keys_compartment},
    {"fields", RD_KEY_LIST, .standard = "()", .meaning = "Named numbers, one in each voxel.",
     .inside = &rd_keys_field},
    {"borders", RD_KEY_LIST, .standard = "()",
     .meaning = "Transmission probabilities of hops between two regions.",
     .inside = &rd_keys_border},
    {"species", RD_KEY_LIST, .required = true, .meaning = "The species.", .inside = &species},
    {"reactions", RD_KEY_LIST, .standard = "()", .meaning = "The reactions.", .inside = &reaction},
    {"odes", RD_KEY_LIST, .standard = "()",
     .meaning = "Variables that follow ordinary differential equations.", .inside = &ode},
    {"observables", RD_KEY_LIST, .standard = "()",
     .meaning = "Named sums of totals, and named expressions, for the result.",
     .inside = &observable},
    {"initial", RD_KEY_LIST, .standard = "()", .meaning = "The molecules at time 0.",
     .inside = &rd_keys_initial},
    {"events", RD_KEY_LIST, .standard = "()",
     .meaning = "Changes at set times, or when a condition becomes true.",
     .inside = &rd_keys_event},
    {"time", RD_KEY_GROUP, .required = true, .meaning = "The end, the step and when runs stop.",
     .inside = &rd_keys_span},
    {"output", RD_KEY_LISTABLE, .standard = "{}",
     .meaning = "The contents, times and file of the result.", .inside = &rd_keys_output},
    {"run", RD_KEY_GROUP, .standard = "{}", .meaning = "Seed and number of runs.",
     .inside = &rd_keys_run},
    {"solver", RD_KEY_WORD, .words = {"split", "exact"}, .standard = "\"split\"",
     .meaning = "Movement and reactions in turn, step by step (split), or event by event without "
                "any step (exact, on the CPU)."},
    {"splitting", RD_KEY_WORD, .words = {"strang", "lie"}, .standard = "\"strang\"",
     .meaning = "Order of the split solver: half the reactions, movement, the other half (strang, "
                "second order), or reactions, then movement (lie, first order)."},
};
const struct rd_section rd_keys_root = {
    .title = "a configuration",
    .n_keys = sizeof root_keys / sizeof root_keys[0],
    .key = root_keys,
};

const struct rd_section *const rd_keys_sections[] = {
    &rd_keys_root,
    &units,
    &grid,
    &walls,
    &wall,
    &rd_keys_table,
    &rd_keys_region,
    &rd_keys_box,
    &rd_keys_ball,
    &rd_keys_rod,
    &rd_keys_half,
    &rd_keys_oval,
    &rd_keys_labels,
    &rd_keys_surface,
    &rd_keys_compartment,
    &rd_keys_field,
    &rd_keys_border,
    &species,
    &individuals,
    &attribute,
    &reaction,
    &ode,
    &observable,
    &rd_keys_initial,
    &rd_keys_event,
    &rd_keys_add,
    &rd_keys_removed,
    &rd_keys_divided,
    &rd_keys_converted,
    &rd_keys_span,
    &rd_keys_output,
    &rd_keys_by,
    &rd_keys_run,
    NULL,
};

/* ---- a sweep ---- */

static const struct rd_key series_keys[] = {
    {"from", RD_KEY_NUMBER, .meaning = "The first of a series of numbers."},
    {"to", RD_KEY_NUMBER, .meaning = "The last one; with `points = 1` the same as `from`."},
    {"points", RD_KEY_INTEGER, .required = true, BETWEEN(1, 1 << 20),
     .meaning = "Number of values."},
    {"scale", RD_KEY_WORD, .words = {"linear", "log"}, .standard = "\"linear\"",
     .meaning = "Equal steps, or equal factors. Values between the ends are rounded to 14 "
                "digits."},
    {"random", RD_KEY_TEXT,
     .meaning = "Instead of `from` and `to`: an expression with new random numbers for each value, "
                "as \"uniform(0, 1)\" or \"10 ^ normal(0, 1)\"."},
};
SECTION(series, "vary[].values as a group",
        "As in `values = { from = 0.1; to = 10.0; points = 7; scale = \"log\"; }`.");

static const struct rd_key vary_keys[] = {
    {"path", RD_KEY_TEXT, .required = true,
     .meaning =
         "The key of the base that is varied, as for --set: `parameters.k`, `species.A.diffusion`, "
         "`grid.voxels`. Not `run.seed` and `output.file`, which differ between tasks."},
    {"name", RD_KEY_TEXT, .absent = "the last part of the path",
     .meaning = "Its name in tables, in names of files and in the collected file."},
    {"values", RD_KEY_VALUES, .required = true, .meaning = "Its values, one after the other.",
     .inside = &series},
};
SECTION(vary, "vary[]", "One key of the base and its values.");

static const struct rd_key sweep_keys[] = {
    {"base", RD_KEY_TEXT, .required = true,
     .meaning = "The configuration that is varied; its path counts from the folder of the sweep."},
    {"vary", RD_KEY_LIST, .required = true, .meaning = "The keys that are varied.",
     .inside = &vary},
    {"combine", RD_KEY_WORD, .words = {"product", "zip"}, .standard = "\"product\"",
     .meaning = "Every value with every other (product; the last key varies fastest), or the "
                "first values together, the second ones together, and so on (zip)."},
    {"repeats", RD_KEY_INTEGER, BETWEEN(1, 1 << 20), .standard = "1",
     .meaning = "Number of runs of each point, each with another seed."},
    {"seed", RD_KEY_INTEGER, BETWEEN(0, RD_SEED_END - 1), .standard = "1",
     .meaning = "Together with the numbers of the point and the repeat it gives the seed of each "
                "task; no two tasks of a sweep have the same. The seed of the base is not used."},
    {"output", RD_KEY_TEXT, .absent = "SWEEP/{task}.h5, where the sweep is SWEEP.cfg",
     .meaning = "Names of the results, counted from the folder of the sweep. `{task}`, `{point}`, "
                "`{repeat}` and the names of what is varied in braces stand for their values, as "
                "in `k{k}/{repeat}.h5`. The part before the first brace may name any folder; after "
                "it no part of a name may be empty, `.` or `..`."},
};
const struct rd_section rd_keys_sweep = {
    .title = "a sweep",
    .about = "A file for `rdsim sweep`: runs of one configuration with other values.",
    .n_keys = sizeof sweep_keys / sizeof sweep_keys[0],
    .key = sweep_keys,
};

const struct rd_section *const rd_keys_of_sweeps[] = {&rd_keys_sweep, &vary, &series, NULL};

const struct rd_key *rd_key_find(const struct rd_section *s, const char *name)
{
    for (int i = 0; i < s->n_keys; i++) {
        if (strcmp(s->key[i].name, name) == 0)
            return &s->key[i];
    }
    return NULL;
}
