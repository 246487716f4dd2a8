/* bionetgen_network - a network of BioNetGen while it is converted: its blocks, names and
   expressions. */
#ifndef RD_FORMATS_BIONETGEN_NETWORK_H
#define RD_FORMATS_BIONETGEN_NETWORK_H

#include "base/error.h"
#include "formats/formula.h"

/* Lists the blocks that are converted. */
enum rd_bng_kind {
    RD_BNG_PARAMETERS,
    RD_BNG_FUNCTIONS,
    RD_BNG_SPECIES,
    RD_BNG_REACTIONS,
    RD_BNG_GROUPS,
    RD_BNG_N_KINDS
};

/* Describes an entry of a block: one line, cut into words. The words belong to the network's
   text. */
struct rd_bng_entry {
    enum rd_bng_kind kind;
    int line;
    char *id;         /* name of a parameter, function or group; pattern of a species; reactants */
    char *products;   /* of a reaction */
    char *value;      /* expression, amount, members of a group, or rate; "" if there is none */
    const char *name; /* in the configuration; NULL for reactions */
    rd_formula formula; /* of a parameter, function, amount or rate; NULL: not yet read */
    double number;      /* value of a parameter, if has_number */
    bool has_number;
    bool is_constant; /* a species that no reaction changes */
    bool is_wrong;    /* its formula was refused */
    bool is_open;     /* its formula is being read: a use of it is a circle */
};

struct rd_bng {
    const char *path;
    struct rd_error *notes, *e;
    struct rd_formula_pool pool;
    char *text;                              /* owned */
    struct rd_bng_entry *of[RD_BNG_N_KINDS]; /* owned */
    int n[RD_BNG_N_KINDS];
    struct rd_bng_entry **named; /* parameters, functions and groups, sorted by id; owned */
    int n_named;
    bool has_rules, has_reactions; /* it has these blocks */
};

/* Reads the blocks of a text. Returns false with messages; rd_bng_close frees everything. */
bool rd_bng_open(struct rd_bng *b, const char *text);
void rd_bng_close(struct rd_bng *b);

/* bionetgen_names.c: names the entries, and refuses those that are there twice. */
bool rd_bng_name_entries(struct rd_bng *b);
/* Returns the parameter, function or group with this id, or NULL. */
struct rd_bng_entry *rd_bng_find(const struct rd_bng *b, const char *id, size_t length);
/* Returns the species with this number as written in the text, from 1; NULL with a message. */
struct rd_bng_entry *rd_bng_species(const struct rd_bng *b, const char *number,
                                    const struct rd_bng_entry *by);
/* Returns a sum over species, of a group's members; NULL with a message. */
rd_formula rd_bng_sum(struct rd_bng *b, struct rd_bng_entry *group);
/* Returns the formula of an entry's value, and reads it if necessary; NULL with a message. */
rd_formula rd_bng_formula(struct rd_bng *b, struct rd_bng_entry *x);
/* Returns the value that a formula has at the start; NAN if it depends on species or time. */
double rd_bng_value(struct rd_bng *b, rd_formula f);
/* Reports an error of an entry. */
bool rd_bng_fail(const struct rd_bng *b, const struct rd_bng_entry *x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
