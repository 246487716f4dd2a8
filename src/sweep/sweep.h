/* sweep - a parameter study: the points of a configuration with varied keys, and its tasks. Each
   point has n_repeats tasks, each with its own seed and result. */
#ifndef RD_SWEEP_SWEEP_H
#define RD_SWEEP_SWEEP_H

#include "config/config.h"

#include <stdio.h>

/* Limits the numbers of points, and of repeats of a point. */
#define RD_POINTS_MOST  (INT64_C(1) << 28)
#define RD_REPEATS_MOST (INT64_C(1) << 20)

/* Holds one varied key of the base, and its values. */
struct rd_sweep_axis {
    char *path;
    char *name;  /* in tables and in the pattern of the results' names */
    char *place; /* "sweep.cfg:3" */
    int64_t n;
    char **value; /* as written in a configuration */
};

struct rd_sweep {
    char *file;    /* as given by the user */
    char *base;    /* the configuration that is varied, relative to the working directory */
    char *pattern; /* pattern of the results' names, relative to the working directory */
    int n_axes;
    struct rd_sweep_axis *axis;
    bool is_zip; /* values are paired; else all combinations are used */
    int64_t n_points, n_repeats, n_tasks;
    uint64_t seed;
};

/* Describes one task. Tasks, points and repeats count from 1. */
struct rd_task {
    int64_t number, point, repeat;
    uint64_t seed;
    char *output;
    struct rd_set *set; /* one per axis; the sweep owns the strings */
};

/* Reads a sweep and reports all errors. The caller calls rd_sweep_free, also after a failure. */
bool rd_sweep_read(struct rd_sweep *s, const char *file, struct rd_error *e);
/* Checks the base with each value of each axis once, and that no two results have the same name. */
bool rd_sweep_check(const struct rd_sweep *s, struct rd_error *e);
void rd_sweep_free(struct rd_sweep *s);

/* Returns the value of an axis at a point. */
const char *rd_sweep_value(const struct rd_sweep *s, int axis, int64_t point);
/* Makes task number 1 ... n_tasks. The caller calls rd_task_free in any case. */
bool rd_sweep_task(struct rd_task *t, const struct rd_sweep *s, int64_t number, struct rd_error *e);
void rd_task_free(struct rd_task *t);

/* Prints a line for each task: its numbers, varied values, seed and result. */
bool rd_sweep_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

/* Returns the seed of a repeat of a point; all seeds of a sweep differ. */
uint64_t rd_sweep_seed(uint64_t seed, int64_t point, int64_t repeat);

#endif
