/* stored - a small model without configuration, snapshots of it in which every number is given by a
   formula, and functions that write them to a result. */
#ifndef RD_STORED_H
#define RD_STORED_H

#include "probability.h"
#include "result/read/result_reader.h"
#include "result/write/result.h"
#include "stored_lives.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SPECIES = 3, N_REACTIONS = 2 };

struct stored {
    struct rd_model model;
    struct rd_record_of record;
    struct rd_species species[N_SPECIES];
    struct rd_reaction reaction[N_REACTIONS];
    struct rd_output output; /* the only group, at the root */
    int32_t recorded[N_SPECIES];
    char no_name[1];
    int32_t *counts;
    int64_t *totals, *fired, *lost, *entered;
    struct stored_lives *lives; /* NULL: no species has individuals */
};

static const struct rd_fact stored_derived[] = {{"step", NULL, 0.125}, {"limited_by", "B", 0}};
static const struct rd_fact stored_provenance[] = {
    {"program", "rdsim 0.2.0", 0}, {"backend", "cpu", 0}, {"threads", NULL, 2}};

static inline void stored_make_arrays(struct stored *s, size_t runs, size_t sites)
{
    s->counts = calloc(runs * N_SPECIES * sites, sizeof *s->counts);
    s->totals = calloc(runs * N_SPECIES, sizeof *s->totals);
    s->fired = calloc(runs * N_REACTIONS, sizeof *s->fired);
    s->lost = calloc(runs * N_SPECIES * RD_FACES, sizeof *s->lost);
    s->entered = calloc(runs * N_SPECIES * RD_FACES, sizeof *s->entered);
}

static inline struct stored *stored_make(int32_t nx, int32_t ny, int32_t nz, int64_t n_runs,
                                         int64_t n_times)
{
    struct stored *const s = calloc(1, sizeof *s);
    const size_t sites = (size_t)(nx * ny * nz);
    s->species[0].name = "A";
    s->species[1].name = "B\xce\xb2"; /* a Greek beta; names are UTF-8 */
    s->species[2].name = "C";
    s->species[1].wall[2].kind = RD_WALL_ABSORB;
    s->reaction[0].label = "A + B\xce\xb2 -> C";
    s->reaction[1].label = "C -> 0";
    s->model = (struct rd_model){
        .title = "a small model",
        .grid = {.dim = 3,
                 .size = {nx, ny, nz},
                 .edge = {0.5, 0.25, 2},
                 .origin = {-1, 0, 10},
                 .n_sites = (int64_t)sites,
                 .volume = 0.25},
        .species = s->species,
        .n_species = N_SPECIES,
        .reaction = s->reaction,
        .n_reactions = N_REACTIONS,
        .output = &s->output,
        .n_outputs = 1,
        .surveyed = s->recorded,
        .paired = s->recorded,
        .n_surveyed = n_runs > 1 ? N_SPECIES : 0,
        .n_paired = n_runs > 1 ? N_SPECIES : 0,
        .n_moments = n_times,
        .length_unit = "um",
        .time_unit = "",
        .first_run = 5,
        .n_runs = n_runs,
        .n_all = n_runs,
    };
    for (int32_t i = 0; i < N_SPECIES; i++) {
        s->recorded[i] = i;
        s->species[i].compartment = -1;
    }
    s->output = (struct rd_output){.name = s->no_name,
                                   .n_times = n_times,
                                   .species = s->recorded,
                                   .n_species = N_SPECIES,
                                   .compression = 4};
    s->record = (struct rd_record_of){
        .model = &s->model,
        .config_name = "small.cfg",
        .config_text = "title = \"a small model\";\n",
        .effective = "title = \"a small model\";\nrun = { seed = 1; };\n",
        .derived = stored_derived,
        .n_derived = 2,
        .provenance = stored_provenance,
        .n_provenance = 3,
        .has_entered = true,
        .has_counts = true,
    };
    stored_make_arrays(s, (size_t)n_runs, sites);
    return s;
}

/* Adds individuals to the model. */
static inline void stored_add_individuals(struct stored *s, int64_t scale)
{
    s->lives = stored_lives_make(&s->model, scale);
    stored_lives_join(s->lives, s->species);
    s->record.has_individuals = true;
}

static inline void stored_free(struct stored *s)
{
    stored_lives_free(s->lives);
    free(s->counts);
    free(s->totals);
    free(s->fired);
    free(s->lost);
    free(s->entered);
    free(s);
}

static inline double stored_time(int64_t t)
{
    return 0.1 * (double)t;
}

/* Returns the count of species k of run r in a voxel at output t: small numbers and a few huge
   ones. */
static inline int32_t stored_count(int64_t t, int64_t r, int64_t k, int64_t site)
{
    const uint32_t counter[4] = {(uint32_t)t, (uint32_t)r, (uint32_t)k, (uint32_t)site};
    const uint32_t key[2] = {0};
    uint32_t word[4];
    rd_philox(counter, key, word);
    return word[0] & 63 ? (int32_t)(word[1] & 15) : INT32_MAX - (int32_t)(word[1] & 255);
}

/* Returns item i of run r at output t in any other series; it increases with t. */
static inline int64_t stored_sum(int64_t t, int64_t r, int64_t i)
{
    return (t << 33) + 1000 * r + i;
}

