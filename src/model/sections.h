/* sections - the parts of a configuration in the order in which they are read. Each function adds
   its part to the model and reports every fault of it. It stands in the file of the same name;
   rd_schedule_read in times.c. */
#ifndef RD_MODEL_SECTIONS_H
#define RD_MODEL_SECTIONS_H

#include "model/reader.h"

/* Evaluates all parameters, in any order of the file; returns false only if there is no memory. */
bool rd_parameters_read(struct rd_reader *r);
void rd_grid_read(struct rd_reader *r);
void rd_shapes_read(struct rd_reader *r);   /* regions, and their overlaps */
bool rd_surfaces_read(struct rd_reader *r); /* surfaces; a part of rd_shapes_read */
/* Reads the key `on` of a species, whose other keys have been read. */
void rd_surfaces_species(struct rd_reader *r, const rd_node *group, struct rd_species *x);
/* Finds the surface on which the reaction takes place, if any, and computes its propensity there;
   returns false with a message if it is impossible. */
bool rd_surfaces_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
void rd_fields_read(struct rd_reader *r);
void rd_species_read(struct rd_reader *r);
void rd_borders_read(struct rd_reader *r); /* transmission probabilities between regions */
void rd_reactions_read(struct rd_reader *r);
void rd_initial_read(struct rd_reader *r);
void rd_times_read(struct rd_reader *r); /* the end, the step and the output times */
void rd_events_read(struct rd_reader *r);
void rd_settings_read(struct rd_reader *r); /* title, units, output, run, solver */

/* Replaces the entries of wall that the group of walls names: axes first, then single faces. */
void rd_walls_read(struct rd_reader *r, const rd_node *group, struct rd_wall wall[RD_FACES]);
/* Rejects walls that the species cannot have. It is read from group except for the rules of its
   attributes. */
void rd_walls_suit(struct rd_reader *r, const rd_node *group, const struct rd_species *s);
/* Checks the walls of the grid, and sets the axes along which they are periodic. */
void rd_walls_check(struct rd_reader *r);
void rd_walls_free(struct rd_wall wall[RD_FACES]);

#endif
