/* result_reader - reads a finished result, or what a killed run left of one. */
#ifndef RD_RESULT_READ_RESULT_READER_H
#define RD_RESULT_READ_RESULT_READER_H

#include "base/error.h"
#include "model/model.h"

#include <stdio.h>

/* Lists the kinds of an earlier run at path: none; a whole result; an unfinished run without a
   checkpoint; or anything else, with a checkpoint or unknown. rd_store_past sets *effective to the
   effective configuration of a whole or unfinished result, if it has one (the caller frees it). */
enum rd_past { RD_PAST_NONE, RD_PAST_WHOLE, RD_PAST_BEGUN, RD_PAST_PARTS };
enum rd_past rd_store_past(const char *path, char **effective);

/* Checks that all data of a result can be read, and that their checksums are right. Returns
   false with a message that names the damaged data set. */
bool rd_store_verify(const char *path, struct rd_error *e);
/* Removes OUT.parts if the result at path is whole, in one file, and OUT.parts is a leftover of the
   run that made it: that run was killed after the result had its name. Returns false if there is no
   leftover, or if another process holds it. */
bool rd_store_clear_leftover(const char *path);
/* Removes a result, and OUT.parts. */
void rd_store_remove(const char *path);

/* Describes a snapshot of an earlier result to be read, and the grid that it must have. */
struct rd_wanted {
    const char *path;
    double at_time; /* NAN: the last snapshot */
    int64_t run;    /* number of the run; ignored if the file has only one */
    int32_t size[3];
    double edge[3];
    int n_species;
    char *const *species;
    bool is_all; /* the whole snapshot: other species must be empty, and species of this list may be
                    missing in the file */
    const char *place; /* origin of the request for messages: FILE:LINE, or "" */
};

/* Receives the counts of species number i of the list, which are valid during the call; NULL: the
   file does not have the species, and is_all. Returns false with a message to end the reading. */
typedef bool rd_take_counts(void *to, int i, const int32_t *count, struct rd_error *e);
/* Passes the counts of each species of the list on, one after the other. */
bool rd_store_each(const struct rd_wanted *wanted, rd_take_counts *take, void *to,
                   struct rd_error *e);

/* Computes, for each species of the list, the mean number of molecules over the first
   RD_MEANS_RUNS runs of the file. `run` is ignored: the step at the start follows from the mean,
   and must be the same for all runs. Runs that were not written are excluded; a missing species
   gives 0. */
enum { RD_MEANS_RUNS = 64 };
bool rd_store_means(const struct rd_wanted *wanted, double *mean, struct rd_error *e);

/* Returns the snapshot of an entry `from` of `initial`, for run 0; its texts belong to the
   model. */
struct rd_wanted rd_wanted_of(const struct rd_model *m, const struct rd_amount *a);

/* Describes the origin of a result: all that is needed to run it again. Its texts are owned. */
struct rd_origin {
    char *effective;       /* configuration */
    char *inputs;          /* "" or from rd_inputs_note */
    char *journal;         /* "" or the edits of the program that ran it */
    char *program;         /* "rdsim 0.2.0" */
    double stream_version; /* stream version */
    int64_t n_times;
    bool is_whole; /* the run came to its end */
    bool has_rows; /* it has a table of parameter vectors */
};
/* Reads the origin of a result; rd_origin_free frees it in any case. */
bool rd_store_origin(const char *path, struct rd_origin *o, struct rd_error *e);
void rd_origin_free(struct rd_origin *o);

/* `rdsim diff A B`: prints which data differ, and where the first difference is; sets *same if
   none differ. Provenance is not compared. With may_be_shorter, a may end before b does. Returns
   false with a message if they cannot be compared. */
bool rd_store_diff(const char *a, const char *b, bool may_be_shorter, FILE *out, bool *same,
                   struct rd_error *e);

/* `rdsim info FILE`: prints what the file holds now, as a page or as JSON. */
bool rd_store_info(const char *path, FILE *out, struct rd_error *e);
bool rd_store_info_json(const char *path, FILE *out, struct rd_error *e);

#endif
