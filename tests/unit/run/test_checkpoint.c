/* test_checkpoint - every record of a checkpoint is restored unchanged, and invalid ones are
   refused. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"
#include "run/checkpoint.h"
#include "samples.h"
#include "stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MODEL "run/checkpoint.cfg"

static bool leaves_at_7(int64_t n_steps)
{
    return n_steps == 7;
}

/* Describes one record as it is in the file. */
struct record {
    char name[16];
    int64_t n;
    unsigned char *bytes;
};

enum { MOST = 200 };
struct records {
    unsigned char *file;
    size_t size;
    struct record of[MOST];
    int n;
};

static void load(struct records *r, const char *path)
{
    FILE *const file = fopen(path, "rb");
    *r = (struct records){.file = malloc(1 << 22)};
    assert_true(file && r->file);
    r->size = fread(r->file, 1, 1 << 22, file);
    fclose(file);
    for (size_t at = 16; at < r->size - 16; r->n++) {
        struct record *const one = &r->of[r->n];
        assert_true(r->n < MOST);
        memcpy(one->name, r->file + at, sizeof one->name);
        memcpy(&one->n, r->file + at + sizeof one->name, sizeof one->n);
        one->bytes = r->file + at + sizeof one->name + sizeof one->n;
        at += sizeof one->name + sizeof one->n + (size_t)one->n;
    }
}

static void save(const struct records *r, const char *path)
{
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    bool good = rd_checkpoint_file_create(&t, "temporary", path, &e);
    for (int i = 0; good && i < r->n; i++)
        good = rd_checkpoint_file_record(&t, r->of[i].name, r->of[i].bytes, (size_t)r->of[i].n);
    assert_true(rd_checkpoint_file_close(&t, good));
}

static void begin(struct stage *s, const char *text, struct rd_run_position *now)
{
    struct rd_error e = {0};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    stage_plan_text(s, text);
    *now = (struct rd_run_position){
        .value = calloc((size_t)s->model.n_parameters + 1, sizeof *now->value)};
    assert_true(rd_sim_open(&s->sim, &s->plan, &cpu, &e));
    assert_true(rd_timeline_open(&now->t, &s->model, &e));
}

static void end(struct stage *s, struct rd_run_position *now)
{
    rd_timeline_close(&now->t);
    free(now->value);
    stage_close(s);
}

/* Checks that a simulator which resumes the checkpoint writes the same bytes again. */
static void assert_same_after_resuming(const char *text)
{
    struct stage s;
    struct rd_run_position now;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    struct records a, b;
    begin(&s, text, &now);
    assert_true(rd_checkpoint_file_open(&t, "lab.checkpoint", &e));
    if (!rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, &s.sim, &now, &e)))
        fail_msg("%s", e.text);
    assert_true(rd_checkpoint_file_create(&t, "temporary", "again.checkpoint", &e));
    assert_true(rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, &s.sim, &now, &e)));
    load(&a, "lab.checkpoint");
    load(&b, "again.checkpoint");
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.file, b.file, a.size);
    free(a.file);
    free(b.file);
    end(&s, &now);
}

static void every_record_is_resumed(void **state)
{
    (void)state;
    const struct lab lab = {.leaves = leaves_at_7};
    for (struct sample s = {0}; sample_next(&s);) {
        remove("lab.checkpoint");
        lab_run(&lab, s.text, NULL);
        if (access("lab.checkpoint", F_OK) == 0) /* some samples have fewer than 7 steps */
            assert_same_after_resuming(s.text);
    }
    char *const text = model_text(MODEL);
    lab_run(&lab, text, NULL);
    assert_same_after_resuming(text);
    free(text);
}

/* Describes a change of eight bytes, or four, in the first record of the name, or in the second one
   of "2 NAME". */
struct change {
    const char *record;
    size_t at, n;
    union {
        int64_t integer;
        double real;
        int32_t count;
    } to;
    int64_t longer; /* relative to its length */
    const char *why;
};

static void assert_refused(const char *text, const struct change *c)
{
    struct stage s;
    struct rd_run_position now;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    struct records r;
    load(&r, "lab.checkpoint");
    int i = 0;
    bool is_second = c->record[0] == '2';
    const char *const name = c->record + (is_second ? 2 : 0);
    for (; i < r.n && (strcmp(r.of[i].name, name) != 0 || is_second); i++)
        is_second = is_second && strcmp(r.of[i].name, name) != 0;
    assert_true(i < r.n && c->at + c->n <= (size_t)r.of[i].n);
    memcpy(r.of[i].bytes + c->at, &c->to, c->n);
    r.of[i].n += c->longer;
    save(&r, "other.checkpoint");
    begin(&s, text, &now);
    assert_true(rd_checkpoint_file_open(&t, "other.checkpoint", &e));
    if (rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, &s.sim, &now, &e)))
        fail_msg("%s at %zu is accepted", c->record, c->at);
    assert_contains(e.text, c->why);
    rd_error_free(&e);
    free(r.file);
    end(&s, &now);
}

