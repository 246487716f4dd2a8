/* read_snapshot - reads one snapshot of an earlier result, for initial values. */
#include "result/read/result_reader.h"

#include "hdf5/hdf5_file.h"
#include "hdf5/numbers.h"
#include "result/files/open_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The request, and the result's own columns. */
struct snapshot_reading {
    const struct rd_wanted *wanted;
    const char *path, *prefix;
    hid_t file, at, counts;       /* at: the group of the output that is read, or the file */
    hsize_t length[RD_RANK_MOST]; /* of counts */
    double *time;
    int64_t *run;
    char **species;
    char *omitted; /* the species that it does not record; NULL: none */
    int64_t n_times, n_runs, n_species;
};

static bool check_columns(const struct snapshot_reading *r, struct rd_error *e)
{
    if (r->counts < 0)
        return rd_fail(e,
                       "%s%s: contains no counts of voxels; write them with output.keep = \"all\"",
                       r->prefix, r->path);
    const hsize_t *const there = r->length;
    return ((hsize_t)r->n_runs == there[0] && (hsize_t)r->n_times == there[1] &&
            (hsize_t)r->n_species == there[2] && r->n_runs > 0 && r->n_times > 0) ||
           rd_fail(e, "%s%s: its counts do not fit its runs, times and species", r->prefix,
                   r->path);
}

/* Checks that a request for all species leaves none out. */
static bool check_species(const struct snapshot_reading *r, struct rd_error *e)
{
    return !r->wanted->is_all || !r->omitted ||
           rd_fail(e,
                   "%s%s: has no counts of %s, which its output left out; name the wanted species",
                   r->prefix, r->path, r->omitted);
}

static bool check_grid(const struct snapshot_reading *r, struct rd_error *e)
{
    const hsize_t *const there = r->length;
    const int32_t *const size = r->wanted->size;
    if (there[3] != (hsize_t)size[2] || there[4] != (hsize_t)size[1] ||
        there[5] != (hsize_t)size[0])
        return rd_fail(e,
                       "%s%s: has %llu x %llu x %llu voxels, and this grid has %d x %d x %d; use "
                       "the same grid",
                       r->prefix, r->path, (unsigned long long)there[5],
                       (unsigned long long)there[4], (unsigned long long)there[3], (int)size[0],
                       (int)size[1], (int)size[2]);
    const double *const here = r->wanted->edge;
    double edge[3];
    rd_result_edges(r->file, edge);
    for (int i = 0; i < 3; i++)
        if (!(fabs(edge[i] - here[i]) <= 1e-9 * here[i]))
            return rd_fail(e,
                           "%s%s: has voxels of %.10g x %.10g x %.10g, and this grid of %.10g x "
                           "%.10g x %.10g; use the same grid",
                           r->prefix, r->path, edge[0], edge[1], edge[2], here[0], here[1],
                           here[2]);
    return true;
}

/* Finds the index of the requested time; a snapshot matches if nine digits agree. */
static bool find_time(const struct snapshot_reading *r, int64_t *place, struct rd_error *e)
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
    return rd_fail(e, "%s%s: has no snapshot at time %.10g; use the nearest one, at %.10g",
                   r->prefix, r->path, at_time, r->time[nearest]);
}

static bool find_run(const struct snapshot_reading *r, int64_t *place, struct rd_error *e)
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
    return rd_fail(e, "%s%s: has no run %lld; use a run from %lld to %lld", r->prefix, r->path,
                   (long long)run, (long long)r->run[0], (long long)r->run[r->n_runs - 1]);
}

/* A snapshot of one species in one run. */
struct snapshot {
    int64_t run, time, species; /* indices in the file */
    bool is_written;
};

/* Returns whether nothing was written: a run that faulted, or was killed, leaves -1 everywhere. */
static bool is_unwritten(const int64_t *count, int64_t n, enum rd_number_kind kind)
{
    for (int64_t i = 0; i < n; i++)
        if (kind != RD_NUMBERS_SIGNED || count[i] != -1)
            return false;
    return true;
}

