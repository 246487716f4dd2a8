/* test_masks - tests of the regions of every voxel: conditions, combinations of regions, membranes
   and labels, as configurations define them. */
#define _POSIX_C_SOURCE 200809L
#include "asked.h"

#include "model/masks.h"

#include <hdf5.h>
#include <png.h>
#include <unistd.h>

#define HEAD                                                                                       \
    "time = { end = 1; }; species = ( { name = \"A\"; } );"                                        \
    "parameters = { r = 2; };"
#define PLANE HEAD "grid = { voxels = (6, 4); edge = (1.0, 1.0); };"

/* Checks a region against rows from y = 0 on, in which # is inside. */
static void assert_looks(const struct rd_model *m, int region, const char *picture)
{
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const int64_t row = site / m->grid.size[0];
        if ((m->mask[site] >> region & 1) != (picture[site + row] == '#'))
            fail_msg("region '%s' is not\n%s\nat site %d", m->region[region].name, picture,
                     (int)site);
    }
}

static void a_bit_for_each_region(void **state)
{
    (void)state;
    struct rd_model m =
        model_of(HEAD "grid = { voxels = 6; edge = 1.0; };"
                      "regions = ( { name = \"A\"; box = { from = (1); to = (4); }; },"
                      "            { name = \"B\"; box = { from = (3); to = (6); }; } );");
    const uint64_t expected[] = {0, 1, 1, 3, 2, 2};
    assert_memory_equal(m.mask, expected, sizeof expected);
    int n;
    uint64_t *const overlap = rd_masks_overlaps(m.mask, 6, &n);
    assert_int_equal(n, 4);
    assert_int_equal(overlap[0] | overlap[1] << 4 | overlap[2] << 8 | overlap[3] << 12, 0x2310);
    free(overlap);
    rd_model_free(&m);
}

static void sites_run_along_x_first(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        HEAD
        "grid = { voxels = (4, 5, 6); edge = 1.0; };"
        "regions = ( { name = \"one\"; sphere = { centre = (1.5, 2.5, 3.5); radius = 0.1; }; },"
        "            { name = \"two\"; where = \"x == 1.5 and y == 2.5 and z == 3.5\"; } );");
    for (int64_t site = 0; site < m.grid.n_sites; site++)
        assert_int_equal(m.mask[site], site == (3 * 5 + 2) * 4 + 1 ? 3 : 0);
    rd_model_free(&m);
}

static void a_condition(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        PLANE "regions = ( { name = \"disc\"; where = \"(x-3)^2 + (y-2)^2 < r^2\"; },"
              "            { name = \"strip\"; where = \"not (x < 2 or x > 4 * volume)\"; }"
              ");");
    assert_looks(&m, 0,
                 "..##..\n"
                 ".####.\n"
                 ".####.\n"
                 "..##..");
    assert_looks(&m, 1,
                 "..##..\n"
                 "..##..\n"
                 "..##..\n"
                 "..##..");
    rd_model_free(&m);
}

/* Tests combinations of regions that come later, and of regions that are combinations
   themselves. */
