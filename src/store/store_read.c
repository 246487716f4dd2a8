/* store_read - one snapshot of an earlier result, for initial values. */
#include "store.h"

#include "store_hdf.h"
#include "store_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is asked, and the result's own columns. */
struct reading {
    const char *path, *prefix;
    hid_t file, counts;
    hsize_t length[RD_RANK_MOST]; /* of counts */
    double *time;
    int64_t *run;
    char **species;
    int64_t n_times, n_runs, n_species;
};

static bool check_columns(struct reading *r, const int32_t size[3], struct rd_error *e)
{
    if (r->counts < 0)
        return rd_fail(e, "%s%s: holds no counts of cells; output.keep = \"all\" would write them",
                       r->prefix, r->path);
    const hsize_t *const there = r->length;
    if ((hsize_t)r->n_runs != there[0] || (hsize_t)r->n_times != there[1] ||
        (hsize_t)r->n_species != there[2] || r->n_runs == 0 || r->n_times == 0)
        return rd_fail(e, "%s%s: its counts do not fit its runs, times and species", r->prefix,
                       r->path);
    if (there[3] != (hsize_t)size[2] || there[4] != (hsize_t)size[1] ||
        there[5] != (hsize_t)size[0])
        return rd_fail(e, "%s%s: has %llu x %llu x %llu cells; this grid has %d x %d x %d",
                       r->prefix, r->path, (unsigned long long)there[5],
                       (unsigned long long)there[4], (unsigned long long)there[3], (int)size[0],
                       (int)size[1], (int)size[2]);
    return true;
}

/* The time's place; a time means a snapshot if nine digits agree. */
static bool find_time(const struct reading *r, double at_time, int64_t *place, struct rd_error *e)
{
    int64_t nearest = r->n_times - 1;
    *place = nearest;
    if (isnan(at_time))
        return true;
    for (int64_t i = 0; i < r->n_times; i++)
        if (fabs(r->time[i] - at_time) < fabs(r->time[nearest] - at_time))
            nearest = i;
    *place = nearest;
    if (fabs(r->time[nearest] - at_time) <= 1e-9 * fabs(at_time))
        return true;
    return rd_fail(e, "%s%s: has no snapshot at time %.10g; the nearest one is at %.10g", r->prefix,
                   r->path, at_time, r->time[nearest]);
}

static bool find_run(const struct reading *r, int64_t run, int64_t *place, struct rd_error *e)
{
    *place = 0;
    if (r->n_runs == 1)
        return true;
    for (int64_t i = 0; i < r->n_runs; i++)
        if (r->run[i] == run) {
            *place = i;
            return true;
        }
    return rd_fail(e, "%s%s: has no run %lld; its runs are %lld to %lld", r->prefix, r->path,
                   (long long)run, (long long)r->run[0], (long long)r->run[r->n_runs - 1]);
}

static bool read_species(const struct reading *r, int64_t run, int64_t time, int64_t species,
                         int32_t *count, struct rd_error *e)
{
    const hsize_t start[RD_RANK_MOST] = {(hsize_t)run, (hsize_t)time, (hsize_t)species};
    const hsize_t n[RD_RANK_MOST] = {1, 1, 1, r->length[3], r->length[4], r->length[5]};
    const hid_t space = H5Dget_space(r->counts);
    const hid_t memory = H5Screate_simple(RD_RANK_MOST, n, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) >= 0 &&
                      H5Dread(r->counts, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, count) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    if (!good)
        return rd_h5_fail(e, r->path, "its counts cannot be read");
    for (hsize_t i = 0; i < n[3] * n[4] * n[5]; i++)
        if (count[i] < 0)
            return rd_fail(e,
                           "%s%s: the snapshot at time %.10g is not there; if the run was killed, "
                           "the segments in '%s.parts' belong to it",
                           r->prefix, r->path, r->time[time], r->path);
    return true;
}

static int64_t find_species(const struct reading *r, const char *name)
{
    for (int64_t i = 0; i < r->n_species; i++)
        if (r->species[i] && strcmp(r->species[i], name) == 0)
            return i;
    return -1;
}

static bool read_all(struct reading *r, double at_time, int64_t run, const int32_t size[3],
                     int n_species, char *const *species, int32_t *const *count, struct rd_error *e)
{
    int64_t time, place;
    if (!check_columns(r, size, e) || !find_time(r, at_time, &time, e) ||
        !find_run(r, run, &place, e))
        return false;
    const size_t n_sites = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    bool good = true;
    for (int s = 0; good && s < n_species; s++) {
        const int64_t there = find_species(r, species[s]);
        if (there >= 0)
            good = read_species(r, place, time, there, count[s], e);
        else
            for (size_t i = 0; i < n_sites; i++)
                count[s][i] = -1;
    }
    return good;
}

bool rd_store_read(const char *path, double at_time, int64_t run, const int32_t size[3],
                   int n_species, char *const *species, int32_t *const *count, const char *place,
                   struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    char prefix[512] = "";
    if (place && place[0])
        snprintf(prefix, sizeof prefix, "%s: ", place);
    rd_h5_listen(&cause);
    struct reading r = {.path = path, .prefix = prefix, .file = rd_result_open(path, prefix, e)};
    bool good = r.file >= 0;
    if (good) {
        r.counts = rd_result_series(r.file, RD_COUNTS, r.length);
        r.time = rd_result_reals(r.file, "time", &r.n_times);
        r.run = rd_result_integers(r.file, "run", &r.n_runs);
        r.species = rd_result_texts(r.file, "species", &r.n_species);
        good = read_all(&r, at_time, run, size, n_species, species, count, e);
    }
    free(r.time);
    free(r.run);
    rd_result_free_texts(r.species, r.n_species);
    rd_h5_drop(r.counts);
    rd_h5_drop(r.file);
    rd_h5_listen(NULL);
    return good;
}
