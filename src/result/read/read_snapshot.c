/* read_snapshot - reads one snapshot of an earlier result, for initial values. */
#include "result/read/result_reader.h"

#include "hdf5/hdf5_file.h"
#include "hdf5/numbers.h"
#include "result/files/open_result.h"
#include "result/read/snapshot_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Describes a snapshot of one species in one run. */
struct snapshot {
    int64_t run, time, species; /* indices in the file */
    bool is_written;
    struct rd_counts_list list; /* rows of `listed`, if there are rows */
    int64_t listed;             /* run that is in the list, + 1; 0: none */
};

/* Returns whether nothing was written: a run that faulted, or was killed, leaves -1 everywhere. */
static bool is_unwritten(const int64_t *count, int64_t n, enum rd_number_kind kind)
{
    for (int64_t i = 0; i < n; i++)
        if (kind != RD_NUMBERS_SIGNED || count[i] != -1)
            return false;
    return true;
}

static bool fail_unwritten(const struct rd_reading *r, const struct snapshot *s, struct rd_error *e)
{
    return rd_fail(e,
                   "%s%s: the snapshot of run %lld at time %.10g is missing; see the faults in "
                   "rdsim info, or put the segments '%s.parts' of a killed run into its folder",
                   r->prefix, r->path, (long long)r->run[s->run], r->time[s->time], r->path);
}

