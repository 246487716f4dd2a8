/* counts_reader - the counts of one run at one time, out of a result in the dense or the sparse
   layout. Every number is checked before it is used. */
#include "result/read/counts_reader.h"

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"

#include <stdlib.h>
#include <string.h>

enum { START, ROWS, VOXEL, SPECIES, COUNT };
static const enum rd_variable_name name_of[RD_SPARSE_SETS] = {[START] = RD_ROW_START,
                                                              [ROWS] = RD_ROW_COUNT,
                                                              [VOXEL] = RD_VOXEL,
                                                              [SPECIES] = RD_SPECIES_NUMBER,
                                                              [COUNT] = RD_COUNT};

static bool refuse_counts(const struct rd_counts_reader *r, const char *what, struct rd_error *e)
{
    return rd_fail(e, "%s%s: %s; write the result again", r->prefix, r->path, what);
}

bool rd_counts_are_sparse(hid_t at)
{
    hsize_t length[RD_RANK_MOST];
    const hid_t group = rd_h5_open(at, "sparse");
    const hid_t set = group < 0 ? group : rd_result_series(group, RD_ROW_COUNT, length);
    rd_h5_drop(set);
    rd_h5_drop(group);
    return set >= 0;
}

void rd_counts_size(hid_t at, int64_t *n_rows, int64_t *stored)
{
    const hid_t group = rd_h5_open(at, "sparse");
    *n_rows = *stored = 0;
    for (int i = VOXEL; group >= 0 && i <= COUNT; i++) {
        hsize_t length[RD_RANK_MOST] = {0};
        const hid_t set = rd_result_series(group, name_of[i], length);
        *n_rows = (int64_t)length[0];
        *stored += set < 0 ? 0 : (int64_t)H5Dget_storage_size(set);
        rd_h5_drop(set);
    }
    rd_h5_drop(group);
}

static int64_t length_of_axis(hid_t at, const char *axis)
{
    int64_t n = 0;
    free(rd_result_reals(at, axis, &n));
    return n;
}

static bool open_sparse(struct rd_counts_reader *r, hid_t at, struct rd_error *e)
{
    const hid_t group = rd_h5_open(at, "sparse");
    hsize_t length[RD_SPARSE_SETS][RD_RANK_MOST] = {{0}};
    bool good = true;
    r->is_sparse = true;
    for (int i = 0; i < RD_SPARSE_SETS; i++) {
        r->set[i] = rd_result_series(group, name_of[i], length[i]);
        good = good && r->set[i] >= 0;
    }
    rd_h5_drop(group);
    r->n_sites = length_of_axis(at, "x") * length_of_axis(at, "y") * length_of_axis(at, "z");
    r->n_rows = (int64_t)length[VOXEL][0];
    for (int i = START; good && i <= ROWS; i++)
        good = length[i][0] == (hsize_t)r->n_times && length[i][1] == (hsize_t)r->n_runs;
    for (int i = VOXEL; good && i <= COUNT; i++)
        good = length[i][0] == (hsize_t)r->n_rows;
    return good || refuse_counts(r, "its rows of counts do not fit its runs and times", e);
}

bool rd_counts_open(struct rd_counts_reader *r, hid_t at, int64_t n_runs, int64_t n_times,
                    int64_t n_species, struct rd_error *e)
{
    hsize_t length[RD_RANK_MOST] = {0};
    r->n_runs = n_runs;
    r->n_times = n_times;
    r->n_species = n_species;
    if ((r->is_there = rd_counts_are_sparse(at)))
        return open_sparse(r, at, e);
    const hid_t set = rd_result_series(at, RD_COUNTS, length);
    r->dense = set < 0 ? 0 : set;
    r->is_there = set >= 0;
    r->n_sites = (int64_t)(length[3] * length[4] * length[5]);
    return !r->is_there ||
           (length[0] == (hsize_t)n_runs && length[1] == (hsize_t)n_times &&
            length[2] == (hsize_t)n_species) ||
           refuse_counts(r, "its counts do not fit its runs, times and species", e);
}

void rd_counts_close(struct rd_counts_reader *r)
{
    rd_h5_drop(r->dense);
    for (int i = 0; i < RD_SPARSE_SETS; i++)
        rd_h5_drop(r->set[i]);
    *r = (struct rd_counts_reader){0};
}

