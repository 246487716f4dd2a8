/* cases - the timed cases: each has a name, and a function that adds its figures to the report. */
#ifndef RD_BENCH_CASES_H
#define RD_BENCH_CASES_H

#include "bench/bench.h"
#include "bench/measure.h"

struct rd_case {
    const char *name, *meaning;
    bool on_gpu; /* otherwise on the CPU only */
    bool (*run)(struct rd_bench *b, struct rd_error *e);
};
extern const struct rd_case rd_cases[];
extern const int rd_n_cases;

/* Returns whether the command line selects the case, by name or by default for this machine. */
bool rd_case_is_selected(const struct rd_bench *b, const struct rd_case *c);
/* Returns whether all names are those of cases; otherwise sets e. */
bool rd_cases_check(const struct rd_bench_of *of, struct rd_error *e);
/* Prints the names of the cases and what they time. */
void rd_cases_list(FILE *out);

/* The configurations of the cases (case_texts.c). The bench sets voxels, load, the steps in each
   repeat and the number of repeats (rounds). */
extern const char rd_text_peer[], rd_text_movement[], rd_text_equilibrium[], rd_text_regions[],
    rd_text_expressions[], rd_text_walkers[], rd_text_turnover[], rd_text_expression[];

/* Describes a lattice for a case. */
struct rd_size {
    int32_t voxels; /* along each edge */
    double load;
};

/* Selects sizes from the list: the first n, or n_quick with is_quick. The command line's voxels and
   load replace those of the list; duplicates are dropped. Returns their number. */
int rd_sizes(const struct rd_bench_of *of, const struct rd_size *list, int n, int n_quick,
             struct rd_size *size);
enum { RD_SIZES_MOST = 16 };

/* Selects the sizes for individuals on this machine. Returns their number. */
int rd_individuals_sizes(const struct rd_bench *b, struct rd_size *size);
/* Returns the number of voxels of a lattice of that size, and of individuals on it. */
double rd_size_voxels(const struct rd_size *s);
int64_t rd_size_number(const struct rd_size *s);

/* Holds changes to a configuration. A zero-initialised struct is empty. */
enum { RD_SETTINGS_MOST = 16 };
struct rd_settings {
    const char *path[RD_SETTINGS_MOST];
    char value[RD_SETTINGS_MOST][48];
    int n;
};
/* Adds path = value, with the value printed by the format. The path must outlive the settings. */
void rd_settings_add(struct rd_settings *s, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Times text on a lattice of that size, in repeats of so many steps unless the command line sets
   another number. The caller frees m.why. rd_trial returns false and sets e if a run failed. */
struct rd_trial {
    const char *of, *text;
    struct rd_size size;
    int64_t steps;
    struct rd_settings set;
    struct rd_measure_of more; /* options that differ from the default */
    struct rd_measure m;
};
bool rd_trial(struct rd_bench *b, struct rd_trial *t, struct rd_error *e);
/* Returns the figure of a trial: time and rate, with amount per step; or the reason why there is
   none. */
struct rd_figure rd_trial_figure(const struct rd_bench *b, const struct rd_trial *t, double amount,
                                 const char *unit);
/* Returns a figure from a trial that is not a time. */
struct rd_figure rd_trial_value(const struct rd_trial *t, const char *what, double value,
                                const char *unit);

/* Run the cases (case_bulk.c, case_individuals.c, case_runs.c, case_memory.c, case_recording.c). */
bool rd_case_peer(struct rd_bench *b, struct rd_error *e);
bool rd_case_movement(struct rd_bench *b, struct rd_error *e);
bool rd_case_split(struct rd_bench *b, struct rd_error *e);
bool rd_case_regions(struct rd_bench *b, struct rd_error *e);
bool rd_case_propensities(struct rd_bench *b, struct rd_error *e);
bool rd_case_exact(struct rd_bench *b, struct rd_error *e);
bool rd_case_individuals(struct rd_bench *b, struct rd_error *e);
bool rd_case_ensemble(struct rd_bench *b, struct rd_error *e);
bool rd_case_threads(struct rd_bench *b, struct rd_error *e);
bool rd_case_memory(struct rd_bench *b, struct rd_error *e);
bool rd_case_recording(struct rd_bench *b, struct rd_error *e);
bool rd_case_checkpoint(struct rd_bench *b, struct rd_error *e);
/* Times the configuration that the command line names (case_model.c). */
bool rd_case_model(struct rd_bench *b, struct rd_error *e);

#endif
