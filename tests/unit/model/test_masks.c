/* test_masks - tests of the regions of every voxel: conditions, combinations of regions, membranes
   and labels, as configurations define them. */
#define _POSIX_C_SOURCE 200809L
#include "make_model.h"
#include "write_set.h"

#include "model/masks.h"

#include <png.h>
#include <unistd.h>

#define LABELS  "model/flat_labels.cfg"
#define PICTURE "model/picture.cfg"

/* Checks a region against rows from y = 0 on, in which # is inside. */
static void assert_region(const struct rd_model *m, int region, const char *picture)
{
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const int64_t row = site / m->grid.size[0];
        if ((m->mask[site] >> region & 1) != (picture[site + row] == '#'))
            fail_msg("region '%s' is not\n%s\nat site %d", m->region[region].name, picture,
                     (int)site);
    }
}

static void each_region_has_a_bit(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/overlapping_regions.cfg", NULL);
    const uint64_t expected[] = {0, 1, 1, 3, 2, 2};
    assert_memory_equal(m.mask, expected, sizeof expected);
    int n;
    uint64_t *const overlap = rd_masks_overlaps(m.mask, 6, &n);
    assert_int_equal(n, 4);
    assert_int_equal(overlap[0] | overlap[1] << 4 | overlap[2] << 8 | overlap[3] << 12, 0x2310);
    free(overlap);
    rd_model_free(&m);
}

static void sites_are_numbered_along_x_first(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/one_site.cfg", NULL);
    for (int64_t site = 0; site < m.grid.n_sites; site++)
        assert_int_equal(m.mask[site], site == (3 * 5 + 2) * 4 + 1 ? 3 : 0);
    rd_model_free(&m);
}

static void conditions(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/conditions.cfg", NULL);
    assert_region(&m, 0,
                  "..##..\n"
                  ".####.\n"
                  ".####.\n"
                  "..##..");
    assert_region(&m, 1,
                  "..##..\n"
                  "..##..\n"
                  "..##..\n"
                  "..##..");
    rd_model_free(&m);
}

/* Tests combinations of regions that come later, and of regions that are combinations
   themselves. */
static void combinations(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/combinations.cfg", NULL);
    assert_region(&m, 0,
                  "###...\n"
                  "###...\n"
                  "......\n"
                  "......");
    assert_region(&m, 1,
                  "######\n"
                  "######\n"
                  "###...\n"
                  "###...");
    assert_region(&m, 2,
                  "......\n"
                  "......\n"
                  "...###\n"
                  "...###");
    assert_region(&m, 3,
                  "...##.\n"
                  "...###\n"
                  "###...\n"
                  "###...");
    rd_model_free(&m);
}

/* Tests both membranes of a nucleus in the region around it, and the membrane of a region across a
   periodic axis. */
static void membranes(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/membranes.cfg", NULL);
    assert_region(&m, 0,
                  "..#...\n"
                  "..#...\n"
                  "###...\n"
                  "......");
    assert_region(&m, 1,
                  "...#..\n"
                  "...#..\n"
                  "...#..\n"
                  "###...");
    assert_region(&m, 4,
                  "....#.\n"
                  "....#.\n"
                  "....#.\n"
                  "....#.");
    rd_model_free(&m);
    m = model_from("model/membranes.cfg", SETS("grid.walls.x=periodic", "grid.walls.y=periodic"));
    assert_region(&m, 0,
                  "###...\n"
                  "..#...\n"
                  "###...\n"
                  "......");
    assert_region(&m, 4,
                  "#...#.\n"
                  "#...#.\n"
                  "#...#.\n"
                  "#...#.");
    rd_model_free(&m);
}

static void membrane_across_a_periodic_axis(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/periodic_layers.cfg", NULL);
    assert_region(&m, 2, ".\n.\n#\n#\n.\n.\n#\n#");
    rd_model_free(&m);
}

static const int16_t two_layers[24] = {0,  0, 1,  1, 2, 2, 0, 0, 1, 1, 2, 2,
                                       -7, 3, -7, 3, 3, 3, 3, 3, 3, 3, 3, -7};

static void labels_in_hdf5(void **state)
{
    (void)state;
    write_set("box.h5", "voxels/labels", H5T_NATIVE_INT16, 3, (const hsize_t[]){2, 2, 6},
              two_layers);
    struct rd_model m = model_from("model/labels.cfg", NULL);
    assert_region(&m, 0, "....##\n....##\n......\n......");
    assert_region(&m, 1, "..##..\n..##..\n#.#...\n.....#");
    rd_model_free(&m);
}

