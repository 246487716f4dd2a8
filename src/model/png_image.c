/* png_image - reads PNG images with libpng; no other file uses it. */
#include "model/png_image.h"

#include "base/file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the bytes of a chunk without pixels (texts, profiles), and number of such chunks that libpng
   keeps. They bound its memory besides the pixels, which are as many as voxels. */
enum { OTHER_CHUNK_MOST = 1 << 20, OTHER_CHUNKS_MOST = 8 };

struct picture {
    FILE *file;
    png_structp png;
    png_infop info;
    png_bytep pixels;
    png_bytepp row;
    png_uint_32 width, height;
    int depth, colour;
    char cause[128]; /* the error of libpng */
};

static void keep_cause(png_structp png, png_const_charp text)
{
    struct picture *const p = png_get_error_ptr(png);
    snprintf(p->cause, sizeof p->cause, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void stay_silent(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* Reads the header of the image and its sizes. libpng returns to the setjmp here after an error. */
static bool read_image_header(struct picture *p)
{
    snprintf(p->cause, sizeof p->cause, "out of memory");
    p->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, p, keep_cause, stay_silent);
    p->info = p->png ? png_create_info_struct(p->png) : NULL;
    if (!p->info || setjmp(png_jmpbuf(p->png)))
        return false;
    png_set_user_limits(p->png, INT32_MAX, INT32_MAX);
    png_set_chunk_malloc_max(p->png, OTHER_CHUNK_MOST);
    png_set_chunk_cache_max(p->png, OTHER_CHUNKS_MOST);
    png_init_io(p->png, p->file);
    png_read_info(p->png, p->info);
    png_get_IHDR(p->png, p->info, &p->width, &p->height, &p->depth, &p->colour, NULL, NULL, NULL);
    return true;
}

static bool check_kind(const struct picture *p, const char *path, const int32_t size[3],
                       const char *which, struct rd_error *e)
{
    if (p->colour != PNG_COLOR_TYPE_GRAY && p->colour != PNG_COLOR_TYPE_PALETTE)
        return rd_fail(e,
                       "%s: %s is an image in colours; use a grey image without transparency, or "
                       "one with a palette",
                       which, path);
    if (size[2] != 1)
        return rd_fail(e, "%s: %s is a flat image, but the grid has %d layers; use an HDF5 file",
                       which, path, (int)size[2]);
    return (p->width == (png_uint_32)size[0] && p->height == (png_uint_32)size[1]) ||
           rd_fail(
               e,
               "%s: %s is %lu pixels wide and %lu high; give it %d x %d pixels, one for each voxel",
               which, path, (unsigned long)p->width, (unsigned long)p->height, (int)size[0],
               (int)size[1]);
}

/* Reads all rows. A pixel takes one byte, or two bytes with the high one first. */
static bool read_pixel_rows(struct picture *p)
{
    snprintf(p->cause, sizeof p->cause, "out of memory");
    if (setjmp(png_jmpbuf(p->png)))
        return false;
    png_set_packing(p->png);
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    const size_t bytes = png_get_rowbytes(p->png, p->info);
    p->pixels = malloc(bytes * p->height);
    p->row = malloc(p->height * sizeof *p->row);
    if (!p->pixels || !p->row)
        return false;
    for (png_uint_32 y = 0; y < p->height; y++)
        p->row[y] = p->pixels + y * bytes;
    png_read_image(p->png, p->row);
    png_read_end(p->png, NULL);
    return true;
}

static void take_labels(const struct picture *p, int64_t *label)
{
    for (png_uint_32 y = 0; y < p->height; y++) {
        const png_byte *const row = p->row[p->height - 1 - y];
        for (png_uint_32 x = 0; x < p->width; x++)
            *label++ = p->depth == 16 ? row[2 * x] << 8 | row[2 * x + 1] : row[x];
    }
}

bool rd_picture_read(const char *path, const int32_t size[3], int64_t *label, const char *which,
                     struct rd_error *e)
{
    const char *why;
    struct picture p = {.file = rd_file_open_stream(path, &why)};
    if (!p.file)
        return rd_fail(e, "%s: %s cannot be opened: %s; name another file", which, path, why);
    bool good = read_image_header(&p);
    if (!good)
        rd_fail(e,
                "%s: %s cannot be read as a PNG image: %s; save it as PNG, or name the 'dataset' "
                "of an HDF5 file",
                which, path, p.cause);
    else if ((good = check_kind(&p, path, size, which, e)) && !(good = read_pixel_rows(&p)))
        rd_fail(e, "%s: %s cannot be read to its end: %s", which, path, p.cause);
    if (good)
        take_labels(&p, label);
    if (p.png)
        png_destroy_read_struct(&p.png, &p.info, NULL);
    free(p.row);
    free(p.pixels);
    fclose(p.file);
    return good;
}
