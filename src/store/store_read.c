/* store_read - one snapshot of an earlier result, for initial values. */
#include "store.h"

#include "store_hdf.h"
#include "store_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is asked, and the result's own columns. */
struct reading {
    const struct rd_wanted *wanted;
    const char *path, *prefix;
    hid_t file, counts;
    hsize_t length[RD_RANK_MOST]; /* of counts */
    double *time;
    int64_t *run;
    char **species;
    int64_t n_times, n_runs, n_species;
};

static bool check_columns(const struct reading *r, struct rd_error *e)
{
    if (r->counts < 0)
        return rd_fail(e, "%s%s: holds no counts of cells; output.keep = \"all\" would write them",
                       r->prefix, r->path);
    const hsize_t *const there = r->length;
    return ((hsize_t)r->n_runs == there[0] && (hsize_t)r->n_times == there[1] &&
            (hsize_t)r->n_species == there[2] && r->n_runs > 0 && r->n_times > 0) ||
           rd_fail(e, "%s%s: its counts do not fit its runs, times and species", r->prefix,
                   r->path);
}

static bool check_grid(const struct reading *r, struct rd_error *e)
{
    const hsize_t *const there = r->length;
    const int32_t *const size = r->wanted->size;
    if (there[3] != (hsize_t)size[2] || there[4] != (hsize_t)size[1] ||
        there[5] != (hsize_t)size[0])
        return rd_fail(e, "%s%s: has %llu x %llu x %llu cells; this grid has %d x %d x %d",
                       r->prefix, r->path, (unsigned long long)there[5],
                       (unsigned long long)there[4], (unsigned long long)there[3], (int)size[0],
                       (int)size[1], (int)size[2]);
    const double *const here = r->wanted->edge;
    double edge[3];
    rd_result_edges(r->file, edge);
    for (int i = 0; i < 3; i++)
        if (!(fabs(edge[i] - here[i]) <= 1e-9 * here[i]))
            return rd_fail(e,
                           "%s%s: has cells of %.10g x %.10g x %.10g; this grid has cells of "
                           "%.10g x %.10g x %.10g",
                           r->prefix, r->path, edge[0], edge[1], edge[2], here[0], here[1],
                           here[2]);
    return true;
}

/* The time's place; a time means a snapshot if nine digits agree. */
static bool find_time(const struct reading *r, int64_t *place, struct rd_error *e)
{
    const double at_time = r->wanted->at_time;
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

static bool find_run(const struct reading *r, int64_t *place, struct rd_error *e)
{
    const int64_t run = r->wanted->run;
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
                           "%s%s: the snapshot of run %lld at time %.10g is not there; rdsim info "
                           "tells whether it faulted, and if all was killed, the segments in "
                           "'%s.parts' belong to it",
                           r->prefix, r->path, (long long)r->run[run], r->time[time], r->path);
    return true;
}

static int64_t find_species(const struct reading *r, const char *name)
{
    for (int64_t i = 0; i < r->n_species; i++)
        if (r->species[i] && strcmp(r->species[i], name) == 0)
            return i;
    return -1;
}

static bool is_wanted(const struct rd_wanted *w, const char *name)
{
    for (int s = 0; s < w->n_species; s++)
        if (name && strcmp(w->species[s], name) == 0)
            return true;
    return false;
}

/* Molecules of a species that nobody asked for would vanish without a word. */
static bool is_empty(const struct reading *r, int64_t run, int64_t time, int64_t species,
                     int32_t *room, struct rd_error *e)
{
    if (!read_species(r, run, time, species, room, e))
        return false;
    int64_t sum = 0;
    for (hsize_t i = 0; i < r->length[3] * r->length[4] * r->length[5]; i++)
        sum += room[i];
    return sum == 0 || rd_fail(e,
                               "%s%s: has %lld molecules of '%s' at time %.10g, which is not "
                               "declared; declare it, or name the species that is wanted",
                               r->prefix, r->path, (long long)sum,
                               r->species[species] ? r->species[species] : "", r->time[time]);
}

static bool check_others(const struct reading *r, int64_t run, int64_t time, struct rd_error *e)
{
    const hsize_t n_sites = r->length[3] * r->length[4] * r->length[5];
    int32_t *const room = malloc(((size_t)n_sites + 1) * sizeof *room);
    bool good = room || rd_fail(e, "out of memory for the counts of %s", r->path);
    for (int64_t s = 0; room && s < r->n_species; s++)
        if (!is_wanted(r->wanted, r->species[s]))
            good = is_empty(r, run, time, s, room, e) && good;
    free(room);
    return good;
}

static bool read_all(const struct reading *r, int32_t *const *count, struct rd_error *e)
{
    int64_t time, run;
    const struct rd_wanted *const w = r->wanted;
    if (!check_columns(r, e) || !check_grid(r, e) || !find_time(r, &time, e) ||
        !find_run(r, &run, e))
        return false;
    const int64_t n_sites = (int64_t)w->size[0] * w->size[1] * w->size[2];
    bool good = !w->is_all || check_others(r, run, time, e);
    for (int s = 0; good && s < w->n_species; s++) {
        const int64_t there = find_species(r, w->species[s]);
        if (there >= 0)
            good = read_species(r, run, time, there, count[s], e);
        else if (!w->is_all)
            good = rd_fail(e, "%s%s: has no species '%s'", r->prefix, r->path, w->species[s]);
        else
            for (int64_t i = 0; i < n_sites; i++)
                count[s][i] = -1;
    }
    return good;
}

bool rd_store_read(const struct rd_wanted *w, int32_t *const *count, struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    char prefix[512] = "";
    if (w->place && w->place[0])
        snprintf(prefix, sizeof prefix, "%s: ", w->place);
    rd_h5_listen(&cause);
    struct reading r = {.wanted = w, .path = w->path, .prefix = prefix};
    r.file = rd_result_open(w->path, prefix, e);
    bool good = r.file >= 0;
    if (good) {
        r.counts = rd_result_series(r.file, RD_COUNTS, r.length);
        r.time = rd_result_reals(r.file, "time", &r.n_times);
        r.run = rd_result_integers(r.file, "run", &r.n_runs);
        r.species = rd_result_texts(r.file, "species", &r.n_species);
        good = read_all(&r, count, e);
    }
    free(r.time);
    free(r.run);
    rd_result_free_texts(r.species, r.n_species);
    rd_h5_drop(r.counts);
    rd_result_close(r.file);
    rd_h5_listen(NULL);
    return good;
}
