/* snapshot - what is written of a run: facts about it, the state at one output time, births and
 * deaths. */
#ifndef RD_RESULT_FORMAT_SNAPSHOT_H
#define RD_RESULT_FORMAT_SNAPSHOT_H

#include "base/error.h"
#include "model/model.h"
#include "result/statistics/statistics.h"

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
    const struct rd_fact *derived; /* step, what limits it, probabilities, ... */
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

/* The individuals of one species at one output time: by run, then by voxel. */
struct rd_individuals {
    int species;                    /* in the file's order */
    int64_t n;                      /* over all runs */
    const int64_t *row_count;       /* [run] */
    const int64_t *id;              /* [n]; once in a run, never used again */
    const int64_t *parent;          /* [n]; an id, or -1 */
    const double *born;             /* [n] */
    const int64_t *site;            /* [n]: number of the voxel in its run */
    const double *const *attribute; /* [attribute][n] */
};

/* A row of the lineage: one individual is born or dies. Those placed at the start are born then;
   those who become another species live on. */
struct rd_life {
    double time;
    /* where it stands among the others: by the turn of the step (rd_first_turn), by what happens in
       it one after the other, and then by run */
    int64_t order_key, part;
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
bool rd_faulted_report_all(const struct rd_faulted *faulted, int64_t n, struct rd_error *e);

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
                   the runs that are kept; NULL without counts of voxels */
};

#endif