int64_t rd_counts_find(const struct rd_counts_list *l, int64_t place)
{
    int64_t begin = 0, end = l->n;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (l->of[middle].place < place)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void rd_counts_list_free(struct rd_counts_list *l)
{
    free(l->of);
    *l = (struct rd_counts_list){0};
}

static bool reserve_counts(struct rd_counts_list *l, int64_t n)
{
    if (n <= l->capacity)
        return true;
    const int64_t capacity = n + n / 2 + 64;
    struct rd_counted *const more = realloc(l->of, (size_t)capacity * sizeof *more);
    if (more) {
        l->of = more;
        l->capacity = capacity;
    }
    return more != NULL;
}

static bool read_set_part(const struct rd_counts_reader *r, hid_t set, int rank,
                          const hsize_t *start, const hsize_t *count, hid_t type, void *to,
                          struct rd_error *e)
{
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good || rd_h5_fail(e, r->path, "its counts cannot be read");
}

/* ---- dense ---- */

static bool read_dense(const struct rd_counts_reader *r, int64_t run, int64_t time, int64_t species,
                       int64_t *count, struct rd_counts_list *to, struct rd_error *e)
{
    hsize_t length[RD_RANK_MOST];
    const hid_t space = H5Dget_space(r->dense);
    H5Sget_simple_extent_dims(space, length, NULL);
    rd_h5_drop(space);
    const hsize_t start[RD_RANK_MOST] = {(hsize_t)run, (hsize_t)time, (hsize_t)species};
    const hsize_t n[RD_RANK_MOST] = {1, 1, 1, length[3], length[4], length[5]};
    if (!read_set_part(r, r->dense, RD_RANK_MOST, start, n, H5T_NATIVE_INT64, count, e))
        return false;
    for (int64_t i = 0; i < r->n_sites; i++) {
        to->is_missing = to->is_missing || count[i] < 0;
        if (count[i] == 0)
            continue;
        if (!reserve_counts(to, to->n + 1))
            return rd_fail(e, "%s: out of memory for its counts", r->path);
        to->of[to->n++] = (struct rd_counted){species * r->n_sites + i, count[i]};
    }
    return true;
}

/* ---- sparse ---- */

/* Holds the columns of the rows of one run at one time. */
struct columns {
    int64_t n, *voxel, *count;
    int32_t *species;
};

static bool are_columns_valid(const struct rd_counts_reader *r, const struct columns *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        const bool is_after = i == 0 || c->voxel[i] > c->voxel[i - 1] ||
                              (c->voxel[i] == c->voxel[i - 1] && c->species[i] > c->species[i - 1]);
        if (!is_after || c->voxel[i] < 0 || c->voxel[i] >= r->n_sites || c->species[i] < 0 ||
            c->species[i] >= r->n_species || c->count[i] < 1)
            return false;
    }
    return true;
}

/* Sorts rows, which are sorted by voxel, by species: counts how many each has, then places them. */
static bool sort_rows(const struct rd_counts_reader *r, const struct columns *c,
                      struct rd_counts_list *to)
{
    int64_t *const next = calloc((size_t)r->n_species + 1, sizeof *next);
    if (!next || !reserve_counts(to, c->n)) {
        free(next);
        return false;
    }
    for (int64_t i = 0; i < c->n; i++)
        next[c->species[i] + 1]++;
    for (int64_t s = 0; s < r->n_species; s++)
        next[s + 1] += next[s];
    for (int64_t i = 0; i < c->n; i++)
        to->of[next[c->species[i]]++] =
            (struct rd_counted){c->species[i] * r->n_sites + c->voxel[i], c->count[i]};
    to->n = c->n;
    free(next);
    return true;
}

static bool read_columns(const struct rd_counts_reader *r, int64_t first, struct columns *c,
                         struct rd_counts_list *to, struct rd_error *e)
{
    const hsize_t start = (hsize_t)first, n = (hsize_t)c->n;
    return (read_set_part(r, r->set[VOXEL], 1, &start, &n, H5T_NATIVE_INT64, c->voxel, e) &&
            read_set_part(r, r->set[SPECIES], 1, &start, &n, H5T_NATIVE_INT32, c->species, e) &&
            read_set_part(r, r->set[COUNT], 1, &start, &n, H5T_NATIVE_INT64, c->count, e)) &&
           (are_columns_valid(r, c) ||
            refuse_counts(r,
                          "its rows of counts are not sorted, or name voxels and "
                          "species that do not exist",
                          e)) &&
           (sort_rows(r, c, to) || rd_fail(e, "%s: out of memory for its counts", r->path));
}

static bool read_sparse(const struct rd_counts_reader *r, int64_t run, int64_t time,
                        struct rd_counts_list *to, struct rd_error *e)
{
    const hsize_t at[2] = {(hsize_t)time, (hsize_t)run}, one[2] = {1, 1};
    int64_t first = 0, n = 0;
    if (!read_set_part(r, r->set[START], 2, at, one, H5T_NATIVE_INT64, &first, e) ||
        !read_set_part(r, r->set[ROWS], 2, at, one, H5T_NATIVE_INT64, &n, e))
        return false;
    to->is_missing = n < 0;
    if (n <= 0)
        return true;
    if (n > r->n_species * r->n_sites || first < 0 || first > r->n_rows || n > r->n_rows - first)
        return refuse_counts(r, "it names rows of counts that it does not have", e);
    struct columns c = {.n = n,
                        .voxel = malloc((size_t)n * sizeof *c.voxel),
                        .species = malloc((size_t)n * sizeof *c.species),
                        .count = malloc((size_t)n * sizeof *c.count)};
    const bool good = c.voxel && c.species && c.count
                          ? read_columns(r, first, &c, to, e)
                          : rd_fail(e, "%s: out of memory for its counts", r->path);
    free(c.voxel);
    free(c.species);
    free(c.count);
    return good;
}

bool rd_counts_read(const struct rd_counts_reader *r, int64_t run, int64_t time,
                    struct rd_counts_list *to, struct rd_error *e)
{
    to->n = 0;
    to->is_missing = false;
    if (r->is_sparse)
        return read_sparse(r, run, time, to, e);
    int64_t *const count = malloc((size_t)r->n_sites * sizeof *count + 1);
    bool good = count || rd_fail(e, "%s: out of memory for its counts", r->path);
    for (int64_t species = 0; good && species < r->n_species; species++)
        good = read_dense(r, run, time, species, count, to, e);
    free(count);
    to->n = to->is_missing ? 0 : to->n;
    return good;
}
