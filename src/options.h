/* options - the command line, read. Which commands and options there are stands in
   options_table.c. */
#ifndef RD_OPTIONS_H
#define RD_OPTIONS_H

#include "config.h"

#include <stdbool.h>
#include <stdio.h>

enum rd_command {
    RD_COMMAND_RUN,
    RD_COMMAND_CHECK,
    RD_COMMAND_KEYS,
    RD_COMMAND_INFO,
    RD_COMMAND_DIFF,
    RD_COMMAND_BENCH,
    RD_COMMAND_AGAIN,
    RD_COMMAND_SWEEP,
    RD_COMMAND_MODES,
    RD_COMMAND_HELP,
    RD_COMMAND_VERSION,
    RD_COMMAND_USAGE /* the command line has no word and no option */
};

enum rd_progress_kind { RD_PROGRESS_AUTO, RD_PROGRESS_PLAIN, RD_PROGRESS_NONE };

struct rd_options {
    enum rd_command command;
    enum rd_command about; /* RD_COMMAND_HELP: of which command; itself: of the program */
    const char *file;      /* the configuration, the result file, or the sweep; in argv */
    const char *other;     /* the second result of diff; in argv */
    const char *keep;      /* where the second result of again stays; NULL: it does not; in argv */
    struct rd_set *set;    /* --set, --seed, --runs and --output, in their order; owned */
    int n_set;
    const char *backend; /* "auto", "cpu" or "cuda" */
    int device;
    int threads;      /* 0: all */
    const char *json; /* a file, or "-": stdout; or NULL */
    bool quiet;       /* prints errors alone */
    bool force, resume, timing, strict, verify, markdown, list, quick, help, version;
    int64_t at_once;         /* runs that are simulated; 0: as many as fit */
    double checkpoint_every; /* seconds */
    double grace;            /* seconds that a step may take after a signal */
    enum rd_progress_kind progress;
    struct rd_bench_options {
        const char **name; /* of cases, in argv; owned */
        int n_names;
        int cells, repeats; /* 0: each case's own, likewise */
        double load;
        int64_t steps;
    } bench;
    struct rd_sweep_options {
        bool count, status, retry, slurm, pbs, sge, partial;
        const char *task;    /* a number, a range, or "array"; or NULL */
        const char *collect; /* a file; or NULL */
        int jobs;            /* 0: not given */
        double timeout;      /* seconds; 0: none */
        const char *memory;  /* of a job; NULL: estimated */
        int per_job;         /* tasks of a job; 0: not given */
    } sweep;
    struct rd_modes_options {
        bool count, plain, steps, reversible, net, csv, laws, semiflows, report;
        const char *hdf5, *through, *without; /* a file, names of reactions; or NULL */
        const char *memory;                   /* a size; or NULL */
        int longest;                          /* 0: any */
        int64_t most;                         /* 0: all */
    } modes;
};

/* Reads the command line. All its faults are told. rd_options_free, also after a failure. */
bool rd_options_read(struct rd_options *o, int argc, char **argv, struct rd_error *e);
void rd_options_free(struct rd_options *o);

/* What --help prints: of one command, or with RD_COMMAND_HELP of the program. */
void rd_options_help(FILE *out, enum rd_command about);
/* Prints the commands alone. */
void rd_options_usage(FILE *out);

#endif