static void made_of_others(void **state)
{
    (void)state;
    struct rd_model m =
        model_of(PLANE "regions = ( { name = \"both\"; intersection = (\"left\", \"low\"); },"
                       "{ name = \"any\"; union = (\"low\", \"left\"); },"
                       "{ name = \"corner\"; complement = \"any\"; },"
                       "{ name = \"rest\"; difference = (\"any\", \"both\", \"dot\"); },"
                       "{ name = \"left\"; box = { from = (0, 0); to = (3, 4); }; },"
                       "{ name = \"low\"; box = { from = (0, 0); to = (6, 2); }; },"
                       "{ name = \"dot\"; box = { from = (5, 0); to = (6, 1); }; } );");
    assert_looks(&m, 0,
                 "###...\n"
                 "###...\n"
                 "......\n"
                 "......");
    assert_looks(&m, 1,
                 "######\n"
                 "######\n"
                 "###...\n"
                 "###...");
    assert_looks(&m, 2,
                 "......\n"
                 "......\n"
                 "...###\n"
                 "...###");
    assert_looks(&m, 3,
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
    static const char regions[] =
        "regions = ( { name = \"inner\"; touching = (\"nucleus\", \"voxel\"); },"
        "{ name = \"outer\"; touching = (\"voxel\", \"nucleus\"); },"
        "{ name = \"voxel\"; where = \"x < 5\"; },"
        "{ name = \"nucleus\"; where = \"x < 3 and y < 3\"; },"
        "{ name = \"edge\"; touching = (\"voxel\", \"right\"); },"
        "{ name = \"right\"; complement = (\"voxel\"); } );";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", PLANE, regions);
    struct rd_model m = model_of(text);
    assert_looks(&m, 0,
                 "..#...\n"
                 "..#...\n"
                 "###...\n"
                 "......");
    assert_looks(&m, 1,
                 "...#..\n"
                 "...#..\n"
                 "...#..\n"
                 "###...");
    assert_looks(&m, 4,
                 "....#.\n"
                 "....#.\n"
                 "....#.\n"
                 "....#.");
    rd_model_free(&m);
    snprintf(text, sizeof text,
             "%sgrid = { voxels = (6, 4); edge = (1.0, 1.0);"
             " walls = { x = \"periodic\"; y = \"periodic\"; }; };%s",
             HEAD, regions);
    m = model_of(text);
    assert_looks(&m, 0,
                 "###...\n"
                 "..#...\n"
                 "###...\n"
                 "......");
    assert_looks(&m, 4,
                 "#...#.\n"
                 "#...#.\n"
                 "#...#.\n"
                 "#...#.");
    rd_model_free(&m);
}

static void a_periodic_layer_of_z(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        HEAD "grid = { voxels = (1, 2, 4); edge = 1.0; walls = { z = \"periodic\"; }; };"
             "regions = ( { name = \"low\"; half_space = { at = (0, 0, 1); towards = (0, 0, -1); };"
             " }, { name = \"high\"; complement = \"low\"; },"
             "{ name = \"rim\"; touching = (\"high\", \"low\"); } );");
    assert_looks(&m, 2, ".\n.\n#\n#\n.\n.\n#\n#");
    rd_model_free(&m);
}

static void write_labels(const char *name, hid_t type, int rank, const hsize_t *length,
                         const void *label)
{
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "voxels", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(rank, length, NULL);
    const hid_t set =
        H5Dcreate2(group, "labels", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, label) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
}

static const int16_t two_layers[24] = {0,  0, 1,  1, 2, 2, 0, 0, 1, 1, 2, 2,
                                       -7, 3, -7, 3, 3, 3, 3, 3, 3, 3, 3, -7};

static void labels_of_hdf5(void **state)
{
    (void)state;
    write_labels("box.h5", H5T_NATIVE_INT16, 3, (const hsize_t[]){2, 2, 6}, two_layers);
    struct rd_model m =
        model_of(HEAD "grid = { voxels = (6, 2, 2); edge = 1.0; };"
                      "regions = ( { name = \"r\"; labels = { file = \"box.h5\"; dataset = "
                      "\"/voxels/labels\"; equals = 2; }; },"
                      "{ name = \"s\"; labels = { file = \"box.h5\"; dataset = "
                      "\"voxels/labels\"; equals = (-7, 1); }; } );");
    assert_looks(&m, 0, "....##\n....##\n......\n......");
    assert_looks(&m, 1, "..##..\n..##..\n#.#...\n.....#");
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
        write_labels("flat.h5", H5T_NATIVE_UINT8, rank, length[rank - 2], label);
        struct rd_model m =
            model_of(PLANE "regions = ( { name = \"r\"; labels = { file = \"flat.h5\"; dataset = "
                           "\"/voxels/labels\"; equals = 200; }; } );");
        assert_looks(&m, 0, "#.....\n......\n......\n.....#");
        rd_model_free(&m);
    }
}

