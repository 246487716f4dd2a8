/* network - a reaction network as stoichiometry: species, reactions and exact coefficients; no
   rates, no space. */
#ifndef RD_NETWORK_H
#define RD_NETWORK_H

#include "base/error.h"
#include "cone/sparse.h"
#include "config/config.h"

struct rd_conversion {
    char *name;                   /* owned */
    struct rd_sparse left, right; /* every species of each side, external ones too */
    struct rd_sparse net;         /* right - left, internal species alone */
    bool is_reversible;
    bool is_excluded; /* it must not run; no reaction is after reading */
};

/* Coefficients of a species are multiplied by its scale, which makes all of them integers; this
   changes no mode. A zero-initialised struct is empty. */
struct rd_network {
    int n_species, n_reactions;
    char **species;    /* owned */
    bool *is_external; /* not balanced */
    int64_t *scale;
    struct rd_conversion *reaction;
};

enum { RD_NETWORK_MOST = 65536 }; /* reactions, and species */

/* Reads a .net text; name stands for the file in messages, which are all faults that were found.
   notes: names that may be mistakes, or NULL. */
bool rd_network_parse(struct rd_network *n, const char *name, const char *text,
                      struct rd_error *notes, struct rd_error *e);
/* Reads a file, "-" for standard input: a model of another program (SBML, BioNetGen), a network
   text if its name ends in .net or it begins with a reaction, else a configuration. c: where a
   configuration goes, which the caller frees, or NULL; NULL is put there for other files. notes:
   what may be a mistake, or is not used. */
bool rd_network_read(struct rd_network *n, const char *file, rd_config **c, struct rd_error *notes,
                     struct rd_error *e);
/* Returns the configuration to which a model of another program can be converted, with some end of
   the simulation; the caller frees it. Returns NULL if there is none. */
rd_config *rd_network_configuration(const char *file);
/* Joins each one-way reaction with a later one that is its exact reverse. */
void rd_network_join(struct rd_network *n);
/* Returns the number of a reaction, or -1. */
int rd_network_find(const struct rd_network *n, const char *reaction);
/* Returns, for each species, the number of molecules of which each reaction changes it by a
   multiple: 0 if none changes it, and 1 if coefficients are fractions. The caller frees them. */
int64_t *rd_network_multiples(const struct rd_network *n);
void rd_network_free(struct rd_network *n);

#endif