static bool fail_unwritten(const struct snapshot_reading *r, const struct snapshot *s,
                           struct rd_error *e)
{
    return rd_fail(e,
                   "%s%s: the snapshot of run %lld at time %.10g is missing; see the faults in "
                   "rdsim info, or put the segments '%s.parts' of a killed run into its folder",
                   r->prefix, r->path, (long long)r->run[s->run], r->time[s->time], r->path);
}

static bool fail_count(const struct snapshot_reading *r, const struct snapshot *s, int64_t i,
                       const char *value, struct rd_error *e)
{
    const int64_t nx = (int64_t)r->length[5], ny = (int64_t)r->length[4];
    return rd_fail(e,
                   "%s%s: counts[%lld, %lld, %lld, %lld, %lld, %lld] is %s, '%s' at time %.10g; "
                   "use integers from 0 to 2147483647",
                   r->prefix, r->path, (long long)s->run, (long long)s->time, (long long)s->species,
                   (long long)(i / nx / ny), (long long)(i / nx % ny), (long long)(i % nx), value,
                   r->species[s->species] ? r->species[s->species] : "", r->time[s->time]);
}

/* Reads the selection into 8 bytes a count, then checks and copies it. */
static bool take_counts(const struct snapshot_reading *r, struct snapshot *s, hid_t memory,
                        hid_t space, int32_t *count, struct rd_error *e)
{
    const int64_t n = (int64_t)(r->length[3] * r->length[4] * r->length[5]);
    const enum rd_number_kind kind = rd_numbers_kind(r->counts);
    int64_t *const number = malloc((size_t)n * sizeof *number);
    if (!number)
        return rd_fail(e, "out of memory for the counts of %s", r->path);
    if (!rd_numbers_read(r->counts, kind, memory, space, number)) {
        free(number);
        return rd_h5_fail(e, r->path, "its counts cannot be read");
    }
    s->is_written = !is_unwritten(number, n, kind);
    const int64_t good = s->is_written ? rd_numbers_whole(number, n, kind, 0, INT32_MAX) : n;
    for (int64_t i = 0; i < good; i++)
        count[i] = (int32_t)number[i];
    if (good < n)
        fail_count(r, s, good, rd_numbers_text(number, good, kind).text, e);
    free(number);
    return good == n;
}

/* Reads a snapshot, or finds that it was not written. */
static bool read_if_written(const struct snapshot_reading *r, struct snapshot *s, int32_t *count,
                            struct rd_error *e)
{
    const hsize_t start[RD_RANK_MOST] = {(hsize_t)s->run, (hsize_t)s->time, (hsize_t)s->species};
    const hsize_t n[RD_RANK_MOST] = {1, 1, 1, r->length[3], r->length[4], r->length[5]};
    const hid_t space = H5Dget_space(r->counts);
    const hid_t memory = H5Screate_simple(RD_RANK_MOST, n, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) >= 0
                          ? take_counts(r, s, memory, space, count, e)
                          : rd_h5_fail(e, r->path, "its counts cannot be read");
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good;
}

static bool read_species(const struct snapshot_reading *r, struct snapshot *s, int32_t *count,
                         struct rd_error *e)
{
    return read_if_written(r, s, count, e) && (s->is_written || fail_unwritten(r, s, e));
}

static size_t n_sites_of(const struct snapshot_reading *r)
{
    return (size_t)(r->length[3] * r->length[4] * r->length[5]);
}

static int64_t sum_of(const struct snapshot_reading *r, const int32_t *count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n_sites_of(r); i++)
        sum += count[i];
    return sum;
}

static int64_t find_species(const struct snapshot_reading *r, const char *name)
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

/* Checks that a species that the model does not declare has no molecules, which would be lost
   silently. */
