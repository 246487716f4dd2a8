/* lab - runs a configuration in memory and shows every snapshot: for laws and twins. */
#ifndef RD_LAB_H
#define RD_LAB_H

#include "model/model.h"
#include "record/record.h"
#include "run/run.h"

/* Called at each output time; species and reactions in the file's order. */
typedef void lab_look(void *to, const struct rd_model *m, const struct rd_snapshot *snapshot);
/* Called before that: births and deaths since the last time. */
typedef void lab_live(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n);

/* Whether the run is left after so many steps, for another simulator to take it up. */
typedef bool lab_leaves(int64_t n_steps);

/* How to run it. Zero-initialised: one thread, all as the configuration says. */
struct lab {
    const char *backend; /* NULL: cpu */
    int threads;         /* 0: 1 */
    lab_leaves *leaves;  /* or NULL: a checkpoint is written then, to lab.tape, and read */
    bool for_good;       /* left, it is not taken up again */
    const char *then;    /* the back end of every second simulator; NULL: the same */
    int threads_then;    /* likewise; 0: as many */
    bool unverified;     /* lists of individuals are not checked after each step */
    int64_t
        far_capacity; /* > 0: the host looks seldom, as at a GPU, and room is so scarce at first */
    lab_look *look;
    lab_live *live; /* or NULL */
    void *to;
};

/* Runs text with sets ("path=value", NULL-terminated list or NULL). A fault fails the test. */
void lab_run(const struct lab *lab, const char *text, const char *const *sets);
/* The same, but gives the sentences, "" if all went well; the caller frees. */
char *lab_try(const struct lab *lab, const char *text, const char *const *sets);

/* The configuration configs/FILE with sets, as text; the caller frees. By hand, from an unknown
   folder, the test is skipped. */
char *lab_config(const char *file, const char *const *sets);

/* A number that depends on all bytes of all snapshots and of the lineage: for twins. */
uint64_t lab_fingerprint(const struct lab *lab, const char *text, const char *const *sets);

/* Seed of a test: a hash of its name, so that none is picked because it passes. < 2^48. */
uint64_t lab_seed(const char *name);

/* Running sums for a mean and a variance about the expected mean. */
struct lab_sums {
    double n, sum, squares; /* of x - mean */
    double mean;            /* expected */
};
void lab_add(struct lab_sums *s, double x);
/* (mean found - mean expected) in standard errors, given the expected variance. */
double lab_mean_z(const struct lab_sums *s, double variance);
/* (variance found - expected) in standard errors, given the expected excess kurtosis (0: normal;
   1 / mean: Poisson). */
double lab_variance_z(const struct lab_sums *s, double variance, double excess);

/* Whether the CUDA back end is there and has a card. */
bool lab_has_gpu(void);

#endif
