/* keys_sweep - THE TABLE of the keys of a sweep. */
#include "config/keytable.h"
#include "kernels/core/rng.h"

static const struct rd_key series_keys[] = {
    {"from", RD_KEY_NUMBER, .meaning = "The first of a series of numbers."},
    {"to", RD_KEY_NUMBER, .meaning = "The last one; with `points = 1` the same as `from`."},
    {"points", RD_KEY_INTEGER, .required = true, BETWEEN(1, 1 << 20),
     .meaning = "How many there are."},
    {"scale", RD_KEY_WORD, .words = {"linear", "log"}, .standard = "\"linear\"",
     .meaning = "Equal steps, or equal factors. Values between the ends are rounded to 14 "
                "digits."},
    {"random", RD_KEY_TEXT,
     .meaning = "In the place of `from` and `to`: an expression that is drawn anew for each "
                "number, as \"uniform(0, 1)\" or \"10 ^ normal(0, 1)\"."},
};
SECTION(series, "vary[].values as a group",
        "As in `values = { from = 0.1; to = 10.0; points = 7; scale = \"log\"; }`.");

static const struct rd_key vary_keys[] = {
    {"path", RD_KEY_TEXT, .required = true,
     .meaning = "Which key of the base is varied, as for --set: `parameters.k`, "
                "`species.A.diffusion`, `grid.voxels`. Not `run.seed` and `output.file`, which "
                "each task has of its own."},
    {"name", RD_KEY_TEXT, .absent = "the last part of the path",
     .meaning = "What it is called in tables, in names of files and in the collected file."},
    {"values", RD_KEY_VALUES, .required = true, .meaning = "What it takes, one after the other.",
     .inside = &series},
};
SECTION(vary, "vary[]", "One key of the base and what it takes.");

static const struct rd_key sweep_keys[] = {
    {"base", RD_KEY_TEXT, .required = true,
     .meaning = "The configuration that is varied; its path counts from the folder of the sweep."},
    {"vary", RD_KEY_LIST, .required = true, .meaning = "What is varied.", .inside = &vary},
    {"combine", RD_KEY_WORD, .words = {"product", "zip"}, .standard = "\"product\"",
     .meaning = "Every value with every other (product; the last key varies fastest), or the "
                "first values together, the second ones together, and so on (zip)."},
    {"repeats", RD_KEY_INTEGER, BETWEEN(1, 1 << 20), .standard = "1",
     .meaning = "How often each point is run, each time with a seed of its own."},
    {"seed", RD_KEY_INTEGER, BETWEEN(0, RD_SEED_END - 1), .standard = "1",
     .meaning = "Together with the numbers of the point and the repeat it gives the seed of each "
                "task; no two tasks of a sweep have the same. The base's own is not used."},
    {"output", RD_KEY_TEXT, .absent = "SWEEP/{task}.h5, where the sweep is SWEEP.cfg",
     .meaning = "Names of the results, counted from the folder of the sweep. `{task}`, `{point}`, "
                "`{repeat}` and the names of what is varied in braces stand for their values, as "
                "in `k{k}/{repeat}.h5`. What stands before the first brace may name any folder; "
                "behind it no part of a name may be empty, `.` or `..`."},
};
const struct rd_section rd_keys_sweep = {
    .title = "a sweep",
    .about = "A file for `rdsim sweep`: runs of one configuration with other values.",
    .n_keys = sizeof sweep_keys / sizeof sweep_keys[0],
    .key = sweep_keys,
};

const struct rd_section *const rd_keys_of_sweeps[] = {&rd_keys_sweep, &vary, &series, NULL};
