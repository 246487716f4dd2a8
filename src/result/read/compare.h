/* compare - compares two ensembles statistically: `rdsim compare A B`. */
#ifndef RD_RESULT_READ_COMPARE_H
#define RD_RESULT_READ_COMPARE_H

#include "result/read/total_moments.h"

#include <stdio.h>

/* Gives the level of all comparisons together, and the least numbers of runs. */
#define RD_COMPARE_LEVEL 1e-3
enum { RD_RUNS_FOR_MEANS = 10, RD_RUNS_FOR_VARIANCES = 30 };

/* Lists what is compared of one species at one time. */
enum rd_compared { RD_OF_MEANS, RD_OF_VARIANCES, RD_N_COMPARED };

/* Describes one comparison. */
struct rd_compared_pair {
    double value[2]; /* of both ensembles */
    struct rd_contrast by;
    bool is_tested; /* not constant in both, and there are enough runs */
    bool differs;
};

/* Describes the comparison of two ensembles; all but the samples is owned. */
struct rd_comparison {
    struct rd_total_moments of[2];
    int64_t *time[2], n_times;      /* numbers of the times that both have */
    int64_t *species[2], n_species; /* numbers of the species that both have */
    struct rd_compared_pair *pair;  /* [time][species][RD_N_COMPARED] */
    int64_t n_tested, n_differing;
    double critical; /* deviate that is significant for the first of all comparisons */
};

/* Compares two files; rd_comparison_free frees the comparison in any case. */
bool rd_comparison_make(struct rd_comparison *c, const char *a, const char *b, struct rd_error *e);
void rd_comparison_free(struct rd_comparison *c);
/* Returns whether a list of n shared times or species has this number. */
bool rd_comparison_has(const int64_t *shared, int64_t n, int64_t number);
/* Returns the pair of shared numbers of time and species. */
const struct rd_compared_pair *rd_comparison_pair(const struct rd_comparison *c, int64_t time,
                                                  int64_t species, enum rd_compared what);
/* Returns the difference that this comparison finds in 9 of 10 cases. */
double rd_comparison_finds(const struct rd_comparison *c, const struct rd_compared_pair *p);
/* Returns whether both ensembles have the same seed, so that their runs may not be independent. */
bool rd_comparison_shares_seed(const struct rd_comparison *c);

/* `rdsim compare`: prints a page, or a JSON document; with all, every comparison on the page. Sets
 *same if no difference is significant. */
bool rd_store_compare(const char *a, const char *b, bool json, bool all, FILE *out, bool *same,
                      struct rd_error *e);

/* Prints the comparison as JSON (compare_json.c). */
void rd_comparison_json(const struct rd_comparison *c, FILE *out);

#endif
