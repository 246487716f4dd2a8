/* cases - what is timed: each case by its name, and what it adds to the report. */
#ifndef RD_BENCH_CASES_H
#define RD_BENCH_CASES_H

#include "bench/bench.h"
#include "bench/measure.h"

struct rd_case {
    const char *name, *meaning;
    bool on_gpu; /* else on the CPU alone */
    bool (*run)(struct rd_bench *b, struct rd_error *e);
};
extern const struct rd_case rd_cases[];
extern const int rd_n_cases;

/* Whether the case is to be run on the machine at hand. */
bool rd_case_is_asked(const struct rd_bench *b, const struct rd_case *c);
/* False with a sentence for names that are none. */
bool rd_cases_check(const struct rd_bench_of *of, struct rd_error *e);
void rd_cases_list(FILE *out);

/* A lattice to be timed on. */
struct rd_size {
    int32_t voxels; /* along each edge */
    double load;
};

/* Of so many sizes in the order of the list those that are asked for: all, or the first few if
   quick; each with what the command line has instead, and none twice. Gives how many. */
int rd_sizes(const struct rd_bench_of *of, const struct rd_size *list, int n, int n_quick,
             struct rd_size *size);
enum { RD_SIZES_MOST = 16 };

/* Those of individuals on the machine at hand. */
int rd_individuals_sizes(const struct rd_bench *b, struct rd_size *size);
/* How many individuals a lattice of that size has. */
int64_t rd_size_number(const struct rd_size *s);

/* Changes of a configuration. Zero-initialised is empty. */
enum { RD_SETTINGS_MOST = 16 };
struct rd_settings {
    const char *path[RD_SETTINGS_MOST];
    char value[RD_SETTINGS_MOST][48];
    int n;
};
/* path = value, which is printed by the format; path must live as long. */
void rd_settings_add(struct rd_settings *s, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Times text on a lattice of that size in repeats of so many steps, if the command line has no
   other number. */
struct rd_trial {
    const char *of, *text;
    struct rd_size size;
    int64_t steps;
    struct rd_settings set;
    struct rd_measure_of more; /* that is special about it */
    struct rd_measure m;
};
bool rd_trial(struct rd_bench *b, struct rd_trial *t, struct rd_error *e);
/* The figure of it: time and rate, where amount is what comes in a step; or why there is none. */
struct rd_figure rd_trial_figure(const struct rd_bench *b, const struct rd_trial *t, double amount,
                                 const char *unit);
/* A figure beside one of a trial, which is no time. */
struct rd_figure rd_figure_beside(const struct rd_trial *t, const char *what, double value,
                                  const char *unit);

/* case_bulk.c, case_regions.c, case_individuals.c, case_cpu.c, case_ensemble.c,
   case_memory.c, case_recording.c, case_checkpoint.c */
bool rd_case_peer(struct rd_bench *b, struct rd_error *e);
bool rd_case_movement(struct rd_bench *b, struct rd_error *e);
bool rd_case_split(struct rd_bench *b, struct rd_error *e);
bool rd_case_regions(struct rd_bench *b, struct rd_error *e);
bool rd_case_laws(struct rd_bench *b, struct rd_error *e);
bool rd_case_exact(struct rd_bench *b, struct rd_error *e);
bool rd_case_individuals(struct rd_bench *b, struct rd_error *e);
bool rd_case_ensemble(struct rd_bench *b, struct rd_error *e);
bool rd_case_threads(struct rd_bench *b, struct rd_error *e);
bool rd_case_memory(struct rd_bench *b, struct rd_error *e);
bool rd_case_recording(struct rd_bench *b, struct rd_error *e);
bool rd_case_checkpoint(struct rd_bench *b, struct rd_error *e);

#endif