/* Tests that leading dimensions of 1 may be present or left out, and that labels may be unsigned
   bytes. */
static void flat_labels(void **state)
{
    (void)state;
    static const uint8_t label[24] = {200, [23] = 200};
    static const hsize_t length[][4] = {{4, 6}, {1, 4, 6}, {1, 1, 4, 6}};
    for (int rank = 2; rank <= 4; rank++) {
        write_set("flat.h5", "voxels/labels", H5T_NATIVE_UINT8, rank, length[rank - 2], label);
        struct rd_model m = model_from(LABELS, NULL);
        assert_region(&m, 0, "#.....\n......\n......\n.....#");
        rd_model_free(&m);
    }
}

/* Tests a mask as h5py writes it: an enumeration of bytes. */
static void boolean_labels(void **state)
{
    (void)state;
    static const int8_t label[24] = {1, [23] = 1};
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    H5Tenum_insert(truth, "FALSE", &(int8_t){0});
    H5Tenum_insert(truth, "TRUE", &(int8_t){1});
    write_set("truth.h5", "voxels/labels", truth, 2, (const hsize_t[]){4, 6}, label);
    H5Tclose(truth);
    struct rd_model m =
        model_from(LABELS, SETS("regions.r.labels.file=truth.h5", "regions.r.labels.equals=1"));
    assert_region(&m, 0, "#.....\n......\n......\n.....#");
    rd_model_free(&m);
}

/* Checks the message about a data set in bad.h5, on a plane of 6 x 4 voxels. */
static void assert_file_refused(const char *set, const char *words)
{
    char dataset[128];
    snprintf(dataset, sizeof dataset, "regions.r.labels.dataset=%s", set);
    assert_model_refused(
        LABELS, SETS("regions.r.labels.file=bad.h5", dataset, "regions.r.labels.equals=0"), words);
}

/* Checks the message about a data set of this shape and type. */
static void assert_refused(hid_t type, int rank, const hsize_t *length, const char *set,
                           const char *part)
{
    static const int64_t capacity[60];
    write_set("bad.h5", "voxels/labels", type, rank, length, capacity);
    assert_file_refused(set, part);
}

/* Tests a label that is too large; HDF5 would clamp it without a message. */
static void too_large_label_is_refused(void **state)
{
    (void)state;
    const uint64_t label[24] = {[13] = UINT64_C(1) << 63};
    write_set("bad.h5", "voxels/labels", H5T_NATIVE_UINT64, 2, (const hsize_t[]){4, 6}, label);
    assert_file_refused(
        "/voxels/labels",
        "model/flat_labels.cfg:7: region 'r': /voxels/labels in bad.h5 has 9223372036854775808 in "
        "voxel (1, 2, 0); use integers from -2^63 to 2^63 - 1 as labels");
}

static void labels_of_another_shape_are_refused(void **state)
{
    (void)state;
    const hid_t integer = H5T_NATIVE_INT64;
    const char *const set = "/voxels/labels";
    assert_refused(integer, 2, (const hsize_t[]){6, 4}, set,
                   "model/flat_labels.cfg:7: region 'r': /voxels/labels in bad.h5 has the shape "
                   "(6, 4); give it that of the grid, (nz, ny, nx) = (1, 4, 6)");
    assert_refused(integer, 1, (const hsize_t[]){24}, set, "has the shape (24)");
    assert_refused(integer, 3, (const hsize_t[]){2, 4, 6}, set, "has the shape (2, 4, 6)");
    assert_refused(integer, 4, (const hsize_t[]){2, 1, 4, 6}, set, "has the shape (2, 1, 4, 6)");
    assert_refused(H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){4, 6}, set,
                   "has no integers; store labels as integers");
    assert_refused(integer, 2, (const hsize_t[]){4, 6}, "/voxels/lables",
                   "bad.h5 has no data set '/voxels/lables'; name another");
    assert_refused(integer, 2, (const hsize_t[]){4, 6}, "/voxels",
                   "bad.h5 has no data set '/voxels', but a group of this name; name another");
}

/* Writes a picture; its pixels are given row by row from the top, each row in a fixed number of
   bytes. */