static void invalid_records_are_refused(void **state)
{
    (void)state;
    static const char position[] =
        "other.checkpoint: has a position that is impossible in this run";
    const struct change changes[] = {
        {"counts", 8, 4, {.count = -1}, 0, "other.checkpoint: has a count below 0"},
        {"counts", 0, 4, {.count = 8}, -4, "other.checkpoint: has another number of counts"},
        {"2 counts", 4, 4, {.count = 50}, 0, "the count of a voxel differs from the list"},
        {"occupied", 0, 8, {.integer = 13}, 0, "other.checkpoint: has another number of counts"},
        {"occupied", 0, 8, {.integer = -1}, 0, "other.checkpoint: has another number of counts"},
        {"occupied", 0, 8, {.integer = 11}, 0, "other.checkpoint: has another number of counts"},
        {"occupied", 0, 8, {.integer = 6}, 0, "other.checkpoint: has another number of counts"},
        {"2 occupied", 0, 8, {.integer = 0}, 0, "other.checkpoint: has another number of counts"},
        {"individuals", 0, 8, {.integer = 51}, 0, "has more individuals than the maximum"},
        {"individuals", 0, 8, {.integer = -1}, 0, "has more individuals than the maximum"},
        {"individuals", 0, 8, {.integer = 3}, 0, "belongs to another model: it differs in voxels"},
        {"voxels",
         0,
         4,
         {.count = 12},
         0,
         "has individuals outside of the voxels or not sorted by voxel"},
        {"voxels",
         0,
         4,
         {.count = -1},
         0,
         "has individuals outside of the voxels or not sorted by voxel"},
        {"voxels",
         4,
         4,
         {.count = 11},
         0,
         "has individuals outside of the voxels or not sorted by voxel"},
        {"ids", 0, 8, {.integer = 1000}, 0, "an id was never assigned"},
        {"next_ids", 0, 8, {.integer = 3}, 0, "an id was never assigned"},
        {"parameters", 0, 8, {.real = (double)NAN}, 0, position},
        {"parameters", 0, 0, {0}, -1, "belongs to another model: it differs in parameters"},
        {"events", 0, 8, {.integer = -1}, 0, position},
        {"recorded", 0, 8, {.integer = -1}, 0, position},
        {"recorded", 0, 8, {.integer = 6}, 0, position},
        {"done", 0, 8, {.integer = 0}, 0, position},
        {"done", 0, 8, {.integer = 1000}, 0, position},
        {"from", 0, 8, {.real = 1000}, 0, position},
        {"to", 0, 8, {.real = 2.5}, 0, position},
        {"now", 0, 8, {.real = 0.25}, 0, position},
        {"step_length", 0, 8, {.real = 0}, 0, position},
        {"step_length", 0, 8, {.real = 9}, 0, position},
        {"lost", 0, 0, {0}, -8, "belongs to another model: it differs in lost"},
    };
    const struct lab lab = {.leaves = leaves_at_7};
    char *const text = model_text(MODEL);
    lab_run(&lab, text, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_refused(text, &changes[i]);
    free(text);
}

/* Checks the lists of a species that is in few voxels, for both kinds of storage. */
static void invalid_lists_are_refused(void **state)
{
    (void)state;
    static const char impossible[] = "other.checkpoint: has an impossible list of counts",
                      another[] = "other.checkpoint: has another number of counts";
    const struct change changes[] = {
        {"counts", 4, 4, {.count = 0}, 0, impossible},
        {"counts", 4, 4, {.count = -2}, 0, impossible},
        {"counts", 8, 4, {.count = 0}, 0, impossible},
        {"counts", 8, 4, {.count = 9}, 0, impossible},
        {"counts", 0, 0, {0}, 8, another},
        {"occupied", 0, 8, {.integer = 1}, 0, another},
        {"occupied", 0, 8, {.integer = 9}, 0, another},
    };
    const struct lab lab = {.leaves = leaves_at_7};
    for (int k = 0; k < 2; k++) {
        char *const text =
            model_text(k == 0 ? "run/checkpoint_grid.cfg" : "run/checkpoint_list.cfg");
        lab_run(&lab, text, NULL);
        assert_same_after_resuming(text);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            assert_refused(text, &changes[i]);
        free(text);
    }
}

int test_checkpoint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_resumed),
        cmocka_unit_test(invalid_records_are_refused),
        cmocka_unit_test(invalid_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
