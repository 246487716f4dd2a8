/* reader - what the parts of the model reader share: its state, functions that read numbers,
   vectors and words of a configuration, names, and the parts in the order in which they are read.
 */
#ifndef RD_MODEL_READER_H
#define RD_MODEL_READER_H

#include "expr/dimension.h"
#include "model/model.h"

struct rd_reader {
    struct rd_model *m;
    const rd_config *c;
    struct rd_error *e;
    bool has_values;       /* every parameter has its value, but those that need regions */
    bool *needs_regions;   /* [parameter]: it is computed from the size of a region; owned */
    bool regions_are_open; /* the regions are not made yet, so these parameters have no value */
    int *heir;             /* [parameter]: a parameter that was computed from it, or -1; owned */
    uint64_t *overlap;     /* every combination of regions that occurs in a voxel; owned */
    int n_overlaps;        /* 0 while grid or regions are wrong */
    struct rd_units units;
    int axes;                           /* of the space, as the list of voxels has them */
    struct rd_value_dimension *measure; /* [parameter]: its dimension if it is a quantity; owned */
    bool has_quantities;                /* some parameter is one */
    bool is_edit;                       /* of a program: an expression may use parameters only */
    const struct rd_voxel_list *here;   /* of the edit's entries that name no place; or NULL */
    bool is_on_surface;                 /* "volume" of the keys that are read now is an area */
    const struct rd_theta *theta;       /* values of parameters come from its row; or NULL */
    int64_t row;
    bool is_rate;   /* the key that is read now is the rate of a reaction */
    char about[96]; /* subject of messages: "reaction 'A -> B'", or "" */
};

/* Lists ranges of numbers; each holds finite numbers only. */
enum rd_range { RD_RANGE_ANY, RD_RANGE_NOT_NEGATIVE, RD_RANGE_POSITIVE, RD_RANGE_PROBABILITY };

/* Reports a message about the value at node, as an error or as a warning. rd_reader_fail returns
   false. */
