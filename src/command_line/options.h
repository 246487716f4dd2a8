/* options - reads the command line. options_table.c lists the commands and options. */
#ifndef RD_COMMAND_LINE_OPTIONS_H
#define RD_COMMAND_LINE_OPTIONS_H

#include "base/progress.h"
#include "command_line/device_list.h"
#include "config/config.h"

#include <stdbool.h>
#include <stdio.h>

enum rd_command {
    RD_COMMAND_RUN,
    RD_COMMAND_CHECK,
    RD_COMMAND_KEYS,
    RD_COMMAND_INFO,
    RD_COMMAND_DIFF,
    RD_COMMAND_COMPARE,
    RD_COMMAND_AGAIN,
    RD_COMMAND_SWEEP,
    RD_COMMAND_MODES,
    RD_COMMAND_IMPORT,
    RD_COMMAND_EXPORT,
    RD_COMMAND_TABLE,
    RD_COMMAND_PLOT,
    RD_COMMAND_MOVIE,
    RD_COMMAND_HELP,
    RD_COMMAND_VERSION,
    RD_COMMAND_USAGE /* the command line is empty */
};

struct rd_options {
    enum rd_command command;
    enum rd_command about; /* for RD_COMMAND_HELP: the command to explain; RD_COMMAND_HELP: the
                              program */
    const char *file;      /* the configuration, the result file, or the sweep; in argv */
    const char *other;     /* the second result of diff and compare; in argv */
    const char *written;   /* file that export writes, in argv; NULL: standard output */
    const char *keep;      /* file of again's second result, in argv; NULL: it is removed */
    struct rd_set *set;    /* --set, --seed, --runs and --output, in their order; owned */
    int n_set;
    const char *backend; /* "auto", "cpu" or "cuda" */
    int device;
    const char *devices;               /* the argument of --devices; or NULL */
    struct rd_device_list device_list; /* its numbers */
    int threads;                       /* 0: all */
    const char *json;                  /* a file, or "-": stdout; NULL: no JSON */
    bool quiet;                        /* prints errors only */
    bool all;                          /* compare: prints every comparison */
    bool halve;                        /* check: run at the step and at half of it */
    bool force, resume, timing, strict, verify, markdown, list, quick, help, version;
    int64_t at_once;         /* runs that are simulated simultaneously; 0: as many as fit */
    double checkpoint_every; /* seconds */
    double grace;            /* seconds that a step may take after a signal */
    enum rd_progress_kind progress;
    struct rd_sweep_options {
        bool count, status, retry, slurm, pbs, sge, partial;
        const char *task;    /* a number, a range, or "array"; or NULL */
        const char *collect; /* a file; or NULL */
        int jobs;            /* 0: not given */
        double timeout;      /* seconds; 0: none */
        const char *memory;  /* memory of a job; NULL: estimated */
        int per_job;         /* number of tasks of a job; 0: not given */
    } sweep;
    struct rd_table_options {
        bool csv, mean;
        const char *group, *region, *by; /* names; or NULL */
    } table;
    struct rd_modes_options {
        bool count, plain, steps, reversible, net, csv, laws, semiflows, report;
        const char *hdf5, *through, *without; /* a file, names of reactions; or NULL */
        const char *memory;                   /* a size; or NULL */
        int longest;                          /* 0: any */
        int64_t most;                         /* 0: all */
    } modes;
};

/* Reads the command line and reports all its errors. The caller calls rd_options_free, also after a
   failure. */
bool rd_options_read(struct rd_options *o, int argc, char **argv, struct rd_error *e);
void rd_options_free(struct rd_options *o);

/* Prints the help of one command, or with RD_COMMAND_HELP of the program. */
void rd_options_help(FILE *out, enum rd_command about);
/* Prints the list of commands without their options. */
void rd_options_usage(FILE *out);

#endif
