/* model_size - how large one run is. Apart from model.h, since nothing of a model is made for it.
 */
#ifndef RD_MODEL_MODEL_SIZE_H
#define RD_MODEL_MODEL_SIZE_H

#include "config/config.h"

#include <stdint.h>

/* Reads how many voxels one run has, and how many species; takes no memory for voxels. False if the
   configuration is wrong there, which rd_model_make reports. */
bool rd_model_size(const rd_config *c, int64_t *n_sites, int *n_species);

#endif
