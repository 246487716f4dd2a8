/* roll - individuals put by hand into the lists of a stage, what happens to them written down by
   hand, and what the lists must be then: for tests of the stages. */
#ifndef RD_ROLL_H
#define RD_ROLL_H

#include "kernels/passes/reactions/ssa.h"
#include "stage.h"

/* Entry i < 100 of list l has the id 100 (l + 1) + i and slot most - 1 - i; those born get ids from
   here on, in each run. */
enum { ROLL_NEXT_ID = 1000 };

/* n individuals stand in these voxels (in order, over all runs), without parents, born at 0, with
   attributes 0; none else is alive. */
void roll_put(const struct stage *s, int64_t list, const int32_t *voxel, int64_t n);
/* All n in one voxel. */
void roll_crowd(const struct stage *s, int64_t list, int32_t voxel, int64_t n);
/* Attribute a: of every slot of the list; of who stands at entry i. */
void roll_give(const struct stage *s, int64_t list, int32_t a, double value);
double roll_trait(const struct stage *s, int64_t list, int64_t i, int32_t a);

/* A step opens, in which none is dead or born yet. */
void roll_open(const struct stage *s);
/* One dies; n are born in the voxel, of no parent, at the time of the pass. */
void roll_kill(const struct stage *s, int64_t list, int64_t entry);
void roll_bear(const struct stage *s, int64_t list, int64_t voxel, int32_t n);
/* These reactions (numbers in the file's order, the last one -1) happen in the voxel, where nothing
   has happened yet, at equal intervals within the pass: event k of n at (k + 1) / (n + 1). */
void roll_happen(const struct stage *s, int64_t voxel, const int32_t *reaction);
/* Reaction number i of the file, as the passes know it. */
int32_t roll_reaction(const struct stage *s, int32_t i);

/* All in the list moves, entry by entry; the list is not sorted yet. */
void roll_move(struct stage *s, int64_t list);

/* A line of the list. */
struct roll_line {
    int64_t voxel, slot, id;
};
/* Fail if there was a fault, or the lists are not what they must be; unless the n lines are the
   list as well; unless the pool begins with these n slots. */
void assert_sound(struct stage *s);
void assert_roll(struct stage *s, int64_t list, const struct roll_line *line, int64_t n);
void assert_pool(const struct stage *s, int64_t list, const int32_t *slot, int64_t n);

/* A number that depends on every byte of the lists: who is where, everything of theirs, and the
   counts. */
uint64_t roll_fingerprint(const struct stage *s);

/* The example that the stages were worked out on, by hand. Six voxels, room for ten:

       voxel        0       1       2      3      4     5
       before              a b c          d      e f
       happens     + 1     b dies  + 2    + 1           + 1
                                          d dies
       then        p       a c     q r    s      e f   t                                      */
enum { ROLL_VOXELS = 6, ROLL_MOST = 10, ROLL_LIVE = 6, ROLL_THEN = 9, ROLL_BORN = 5 };
struct roll_example {
    int32_t voxel[ROLL_LIVE];
    int32_t first[ROLL_VOXELS + 1];
    /* what maintain leaves */
    int32_t births[ROLL_VOXELS + 1];
    uint8_t flag[ROLL_VOXELS + 1];
    int32_t offset[ROLL_LIVE];
    /* births, where a flag begins anew; then offsets with these at the first of each occupied voxel
     */
    int32_t capacity[ROLL_VOXELS + 1], expanded[ROLL_LIVE];
    /* the scans: births in the voxels before; offsets up to and with each entry */
    int32_t ranks[ROLL_VOXELS + 1], scanned[ROLL_LIVE];
    /* the entries of p q r s t; and the lists at the end: of ten entries the last is the pool */
    int32_t standing[ROLL_BORN];
    uint32_t key[ROLL_MOST], slot[ROLL_MOST];
    int32_t first_then[ROLL_VOXELS + 1];
};
extern const struct roll_example roll_example;

/* The example before anything happens; marked and stored as maintain leaves it; and when its scans
   are done. Closed by stage_close. */
void roll_example_open(struct stage *s);
void roll_example_mark(const struct stage *s);
void roll_example_scan(const struct stage *s);

#endif
