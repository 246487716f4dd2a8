/* model_size - the size of one run. A file apart from model.h because it needs no model. */
#ifndef RD_MODEL_MODEL_SIZE_H
#define RD_MODEL_MODEL_SIZE_H

#include "config/config.h"

#include <stdint.h>

/* Reads the numbers of voxels and species of one run; allocates no memory for voxels. Returns false
   if the configuration is wrong there, which rd_model_make reports. */
bool rd_model_size(const rd_config *c, int64_t *n_sites, int *n_species);

#endif