/* Tests a mask as h5py writes it: an enumeration of bytes. */
static void truth_as_labels(void **state)
{
    (void)state;
    static const int8_t label[24] = {1, [23] = 1};
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    H5Tenum_insert(truth, "FALSE", &(int8_t){0});
    H5Tenum_insert(truth, "TRUE", &(int8_t){1});
    write_labels("truth.h5", truth, 2, (const hsize_t[]){4, 6}, label);
    H5Tclose(truth);
    struct rd_model m =
        model_of(PLANE "regions = ( { name = \"r\"; labels = { file = \"truth.h5\"; dataset = "
                       "\"/voxels/labels\"; equals = 1; }; } );");
    assert_looks(&m, 0, "#.....\n......\n......\n.....#");
    rd_model_free(&m);
}

/* Checks the message about a data set in bad.h5, on a plane of 6 x 4 voxels. */
static void assert_told(const char *set, const char *part)
{
    char text[512];
    struct rd_error e = {0};
    struct rd_model m = {0};
    rd_config *c = NULL;
    snprintf(text, sizeof text,
             "%s regions = ( { name = \"r\"; labels = { file = \"bad.h5\";"
             " dataset = \"%s\"; equals = 0; }; } );",
             PLANE, set);
    assert_true(rd_config_parse(&c, "m.cfg", text, NULL, 0, &e));
    assert_false(rd_model_make(&m, c, &e));
    if (!strstr(e.text, part))
        fail_msg("'%s' instead of '%s'", e.text, part);
    assert_int_equal(e.n, 1);
    rd_config_free(c);
    rd_model_free(&m);
    rd_error_free(&e);
}

/* Checks the message about a data set of this shape and type. */
static void assert_refused(hid_t type, int rank, const hsize_t *length, const char *set,
                           const char *part)
{
    static const int64_t capacity[60];
    write_labels("bad.h5", type, rank, length, capacity);
    assert_told(set, part);
}

/* Tests a label that is too large; HDF5 would clamp it without a message. */
static void a_label_that_is_too_large(void **state)
{
    (void)state;
    const uint64_t label[24] = {[13] = UINT64_C(1) << 63};
    write_labels("bad.h5", H5T_NATIVE_UINT64, 2, (const hsize_t[]){4, 6}, label);
    assert_told("/voxels/labels",
                "m.cfg:1: region 'r': /voxels/labels in bad.h5 has 9223372036854775808 in voxel "
                "(1, 2, 0); use integers from -2^63 to 2^63 - 1 as labels");
}

static void labels_that_do_not_fit(void **state)
{
    (void)state;
    const hid_t integer = H5T_NATIVE_INT64;
    const char *const set = "/voxels/labels";
    assert_refused(integer, 2, (const hsize_t[]){6, 4}, set,
                   "m.cfg:1: region 'r': /voxels/labels in bad.h5 has the shape (6, 4); give it "
                   "that of the grid, (nz, ny, nx) = (1, 4, 6)");
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

#define PICTURED(labels)                                                                           \
    PLANE "regions = ( { name = \"r\"; labels = { file = \"p.png\"; equals = " labels "; }; } );"

/* Tests grey in 8 and 16 bits, and a palette with 2 bits per pixel: the top row is y = 3. */
static void labels_of_pictures(void **state)
{
    (void)state;
    static const png_byte grey[24] = {200, 0, 0, 7, 0, 0, [12] = 200, [23] = 7};
    static const png_byte deep[48] = {1, 44, [6] = 1, [7] = 45, [24] = 1, [25] = 44, [47] = 44};
    static const png_byte packed[8] = {0xb0, 0x30, 0, 0, 0x80, 0, 0, 0x30}; /* 2 3 0 0  0 3 */
    static const char *const expected = "......\n#.....\n......\n#.....";
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, grey);
    struct rd_model m = model_of(PICTURED("200"));
    assert_looks(&m, 0, expected);
    rd_model_free(&m);
    write_picture("p.png", 6, 4, 16, PNG_COLOR_TYPE_GRAY, 12, deep);
    m = model_of(PICTURED("300"));
    assert_looks(&m, 0, expected);
    rd_model_free(&m);
    write_picture("p.png", 6, 4, 2, PNG_COLOR_TYPE_PALETTE, 2, packed);
    m = model_of(PICTURED("2"));
    assert_looks(&m, 0, expected);
    rd_model_free(&m);
    m = model_of(PICTURED("3"));
    assert_looks(&m, 0, ".....#\n......\n......\n.#...#");
    rd_model_free(&m);
}