static bool is_empty(const struct snapshot_reading *r, struct snapshot *s, int32_t *count,
                     struct rd_error *e)
{
    if (!read_species(r, s, count, e))
        return false;
    const int64_t sum = sum_of(r, count);
    return sum == 0 ||
           rd_fail(e,
                   "%s%s: has %lld molecules of '%s' at time %.10g, which is not declared; declare "
                   "it, or name the wanted species",
                   r->prefix, r->path, (long long)sum,
                   r->species[s->species] ? r->species[s->species] : "", r->time[s->time]);
}

/* Allocates counts of all voxels for one species. */
static int32_t *make_counts(const struct snapshot_reading *r, struct rd_error *e)
{
    int32_t *const count = malloc(n_sites_of(r) * sizeof *count + 1);
    if (!count)
        rd_fail(e, "out of memory for the counts of %s", r->path);
    return count;
}

static bool check_others(const struct snapshot_reading *r, struct snapshot *s, struct rd_error *e)
{
    int32_t *const count = make_counts(r, e);
    bool good = count != NULL;
    for (s->species = 0; count && s->species < r->n_species; s->species++)
        if (!is_wanted(r->wanted, r->species[s->species]))
            good = is_empty(r, s, count, e) && good;
    free(count);
    return good;
}

/* Finds a species of the request. In a whole snapshot it may be missing, which gives -1. */
static bool find_wanted(const struct snapshot_reading *r, int i, int64_t *species,
                        struct rd_error *e)
{
    const struct rd_wanted *const w = r->wanted;
    *species = find_species(r, w->species[i]);
    return *species >= 0 || w->is_all ||
           rd_fail(e, "%s%s: has no species '%s'; name another", r->prefix, r->path, w->species[i]);
}

static bool read_counts(const struct snapshot_reading *r, struct snapshot *s, int32_t *const *count,
                        struct rd_error *e)
{
    bool good = find_run(r, &s->run, e) && (!r->wanted->is_all || check_others(r, s, e));
    for (int i = 0; good && i < r->wanted->n_species; i++) {
        good = find_wanted(r, i, &s->species, e);
        if (good && s->species >= 0)
            good = read_species(r, s, count[i], e);
        else
            memset(count[i], -1, n_sites_of(r) * sizeof *count[i]);
    }
    return good;
}

/* Computes the mean number of molecules of a species over the first runs, without unwritten
   ones. */
static bool read_mean(const struct snapshot_reading *r, struct snapshot *s, int32_t *count,
                      double *mean, struct rd_error *e)
{
    double sum = 0.0, n = 0.0;
    const int64_t n_runs = r->n_runs < RD_MEANS_RUNS ? r->n_runs : RD_MEANS_RUNS;
    for (s->run = 0; s->run < n_runs; s->run++) {
        if (!read_if_written(r, s, count, e))
            return false;
        sum += s->is_written ? (double)sum_of(r, count) : 0.0;
        n += s->is_written;
    }
    *mean = n > 0.0 ? sum / n : 0.0;
    return true;
}

static bool read_means(const struct snapshot_reading *r, struct snapshot *s, double *mean,
                       struct rd_error *e)
{
    int32_t *const count = make_counts(r, e);
    bool good = count != NULL;
    for (int i = 0; good && i < r->wanted->n_species; i++) {
        mean[i] = 0.0;
        good = find_wanted(r, i, &s->species, e) &&
               (s->species < 0 || read_mean(r, s, count, &mean[i], e));
    }
    free(count);
    return good;
}

/* Reads counts of one run, or, if count is NULL, means. */
static bool read_all(const struct snapshot_reading *r, int32_t *const *count, double *mean,
                     struct rd_error *e)
{
    struct snapshot s = {0};
    if (!check_columns(r, e) || !check_species(r, e) || !check_grid(r, e) ||
        !find_time(r, &s.time, e))
        return false;
    return count ? read_counts(r, &s, count, e) : read_means(r, &s, mean, e);
}

