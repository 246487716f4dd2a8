/* host_counts - the counts of all species on the host, where the start and events change them. A
   species with an array on the machine has one here; a species in rows has a list of the voxels
   that contain it. */
#ifndef RD_SIM_HOST_COUNTS_H
#define RD_SIM_HOST_COUNTS_H

#include "plan/plan.h"

struct rd_sim;

/* Holds the molecules of a species in a voxel, whose number is over all runs. */
struct rd_voxel_count {
    uint32_t voxel;
    int32_t count;
};

/* Lists the voxels that contain a species, in their order. */
struct rd_host_list {
    struct rd_voxel_count *entry; /* owned */
    int64_t n;
};

/* Holds the counts of a species as an array while they are changed. */
struct rd_host_array {
    int32_t species;  /* -1: none */
    int32_t *count;   /* owned, [voxel]; 0 everywhere while there is no species */
    uint8_t *touched; /* owned, [block]: counts of the block may not be 0 */
};

struct rd_host_counts {
    const struct rd_plan *plan;
    int32_t *array; /* [column][voxel] */
    bool owns_array;
    struct rd_host_list *list;    /* owned, [species]; NULL: all species have arrays */
    struct rd_host_array open[2]; /* of species that have lists */
    int latest;                   /* of the open arrays */
};

/* Gives the number of voxels that are marked together as touched. */
enum { RD_TOUCHED_BLOCK = 512 };

/* Makes counts of 0, stored as in the plan. `array` may have memory for the arrays, all 0, which
   stays with the caller; or it is NULL. Returns false with a message if memory is short;
   rd_host_counts_close must be called in any case. */
bool rd_host_counts_open(struct rd_host_counts *h, const struct rd_plan *p, int32_t *array,
                         struct rd_error *e);
/* Returns counts in arrays for all species, however the plan stores them: count[species][voxel],
   which stays with the caller. */
struct rd_host_counts rd_host_counts_of(const struct rd_plan *p, int32_t *count);
void rd_host_counts_close(struct rd_host_counts *h);

/* Returns the counts of the species, [voxel], until two other species are asked for. NULL with a
   message if memory is short. If `touched` is given, *touched is set to marks of blocks, or to
   NULL: the caller sets touched[voxel / RD_TOUCHED_BLOCK] for each count that it changes. */
int32_t *rd_host_counts_array(struct rd_host_counts *h, int32_t species, uint8_t **touched,
                              struct rd_error *e);
/* Returns the count of a species that has a list, which is not open as an array, in the voxel. */
int32_t rd_host_counts_in_list(const struct rd_host_counts *h, int32_t species, int64_t voxel);
/* Adds the molecules of the species in each run to sum[run]. Fails if memory is short. */
bool rd_host_counts_sum(struct rd_host_counts *h, int32_t species, uint64_t *sum,
                        struct rd_error *e);

/* Adds up the molecules of each species and run on the machine: sum[species][run], in canonical
   order, from a copy of all counts. Returns false with a message on failure. */
bool rd_host_counts_totals(struct rd_sim *s, uint64_t *sum, struct rd_error *e);

/* Copies all counts from the machine, or to it. Return false with a message on failure. */
bool rd_host_counts_get(struct rd_host_counts *h, struct rd_sim *s, struct rd_error *e);
bool rd_host_counts_put(struct rd_host_counts *h, struct rd_sim *s, struct rd_error *e);
/* Copies the counts of one run from the machine. */
bool rd_host_counts_get_run(struct rd_host_counts *h, struct rd_sim *s, int64_t run,
                            struct rd_error *e);
/* Copies the counts of one run to the machine, if no species has a list. */
bool rd_host_counts_put_run(struct rd_host_counts *h, struct rd_sim *s, int64_t run,
                            struct rd_error *e);
/* Removes all molecules of a run. */
bool rd_host_counts_clear_run(struct rd_host_counts *h, int64_t run, struct rd_error *e);
/* Moves the open arrays back into their lists. */
bool rd_host_counts_commit(struct rd_host_counts *h, struct rd_error *e);

#endif
