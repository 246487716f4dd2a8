/* names - parameters, species, regions and fields by name: read before all else, so that whatever
   stands later in the file may speak of them. */
#ifndef RD_MODEL_NAMES_H
#define RD_MODEL_NAMES_H

#include "model/reader.h"

enum rd_name_kind { RD_NAME_PARAMETER, RD_NAME_SPECIES, RD_NAME_REGION, RD_NAME_FIELD };

/* Makes the model's lists with the names in them. False only where it makes no sense to read on
   (too many names, no memory): a bad name is told, but kept, so that the rest can be checked. */
bool rd_names_read(struct rd_reader *r);

/* The index of the name, or -1. */
int rd_names_find(const struct rd_model *m, enum rd_name_kind kind, const char *name);

/* "species 'X' is not declared; did you mean 'Y'?" */
void rd_names_unknown(char *fact, size_t bytes, const struct rd_model *m, enum rd_name_kind kind,
                      const char *name);

/* The index of the name; where it is not declared, -1 and a sentence about node. */
int rd_names_look(struct rd_reader *r, const rd_node *node, enum rd_name_kind kind,
                  const char *name);

/* The index of the attribute among those of species number s, or -1. */
int rd_names_attribute(const struct rd_model *m, int s, const char *name);

/* The region that group's `in` names, or -1: everywhere; false with a sentence if it is unknown. */
bool rd_names_place(struct rd_reader *r, const rd_node *group, int *region);

#endif
