/* prints - a fingerprint of every run of a configuration. It identifies species and attributes by
   name and reactions by equation, so that neither their order in the file nor the other runs
   matter. */
#ifndef RD_PRINTS_H
#define RD_PRINTS_H

#include "lab.h"

enum { PRINTS_MOST = 1000 };

struct prints {
    int64_t n_runs;
    uint64_t run[PRINTS_MOST];
    uint64_t before[PRINTS_MOST]; /* up to the last snapshot that contains the run */
    uint64_t fault[PRINTS_MOST];  /* hash of the fault message if only this run failed; else 0 */
};

void prints_take(struct prints *p, const struct lab *lab, const char *text,
                 const char *const *sets);
/* Does the same for a single run, which may fail. */
void prints_take_one(struct prints *p, const struct lab *lab, const char *text,
                     const char *const *sets);

#endif
