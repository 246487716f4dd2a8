/* roll - individuals and events that a test puts into the lists of a stage, and the lists that must
   result, for tests of the stages of a list update. */
#ifndef RD_ROLL_H
#define RD_ROLL_H

#include "kernels/passes/reactions/ssa.h"
#include "stage.h"

/* Entry i < 100 of list l has the id 100 (l + 1) + i and the slot most - 1 - i. Newborn get ids
   from ROLL_NEXT_ID on, in each run. */
enum { ROLL_NEXT_ID = 1000 };

/* Puts n individuals into these voxels (ascending, over all runs), without parents, born at time 0,
   with attributes 0. The list contains no others. */
void roll_put(const struct stage *s, int64_t list, const int32_t *voxel, int64_t n);
/* Puts all n individuals into one voxel. */
void roll_into_voxel(const struct stage *s, int64_t list, int32_t voxel, int64_t n);
/* Sets attribute a of every slot of the list; roll_trait returns that of entry i. */
void roll_give(const struct stage *s, int64_t list, int32_t a, double value);
double roll_trait(const struct stage *s, int64_t list, int64_t i, int32_t a);

/* Opens a step without births and deaths. */
void roll_open(const struct stage *s);
/* Kills one entry; roll_bear adds n newborn without parent in the voxel, at the time of the
   pass. */
void roll_kill(const struct stage *s, int64_t list, int64_t entry);
void roll_bear(const struct stage *s, int64_t list, int64_t voxel, int32_t n);
/* Makes these reactions (numbers in the order of the file, the last one -1) fire in the voxel,
   which has no events yet. They are equally spaced in the pass: event k of n at (k + 1) / (n +
   1). */
void roll_happen(const struct stage *s, int64_t voxel, const int32_t *reaction);
/* Returns the number that the passes give reaction i of the file. */
int32_t roll_reaction(const struct stage *s, int32_t i);

/* Moves all individuals of the list, entry by entry; the list is not sorted afterwards. */
void roll_move(struct stage *s, int64_t list);

/* Holds one entry of a list. */
struct roll_line {
    int64_t voxel, slot, id;
};
/* assert_sound fails if there was a fault or the lists are inconsistent. assert_roll fails also
   unless the n lines are the list, assert_pool unless the pool begins with these n slots. */
void assert_sound(struct stage *s);
void assert_roll(struct stage *s, int64_t list, const struct roll_line *line, int64_t n);
void assert_pool(const struct stage *s, int64_t list, const int32_t *slot, int64_t n);

/* Returns a hash of every byte of the lists: places, ids, attributes and counts. */
uint64_t roll_fingerprint(const struct stage *s);

/* Holds the example of the list update that was worked out on paper: six voxels, capacity for ten.

       voxel        0       1       2      3      4     5
       before              a b c          d      e f
       happens     + 1     b dies  + 2    + 1           + 1
                                          d dies
       then        p       a c     q r    s      e f   t                                      */
enum { ROLL_VOXELS = 6, ROLL_MOST = 10, ROLL_LIVE = 6, ROLL_THEN = 9, ROLL_BORN = 5 };
struct roll_example {
    int32_t voxel[ROLL_LIVE];
    int32_t first[ROLL_VOXELS + 1];
    /* state after maintain */
    int32_t births[ROLL_VOXELS + 1];
    uint8_t flag[ROLL_VOXELS + 1];
    int32_t offset[ROLL_LIVE];
    /* births, with the segment flags; then offsets, with the births added at the first entry of
       each occupied voxel */
    int32_t capacity[ROLL_VOXELS + 1], expanded[ROLL_LIVE];
    /* after the scans: births in the voxels before; inclusive sums of offsets up to each entry */
    int32_t ranks[ROLL_VOXELS + 1], scanned[ROLL_LIVE];
    /* entries of p q r s t; then the lists at the end, where the last of ten entries is the pool */
    int32_t standing[ROLL_BORN];
    uint32_t key[ROLL_MOST], slot[ROLL_MOST];
    int32_t first_then[ROLL_VOXELS + 1];
};
extern const struct roll_example roll_example;

/* Opens the example before the events. roll_example_mark sets the state that maintain leaves,
   roll_example_scan the state after the scans. stage_close closes the stage. */
void roll_example_open(struct stage *s);
void roll_example_mark(const struct stage *s);
void roll_example_scan(const struct stage *s);

#endif
