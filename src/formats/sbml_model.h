/* sbml_model - an SBML model while it is converted: its symbols, their values as formulas in the
   terms of a configuration, and its units. */
#ifndef RD_FORMATS_SBML_MODEL_H
#define RD_FORMATS_SBML_MODEL_H

#include "base/error.h"
#include "formats/formula.h"
#include "formats/sbml_library.h"

/* Gives SBML's value of the symbol avogadro (Level 3 Version 1 Core, 3.4.6); RD_AVOGADRO is the
   one of the SI. */
#define RD_SBML_AVOGADRO 6.02214179e23

enum rd_sbml_kind {
    RD_SBML_COMPARTMENT,
    RD_SBML_SPECIES,
    RD_SBML_PARAMETER,
    RD_SBML_REACTION,  /* its symbol is its rate */
    RD_SBML_REFERENCE, /* a reference to a species: its symbol is the stoichiometry */
};

/* Says how the value of a symbol comes about during the simulation. */
enum rd_sbml_role {
    RD_SBML_IS_PARAMETER, /* it is a parameter of the configuration */
    RD_SBML_IS_COUNT,     /* species: its molecules are counted */
    RD_SBML_IS_VOLUME,    /* compartment: it is the voxel */
    RD_SBML_IS_ODE,       /* a rate rule changes it */
    RD_SBML_IS_FORMULA,   /* an assignment rule, a law or a stoichiometry gives it */
};

enum rd_sbml_state { RD_SBML_UNSEEN, RD_SBML_OPEN, RD_SBML_DONE };

struct rd_sbml_symbol {
    const char *id;
    const char *name; /* in the configuration */
    enum rd_sbml_kind kind;
    enum rd_sbml_role role;
    void *object;                 /* a part of the document */
    const Rule_t *rule;           /* assignment or rate rule; or NULL */
    InitialAssignment_t *initial; /* or NULL */
    rd_formula solved;            /* rate rule: its value as an expression of the time, or NULL */
    rd_formula from, since; /* parameters in that: the value at a time, and the time or NULL */
    bool is_set_by_event;
    bool is_bracketed; /* species with the name of a value: expressions write [x] */
    bool is_counted; /* an assignment rule gives a whole number of molecules, which reactions update
                      */
    int compartment; /* species: index of its compartment */
    bool is_concentration; /* species: its symbol is a concentration */
    double items;          /* species: molecules per unit of substance */
    double count;          /* species: molecules at the start, not rounded */
    struct rd_sbml_value {
        enum rd_sbml_state state;
        rd_formula formula;
    } now, start; /* during the simulation; at time 0, by parameters only */
};

struct rd_sbml {
    const char *path;
    Model_t *model;
    int level, version;
    struct rd_formula_pool pool;
    struct rd_sbml_symbol *symbol; /* in the order of their ids */
    int n_symbols, n_renamed;
    bool has_bracketed;
    struct rd_sbml_constant { /* parameters of laws, and factors of units */
        const char *name;
        double value;
        bool is_local; /* it is the parameter of a law */
        bool is_set;   /* events set it */
    } * constant;
    int n_constants;
    int voxel;       /* index of the compartment that is the voxel; -1: several, or volume 1 */
    bool has_mixed;  /* several: each is a well-mixed compartment of the configuration */
    double extent;   /* events of a reaction per unit of extent */
    char about[200]; /* the part of the model for messages, and its line */
    unsigned line;
    int depth; /* of nested math */
    struct rd_error *notes, *e;
};

/* Opens the symbols of the model; false with messages. */
bool rd_sbml_open(struct rd_sbml *s, SBMLDocument_t *document);
void rd_sbml_close(struct rd_sbml *s);