static void assert_picture_refused(const char *text, const char *part)
{
    struct rd_error e = {0};
    struct rd_model m = {0};
    rd_config *c = NULL;
    assert_true(rd_config_parse(&c, "m.cfg", text, NULL, 0, &e));
    assert_false(rd_model_make(&m, c, &e));
    if (!strstr(e.text, part))
        fail_msg("'%s' instead of '%s'", e.text, part);
    rd_config_free(c);
    rd_model_free(&m);
    rd_error_free(&e);
}

static void pictures_that_do_not_fit(void **state)
{
    (void)state;
    static const png_byte pixel[4 * 6 * 4];
    write_picture("p.png", 4, 6, 8, PNG_COLOR_TYPE_GRAY, 4, pixel);
    assert_picture_refused(PICTURED("0"), "m.cfg:1: region 'r': p.png is 4 pixels wide and 6 high; "
                                          "give it 6 x 4 pixels, one for each voxel");
    png_byte many[6 * 4];
    for (int i = 0; i < 6 * 4; i++)
        many[i] = (png_byte)(9 - i % 9);
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, many);
    assert_picture_refused(PICTURED("(0, 11)"), "region 'r' contains no voxel: the labels in p.png "
                                                "are 1, 2, 3, 4, 5, 6, ...; choose some of them");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, pixel);
    assert_picture_refused(
        PICTURED("7"),
        "region 'r' contains no voxel: the labels in p.png are 0; choose some of them");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_RGB, 18, pixel);
    assert_picture_refused(PICTURED("0"), "region 'r': p.png is an image in colours");
    write_picture("p.png", 6, 4, 8, PNG_COLOR_TYPE_GRAY, 6, pixel);
    assert_picture_refused(
        HEAD "grid = { voxels = (6, 4, 2); edge = 1.0; }; regions = ( { name = \"r\"; labels = { "
             "file = \"p.png\"; equals = 0; }; } );",
        "p.png is a flat image, but the grid has 2 layers; use an HDF5 file");
    assert_int_equal(truncate("p.png", 60), 0);
    assert_picture_refused(PICTURED("0"), "p.png cannot be read to its end: ");
    assert_int_equal(truncate("p.png", 5), 0);
    assert_picture_refused(PICTURED("0"), "p.png cannot be read as a PNG image: ");
    remove("p.png");
    assert_picture_refused(PICTURED("0"), "p.png cannot be opened: No such file");
}

int test_masks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bit_for_each_region),
        cmocka_unit_test(sites_run_along_x_first),
        cmocka_unit_test(a_condition),
        cmocka_unit_test(made_of_others),
        cmocka_unit_test(membranes),
        cmocka_unit_test(a_periodic_layer_of_z),
        cmocka_unit_test(labels_of_hdf5),
        cmocka_unit_test(flat_labels),
        cmocka_unit_test(truth_as_labels),
        cmocka_unit_test(a_label_that_is_too_large),
        cmocka_unit_test(labels_that_do_not_fit),
        cmocka_unit_test(labels_of_pictures),
        cmocka_unit_test(pictures_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
