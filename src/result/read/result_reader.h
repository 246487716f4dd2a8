/* result_reader - reads a finished result, or what a kill left of one. */
#ifndef RD_RESULT_READ_RESULT_READER_H
#define RD_RESULT_READ_RESULT_READER_H

#include "base/error.h"
#include "model/model.h"

#include <stdio.h>

/* What there is of an earlier run at path: nothing at all; a whole result; what a run has begun
   that was left without a checkpoint; or anything else, to go on from or not. The effective
   configuration of what is whole or begun is told, if there is one (the caller frees). */
enum rd_past { RD_PAST_NONE, RD_PAST_WHOLE, RD_PAST_BEGUN, RD_PAST_PARTS };
enum rd_past rd_store_past(const char *path, char **effective);

/* Checks a result: all its data can be read, and their checksums are right. False with a sentence
   that names the data set that is damaged. */
bool rd_store_verify(const char *path, struct rd_error *e);
/* True if the result at path is whole, in one file, and what stands in OUT.parts was left by the
   run that made it: by a kill after the result had its name. */
bool rd_store_has_leftover(const char *path);
/* Removes such a leftover; false if there is none, or if another process has it. */
bool rd_store_clear_leftover(const char *path);
/* Removes a result, and what stands in OUT.parts. */
void rd_store_remove(const char *path);

/* What is wanted of an earlier result, and the grid that it must have. */
struct rd_wanted {
    const char *path;
    double at_time; /* the last snapshot, if NAN */
    int64_t run;    /* of that number; the only one, if the file has one */
    int32_t size[3];
    double edge[3];
    int n_species;
    char *const *species;
    bool is_all; /* of the snapshot: no others may have molecules, and of these some may be missing
                  */
    const char *place; /* who asks, for sentences: FILE:LINE, or "" */
};

/* For each species wanted n_sites counts in count[s], or all -1 where, is_all, the file has none
   such. */
bool rd_store_read(const struct rd_wanted *wanted, int32_t *const *count, struct rd_error *e);

/* For each species wanted the mean number of molecules in a run, over the first runs of the file,
   whatever `run` is: the step at the start follows from it, and must be the same for all runs. A
   run that was not written is left out, a species that the file has not is 0. */
enum { RD_MEANS_RUNS = 64 };
bool rd_store_means(const struct rd_wanted *wanted, double *mean, struct rd_error *e);

/* Returns the snapshot of an entry `from` of `initial`, for run 0; its texts belong to the model.
 */
struct rd_wanted rd_wanted_of(const struct rd_model *m, const struct rd_amount *a);

/* What a result was made from; its texts are owned. */
struct rd_origin {
    char *effective; /* configuration */
    char *inputs;    /* "" or rd_inputs_note */
    char *program;   /* "rdsim 0.1.0" */
    double law;      /* number */
    int64_t n_times;
    bool is_whole; /* it ran to its end */
};
/* Frees with rd_origin_free in any case. */
bool rd_store_origin(const char *path, struct rd_origin *o, struct rd_error *e);
void rd_origin_free(struct rd_origin *o);

/* `rdsim diff A B`: says what data differ, and where they first do; *same: none. Provenance is not
   compared. may_be_shorter: it is right if a ends before b does. False, with a sentence, if they
   cannot be compared. */
bool rd_store_diff(const char *a, const char *b, bool may_be_shorter, FILE *out, bool *same,
                   struct rd_error *e);

/* `rdsim info FILE`: what it holds, as it is now, in a page or as JSON. */
bool rd_store_info(const char *path, FILE *out, struct rd_error *e);
bool rd_store_info_json(const char *path, FILE *out, struct rd_error *e);

#endif
