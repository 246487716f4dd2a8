/* store - the result file; alone knows HDF5. Writes segments that are closed, synced and renamed
   under a small master of virtual data sets, and joins them into one file at the end; reads
   snapshots of earlier results. docs/output.md describes what is in it. */
#ifndef RD_STORE_H
#define RD_STORE_H

#include "error.h"
#include "model.h"
#include "statistics.h"
#include "store_parts.h"
#include "tape.h"

#include <stdio.h>

typedef struct rd_store rd_store;

/* A number or a text that was derived, for /model/derived and /provenance. */
struct rd_fact {
    const char *name;
    const char *text; /* NULL: it is the number */
    double number;
};

/* What is told about a run beside its data. Nothing in it changes the data. All that it points to
   must live until rd_store_close. */
struct rd_record_of {
    const struct rd_model *model;
    const char *command; /* the whole command line; NULL: rdsim and config_name */
    const char *config_name, *config_text, *effective; /* rd_config_... */
    const char *identity; /* likewise: what a checkpoint must agree with; NULL: effective */
    const char *inputs;   /* rd_inputs_note; or NULL */
    const struct rd_fact *derived; /* step, what limits it, chances, ... */
    int n_derived;
    const struct rd_fact *provenance; /* back end, device, threads, host, version, commit, ... */
    int n_provenance;
    bool has_entered;       /* there are reservoirs: write /injected */
    bool has_counts;        /* snapshots carry counts, or for keep = statistics sums of them */
    bool has_individuals;   /* snapshots carry individuals of the species that record them */
    bool is_quick;          /* resuming, segments are not read to the end */
    double segment_seconds; /* a segment is closed after so long (0: 10 s), */
    int64_t segment_bytes;  /* or when it is so large (0: 64 MiB) */
};

/* The individuals of one species at one output time: by run, then by cell. */
struct rd_individuals {
    int species;                    /* in the file's order */
    int64_t n;                      /* over all runs */
    const int64_t *row_count;       /* [run] */
    const int64_t *id;              /* [n]; once in a run, never used again */
    const int64_t *parent;          /* [n]; an id, or -1 */
    const double *born;             /* [n] */
    const int64_t *site;            /* [n]: number of the cell in its run */
    const double *const *attribute; /* [attribute][n] */
};

/* A row of the lineage: one individual is born or dies. Those placed at the start are born then;
   those who become another species live on. */
struct rd_life {
    double time;
    /* where it stands among the others: by the turn of the step (rd_first_turn), by what happens in
       it one after the other, and then by run */
    int64_t turn, part;
    int64_t run; /* as in snapshots: 0 is the first */
    int64_t site, id;
    int64_t parent;  /* of a birth; an id, or -1 */
    int32_t species; /* in the file's order */
    bool is_birth;
};

/* A run that faulted and ended there, while others went on. */
struct rd_faulted {
    int64_t run;     /* its number */
    int64_t n_times; /* snapshots that it is part of; -1: none came since */
    double time;     /* it was before this */
    char *text;      /* the sentence that says what it was */
};

/* False, with a sentence: of all runs that there were the first one is the reason. */
bool rd_faulted_tell_all(const struct rd_faulted *faulted, int64_t n, struct rd_error *e);

/* The state at one output time; species and reactions in the file's order. */
struct rd_snapshot {
    double time;
    const int32_t *counts;     /* [run][species][z][y][x]; NULL unless has_counts */
    const struct rd_sum *sums; /* or over the runs, [species][z][y][x]; else NULL */
    const int64_t *totals;     /* [run][species] */
    const int64_t *fired;      /* [run][reaction] since the start */
    const int64_t *lost;       /* [run][species][face]: taken by each wall since the start */
    const int64_t *entered;    /* [run][species][face]; NULL unless has_entered */
    const double *stopped;     /* [run]: since when it stands still, NAN: it does not; or NULL */
    const uint8_t *out;        /* [run]: it faulted, and is no part of this; NULL: none did */
    const struct rd_faulted *faulted; /* the runs that did; what they point to lives on */
    int64_t n_faulted;
    /* of each species that has individuals and keeps their state, in the file's order */
    const struct rd_individuals *individuals;
    int n_individuals;
    const double *const
        *field; /* of each field that varies, by its number in the file, [run][z][y][x] of
                   the runs that are kept; NULL without counts of cells */
};

/* Refuses what rd_store_open would refuse of a result at path: that exists, unless force; that
   another run is writing; that cannot be written there. Touches nothing. Not to be asked about a
   path that this process is writing. */
bool rd_store_check(const char *path, bool force, struct rd_error *e);
/* Keeps other processes from the path until it is closed; changes nothing that exists until data
   replace it. */
bool rd_store_open(rd_store **s, const char *path, bool force, const struct rd_record_of *r,
                   struct rd_error *e);
/* After a failure (disk full, ...) nothing more is written; what was written stays readable. */
bool rd_store_write(rd_store *s, const struct rd_snapshot *snapshot, struct rd_error *e);
/* The runs that faulted, for what comes after the last snapshot; sentences live on. */
bool rd_store_faulted(rd_store *s, const struct rd_faulted *faulted, int64_t n, struct rd_error *e);
/* Births and deaths since the last call; those of species without record = "lineage" are left
   out. */
bool rd_store_live(rd_store *s, const struct rd_life *life, int64_t n, struct rd_error *e);
/* So many seconds from now what was written should be made safe; INFINITY: all is. */
double rd_store_due(const rd_store *s);
/* What was written is closed and synced, and in the result's place if there is a snapshot: if it is
   due to be, or now. */
bool rd_store_settle(rd_store *s, bool now, struct rd_error *e);
/* Joins the segments. state is "complete", "faulted" (to the end, but not with all runs),
   "interrupted" or "failed"; fact are facts known only
   at the end (wall time per pass ...). Frees s in any case. */
bool rd_store_close(rd_store *s, const char *state, const struct rd_fact *fact, int n_facts,
                    struct rd_error *e);

/* The file beside the segments in which batches of runs wait: a new one, or that of the checkpoint.
   It goes with the last checkpoint. */
struct rd_path rd_store_batches(rd_store *s);

/* After rd_store_settle with now, a tape on which this result stands; what else goes onto it is up
   to the caller, who then has it kept, or dropped if it is not good. The last two tapes are kept.
 */
bool rd_store_tape(rd_store *s, struct rd_tape *t, struct rd_error *e);
bool rd_store_keep(rd_store *s, struct rd_tape *t, bool good, struct rd_error *e);
/* Goes on from the newest tape that is whole, fits the record, and whose segments are there: what
   was written later is dropped. The tape is open for what else is on it. Why newer ones were not
   taken is told to refused. */
bool rd_store_resume(rd_store **s, const char *path, const struct rd_record_of *r,
                     struct rd_tape *t, struct rd_error *refused, struct rd_error *e);
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
