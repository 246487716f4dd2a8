/* lab - runs a configuration in memory and passes every snapshot to a callback, for physics tests
   and twin tests. */
#ifndef RD_LAB_H
#define RD_LAB_H

#include "model/model.h"
#include "model_file.h"
#include "record/record.h"
#include "run/run.h"

/* Is called at each output time; species and reactions have the order of the file. */
typedef void lab_look(void *to, const struct rd_model *m, const struct rd_snapshot *snapshot);
/* Is called before lab_look, with the births and deaths since the last output time. */
typedef void lab_live(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n);

/* Returns whether the run is left after n_steps steps, so that another simulator continues it. */
typedef bool lab_leaves(int64_t n_steps);

/* Holds the options of a run. Zero-initialised: one thread, all else as in the configuration. */
struct lab {
    const char *backend; /* NULL: cpu */
    int threads;         /* 0: 1 */
    /* or NULL; a run that is left writes lab.checkpoint, which the next simulator reads */
    lab_leaves *leaves;
    bool for_good;    /* a run that is left is not continued */
    const char *then; /* back end of every second simulator; NULL: the same */
    int threads_then; /* threads of every second simulator; 0: the same number */
    /* where species are stored that suit it: NULL: as in the configuration; "list"; or "mixed":
       every second one in a list. The same for every second simulator; NULL: as the first */
    const char *store, *store_then;
    int64_t row_capacity; /* > 0: entries and hops of molecules in lists for which there is memory
                             at the start */
    int64_t *declines;    /* or NULL: raised if steps of rows could not be fused */
    bool unverified;      /* lists of individuals are not verified after each step */
    bool timed;           /* the host waits after each pass */
    /* > 0: the host synchronises rarely, as with a GPU, and lists begin with this capacity */
    int64_t far_capacity;
    lab_look *look;
    lab_live *live; /* or NULL */
    void *to;
};

/* Runs text with the settings in sets ("path=value", a NULL-terminated list, or NULL). A fault
   fails the test. */
void lab_run(const struct lab *lab, const char *text, const char *const *sets);
/* Does the same, but returns the messages, or "" if the run succeeded; the caller frees the
   text. */
char *lab_try(const struct lab *lab, const char *text, const char *const *sets);

/* Makes the name of a configuration of configs/ for functions that read tests/models/NAME. */
#define CONFIGS "../../configs/"

/* Returns tests/models/NAME with the settings applied, as text; the caller frees it. */
char *lab_model(const char *name, const char *const *sets);

/* Returns a hash of all bytes of all snapshots and of the lineage, for twin tests. */
uint64_t lab_fingerprint(const struct lab *lab, const char *text, const char *const *sets);

/* Returns the seed of a test, < 2^48: a hash of its name, so that no seed is chosen because it
   passes. */
uint64_t lab_seed(const char *name);

/* Holds the running sums for a mean and a variance about the expected mean. */
struct lab_sums {
    double n, sum, squares; /* of x - mean */
    double mean;            /* expected */
};
void lab_add(struct lab_sums *s, double x);
/* Adds x of each molecule of the first species in the first run, at the centre of its voxel. */
void lab_add_places(struct lab_sums *s, const struct rd_model *m, const struct rd_snapshot *now);
/* Returns (mean found - mean expected) in standard errors, given the expected variance. */
double lab_mean_z(const struct lab_sums *s, double variance);
/* Returns (variance found - expected) in standard errors, given the expected excess kurtosis (0:
   normal; 1 / mean: Poisson). */
double lab_variance_z(const struct lab_sums *s, double variance, double excess);

/* Returns how many species of the configuration can be in lists. */
int lab_n_listed(const char *text, const char *const *sets);

/* Returns whether the CUDA back end is built in and finds a device. */
bool lab_has_gpu(void);

#endif
