/* prints - a fingerprint of every run of a configuration, by the names of species and attributes
   and the equations of reactions: what order they stand in, and in whose company the run is, leaves
   it as it is. */
#ifndef RD_PRINTS_H
#define RD_PRINTS_H

#include "lab.h"

enum { PRINTS_MOST = 1000 };

struct prints {
    int64_t n_runs;
    uint64_t run[PRINTS_MOST];
    uint64_t before[PRINTS_MOST]; /* up to the last snapshot that the run is part of */
    uint64_t fault[PRINTS_MOST];  /* of the sentence, where one faulted alone; else 0 */
};

void prints_take(struct prints *p, const struct lab *lab, const char *text,
                 const char *const *sets);
/* Of one run, which may fault. */
void prints_take_one(struct prints *p, const struct lab *lab, const char *text,
                     const char *const *sets);

#endif
