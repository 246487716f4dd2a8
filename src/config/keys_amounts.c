/* keys_amounts - the rows of THE TABLE for the molecules at the start and for events. */
#include "config/keytable.h"
#include "kernels/core/rng.h"

#include <stdint.h>

#define WHERE                                                                                      \
    {"in", RD_KEY_TEXTS, .absent = "the region of the species",                                    \
     .meaning = "The region, or a list of regions."},                                              \
        {"at", RD_KEY_VECTOR, .each = true, .unit = "length",                                      \
         .meaning = "A position, which selects one voxel. Between two voxels (within 1e-9 of an "  \
                    "edge of the face) it is the upper one, on the high face of the grid the "     \
                    "last. At most one of `in`, `at`, `voxel` and `voxels`."},                     \
        {"voxel",          RD_KEY_INTEGERS,                                                        \
         .each = true,     BETWEEN(0, INT32_MAX - 1),                                              \
         .unit = "voxels", .meaning = "The one voxel of these indices, counted from 0."},          \
    {                                                                                              \
        "voxels", RD_KEY_WHOLES, BETWEEN(0, 9e15),                                                 \
            .unit = "voxels",                                                                      \
            .meaning = "The voxels of these numbers, rising. The voxel (i, j, k) "                 \
                       "of a grid of nx, ny, nz has the number (k ny + j) nx + i."                 \
    }
#define MUCH                                                                                       \
    {"count", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules",                                    \
     .meaning = "A number of molecules over the whole place, each in a random voxel."},            \
        {"density", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules/volume",                       \
         .meaning = "Mean molecules per volume. An expression may use parameters, x, y, z, "       \
                    "volume, fields and `in(region)`."},                                           \
        {"value", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules/voxel",                          \
         .meaning = "Mean molecules in each voxel. An expression may use the same."},              \
        WHERE,                                                                                     \
        {"spread", RD_KEY_WORD, .words = {"random", "even", "poisson"},                            \
         .absent = "\"random\" for `count`, \"even\" otherwise",                                   \
         .meaning = "The distribution of the molecules: each in a random voxel (a count), as "     \
                    "evenly as integers with the right mean allow (all), or a Poisson number in "  \
                    "each voxel (a density or value)."},                                           \
    {                                                                                              \
        "attributes", RD_KEY_NAMES,                                                                \
            .absent = "each attribute's `initial`",                                                \
            .meaning = "For individuals: rules that replace `initial` of their attributes, as in " \
                       "`attributes = { age = 3; };`."                                             \
    }

static const struct rd_key initial_keys[] = {
    {"name", RD_KEY_TEXT,
     .meaning = "Its name, by which `--set`, sweeps and including files find it."},
    {"species", RD_KEY_TEXT, .absent = "with `from`: all species of the snapshot",
     .meaning = "The species."},
    MUCH,
    {"from", RD_KEY_TEXT,
     .meaning = "A result file that provides the counts: those of run r for run r, or those of its "
                "only run for every run."},
    {"at_time", RD_KEY_NUMBER, NOT_NEGATIVE, .absent = "its last", .unit = "time",
     .meaning = "With `from`: the time of the snapshot."},
};
const struct rd_section rd_keys_initial = SECTION_OF(
    initial, "initial[]",
    "The molecules at time 0. Each entry has exactly one of `count`, `density`, `value` and "
    "`from`; entries add up.");

static const struct rd_key add_keys[] = {
    {"species", RD_KEY_TEXT, .required = true, .meaning = "The species."},
    MUCH,
};
const struct rd_section rd_keys_add = SECTION_OF(
    add, "events[].add", "As in `initial`: exactly one of `count`, `density` and `value`.");

#define SHARE                                                                                      \
    {"all", RD_KEY_BOOL, .meaning = "`true`: all of them."},                                       \
        {"fraction", RD_KEY_NUMBER, BETWEEN(0, 1), .unit = "probability",                          \
         .meaning = "This part of the molecules in the place, drawn at random. The number is "     \
                    "rounded up or down at random, so that its mean is right."},                   \
        {"probability", RD_KEY_NUMBER, BETWEEN(0, 1), .unit = "probability",                       \
         .meaning = "Each molecule with this probability, independently of the others: a "         \
                    "binomial number."},                                                           \
    {                                                                                              \
        "each", RD_KEY_INTEGER, BETWEEN(1, INT32_MAX),                                             \
            .unit = "molecules/voxel",                                                             \
            .meaning = "This number in every voxel of the place. A larger "                        \
                       "number than present ends the run with a fault."                            \
    }

static const struct rd_key removed_keys[] = {
    {"species", RD_KEY_TEXT, .required = true, .meaning = "The species."},
    {"count", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules",
     .meaning = "Number of molecules, drawn at random from those present. A larger number than "
                "present ends the run with a fault; `all` does not."},
    SHARE,
    WHERE,
};
const struct rd_section rd_keys_removed =
    SECTION_OF(removed, "events[].remove",
               "Exactly one of `count`, `all`, `fraction`, `probability` and `each`.");

