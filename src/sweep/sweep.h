/* sweep - a configuration run with other values of some of its keys: which points there are, and
   which tasks: a point as often as it is repeated, each with a seed and a result of its own. */
#ifndef RD_SWEEP_SWEEP_H
#define RD_SWEEP_SWEEP_H

#include "config/config.h"

/* So many points, and so often each of them. */
#define RD_POINTS_MOST  (INT64_C(1) << 28)
#define RD_REPEATS_MOST (INT64_C(1) << 20)

/* One key of the base, and what it takes. */
struct rd_axis {
    char *path;
    char *name;  /* for people, and in the output's pattern */
    char *place; /* "sweep.cfg:3" */
    int64_t n;
    char **value; /* as they would be written in a configuration */
};

struct rd_sweep {
    char *file;    /* as it was named */
    char *base;    /* the configuration that is varied, from where we are */
    char *pattern; /* of the results' names, likewise */
    int n_axes;
    struct rd_axis *axis;
    bool is_zip; /* else every value with every other */
    int64_t n_points, n_repeats, n_tasks;
    uint64_t seed;
};

/* What one job does. Tasks, points and repeats count from 1. */
struct rd_task {
    int64_t number, point, repeat;
    uint64_t seed;
    char *output;
    struct rd_set *set; /* one an axis; the sweep owns what they point to */
};

/* Reads a sweep. All faults are told. rd_sweep_free, also after a failure. */
bool rd_sweep_read(struct rd_sweep *s, const char *file, struct rd_error *e);
/* Holds it against the base, with each value once, and its results against each other. */
bool rd_sweep_check(const struct rd_sweep *s, struct rd_error *e);
void rd_sweep_free(struct rd_sweep *s);

/* The value of an axis at a point. */
const char *rd_sweep_value(const struct rd_sweep *s, int axis, int64_t point);
/* Task number 1 ... n_tasks; rd_task_free in any case. */
bool rd_sweep_task(struct rd_task *t, const struct rd_sweep *s, int64_t number, struct rd_error *e);
void rd_task_free(struct rd_task *t);

/* The seed of a repeat of a point: another one for each of them. */
uint64_t rd_sweep_seed(uint64_t seed, int64_t point, int64_t repeat);

#endif
