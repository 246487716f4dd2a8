/* stored_lives - individuals with births and deaths in which every number is given by a formula.
   Tests write them to a result and compare the file with them. */
#ifndef RD_STORED_LIVES_H
#define RD_STORED_LIVES_H

#include "result/format/snapshot.h"

#include <hdf5.h>

/* The first species, A, has attributes and lineage; the second has neither, and never any
   individual. The third is not recorded. */
enum { LIVES_SPECIES = 2, LIVES_ATTRIBUTES = 2 };

struct stored_lives {
    int64_t scale; /* factor of the number of individuals */
    struct rd_attribute attribute[LIVES_ATTRIBUTES];
    struct rd_individuals of[LIVES_SPECIES];
    int64_t *row_count, *id, *parent, *site; /* owned, as are all members below */
    double *born, *speed, *age;
    const double *column[LIVES_ATTRIBUTES];
    struct rd_life *life;
    int64_t n_lives;
};

struct stored_lives *stored_lives_make(const struct rd_model *m, int64_t scale);
void stored_lives_free(struct stored_lives *l);
/* Makes the model's first three species individuals. */
void stored_lives_join(struct stored_lives *l, struct rd_species *species);

/* Returns the number of individuals of run r at output t: 0 at first, then increasing, then 0
   again. */
int64_t stored_lives_n(const struct stored_lives *l, int64_t t, int64_t r);
/* Sets the snapshot at output t and the births and deaths since the previous output. */
void stored_lives_at(struct stored_lives *l, const struct rd_model *m, int64_t t);

/* Fails unless the file has exactly n_times snapshots of the individuals. */
void stored_lives_assert(const struct stored_lives *l, const struct rd_model *m, hid_t file,
                         int64_t n_times);
/* Fails unless the file has the lineage up to output n_times - 1. */
void stored_lineage_assert(struct stored_lives *l, const struct rd_model *m, hid_t file,
                           int64_t n_times);

#endif
