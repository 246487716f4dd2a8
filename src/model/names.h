/* names - parameters, species, regions and fields by name. They are read first, so that all later
   parts of the configuration may refer to them. */
#ifndef RD_MODEL_NAMES_H
#define RD_MODEL_NAMES_H

#include "model/reader.h"

enum rd_name_kind { RD_NAME_PARAMETER, RD_NAME_SPECIES, RD_NAME_REGION, RD_NAME_FIELD };

/* Makes the lists of the model with their names. Returns false only if reading cannot continue (too
   many names, no memory). It reports a wrong name but keeps it, so that the rest is checked too. */
bool rd_names_read(struct rd_reader *r);

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

/* Sets *region to the region that `in` of group names, or to -1: all voxels. Returns false with a
   message if the name is unknown. */
bool rd_names_place(struct rd_reader *r, const rd_node *group, int *region);

#endif