static void close_group(struct snapshot_reading *r)
{
    free(r->time);
    free(r->run);
    rd_result_free_texts(r->species, r->n_species);
    H5free_memory(r->omitted);
    rd_h5_drop(r->counts);
    rd_result_leave(r->file, r->at);
}

/* Opens a group of the output, or, for "", the root. */
static void open_group(struct snapshot_reading *r, const char *name)
{
    r->at = *name ? rd_h5_open(r->file, name) : r->file;
    r->counts = rd_result_series(r->at, RD_COUNTS, r->length);
    r->time = rd_result_reals(r->at, "time", &r->n_times);
    r->run = rd_result_integers(r->at, "run", &r->n_runs);
    r->species = rd_result_texts(r->at, "species", &r->n_species);
    const hid_t species = rd_h5_open(r->at, "species");
    r->omitted = species < 0 ? NULL : rd_h5_get_text(species, RD_OMITTED);
    rd_h5_drop(species);
}

/* Returns how well the group serves: 0 without counts; else more with all species of the request,
   with its time, and, if it has none, with later times. */
static double worth_of(const struct snapshot_reading *r)
{
    const struct rd_wanted *const w = r->wanted;
    bool has_species = !w->is_all || !r->omitted;
    for (int i = 0; i < w->n_species && !w->is_all; i++)
        has_species = has_species && find_species(r, w->species[i]) >= 0;
    bool has_time = isnan(w->at_time);
    for (int64_t i = 0; i < r->n_times; i++)
        has_time = has_time || fabs(r->time[i] - w->at_time) <= 1e-9 * fabs(w->at_time);
    if (r->counts < 0 || r->n_times == 0)
        return 0.0;
    const double end = r->time[r->n_times - 1];
    return 1.0 + (has_species ? 4.0 : 0.0) + (has_time ? 2.0 : 0.0) +
           (isnan(w->at_time) ? end / (1.0 + end) : 0.0);
}

/* Opens the group of the output that serves the request best. */
static void open_best(struct snapshot_reading *r)
{
    const struct rd_groups groups = rd_result_groups(r->file);
    const char *best = "";
    double most = 0.0;
    for (int i = 0; groups.n > 0 && i <= groups.n; i++) {
        const char *const name = i < groups.n ? groups.name[i] : "";
        open_group(r, name);
        const double worth = worth_of(r);
        close_group(r);
        best = worth > most ? name : best;
        most = worth > most ? worth : most;
    }
    open_group(r, best);
}

static bool read_file(const struct rd_wanted *w, int32_t *const *count, double *mean,
                      struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    char prefix[512] = "";
    if (w->place && w->place[0])
        snprintf(prefix, sizeof prefix, "%s: ", w->place);
    rd_h5_listen(&cause);
    struct snapshot_reading r = {.wanted = w, .path = w->path, .prefix = prefix};
    r.file = rd_result_open(w->path, prefix, e);
    bool good = r.file >= 0;
    if (good) {
        open_best(&r);
        good = read_all(&r, count, mean, e);
        close_group(&r);
    }
    rd_result_close(r.file);
    rd_h5_listen(NULL);
    return good;
}

bool rd_store_read(const struct rd_wanted *w, int32_t *const *count, struct rd_error *e)
{
    return read_file(w, count, NULL, e);
}

bool rd_store_means(const struct rd_wanted *w, double *mean, struct rd_error *e)
{
    return read_file(w, NULL, mean, e);
}

struct rd_wanted rd_wanted_of(const struct rd_model *m, const struct rd_amount *a)
{
    const bool is_all = a->species < 0;
    struct rd_wanted w = {.path = a->file,
                          .at_time = a->has_at_time ? a->at_time : NAN,
                          .n_species = is_all ? m->n_species : 1,
                          .species = m->species_name + (is_all ? 0 : a->species),
                          .is_all = is_all,
                          .place = a->place};
    memcpy(w.size, m->grid.size, sizeof w.size);
    memcpy(w.edge, m->grid.edge, sizeof w.edge);
    return w;
}