static void write_picture(const char *name, int width, int height, int depth, int colour,
                          size_t row_bytes, const png_byte *pixel)
{
    static const png_color palette[4] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}, {9, 9, 9}};
    FILE *const file = fopen(name, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, colour,
                 PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colour == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 4);
    png_write_info(png, info);
    for (int pass = 0, n = png_set_interlace_handling(png); pass < n; pass++)
        for (int y = 0; y < height; y++)
            png_write_row(png, pixel + (size_t)y * row_bytes);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

/* Tests grey in 8 and 16 bits, and a palette with 2 bits per pixel: the top row is y = 3. */
static void labels_in_pictures(void **state)
{
    (void)state;
    static const png_byte grey[24] = {200, 0, 0, 7, 0, 0, [12] = 200, [23] = 7};
    static const png_byte deep[48] = {1, 44, [6] = 1, [7] = 45, [24] = 1, [25] = 44, [47] = 44};
    static const png_byte packed[8] = {0xb0, 0x30, 0, 0, 0x80, 0, 0, 0x30}; /* 2 3 0 0  0 3 */
    static const char *const expected = "......\n#.....\n......\n#.....";
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, grey);
    struct rd_model m = model_from(PICTURE, SETS("regions.r.labels.equals=200"));
    assert_region(&m, 0, expected);
    rd_model_free(&m);
    write_picture("p.png", 6, 4, 16, PNG_COLOR_TYPE_GRAY, 12, deep);
    m = model_from(PICTURE, SETS("regions.r.labels.equals=300"));
    assert_region(&m, 0, expected);
    rd_model_free(&m);
    write_picture("p.png", 6, 4, 2, PNG_COLOR_TYPE_PALETTE, 2, packed);
    m = model_from(PICTURE, SETS("regions.r.labels.equals=2"));
    assert_region(&m, 0, expected);
    rd_model_free(&m);
    m = model_from(PICTURE, SETS("regions.r.labels.equals=3"));
    assert_region(&m, 0, ".....#\n......\n......\n.#...#");
    rd_model_free(&m);
}

static void unsuitable_pictures_are_refused(void **state)
{
    (void)state;
    static const png_byte pixel[4 * 6 * 4];
    write_picture("p.png", 4, 6, 8, PNG_COLOR_TYPE_GRAY, 4, pixel);
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=0"),
                         "model/picture.cfg:5: region 'r': p.png is 4 pixels wide and 6 high; give "
                         "it 6 x 4 pixels, one for each voxel");
    png_byte many[6 * 4];
    for (int i = 0; i < 6 * 4; i++)
        many[i] = (png_byte)(9 - i % 9);
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, many);
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=(0, 11)"),
                         "region 'r' contains no voxel: the labels in p.png are 1, 2, 3, 4, 5, 6, "
                         "...; choose some of them");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, pixel);
    assert_model_refused(
        PICTURE, SETS("regions.r.labels.equals=7"),
        "region 'r' contains no voxel: the labels in p.png are 0; choose some of them");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_RGB, 18, pixel);
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=0"),
                         "region 'r': p.png is an image in colours");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, pixel);
    assert_model_refused(PICTURE, SETS("grid.voxels=(6, 4, 2)", "grid.edge=1.0"),
                         "p.png is a flat image, but the grid has 2 layers; use an HDF5 file");
    assert_int_equal(truncate("p.png", 60), 0);
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=0"),
                         "p.png cannot be read to its end: ");
    assert_int_equal(truncate("p.png", 5), 0);
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=0"),
                         "p.png cannot be read as a PNG image: ");
    remove("p.png");
    assert_model_refused(PICTURE, SETS("regions.r.labels.equals=0"),
                         "p.png cannot be opened: No such file");
}

int test_masks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_region_has_a_bit),
        cmocka_unit_test(sites_are_numbered_along_x_first),
        cmocka_unit_test(conditions),
        cmocka_unit_test(combinations),
        cmocka_unit_test(membranes),
        cmocka_unit_test(membrane_across_a_periodic_axis),
        cmocka_unit_test(labels_in_hdf5),
        cmocka_unit_test(flat_labels),
        cmocka_unit_test(boolean_labels),
        cmocka_unit_test(too_large_label_is_refused),
        cmocka_unit_test(labels_of_another_shape_are_refused),
        cmocka_unit_test(labels_in_pictures),
        cmocka_unit_test(unsuitable_pictures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
