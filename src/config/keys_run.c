/* keys_run - the rows of THE TABLE for time, output and runs. */
#include "config/keytable.h"
#include "kernels/core/rng.h"

#include <stdint.h>

static const struct rd_key span_keys[] = {
    {"end", RD_KEY_NUMBER, .required = true, POSITIVE, .unit = "time",
     .meaning = "End of the simulation, which begins at 0."},
    {"step", RD_KEY_NUMBER, POSITIVE, .words = {"auto"}, .standard = "\"auto\"", .unit = "time",
     .meaning = "The longest time step. `rdsim check` prints the step that \"auto\" chooses, and "
                "the reason."},
    {"control", RD_KEY_NUMBER, POSITIVE, .absent = "the time line is divided at outputs and events",
     .unit = "time",
     .meaning = "Time from one moment to the next at which a program may take control "
                "(docs/python.md). The time line is divided there, as at outputs, also if the "
                "command runs the configuration."},
    {"max_events", RD_KEY_INTEGER, BETWEEN(1, UINT32_MAX - 1), .standard = "268435456",
     .meaning = "The largest number of reactions in one voxel and step; one more ends the run with "
                "a fault. So numbers that explode within a step are detected. The exact solver has "
                "no such limit."},
    {"stop", RD_KEY_TEXT, .absent = "every run continues to the end",
     .meaning = "A run stops when this is true (not 0): nothing happens in it any more, and its "
                "state stays as it is; other runs continue. An expression of the species' totals "
                "over all voxels, parameters and t, as in `\"A >= 1000 or B == 0\"`. The result "
                "has the time at which each run stopped (`/stopped`)."},
    {"stop_at", RD_KEY_WORD, .words = {"outputs", "steps"}, .standard = "\"outputs\"",
     .meaning = "When `stop` is evaluated: at the output times, or after every step. The steps of "
                "the exact solver are its events, so that the time is exact."},
};
const struct rd_section rd_keys_span = SECTION_OF(span, "time", "");

static const struct rd_key by_keys[] = {
    {"species", RD_KEY_TEXT, .required = true, .meaning = "The individuals that are counted."},
    {"attribute", RD_KEY_TEXT, .required = true,
     .meaning = "Their attribute. It must be an integer at the times of the group."},
    {"range", RD_KEY_NUMBERS, .required = true,
     .meaning = "The least and the largest value, both included, as in `(0, 454)`. An individual "
                "with another value is a fault."},
    {"name", RD_KEY_TEXT, .absent = "the species and the attribute, as in `P_gene`",
     .meaning = "The name of the counts in the result."},
};
const struct rd_section rd_keys_by =
    SECTION_OF(by, "output.by[]",
               "Numbers of individuals for each value of an integer attribute (docs/output.md).");

static const struct rd_key output_keys[] = {
    {"file", RD_KEY_TEXT, .absent = "the configuration's name, ending in .h5", .once = true,
     .meaning = "The result file, of all groups; one of them may give it."},
    {"name", RD_KEY_TEXT, .absent = "the root of the file",
     .meaning = "The group of the file that has the times and data sets of this entry, as in "
                "`/fast/time`. One entry may have no name."},
    {"every", RD_KEY_NUMBER, POSITIVE,
     .absent = "end / 100, unless `times` is given; in a list one of them is required",
     .unit = "time",
     .meaning = "Time from one snapshot to the next; the first is at 0, and one at the end is "
                "always added."},
    {"times", RD_KEY_NUMBERS, NOT_NEGATIVE, .unit = "time",
     .meaning = "Instead of `every`: the times of the snapshots, rising, none after the end. No "
                "others are added, not at 0 and not at the end."},
    {"keep", RD_KEY_WORD, .words = {"all", "totals", "statistics", "first N"},
     .standard = "\"all\"",
     .meaning =
         "The contents of each snapshot: the counts of every voxel, their totals, only statistics "
         "over the runs, or these and everything of the first runs, as in `\"first 10\"`."},
    {"layout", RD_KEY_WORD, .words = {"auto", "dense", "sparse"}, .standard = "\"auto\"",
     .meaning = "How the counts of voxels are written: as an array over all species and voxels, or "
                "as rows for the species that a voxel contains (docs/output.md). `auto` is sparse "
                "above 134217728 species times voxels; above it no statistics of voxels are "
                "written unless the layout is dense."},
    {"species", RD_KEY_TEXTS, .absent = "all species", .meaning = "The species that are recorded."},
    {"regions", RD_KEY_TEXTS, .may_be_empty = true,
     .absent = "all regions, surfaces and compartments",
     .meaning = "The regions, surfaces and compartments in which the molecules of each species are "
                "added up, for "
                "`/regions/totals` and its statistics. `()` is none."},
    {"quantiles", RD_KEY_NUMBERS, BETWEEN(0, 1), .unit = "probability",
     .standard = "(0.05, 0.25, 0.5, 0.75, 0.95)",
     .meaning = "The quantiles over the runs that are stored for each species' total, in rising "
                "order: the least number that this fraction of the runs does not exceed. Exact "
                "below 2048, within 0.05 % above."},
    {"by", RD_KEY_LIST, .standard = "()",
     .meaning = "Individuals that are counted by an attribute, as in `by = ( { species = \"P\"; "
                "attribute = \"gene\"; range = (0, 454); } )`.",
     .inside = &rd_keys_by},
    {"compression", RD_KEY_INTEGER, BETWEEN(0, 9), .standard = "4",
     .meaning = "Compression of the counts: 0 is none, 9 the smallest and slowest."},
};
const struct rd_section rd_keys_output = SECTION_OF(
    output, "output",
    "One group, or a list of groups with times and contents of their own, as in `output = ( { "
    "name = \"fast\"; every = 0.1; keep = \"totals\"; }, { name = \"maps\"; every = 60; } )`.");

static const struct rd_key rows_keys[] = {
    {"file", RD_KEY_TEXT, .required = true, .once = true,
     .meaning = "Comma-separated values: a line of names of parameters, then a line of numbers for "
                "each row; or an HDF5 file with a data set of numbers for each parameter."},
};
static const struct rd_section rd_keys_rows =
    SECTION_OF(rows, "run.rows", "Values of parameters, one row for each group of runs.");

static const struct rd_key run_keys[] = {
    {"seed", RD_KEY_INTEGER, BETWEEN(0, RD_SEED_END - 1), .standard = "1",
     .meaning =
         "Selects the random numbers. The same configuration and seed give the same result on "
         "any machine. Above 2147483647 it is written with an L: `5000000000L`."},
    {"runs", RD_KEY_INTEGER, BETWEEN(1, RD_RUN_END), .standard = "1",
     .meaning = "Number of independent runs; with `rows`, of each row."},
    {"rows", RD_KEY_GROUP, .absent = "the parameters have one value each",
     .meaning = "A table with many values of the parameters; each row is simulated `runs` times "
                "(docs/output.md).",
     .inside = &rd_keys_rows},
    {"share", RD_KEY_WORD, .words = {"none", "streams"}, .absent = "none",
     .meaning = "Whether the rows of a table have random numbers of their own, or (streams) those "
                "of the first row, so that differences of rows have less noise."},
    {"first", RD_KEY_INTEGER, BETWEEN(0, RD_RUN_END - 1), .standard = "0",
     .meaning = "Number of the first run: run 7 is the same whether computed alone or among "
                "others."},
};
const struct rd_section rd_keys_run = SECTION_OF(run, "run", "");