static bool fail_count(const struct rd_reading *r, const struct snapshot *s, int64_t i,
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
static bool read_selected_counts(const struct rd_reading *r, struct snapshot *s, hid_t memory,
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

static bool fail_row(const struct rd_reading *r, const struct snapshot *s,
                     const struct rd_counted *x, struct rd_error *e)
{
    return rd_fail(e,
                   "%s%s: has %lld molecules of '%s' in voxel number %lld at time %.10g; use "
                   "integers from 0 to 2147483647",
                   r->prefix, r->path, (long long)x->count, r->species[s->species],
                   (long long)(x->place % r->rows.n_sites), r->time[s->time]);
}

/* Takes the counts of one species out of rows. All rows of a run are read at once. */
static bool read_sparse_counts(const struct rd_reading *r, struct snapshot *s, int32_t *count,
                               struct rd_error *e)
{
    const int64_t n = r->rows.n_sites, first = s->species * n;
    if (s->listed != s->run + 1 && !rd_counts_read(&r->rows, s->run, s->time, &s->list, e))
        return false;
    s->listed = s->run + 1;
    s->is_written = !s->list.is_missing;
    memset(count, 0, (size_t)n * sizeof *count);
    for (int64_t i = rd_counts_find(&s->list, first);
         i < s->list.n && s->list.of[i].place < first + n; i++) {
        if (s->list.of[i].count > INT32_MAX)
            return fail_row(r, s, &s->list.of[i], e);
        count[s->list.of[i].place - first] = (int32_t)s->list.of[i].count;
    }
    return true;
}

/* Reads a snapshot, or finds that it was not written. */
static bool read_if_written(const struct rd_reading *r, struct snapshot *s, int32_t *count,
                            struct rd_error *e)
{
    if (r->is_sparse)
        return read_sparse_counts(r, s, count, e);
    const hsize_t start[RD_RANK_MOST] = {(hsize_t)s->run, (hsize_t)s->time, (hsize_t)s->species};
    const hsize_t n[RD_RANK_MOST] = {1, 1, 1, r->length[3], r->length[4], r->length[5]};
    const hid_t space = H5Dget_space(r->counts);
    const hid_t memory = H5Screate_simple(RD_RANK_MOST, n, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) >= 0
                          ? read_selected_counts(r, s, memory, space, count, e)
                          : rd_h5_fail(e, r->path, "its counts cannot be read");
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good;
}

static bool read_snapshot_species(const struct rd_reading *r, struct snapshot *s, int32_t *count,
                                  struct rd_error *e)
{
    return read_if_written(r, s, count, e) && (s->is_written || fail_unwritten(r, s, e));
}

static size_t n_sites_of(const struct rd_reading *r)
{
    return (size_t)(r->length[3] * r->length[4] * r->length[5]);
}

static int64_t sum_of_counts(const struct rd_reading *r, const int32_t *count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n_sites_of(r); i++)
        sum += count[i];
    return sum;
}

/* Makes an index of names, of which some may be NULL. Without memory it has no slots. */
static struct rd_name_index index_names(char *const *name, int64_t n)
{
    struct rd_name_index x;
    const bool good = rd_name_index_open(&x, name, (int)n);
    for (int i = 0; good && i < n; i++)
        if (name[i])
            rd_name_index_add(&x, i);
    return x;
}

static int64_t find_output_species(const struct rd_reading *r, const char *name)
{
    return rd_name_index_find(&r->names, name, strlen(name));
}

static bool is_name_wanted(const struct rd_reading *r, const char *name)
{
    return name && rd_name_index_find(&r->wanted_names, name, strlen(name)) >= 0;
}

/* Checks that a species that the model does not declare has no molecules, which would be lost
   silently. */
static bool is_undeclared_empty(const struct rd_reading *r, struct snapshot *s, int32_t *count,
                                struct rd_error *e)
{
    if (!read_snapshot_species(r, s, count, e))
        return false;
    const int64_t sum = sum_of_counts(r, count);
    return sum == 0 ||
           rd_fail(e,
                   "%s%s: has %lld molecules of '%s' at time %.10g, which is not declared; declare "
                   "it, or name the wanted species",
                   r->prefix, r->path, (long long)sum,
                   r->species[s->species] ? r->species[s->species] : "", r->time[s->time]);
}

/* Allocates counts of all voxels for one species. */
static int32_t *make_counts(const struct rd_reading *r, struct rd_error *e)
{
    int32_t *const count = malloc(n_sites_of(r) * sizeof *count + 1);
    if (!count)
        rd_fail(e, "out of memory for the counts of %s", r->path);
    return count;
}

static bool check_others(const struct rd_reading *r, struct snapshot *s, struct rd_error *e)
{
    int32_t *const count = make_counts(r, e);
    bool good = count != NULL;
    for (s->species = 0; count && s->species < r->n_species; s->species++)
        if (!is_name_wanted(r, r->species[s->species]))
            good = is_undeclared_empty(r, s, count, e) && good;
    free(count);
    return good;
}

/* Finds a species of the request. In a whole snapshot it may be missing, which gives -1. */
static bool find_wanted(const struct rd_reading *r, int i, int64_t *species, struct rd_error *e)
{
    const struct rd_wanted *const w = r->wanted;
    *species = find_output_species(r, w->species[i]);
    return *species >= 0 || w->is_all ||
           rd_fail(e, "%s%s: has no species '%s'; name another", r->prefix, r->path, w->species[i]);
}

/* Lists what receives the counts. */
struct receiver {
    rd_take_counts *take;
    void *to;
};

static bool read_output_counts(const struct rd_reading *r, struct snapshot *s,
                               const struct receiver *receiver, struct rd_error *e)
{
    int32_t *const count = make_counts(r, e);
    bool good = count && rd_reading_find_run(r, &s->run, e) &&
                (!r->wanted->is_all || check_others(r, s, e));
    for (int i = 0; good && i < r->wanted->n_species; i++)
        good = find_wanted(r, i, &s->species, e) &&
               (s->species < 0 || read_snapshot_species(r, s, count, e)) &&
               receiver->take(receiver->to, i, s->species < 0 ? NULL : count, e);
    free(count);
    return good;
}

/* Computes the mean number of molecules of a species over the first runs, without unwritten
   ones. */
static bool read_mean_counts(const struct rd_reading *r, struct snapshot *s, int32_t *count,
                             double *mean, struct rd_error *e)
{
    double sum = 0.0, n = 0.0;
    const int64_t n_runs = r->n_runs < RD_MEANS_RUNS ? r->n_runs : RD_MEANS_RUNS;
    for (s->run = 0; s->run < n_runs; s->run++) {
        if (!read_if_written(r, s, count, e))
            return false;
        sum += s->is_written ? (double)sum_of_counts(r, count) : 0.0;
        n += s->is_written;
    }
    *mean = n > 0.0 ? sum / n : 0.0;
    return true;
}

/* Adds the molecules of a run to the sums of species. */
static void add_run_counts(const struct rd_reading *r, const struct rd_counts_list *list,
                           const int64_t *species, double *sum)
{
    const int64_t n = r->rows.n_sites;
    for (int i = 0; i < r->wanted->n_species; i++) {
        int64_t k = species[i] < 0 ? list->n : rd_counts_find(list, species[i] * n);
        for (; k < list->n && list->of[k].place < (species[i] + 1) * n; k++)
            sum[i] += (double)list->of[k].count;
    }
}

/* Computes the means out of rows, which have all species of a run together. */
static bool read_means_of_rows(const struct rd_reading *r, struct snapshot *s, double *mean,
                               struct rd_error *e)
{
    const int n_species = r->wanted->n_species;
    const int64_t n_runs = r->n_runs < RD_MEANS_RUNS ? r->n_runs : RD_MEANS_RUNS;
    int64_t *const species = calloc((size_t)n_species, sizeof *species);
    bool good = species || rd_fail(e, "out of memory for the species of %s", r->path);
    double n = 0.0;
    for (int i = 0; good && i < n_species; i++) {
        mean[i] = 0.0;
        good = find_wanted(r, i, &species[i], e);
    }
    for (int64_t run = 0; good && run < n_runs; run++) {
        good = rd_counts_read(&r->rows, run, s->time, &s->list, e);
        n += good && !s->list.is_missing;
        if (good)
            add_run_counts(r, &s->list, species, mean);
    }
    for (int i = 0; n > 0.0 && i < n_species; i++)
        mean[i] /= n;
    free(species);
    return good;
}

static bool read_means(const struct rd_reading *r, struct snapshot *s, double *mean,
                       struct rd_error *e)
{
    if (r->is_sparse)
        return read_means_of_rows(r, s, mean, e);
    int32_t *const count = make_counts(r, e);
    bool good = count != NULL;
    for (int i = 0; good && i < r->wanted->n_species; i++) {
        mean[i] = 0.0;
        good = find_wanted(r, i, &s->species, e) &&
               (s->species < 0 || read_mean_counts(r, s, count, &mean[i], e));
    }
    free(count);
    return good;
}

/* Reads counts of one run, or, if receiver is NULL, means. */
static bool read_all_species(struct rd_reading *r, const struct receiver *receiver, double *mean,
                             struct rd_error *e)
{
    struct snapshot s = {0};
    if (!r->names.slot || !r->wanted_names.slot)
        return rd_fail(e, "out of memory for the species of %s", r->path);
    if (!rd_reading_check(r, e) || !rd_reading_find_time(r, &s.time, e))
        return false;
    const bool good =
        receiver ? read_output_counts(r, &s, receiver, e) : read_means(r, &s, mean, e);
    rd_counts_list_free(&s.list);
    return good;
}

static void close_output_group(struct rd_reading *r)
{
    free(r->time);
    free(r->run);
    rd_name_index_free(&r->names);
    rd_result_free_texts(r->species, r->n_species);
    H5free_memory(r->omitted);
    rd_h5_drop(r->counts);
    rd_counts_close(&r->rows);
    rd_result_leave(r->file, r->at);
}

/* Sets the lengths of the axes of voxels. */
static void measure_grid(struct rd_reading *r)
{
    static const char *const axis[3] = {"z", "y", "x"};
    for (int i = 0; i < 3; i++) {
        int64_t n = 0;
        free(rd_result_reals(r->at, axis[i], &n));
        r->length[3 + i] = (hsize_t)n;
    }
}

/* Opens a group of the output, or, for "", the root. */
static void open_output_group(struct rd_reading *r, const char *name)
{
    r->at = *name ? rd_h5_open(r->file, name) : r->file;
    r->is_sparse = rd_counts_are_sparse(r->at);
    r->counts = r->is_sparse ? H5I_INVALID_HID : rd_result_series(r->at, RD_COUNTS, r->length);
    if (r->is_sparse)
        measure_grid(r);
    r->rows = (struct rd_counts_reader){.prefix = r->prefix, .path = r->path};
    r->time = rd_result_reals(r->at, "time", &r->n_times);
    r->run = rd_result_integers(r->at, "run", &r->n_runs);
    r->species = rd_result_texts(r->at, "species", &r->n_species);
    r->names = index_names(r->species, r->n_species);
    const hid_t species = rd_h5_open(r->at, "species");
    r->omitted = species < 0 ? NULL : rd_h5_get_text(species, RD_OMITTED);
    rd_h5_drop(species);
}

/* Returns how well the group serves: 0 without counts; else more with all species of the request,
   with its time, and, if it has none, with later times. */
static double worth_of(const struct rd_reading *r)
{
    const struct rd_wanted *const w = r->wanted;
    bool has_species = !w->is_all || !r->omitted;
    for (int i = 0; i < w->n_species && !w->is_all; i++)
        has_species = has_species && find_output_species(r, w->species[i]) >= 0;
    bool has_time = isnan(w->at_time);
    for (int64_t i = 0; i < r->n_times; i++)
        has_time = has_time || fabs(r->time[i] - w->at_time) <= 1e-9 * fabs(w->at_time);
    if ((r->counts < 0 && !r->is_sparse) || r->n_times == 0)
        return 0.0;
    const double end = r->time[r->n_times - 1];
    return 1.0 + (has_species ? 4.0 : 0.0) + (has_time ? 2.0 : 0.0) +
           (isnan(w->at_time) ? end / (1.0 + end) : 0.0);
}

/* Opens the group of the output that serves the request best. */
static void open_best(struct rd_reading *r)
{
    const struct rd_groups groups = rd_result_groups(r->file);
    const char *best = "";
    double most = 0.0;
    for (int i = 0; groups.n > 0 && i <= groups.n; i++) {
        const char *const name = i < groups.n ? groups.name[i] : "";
        open_output_group(r, name);
        const double worth = worth_of(r);
        close_output_group(r);
        best = worth > most ? name : best;
        most = worth > most ? worth : most;
    }
    open_output_group(r, best);
}

static bool read_snapshot_file(const struct rd_wanted *w, const struct receiver *receiver,
                               double *mean, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    char prefix[512] = "";
    if (w->place && w->place[0])
        snprintf(prefix, sizeof prefix, "%s: ", w->place);
    rd_h5_listen(&cause);
    struct rd_reading r = {.wanted = w,
                           .path = w->path,
                           .prefix = prefix,
                           .wanted_names = index_names(w->species, w->n_species)};
    r.file = rd_result_open(w->path, prefix, e);
    bool good = r.file >= 0;
    if (good) {
        open_best(&r);
        good = read_all_species(&r, receiver, mean, e);
        close_output_group(&r);
    }
    rd_result_close(r.file);
    rd_name_index_free(&r.wanted_names);
    rd_h5_listen(NULL);
    return good;
}

bool rd_store_each(const struct rd_wanted *w, rd_take_counts *take, void *to, struct rd_error *e)
{
    return read_snapshot_file(w, &(struct receiver){take, to}, NULL, e);
}

bool rd_store_means(const struct rd_wanted *w, double *mean, struct rd_error *e)
{
    return read_snapshot_file(w, NULL, mean, e);
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
