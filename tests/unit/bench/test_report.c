/* test_report - the table of the bench, for a terminal and for a page, and its JSON. */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

static const struct rd_peer peer = {"peer", 64, 1.0, 2e-3, 0.0, "Them 1.0", "H200", "on an H200"};

static struct rd_figure timed(void)
{
    struct rd_figure f = {.of = "peer",
                          .what = "64^3, load 1",
                          .voxels = 64,
                          .load = 1.0,
                          .steps = 100,
                          .value = 2.5e9,
                          .unit = "voxels/s",
                          .floor = 0.1e-3,
                          .peer = &peer,
                          .ratio = 4.0};
    f.pass[RD_HOP] = 3e-4;
    f.pass[RD_SORT] = 1e-4;
    rd_sample_add(&f.seconds, 0.4e-3);
    rd_sample_add(&f.seconds, 0.6e-3);
    rd_sample_add(&f.seconds, 0.5e-3);
    return f;
}

static const struct rd_figure missing = {
    .of = "memory", .what = "too large", .note = "does not fit:\t\"so\" it is"};

/* Returns the report of both figures; the caller frees it. */
static char *report_of(enum rd_report_form form, bool is_json)
{
    char *text = NULL;
    size_t length = 0;
    struct rd_error e = {0};
    struct rd_report r = {.out = open_memstream(&text, &length),
                          .form = form,
                          .backend = "cuda",
                          .device = "NVIDIA H200",
                          .threads = 1,
                          .free_bytes = 140e9};
    const struct rd_set set = {.path = "parameters.q", .value = "\"1/9\""};
    const struct rd_bench_of of = {.set = &set, .n_set = 1, .is_quick = true};
    assert_non_null(r.out);
    const struct rd_figure f = timed();
    rd_report_begin(&r);
    assert_true(rd_report_add(&r, &f, &e) && rd_report_add(&r, &missing, &e) &&
                rd_report_add(&r, &f, &e));
    rd_report_end(&r);
    if (is_json)
        rd_report_json(&r, &of, r.out);
    fclose(r.out);
    rd_report_free(&r);
    return text;
}

static void table_is_aligned(void **state)
{
    (void)state;
    char *const text = report_of(RD_REPORT_TABLE, false);
    assert_contains(text, "on NVIDIA H200, back end cuda, 140 GB free.\n\ncase ");
    assert_contains(text, "\npeer         64^3, load 1                                   500 us"
                          "           2.50 G voxels/s    20.0 %    2.00 ms   4.00 x   40.0 %\n");
    assert_contains(text, "\nmemory       too large  ");
    assert_contains(text, "  does not fit:\t\"so\" it is\n");
    assert_contains(text, "\nPeer of 'peer': Them 1.0, on an H200.\n");
    const char *const first = strstr(text, "Peer of");
    assert_null(strstr(first + 1, "Peer of")); /* the line occurs once */
    assert_null(strstr(text, " \n"));
    free(text);
}

static void page_has_a_table(void **state)
{
    (void)state;
    char *const text = report_of(RD_REPORT_MARKDOWN, false);
    assert_contains(text,
                    "\n\n| case | what | time | rate | of floor | peer | ratio | spread |  |\n"
                    "| --- | --- | --: | --: | --: | --: | --: | --: | --- |\n"
                    "| peer | 64^3, load 1 | 500 us | 2.50 G voxels/s | 20.0 % | 2.00 ms | 4.00 x "
                    "| 40.0 % |  |\n");
    free(text);
}

static void json_has_all_data(void **state)
{
    (void)state;
    char *const text = report_of(RD_REPORT_SILENT, true);
    assert_ptr_equal(strstr(text, "{\n  \"program\": \"rdsim\", \"version\": "), text);
    assert_contains(
        text, "\"machine\": {\"backend\": \"cuda\", \"device\": \"NVIDIA H200\", \"threads\": 1, "
              "\"free_bytes\": 140000000000}");
    assert_contains(text, "\"quick\": true,\n  \"set\": {\"parameters.q\": \"\\\"1/9\\\"\"},");
    assert_contains(text,
                    "{\"case\": \"peer\", \"what\": \"64^3, load 1\", \"voxels\": 64, \"load\": 1, "
                    "\"steps\": 100, \"seconds\": 0.0005, \"repeats\": [0.0004, 0.0006, 0.0005], "
                    "\"value\": 2500000000, \"unit\": \"voxels/s\", \"floor_seconds\": 0.0001, "
                    "\"peer\": {\"program\": \"Them 1.0\", \"source\": \"on an H200\", "
                    "\"seconds\": 0.002}, \"ratio\": 4, "
                    "\"parts\": {\"HOP\": 0.0003, \"SORT\": 0.0001}},\n");
    assert_contains(text, "{\"case\": \"memory\", \"what\": \"too large\", "
                          "\"note\": \"does not fit:\\u0009\\\"so\\\" it is\"},\n");
    assert_contains(text, "}\n  ]\n}\n");
    free(text);
}

int test_report(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_aligned),
        cmocka_unit_test(page_has_a_table),
        cmocka_unit_test(json_has_all_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
