/* png_image - a PNG image as whole numbers for the voxels of a grid. */
#ifndef RD_MODEL_PNG_IMAGE_H
#define RD_MODEL_PNG_IMAGE_H

#include "base/error.h"

#include <stdint.h>

/* Reads the grey values, or palette numbers, of an image of size[0] x size[1] pixels into label[y *
   size[0] + x]. Its lowest row is y = 0. The grid must have one layer. Messages begin with
   `which`. */
bool rd_picture_read(const char *path, const int32_t size[3], int64_t *label, const char *which,
                     struct rd_error *e);

#endif