bool rd_reader_fail(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rd_reader_warn(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the subject of the messages that follow. */
void rd_reader_about(struct rd_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns n zeroed elements (one, if n is 0), or a copy of text; NULL with a message. The caller
   frees it. */
void *rd_reader_array(struct rd_reader *r, int64_t n, size_t size);
char *rd_reader_copy(struct rd_reader *r, const char *text);

/* Returns whether x is constant in space and time while no event sets a parameter, and can be
   evaluated now. If so, sets *value. */
bool rd_reader_known(const struct rd_reader *r, const struct rd_expr *x, double *value);

/* Reads the number or expression at node, called key. If its value is known already, it must lie in
   range. */
bool rd_reader_expr(struct rd_reader *r, const rd_node *node, const char *key, unsigned allowed,
                    enum rd_range range, struct rd_expr *x);
/* Reads the number or expression at node likewise, with the names of scope. */
bool rd_reader_within(struct rd_reader *r, const rd_node *node, const char *key,
                      const struct rd_scope *scope, enum rd_range range, struct rd_expr *x);
bool rd_reader_number(struct rd_reader *r, const rd_node *node, const char *key,
                      enum rd_range range, double *value);
/* Reads an integer from least to 2^31 - 1, or an expression of one, at node. */
bool rd_reader_whole(struct rd_reader *r, const rd_node *node, const char *key, int32_t least,
                     int32_t *value);

/* Finds the node for each axis of the grid in a list with one number per dimension. One number may
   stand for all axes if `lone`, in one dimension, or if it is 0. */
bool rd_reader_axes(struct rd_reader *r, const rd_node *node, bool lone, const rd_node *axis[3]);
/* Reads the vector of numbers at node; components beyond the dimension stay unchanged. */
bool rd_reader_vector(struct rd_reader *r, const rd_node *node, double v[3]);

/* Returns the index of the text at node among n words. The check of the configuration guarantees
   that it is one of them. */
int rd_reader_word(const rd_node *node, int n, const char *const *word);

/* Returns the number of elements of the list at node, and element number i. A value that is no list
   counts as a list of one. */
int rd_reader_many(const rd_node *node);
const rd_node *rd_reader_each(const rd_node *node, int i);

/* Returns the index of the only one of n keys that group has. Returns -1 with a message if it has
   none or several. */
int rd_reader_one_of(struct rd_reader *r, const rd_node *group, int n, const char *const *key);

/* ---- quantities.c: texts such as "50 nM", and the dimensions of what is made of them ---- */

/* Reads the text at node as a quantity into x. Returns RD_QUANTITY_NONE if it is an expression, and
   RD_QUANTITY_WRONG with a message if it is neither. */
enum rd_quantity_kind rd_quantities_read(struct rd_reader *r, const rd_node *node, const char *key,
                                         const struct rd_scope *scope, struct rd_expr *x);
/* Converts n numbers that have the unit at node, and sets their dimension. */
bool rd_quantities_convert(struct rd_reader *r, const rd_node *unit, double *value, int64_t n,
                           struct rd_dimension *dimension);
/* Checks that the quantities of x fit together, and that x has the dimension of its key. */
bool rd_quantities_check(struct rd_reader *r, const rd_node *node, const char *key,
                         const struct rd_expr *x);
/* Finds the dimension of parameter p, which has the expression x. */
void rd_quantities_parameter(struct rd_reader *r, const rd_node *node, int p,
                             const struct rd_expr *x);
/* Checks that x has the dimension that parameter p has. */
bool rd_quantities_set(struct rd_reader *r, const rd_node *node, int p, const struct rd_expr *x);
/* Checks that x has the dimension of a unit as in the table of keys: "1/time". */
bool rd_quantities_fit(struct rd_reader *r, const rd_node *node, const char *key,
                       const struct rd_expr *x, const char *unit);
/* Checks the dimension of the rate constant of mass action at node, of a reaction whose species and
   surface are known. */
bool rd_quantities_rate(struct rd_reader *r, const rd_node *node, const char *key,
                        const struct rd_reaction *x);
/* Checks that a parameter has not the name of a unit. */
bool rd_quantities_name(struct rd_reader *r, const rd_node *node, const char *name);

/* ---- names.c: parameters, species, regions and fields by name. They are read first, so that all
   later parts of the configuration may refer to them. ---- */

enum rd_name_kind { RD_NAME_PARAMETER, RD_NAME_SPECIES, RD_NAME_REGION, RD_NAME_FIELD };

/* Makes the lists of the model with their names. Returns false only if reading cannot continue (too
   many names, no memory). It reports a wrong name but keeps it, so that the rest is checked too. */
bool rd_names_read(struct rd_reader *r);
/* Returns whether the name has a letter first, and then letters, digits or _. */
bool rd_names_is_spelled(const char *name);
/* Returns the index of the name, or -1. */
int rd_names_find(const struct rd_model *m, enum rd_name_kind kind, const char *name);
/* Writes "species 'X' is not declared; did you mean 'Y'?" into fact. */
void rd_names_unknown(char *fact, size_t bytes, const struct rd_model *m, enum rd_name_kind kind,
                      const char *name);
/* Returns the index of the name; returns -1 and reports node if it is not declared. */
int rd_names_look(struct rd_reader *r, const rd_node *node, enum rd_name_kind kind,
                  const char *name);
/* Returns the index of the attribute among those of species number s, or -1. */
int rd_names_attribute(const struct rd_model *m, int s, const char *name);
/* Checks the spelling of a name of something else; word is its kind. */
bool rd_names_spelled(struct rd_reader *r, const rd_node *node, const char *word, const char *name);
/* Reads the name and the place of the entry at group into *name and *place. */
bool rd_names_entry(struct rd_reader *r, const rd_node *group, enum rd_name_kind kind, char **name,
                    char **place);
/* region_names.c: reads the names of the regions, behind them the unions under `in`, and then the
   names of the surfaces and of the compartments, each of which has a region of its own. */
bool rd_region_names_read(struct rd_reader *r, const rd_node *list, const rd_node *surfaces,
                          const rd_node *compartments);
/* Sets *region to the region, or the union of regions, that `in` of group names, or to -1: all
   voxels. Returns false with a message if the name is unknown. */
bool rd_region_names_place(struct rd_reader *r, const rd_node *group, int *region);

/* ---- the parts of a configuration in the order in which they are read. Each function adds its
   part to the model and reports every fault of it. ---- */

/* Evaluates all parameters, in any order of the file; returns false only if there is no memory. The
   second function, after the regions, evaluates those that are computed from sizes of regions; the
   third checks that no region, nor the grid, uses one of these. */
bool rd_parameters_read(struct rd_reader *r);
bool rd_parameters_read_sizes(struct rd_reader *r);
bool rd_parameters_check_order(struct rd_reader *r, const rd_node *node, const char *key,
                               const struct rd_expr *x);
void rd_grid_read(struct rd_reader *r);
void rd_shapes_read(struct rd_reader *r); /* regions, and their overlaps */
/* Reads the names of regions at `in` into x, which is their union. */
void rd_shapes_union(struct rd_reader *r, const rd_node *in, struct rd_region *x);
bool rd_surfaces_read(struct rd_reader *r); /* surfaces; a part of rd_shapes_read */
/* Reads the key `on` of a species, whose other keys have been read. */
void rd_surfaces_species(struct rd_reader *r, const rd_node *group, struct rd_species *x);
/* Finds the surface on which the reaction takes place, if any, and computes its propensity there;
   returns false with a message if it is impossible. */
bool rd_surfaces_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
/* Returns whether the reaction may make a product in a voxel that offers it no part of its surface.
   It happens in the voxels that lie in all `regions`; with `voxels`, only in those of them that are
   listed, which all lie in the region of the product. */
bool rd_surfaces_may_strand(const struct rd_model *m, const struct rd_reaction *x, int product,
                            uint64_t regions, const struct rd_voxel_list *voxels);
/* births.c: checks that rules of birth find the parent and the attributes that they use in the
   reaction at group; the second function warns about rules that no reaction uses, if there are no
   errors. */
void rd_births_check(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x);
void rd_births_warn_unused(struct rd_reader *r);
/* becomes.c: reads the key `becomes` of a reaction, whose equation is known; the second function
   gives its reverse the same pairs, turned. They return false with a message. */
bool rd_becomes_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
bool rd_becomes_turn(struct rd_reader *r, const struct rd_reaction *x, struct rd_reaction *back);
/* compartments.c: reads the volumes of compartments; a part of rd_shapes_read. */
bool rd_compartments_read(struct rd_reader *r);
/* Notes the species that live in compartments, since the expressions of others must not read
   them. */
void rd_compartments_note(struct rd_model *m, const rd_node *list);
/* Returns the region of the lattice that node names; returns -1 and reports node if it is unknown
   or a compartment. */
int rd_compartments_region(struct rd_reader *r, const rd_node *node);
/* Returns whether the species lives in a compartment; if so, completes it, and reports keys that it
   cannot have. */
bool rd_compartments_species(struct rd_reader *r, const rd_node *group, struct rd_species *x);
/* Checks that an expression does not test whether a voxel lies in a compartment. */
bool rd_compartments_check_in(struct rd_reader *r, const rd_node *node, const char *key,
                              const struct rd_expr *x);
/* Checks that an expression of a voxel reads no species of a compartment. */
bool rd_compartments_check_voxel(struct rd_reader *r, const rd_node *node, const char *key,
                                 const struct rd_expr *x);
/* Checks and completes an amount, or a reaction whose keys have been read; returns false with a
   message if it is impossible. */
bool rd_compartments_amount(struct rd_reader *r, const rd_node *group, struct rd_amount *a);
bool rd_compartments_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
/* Reads whether a reaction, and its other direction x[1], are infinitely fast, after all else of
   them. */
void rd_compartments_instant(struct rd_reader *r, const rd_node *group, struct rd_reaction *x,
                             bool is_reversible);
void rd_fields_read(struct rd_reader *r);
/* Reads the section `tables`, which every expression may use; frees it. */
bool rd_tables_read(struct rd_reader *r);
void rd_tables_free(struct rd_model *m);
void rd_species_read(struct rd_reader *r);
/* Reads how pictures show a species, whose name is known; false if there is no memory. */
bool rd_species_looks(struct rd_reader *r, const rd_node *group, struct rd_species *x);
void rd_borders_read(struct rd_reader *r); /* transmission probabilities between regions */
void rd_borders_free(struct rd_model *m);
void rd_reactions_read(struct rd_reader *r);
/* events.c: finds the parameters that are values of a run; the expressions are not read yet. */
void rd_events_find_run_values(struct rd_reader *r);
/* events.c: checks that walls, borders and contact rates, which are equal in all runs, use none of
   them. */
void rd_events_check_fixed(struct rd_reader *r);
void rd_odes_read(struct rd_reader *r); /* observables.c: the rates of variables of ODEs */
void rd_observables_read(struct rd_reader *r);
void rd_initial_read(struct rd_reader *r); /* amounts.c */
void rd_times_read(struct rd_reader *r);   /* settings.c: the end and the step */
void rd_events_read(struct rd_reader *r);  /* events.c */
/* events.c: reads what an event, or an edit of a program, does: the keys set, remove, divide,
   convert and add of the group. */
void rd_events_effects(struct rd_reader *r, const rd_node *group, struct rd_event *x);
void rd_settings_read(struct rd_reader *r); /* title, units, run, solver */
/* parameter_rows.c: finds the parameters of the table of run.rows and what depends on them, when
   all else is read. */
void rd_parameter_rows_check(struct rd_reader *r);
void rd_outputs_read(struct rd_reader *r); /* the groups of the result, after the runs */
void rd_output_by_read(struct rd_reader *r, const rd_node *output); /* a part of it: the key `by` */
/* Checks that all individuals of the model fit: max of each species, and the number of voxels. */
void rd_species_check_individuals(struct rd_reader *r);

/* Adds a zeroed component for what is called `name`, sets *which to its number and returns its
   values, [site], owned by the model; they move when another component is added. Returns NULL with
   a message if there is too little memory. */
double *rd_fields_add(struct rd_reader *r, const char *name, int32_t *which);
/* fields.c: processes x, just compiled: marks the species whose mean it uses, computes gradients of
   constant fields, and replaces field numbers by the component numbers of the model. */
bool rd_fields_take(struct rd_reader *r, struct rd_expr *x);

/* totals.c: finds the sizes of all regions, once their masks are made. */
bool rd_extents_find(struct rd_reader *r);
/* totals.c: replaces the encoded totals of x, just compiled from node, by their numbers in the
   model; the second function replaces the numbers of species in voxels by totals of the run. */
bool rd_totals_take(struct rd_reader *r, const rd_node *node, struct rd_expr *x);
bool rd_totals_of_counts(struct rd_reader *r, const rd_node *node, struct rd_expr *x);
/* totals.c: checks the totals on surfaces, when all species are read. */
void rd_totals_check(struct rd_reader *r);

/* Replaces the entries of wall that the group of walls names: axes first, then single faces. */
void rd_walls_read(struct rd_reader *r, const rd_node *group, struct rd_wall wall[RD_FACES]);
/* Rejects walls that the species cannot have. It is read from group except for the rules of its
   attributes. */
void rd_walls_suit(struct rd_reader *r, const rd_node *group, const struct rd_species *s);
/* Checks the walls of the grid, and sets the axes along which they are periodic. */
void rd_walls_check(struct rd_reader *r);
void rd_walls_free(struct rd_wall wall[RD_FACES]);

/* Variables that every expression of an individual may use. */
enum {
    RD_INDIVIDUAL_USES = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_OWN | RD_USES_REGIONS | RD_USES_FIELDS
};
/* species.c: reads the rules that replace `initial` in the amount at group, if it has any; those of
   a conversion may use the attributes of the individual as it was (`parent`). */
void rd_species_override(struct rd_reader *r, const rd_node *group, struct rd_amount *a);

/* Sets the most entries of `initial`; of what an event adds and of what it takes half as many. More
   would share random numbers, whose addresses have 16 bits for the entry. */
enum { RD_ENTRIES_MOST = 1 << 16 };
bool rd_amounts_are_few(struct rd_reader *r, const rd_node *node, int n, int most);
/* Read the place of an amount, with its species or for a given one, and its count. */
void rd_amounts_where(struct rd_reader *r, const rd_node *group, struct rd_amount *a);
void rd_amounts_where_of(struct rd_reader *r, const rd_node *group, int species,
                         struct rd_amount *a);
/* Checks the numbers of voxels: in the grid, and rising. Returns false with a message about node.
 */
bool rd_amounts_check_voxels(struct rd_reader *r, const rd_node *node,
                             const struct rd_voxel_list *l);
/* Reads the numbers of voxels, *n of them, which the caller frees; NULL with a message. */
int64_t *rd_amounts_voxels(struct rd_reader *r, const rd_node *node, int64_t *n);
/* Returns whether the species of the amount, if it has one, lives in a voxel of its place. */
bool rd_amounts_have_place(const struct rd_reader *r, const struct rd_amount *a);
void rd_amounts_count(struct rd_reader *r, const rd_node *node, unsigned uses, struct rd_amount *a);
/* Reads what the event adds, one amount or a list of them, at node. */
void rd_amounts_add(struct rd_reader *r, const rd_node *node, struct rd_event *x);
/* Frees the n amounts; m must still have their species. */
void rd_amounts_free(const struct rd_model *m, struct rd_amount *a, int n);
/* Frees what an event of the model, or an edit, owns. */
void rd_event_free(const struct rd_model *m, struct rd_event *x);

/* Sets the most voxels of all simultaneous runs with individuals. An individual stores its voxel in
   32 bits; one value means no voxel, and one follows the last voxel. */
#define RD_LISTED_VOXELS INT64_C(4294967294)

#endif