static const struct rd_key divided_keys[] = {
    {"stays", RD_KEY_NUMBER, .required = true, BETWEEN(0, 1), .unit = "probability",
     .meaning = "The probability with which each molecule stays, independently of the others: 0.5 "
                "for a cell that divides into two of equal size. All others are removed."},
    {"species", RD_KEY_TEXT, .absent = "every species", .meaning = "The species."},
    WHERE,
};
const struct rd_section rd_keys_divided = SECTION_OF(divided, "events[].divide", "");

static const struct rd_key converted_keys[] = {
    {"equation", RD_KEY_TEXT, .required = true,
     .meaning =
         "`\"A -> B\"`: molecules of A become B, in their voxels. An individual that becomes "
         "an individual keeps its id, its parent, its time of birth and the attributes of "
         "the same name; others follow their `initial`."},
    {"attributes", RD_KEY_NAMES, .absent = "as above",
     .meaning = "For individuals: rules of the attributes that B gets, as in `attributes = { size "
                "= \"parent.size / 2\"; };`, where `parent` is the individual as it was."},
    {"count", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "molecules",
     .meaning = "Number of molecules, as in `remove`."},
    SHARE,
    WHERE,
};
const struct rd_section rd_keys_converted =
    SECTION_OF(converted, "events[].convert",
               "Exactly one of `count`, `all`, `fraction`, `probability` and `each`.");

static const struct rd_key event_keys[] = {
    {"name", RD_KEY_TEXT, .absent = "its number",
     .meaning = "Its name, for results and for `--set events.NAME.time=2`."},
    {"time", RD_KEY_NUMBER, NOT_NEGATIVE, .absent = "`every`", .unit = "time",
     .meaning = "Time of the first occurrence."},
    {"every", RD_KEY_NUMBER, POSITIVE, .absent = "it happens once", .unit = "time",
     .meaning = "Time from one occurrence to the next."},
    {"until", RD_KEY_NUMBER, NOT_NEGATIVE, .absent = "the end", .unit = "time",
     .meaning = "With `every`: no occurrence is later than this."},
    {"when", RD_KEY_TEXT,
     .meaning =
         "Instead of `time` and `every`: a condition on totals, t and parameters, as "
         "`\"total(A) > 100\"`. It is evaluated at t = 0 and after every step, or every event "
         "of the exact solver, in each run by itself. The event happens when it becomes true; "
         "in the exact solver also at the time at which t alone makes it true. "
         "The result has the times (`/events`)."},
    {"repeat", RD_KEY_BOOL, .absent = "false",
     .meaning =
         "With `when`: the event happens each time that the condition becomes true, not only "
         "the first time."},
    {"set", RD_KEY_NAMES,
     .meaning = "New values for parameters, as in `set = { k = 0.0; };`. Expressions may use "
                "parameters, totals and t, and are all computed from the values before the event. "
                "A parameter that an event with `when` sets has its own value in each run."},
    {"remove", RD_KEY_LISTABLE, .meaning = "Molecules that are removed.",
     .inside = &rd_keys_removed},
    {"divide", RD_KEY_LISTABLE,
     .meaning = "Molecules of which each stays with a probability, as at the division of a cell.",
     .inside = &rd_keys_divided},
    {"convert", RD_KEY_LISTABLE, .meaning = "Molecules that become another species.",
     .inside = &rd_keys_converted},
    {"add", RD_KEY_LISTABLE, .meaning = "Molecules that are added.", .inside = &rd_keys_add},
};
const struct rd_section rd_keys_event =
    SECTION_OF(event, "events[]",
               "Each has `time`, `every` or both, or `when`. At each occurrence parameters are "
               "set, then molecules "
               "are removed, divided, converted and added, in this order.");

/* ---- the journal of edits ---- */

static const struct rd_key edit_keys[] = {
    {"step", RD_KEY_INTEGER, BETWEEN(0, UINT32_MAX), .standard = "0",
     .meaning = "Number of steps before the edit."},
    {"time", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "time", .absent = "the time of the step",
     .meaning = "Time of the edit, for readers; `step` decides."},
    {"run", RD_KEY_INTEGER, BETWEEN(0, RD_RUN_END - 1), .absent = "all runs",
     .meaning = "The only run that is changed."},
    {"voxels", RD_KEY_WHOLES, BETWEEN(0, 9e15), .unit = "voxels", .absent = "all voxels",
     .meaning = "Numbers of the voxels of all entries that name no place, rising."},
    {"set", RD_KEY_NAMES, .meaning = "As in an event; numbers, or expressions of parameters."},
    {"remove", RD_KEY_LISTABLE, .meaning = "As in an event.", .inside = &rd_keys_removed},
    {"divide", RD_KEY_LISTABLE, .meaning = "As in an event.", .inside = &rd_keys_divided},
    {"convert", RD_KEY_LISTABLE, .meaning = "As in an event.", .inside = &rd_keys_converted},
    {"add", RD_KEY_LISTABLE, .meaning = "As in an event.", .inside = &rd_keys_add},
};
SECTION(edit, "edits[]", "A change that a program makes between two steps.");

static const struct rd_key journal_keys[] = {
    {"edits", RD_KEY_LIST, .required = true, .meaning = "The edits, in their order.",
     .inside = &edit},
};
const struct rd_section rd_keys_journal = SECTION_OF(journal, "a journal of edits", "");
