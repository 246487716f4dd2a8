/* stored_lives - individuals made by hand, their births and deaths, whose every number is known:
   what a store is given, and whether a file has it. */
#ifndef RD_STORED_LIVES_H
#define RD_STORED_LIVES_H

#include "result/format/snapshot.h"

#include <hdf5.h>

/* Of the species A (attributes, lineage), of the next one (neither, and never any individual). The
   third is not recorded. */
enum { LIVES_SPECIES = 2, LIVES_ATTRIBUTES = 2 };

struct stored_lives {
    int64_t scale; /* so many times as many individuals */
    struct rd_attribute attribute[LIVES_ATTRIBUTES];
    struct rd_individuals of[LIVES_SPECIES];
    int64_t *row_count, *id, *parent, *site; /* owned, as all below */
    double *born, *speed, *age;
    const double *column[LIVES_ATTRIBUTES];
    struct rd_life *life;
    int64_t n_lives;
};

struct stored_lives *stored_lives_make(const struct rd_model *m, int64_t scale);
void stored_lives_free(struct stored_lives *l);
/* Makes the model's first three species individual. */
void stored_lives_join(struct stored_lives *l, struct rd_species *species);

/* How many individuals run r has at output t: none at first, more and more, then none again. */
int64_t stored_lives_n(const struct stored_lives *l, int64_t t, int64_t r);
/* What the store is given at output t; the lives since the output before. */
void stored_lives_at(struct stored_lives *l, const struct rd_model *m, int64_t t);

/* Whether the file has n_times snapshots of them, and no more. */
void stored_lives_assert(const struct stored_lives *l, const struct rd_model *m, hid_t file,
                         int64_t n_times);
/* Whether it has the lineage until the output n_times - 1. */
void stored_lineage_assert(struct stored_lives *l, const struct rd_model *m, hid_t file,
                           int64_t n_times);

#endif