/* Sets the part of the model that messages are about. */
void rd_sbml_about(struct rd_sbml *s, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Does the same for an event, or a part of it in this line. An event need not have an id. */
void rd_sbml_about_event(struct rd_sbml *s, unsigned line, const Event_t *event);
/* Adds an error about that part, and returns false. */
bool rd_sbml_fail(struct rd_sbml *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a note about that part. */
void rd_sbml_note(struct rd_sbml *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the molecules per unit of substance; 0: the model does not define the unit. */
double rd_sbml_items_per_unit(struct rd_sbml *s, const char *units);
/* Returns the molecules per default unit of substance, or of extent, which the model has. */
double rd_sbml_default_items(struct rd_sbml *s, const char *units);
/* Refuses units that a law has of its own (level 2 version 1) and that are not the model's. */
void rd_sbml_check_units_of_law(struct rd_sbml *s, Reaction_t *r);
/* Returns whether these units, which a part of the model has of its own (level 2), are the model's
   unit of time. */
bool rd_sbml_is_model_time(const struct rd_sbml *s, const char *units);
/* Returns the symbol of an id, or NULL. */
struct rd_sbml_symbol *rd_sbml_find(const struct rd_sbml *s, const char *id);
/* Returns the symbol that a name or concentration in a formula stands for, or NULL. */
struct rd_sbml_symbol *rd_sbml_named(const struct rd_sbml *s, rd_formula name);
/* Returns a name for the configuration that no symbol has: `wanted`, or that with an ending. */
const char *rd_sbml_new_name(struct rd_sbml *s, const char *wanted);
/* Returns parameter i of a law, or NULL after the last; its user data is its name in the
   configuration. */
Parameter_t *rd_sbml_local_parameter(const struct rd_sbml *s, KineticLaw_t *law, unsigned i);
/* Returns a number of molecules per unit of substance as a formula: a parameter unless it is 1. */
rd_formula rd_sbml_factor(struct rd_sbml *s, double items);

/* Return the value of a symbol in formulas of SBML, during the simulation or at its start. Errors
   are reported, and the number 0 stands for the value. */
rd_formula rd_sbml_now(struct rd_sbml *s, struct rd_sbml_symbol *x);
rd_formula rd_sbml_start(struct rd_sbml *s, struct rd_sbml_symbol *x);
/* Returns a formula at the start as a number. */
double rd_sbml_number(struct rd_sbml *s, rd_formula f);
/* Returns the molecules that correspond to a value of the species' symbol. */
rd_formula rd_sbml_molecules(struct rd_sbml *s, struct rd_sbml_symbol *x, rd_formula value,
                             bool is_start);

/* Writes a number as a configuration has it. */
void rd_sbml_write_number(FILE *out, double number);

/* Makes a parameter of the configuration with a name like that. */
rd_formula rd_sbml_new_parameter(struct rd_sbml *s, const char *wanted, double value);
/* Returns whether a name stands for what changes during the simulation; of: the struct rd_sbml. */
bool rd_sbml_varies(const void *of, rd_formula name);
/* Returns the compartment of a species, or NULL. */
struct rd_sbml_symbol *rd_sbml_compartment(const struct rd_sbml *s, const struct rd_sbml_symbol *x);
/* Returns the size of the voxel at the start: 1 if no compartment is the voxel. */
double rd_sbml_voxel_size(struct rd_sbml *s);
/* Returns the number of molecules of a species. */
rd_formula rd_sbml_count(struct rd_sbml *s, const struct rd_sbml_symbol *x);
/* Returns a formula in the terms of a whole run, for events: total(A) for A, numbers for volumes.
 */
rd_formula rd_sbml_of_run(struct rd_sbml *s, rd_formula f);

/* Describes a name within a function or a kinetic law, and its value there. */
struct rd_sbml_local {
    const char *id;
    rd_formula value;
    const struct rd_sbml_local *next;
};

/* Converts math; all rules, functions and laws that it uses are put in. */
rd_formula rd_sbml_math(struct rd_sbml *s, const ASTNode_t *math, bool is_start,
                        const struct rd_sbml_local *local);
/* Returns the kinetic law of a reaction: extent per time. */
rd_formula rd_sbml_law(struct rd_sbml *s, Reaction_t *r);
/* Returns the stoichiometry of a reference to a species, as a number; NAN with a message. */
double rd_sbml_stoichiometry(struct rd_sbml *s, SpeciesReference_t *r);

#endif
