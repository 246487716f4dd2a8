/* snapshot - what is written of a run: facts about it, the state at one output time, births and
   deaths. */
#ifndef RD_RESULT_FORMAT_SNAPSHOT_H
#define RD_RESULT_FORMAT_SNAPSHOT_H

#include "base/error.h"
#include "base/shared_text.h"
#include "kernels/core/entries.h"
#include "model/model.h"
#include "result/statistics/statistics.h"

/* Describes a derived number or text, for /model/derived and /provenance. */
struct rd_fact {
    const char *name;
    const char *text; /* NULL: it is a number */
    double number;
};

/* Holds facts about a run, which have no influence on its data. All that it points to must live
   until rd_store_close. */
struct rd_record_of {
    const struct rd_model *model;
    const char *command; /* the whole command line; NULL: rdsim and config_name */
    const char *config_name, *config_text, *effective; /* rd_config_... */
    const char *identity; /* rd_config_...: what a checkpoint must agree with; NULL: effective */
    const struct rd_config_file *file; /* rd_config_files */
    int n_files;
    const char *inputs;            /* from rd_inputs_note; or NULL */
    rd_shared_text *journal;       /* edits of a program, without the head and end of a journal;
                                      or NULL */
    const struct rd_fact *derived; /* step, what limits it, probabilities, ... */
    int n_derived;
    const struct rd_fact *provenance; /* back end, device, threads, host, version, commit, ... */
    int n_provenance;
    int threads;            /* that compress the counts; 0: one */
    bool has_entered;       /* there are reservoirs: write /injected */
    bool has_counts;        /* snapshots have counts, or for keep = statistics their sums */
    bool has_individuals;   /* snapshots have individuals of the species that record them */
    bool is_quick;          /* when resuming, segments are not read to the end */
    double segment_seconds; /* a segment is closed after this many seconds (0: 10 s), */
    int64_t segment_bytes;  /* or at this size (0: 64 MiB) */
};

/* Holds the individuals of one species at one output time, sorted by run, then by voxel. */
struct rd_individuals {
    int species;                    /* in the file's order */
    int64_t n;                      /* over all runs */
    const int64_t *row_count;       /* [run] */
    const int64_t *id;              /* [n]; unique in a run, never used again */
    const int64_t *parent;          /* [n]; an id, or -1 */
    const double *born;             /* [n] */
    const int64_t *site;            /* [n]: number of the voxel in its run */
    const double *const *attribute; /* [attribute][n] */
};

/* Holds a row of the lineage: one birth or death; or an event on a condition that fired in a run,
   which has species -1 and the number of the event as id. Individuals that are placed at the start
   are born then. An individual that changes its species lives on. */
struct rd_life {
    double time;
    /* place in the order of all rows: order_key numbers the stages of all steps
       (rd_first_order_key); part, then the run, give the order within a stage */
    int64_t order_key, part;
    int64_t run; /* index as in snapshots: 0 is the first */
    int64_t site, id;
    int64_t parent;  /* of a birth; an id, or -1 */
    int32_t species; /* in the file's order */
    bool is_birth;
};

/* Describes a run that faulted and ended there, while others went on. */
struct rd_faulted {
    int64_t run;     /* its number */
    int64_t n_times; /* snapshots that include it; -1: none was taken since */
    double time;     /* the fault happened before this time */
    char *text;      /* the fault message */
};

/* Reports that all runs faulted, with the message of the first one; returns false. */
bool rd_faulted_report_all(const struct rd_faulted *faulted, int64_t n, struct rd_error *e);

/* Holds the molecules in voxels as rows, one for each species that a voxel contains; sorted by run,
   voxel and species. */
struct rd_sparse_counts {
    int64_t n;                            /* over all runs */
    const int64_t *row_count;             /* [run]; -1: the run is excluded, since it faulted */
    const struct rd_outbox_entry *packed; /* [n], or NULL: the rows are in these arrays: */
    const int64_t *voxel;                 /* [n]: number of the voxel in its run */
    const int32_t *species;               /* [n] */
    const int32_t *count;                 /* [n]: at least 1 */
};

struct rd_sparse_row {
    int64_t voxel;
    int32_t species, count;
};

/* Returns row number i. */
static inline struct rd_sparse_row rd_sparse_row_at(const struct rd_sparse_counts *of, int64_t i)
{
    if (of->packed)
        return (struct rd_sparse_row){of->packed[i].voxel, of->packed[i].species,
                                      of->packed[i].count};
    return (struct rd_sparse_row){of->voxel[i], of->species[i], of->count[i]};
}

/* Describes the state at one output time; species and reactions are in the file's order. */
struct rd_snapshot {
    double time;
    uint64_t due;                          /* bit i: group i of the output records it */
    const int32_t *counts;                 /* [run][species][z][y][x]; NULL unless has_counts */
    const struct rd_sparse_counts *sparse; /* in place of counts, or beside them; NULL: none */
    const struct rd_sum *sums;    /* or their sums over runs, [surveyed species][z][y][x]; else
                                     NULL */
    const int64_t *totals;        /* [run][species] */
    const int64_t *region_totals; /* [run][region][species]: of the regions with totals, in the
                                     file's order; NULL: there are none */
    const double *values;         /* [run][named value]; NAN in runs that are excluded */
    const int64_t *by;            /* [run][value of any entry]: individuals by the value of an
                                     attribute; -1 in runs that are excluded; NULL: no group that is
                                     due counts them */
    const int64_t *fired;         /* [run][reaction] since the start */
    const int64_t *lost;          /* [run][species][face]: taken by each wall since the start; NULL
                                     if no wall takes any */
    const int64_t *entered;       /* [run][species][face]; NULL unless has_entered */
    const double *stopped;        /* [run]: time at which it stopped, NAN: it has not; or NULL */
    const uint8_t *out;           /* [run]: 1 if it faulted and is excluded; NULL: none did */
    const struct rd_faulted *faulted; /* the runs that faulted; what they point to lives on */
    int64_t n_faulted;
    /* of each species of individuals whose state is recorded, in the file's order */
    const struct rd_individuals *individuals;
    int n_individuals;
    const double *const
        *field; /* of each field that changes, by its number in the file: [run][z][y][x] of the runs
                   that are kept; NULL without counts of voxels */
};

#endif