static inline struct rd_snapshot stored_snapshot(struct stored *s, int64_t t)
{
    const int64_t sites = s->model.grid.n_sites;
    for (int64_t r = 0; r < s->model.n_runs; r++) {
        for (int64_t k = 0; k < N_SPECIES; k++) {
            s->totals[r * N_SPECIES + k] = 0;
            for (int64_t i = 0; i < sites; i++) {
                const int32_t n = stored_count(t, r, k, i);
                s->counts[(r * N_SPECIES + k) * sites + i] = n;
                s->totals[r * N_SPECIES + k] += n;
            }
        }
        for (int64_t i = 0; i < N_REACTIONS; i++)
            s->fired[r * N_REACTIONS + i] = stored_sum(t, r, i);
        for (int64_t i = 0; i < N_SPECIES * RD_FACES; i++) {
            s->lost[r * N_SPECIES * RD_FACES + i] = stored_sum(t, r, 100 + i);
            s->entered[r * N_SPECIES * RD_FACES + i] = stored_sum(t, r, 200 + i);
        }
    }
    if (s->lives)
        stored_lives_at(s->lives, &s->model, t);
    return (struct rd_snapshot){
        .time = stored_time(t),
        .due = 1,
        .counts = s->record.has_counts ? s->counts : NULL,
        .totals = s->totals,
        .fired = s->fired,
        .lost = s->lost,
        .entered = s->record.has_entered ? s->entered : NULL,
        .individuals = s->lives ? s->lives->of : NULL,
        .n_individuals = s->lives ? LIVES_SPECIES : 0,
    };
}

/* Opens path and writes the first n_times snapshots; returns NULL and sets e if either fails. */
static inline rd_store *stored_begin(struct stored *s, const char *path, bool force,
                                     int64_t n_times, struct rd_error *e)
{
    rd_store *store = NULL;
    bool good = rd_store_open(&store, path, force, &s->record, e);
    for (int64_t t = 0; good && t < n_times; t++) {
        const struct rd_snapshot now = stored_snapshot(s, t);
        good = (!s->lives || rd_store_live(store, s->lives->life, s->lives->n_lives, e)) &&
               rd_store_write(store, &now, e);
    }
    if (good)
        return store;
    if (store)
        rd_store_close(store, "failed", NULL, 0, e);
    return NULL;
}

/* Writes n_times snapshots in a child process that exits without closing the result, as a killed
   run does. */
static inline void stored_kill_after(struct stored *s, const char *path, int64_t n_times)
{
    const pid_t child = fork();
    if (child == 0) {
        struct rd_error e = {0};
        _exit(stored_begin(s, path, false, n_times, &e) ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
}

/* Writes a complete result with all its times. */
static inline void stored_write(struct stored *s, const char *path)
{
    struct rd_error e = {0};
    rd_store *const store = stored_begin(s, path, true, s->model.n_moments, &e);
    if (!store || !rd_store_close(store, "complete", NULL, 0, &e))
        fail_msg("%s", e.text);
}

/* Returns the request for the first species of a snapshot, on the grid of stored_make. */
static inline struct rd_wanted stored_wanted(const char *path, double at, int64_t run, int32_t nx,
                                             int32_t ny, int32_t nz)
{
    static char *first[] = {"A"};
    return (struct rd_wanted){.path = path,
                              .at_time = at,
                              .run = run,
                              .size = {nx, ny, nz},
                              .edge = {0.5, 0.25, 2},
                              .n_species = 1,
                              .species = first,
                              .place = "a.cfg:7"};
}

/* Identifiers of a data space and of a property list that are closed. HDF5 numbers each kind in the
   order of creation. */
struct stored_ids {
    hid_t space, plan;
};

static inline struct stored_ids stored_ids_now(void)
{
    const struct stored_ids ids = {H5Screate(H5S_SCALAR), H5Pcreate(H5P_FILE_ACCESS)};
    assert_true(ids.space > 0 && H5Sclose(ids.space) >= 0);
    assert_true(ids.plan > 0 && H5Pclose(ids.plan) >= 0);
    return ids;
}

/* Returns those of the time when the folder was entered. */
static inline struct stored_ids *stored_ids_before(void)
{
    static struct stored_ids ids;
    return &ids;
}

/* Makes an empty folder for one test and enters it; stored_leave leaves it. */
static inline void stored_folder(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s.dir && mkdir %s.dir", name, name);
    assert_int_equal(system(command), 0);
    assert_int_equal(chdir(strcat(strcpy(command, name), ".dir")), 0);
    *stored_ids_before() = stored_ids_now();
}

/* Leaves the folder. Fails if a file, or anything else of HDF5 that the test used, is open. */
static inline void stored_leave(void)
{
    const struct stored_ids first = *stored_ids_before(), last = stored_ids_now();
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    for (hid_t id = first.space; id < last.space; id++)
        assert_true(H5Iis_valid(id) <= 0);
    for (hid_t id = first.plan; id < last.plan; id++)
        assert_true(H5Iis_valid(id) <= 0);
    assert_int_equal(chdir(".."), 0);
}

/* Limits the size of files to simulate a full disk; RLIM_INFINITY ends that. */
static inline void stored_limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Returns the number of entries of a folder; -1 if the folder does not exist. */
static inline int stored_entries(const char *path)
{
    DIR *const folder = opendir(path);
    int n = folder ? -2 : -1; /* excludes . and .. */
    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

/* Copies the counts of each species to the arrays of stored_read. */
struct stored_arrays {
    int32_t *const *count;
    size_t bytes;
};

static inline bool stored_keep(void *arrays, int i, const int32_t *count, struct rd_error *e)
{
    (void)e;
    const struct stored_arrays *const to = arrays;
    if (count)
        memcpy(to->count[i], count, to->bytes);
    else
        memset(to->count[i], -1, to->bytes);
    return true;
}

/* Reads the counts of species s into count[s]; all are -1 if the file does not have the species. */
static inline bool stored_read(const struct rd_wanted *w, int32_t *const *count, struct rd_error *e)
{
    struct stored_arrays to = {count, sizeof **count};
    for (int i = 0; i < 3; i++)
        to.bytes *= (size_t)w->size[i];
    return rd_store_each(w, stored_keep, &to, e);
}

#endif
