/* png_image - a PNG image as whole numbers for the voxels of a grid. */
#ifndef RD_MODEL_PNG_IMAGE_H
#define RD_MODEL_PNG_IMAGE_H

#include "base/error.h"

#include <stdint.h>

/* Reads the grey values, or numbers in the palette, of a picture that is size[0] pixels wide and
   size[1] high, into label[y * size[0] + x]; its lowest row is y = 0. The grid must have one layer.
   Sentences begin with who asks. */
bool rd_picture_read(const char *path, const int32_t size[3], int64_t *label, const char *which,
                     struct rd_error *e);

#endif
