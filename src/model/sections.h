/* sections - the parts of a configuration in the order in which they are read. Each adds its part
   to the model, tells every fault of it, and is kept in the file that it is named after. */
#ifndef RD_MODEL_SECTIONS_H
#define RD_MODEL_SECTIONS_H

#include "model/reader.h"

/* Their values, in whatever order they stand; false only when memory is gone. */
bool rd_parameters_read(struct rd_reader *r);
void rd_grid_read(struct rd_reader *r);
void rd_shapes_read(struct rd_reader *r); /* regions, and which of them overlap */
void rd_fields_read(struct rd_reader *r);
void rd_species_read(struct rd_reader *r);
void rd_borders_read(struct rd_reader *r); /* what hops between regions are met with */
void rd_reactions_read(struct rd_reader *r);
void rd_initial_read(struct rd_reader *r);
void rd_schedule_read(struct rd_reader *r); /* the end, the step and the output times */
void rd_events_read(struct rd_reader *r);
void rd_settings_read(struct rd_reader *r); /* title, units, output, run, solver */

/* Puts the walls that the group of walls names over those in wall: an axis first, then its single
   faces. */
void rd_walls_read(struct rd_reader *r, const rd_node *group, struct rd_wall wall[RD_FACES]);
/* Refuses walls that the species, read but for its attributes' rules from group, cannot have. */
void rd_walls_suit(struct rd_reader *r, const rd_node *group, const struct rd_species *s);
/* The grid's walls alone: their faults, and where they are periodic. */
void rd_walls_check(struct rd_reader *r);
void rd_walls_free(struct rd_wall wall[RD_FACES]);

#endif
