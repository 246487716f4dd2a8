/* outputs - the groups of the result: what each records, and what a snapshot must have for those
   that are due. */
#ifndef RD_MODEL_OUTPUTS_H
#define RD_MODEL_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

struct rd_model;

enum rd_keep { RD_KEEP_ALL, RD_KEEP_TOTALS, RD_KEEP_STATISTICS, RD_KEEP_FIRST };
enum rd_output_layout { RD_LAYOUT_AUTO, RD_LAYOUT_DENSE, RD_LAYOUT_SPARSE };

/* Sets the largest number of species times voxels for which `auto` takes the dense layout, and for
   which statistics of voxels are written. */
#define RD_DENSE_MOST (INT64_C(1) << 27)

/* Sets the largest number of species of a group for which covariances are written. */
enum { RD_PAIRS_MOST = 256 };

/* Describes a group of data sets of the result, with times, species and regions of its own. */
struct rd_output {
    char *name;   /* "": its data sets are at the root of the file; else the HDF5 group */
    double *time; /* rising; by default 0 and the end are included */
    int64_t n_times;
    int32_t *species; /* that are recorded, rising */
    int n_species;
    uint64_t regions; /* bit r: the totals of region r are recorded */
    enum rd_keep keep;
    int64_t keep_first; /* RD_KEEP_FIRST: number of runs, less than n_runs */
    double *quantile;   /* of totals over the runs: rising, 0..1 */
    int n_quantiles;
    int compression; /* level 0..9 */
    enum rd_output_layout layout;
    bool is_sparse; /* counts are rows of voxels, species and numbers */
    bool is_large;  /* it has too many species and voxels for their statistics */
    char *place;
};

/* Sets the largest number of values by which individuals of one entry are counted. */
enum { RD_BINS_MOST = 1 << 20 };

/* Describes individuals of a species that a group counts by the value of an attribute. */
struct rd_by {
    char *name;
    int output; /* index of the group */
    int species, attribute;
    int32_t least, most; /* range of the attribute, both included */
    int64_t first;       /* place of the first value among those of all entries */
    char *place;
};

/* Returns the number of runs, the first ones, of which the group stores more than statistics. The
   others return whether it stores counts per voxel and individuals, whether it writes statistics of
   voxels, whether it needs data of voxels for any of these, and whether it writes covariances. */
int64_t rd_output_kept(const struct rd_model *m, const struct rd_output *o);
bool rd_output_keeps_voxels(const struct rd_output *o);
bool rd_output_has_statistics(const struct rd_model *m, const struct rd_output *o);
bool rd_output_has_voxels(const struct rd_model *m, const struct rd_output *o);
bool rd_output_has_covariances(const struct rd_model *m, const struct rd_output *o);
/* Returns whether a group that is due counts individuals by an attribute. */
bool rd_model_counts_by(const struct rd_model *m, uint64_t due);
/* Returns the regions whose totals any group records, as bits, and their number. */
uint64_t rd_model_totalled(const struct rd_model *m);
int rd_regions_number(uint64_t regions);

/* Returns the index of the first quantile of all groups that is not below q. */
int rd_model_quantile(const struct rd_model *m, double q);
/* Returns whether a result has something of its own of that name at its root. */
bool rd_output_is_reserved(const char *name);

/* Holds the data of voxels that a snapshot must have for the groups that are due. */
struct rd_recorded {
    bool has_voxels, keeps_voxels; /* for any of them */
    bool is_sparse;                /* counts are rows, for all groups */
    int64_t n_counted;             /* runs, the first ones, with counts */
    bool has_sums;                 /* it has sums over the runs of the counts in each voxel */
    int64_t n_kept;                /* runs, the first ones, with individuals and changing fields */
};
/* is_parted: the runs are simulated in batches, of which m is one, or which m has together. */
struct rd_recorded rd_model_recorded(const struct rd_model *m, uint64_t due, bool is_parted);

#endif
