/* diff_sides - opens two results for a comparison: what each holds, and whether they can be
   compared. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/diff_sides.h"

#include "base/memory.h"
#include "base/text.h"
#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/read/counts_reader.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether a data set is part of the model and has no time: a field that does not change,
   the mask of a region, the areas of a surface. */
static bool is_model(hid_t file, const char *path)
{
    static const char *const groups[] = {RD_FIELDS, RD_REGIONS, RD_SURFACES};
    hsize_t length[H5S_MAX_RANK];
    bool is_map = false;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        is_map = is_map || strncmp(path, groups[i] + 1, strlen(groups[i]) - 1) == 0;
    if (!is_map)
        return false;
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_dims(space, length, NULL);
    rd_h5_drop(space);
    rd_h5_drop(set);
    return rank == 3;
}

/* Returns whether a data set is compared as data. Coordinates are compared first, and rows of
   counts apart; the model with its table of parameters, labels and colours, provenance and the
   states of runs are not compared.
 */
static bool is_data(const char *path)
{
    const char *const slash = strrchr(path, '/');
    if (strncmp(path, "model/", 6) == 0 || strncmp(path, "provenance", 10) == 0 ||
        strncmp(path, "faults/", 7) == 0 || strncmp(path, "rows/", 5) == 0 ||
        strncmp(path, &RD_SPARSE_GROUP[1], 7) == 0 || strcmp(path, "run_state") == 0 ||
        strcmp(path, "species_label") == 0 || strcmp(path, "species_colour") == 0 ||
        strcmp(path, "species_compartment") == 0)
        return false;
    if (strncmp(path, &RD_BY_GROUP[1], strlen(RD_BY_GROUP) - 1) == 0)
        return strcmp(slash + 1, rd_axis_names[RD_AXIS_BIN]) != 0;
    for (int axis = 0; axis < RD_N_AXES; axis++)
        if (!slash && strcmp(path, rd_axis_names[axis]) == 0)
            return false;
    return !slash || strcmp(slash + 1, rd_axis_names[RD_AXIS_ROW]) != 0;
}

/* Returns whether a data set is in a named group of the output, seen from the root. */
static bool is_in_group(const struct rd_side *s, const char *path)
{
    const size_t n = strcspn(path, "/");
    for (int i = 0; s->at == s->file && i < s->groups.n; i++)
        if (strlen(s->groups.name[i]) == n && strncmp(path, s->groups.name[i], n) == 0)
            return true;
    return false;
}

static herr_t note_set(hid_t file, const char *path, const H5O_info_t *about, void *to)
{
    struct rd_side *const s = to;
    if (about->type != H5O_TYPE_DATASET || !is_data(path) || is_in_group(s, path) ||
        is_model(file, path))
        return 0;
    s->set = rd_memory_need(realloc(s->set, ((size_t)s->n_sets + 1) * sizeof *s->set));
    s->set[s->n_sets++] = rd_memory_need(strdup(path));
    return 0;
}

static bool read_result_side(struct rd_side *s, struct rd_error *e)
{
    s->time = rd_result_reals(s->at, "time", &s->n_times);
    s->run = rd_result_integers(s->at, "run", &s->n_runs);
    s->species = rd_result_texts(s->at, "species", &s->n_species);
    s->reaction = rd_result_texts(s->at, "reaction", &s->n_reactions);
    s->face = rd_result_texts(s->at, "face", &s->n_faces);
    s->region = rd_result_texts(s->at, "region", &s->n_regions);
    s->observable = rd_result_texts(s->at, "observable", &s->n_observables);
    s->value = rd_result_texts(s->at, "value", &s->n_values);
    s->is_sparse = rd_counts_are_sparse(s->at);
    if (H5Ovisit(s->at, H5_INDEX_NAME, H5_ITER_INC, note_set, s) < 0)
        return rd_h5_fail(e, s->path, "cannot be read");
    if (s->n_sets > 0)
        qsort(s->set, (size_t)s->n_sets, sizeof *s->set, rd_text_order);
    return true;
}

static bool open_side(struct rd_side *s, const char *path, struct rd_error *e)
{
    *s = (struct rd_side){.path = path, .file = rd_result_open(path, "", e)};
    if (s->file < 0)
        return false;
    s->at = s->file;
    s->groups = rd_result_groups(s->file);
    return read_result_side(s, e);
}

static bool enter_side(struct rd_side *s, const struct rd_side *root, const char *name,
                       struct rd_error *e)
{
    *s = (struct rd_side){.path = root->path,
                          .file = root->file,
                          .at = rd_h5_open(root->file, name),
                          .groups = root->groups};
    return s->at < 0 ? rd_h5_fail(e, s->path, "cannot be read") : read_result_side(s, e);
}

/* Frees all but the file. */
static void free_side(struct rd_side *s)
{
    for (int64_t i = 0; i < s->n_sets; i++)
        free(s->set[i]);
    free(s->set);
    free(s->time);
    free(s->run);
    rd_result_free_texts(s->species, s->n_species);
    rd_result_free_texts(s->reaction, s->n_reactions);
    rd_result_free_texts(s->face, s->n_faces);
    rd_result_free_texts(s->region, s->n_regions);
    rd_result_free_texts(s->observable, s->n_observables);
    rd_result_free_texts(s->value, s->n_values);
}

static bool have_same_voxels(const struct rd_side *s)
{
    static const enum rd_axis axis[3] = {RD_AXIS_X, RD_AXIS_Y, RD_AXIS_Z};
    bool same = true;
    for (int i = 0; i < 3; i++) {
        int64_t n[2];
        double *const a = rd_result_reals(s[0].file, rd_axis_names[axis[i]], &n[0]);
        double *const b = rd_result_reals(s[1].file, rd_axis_names[axis[i]], &n[1]);
        same = same && a && b && n[0] == n[1] && memcmp(a, b, (size_t)n[0] * sizeof *a) == 0;
        free(a);
        free(b);
    }
    return same;
}

static bool are_same_names(char *const *a, int64_t n, char *const *b, int64_t n_b)
{
    bool same = n == n_b;
    for (int64_t i = 0; same && i < n; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

static bool have_same_runs(const struct rd_side *a, const struct rd_side *b)
{
    return a->n_runs == b->n_runs && a->n_runs > 0 &&
           memcmp(a->run, b->run, (size_t)a->n_runs * sizeof *a->run) == 0;
}

/* Returns whether the regions with totals are the same; a result may have none. */
static bool have_same_regions(const struct rd_side *a, const struct rd_side *b)
{
    return a->n_regions == 0 || b->n_regions == 0 ||
           are_same_names(a->region, a->n_regions, b->region, b->n_regions);
}

static bool are_comparable(const struct rd_side *s, struct rd_error *e)
{
    const struct rd_side *const a = &s[0], *const b = &s[1];
    const char *const what =
        !have_same_voxels(s)                                                        ? "grids"
        : !are_same_names(a->species, a->n_species, b->species, b->n_species)       ? "species"
        : !are_same_names(a->reaction, a->n_reactions, b->reaction, b->n_reactions) ? "reactions"
        : !are_same_names(a->face, a->n_faces, b->face, b->n_faces)                 ? "faces"
        : !are_same_names(a->observable, a->n_observables, b->observable, b->n_observables)
            ? "observables"
        : !are_same_names(a->value, a->n_values, b->value, b->n_values) ? "values"
        : !have_same_regions(a, b)                                      ? "regions with totals"
        : !have_same_runs(a, b)                                         ? "runs"
                                                                        : NULL;
    return !what ||
           rd_fail(e, "%s and %s have different %s, and cannot be compared; see rdsim info",
                   a->path, b->path, what);
}

bool rd_sides_open(struct rd_side s[2], const char *a, const char *b, struct rd_error *e)
{
    const bool first = open_side(&s[0], a, e), second = open_side(&s[1], b, e);
    return first && second && are_comparable(s, e);
}

void rd_sides_close(struct rd_side s[2])
{
    for (int i = 0; i < 2; i++) {
        free_side(&s[i]);
        rd_result_close(s[i].file);
    }
}

bool rd_sides_enter(struct rd_side s[2], const struct rd_side root[2], const char *name,
                    struct rd_error *e)
{
    const bool first = enter_side(&s[0], &root[0], name, e),
               second = enter_side(&s[1], &root[1], name, e);
    return first && second && are_comparable(s, e);
}

void rd_sides_leave(struct rd_side s[2])
{
    for (int i = 0; i < 2; i++) {
        free_side(&s[i]);
        rd_h5_drop(s[i].at);
    }
}

bool rd_sides_is_log(const char *path)
{
    return strncmp(path, "lineage/", 8) == 0 || strncmp(path, "events/", 7) == 0;
}

const struct rd_variable *rd_sides_variable(const char *path, hid_t set)
{
    const char *const name = strrchr(path, '/');
    const bool is_by = strncmp(path, &RD_BY_GROUP[1], strlen(RD_BY_GROUP) - 1) == 0;
    const bool is_table = strncmp(path, "individuals/", 12) == 0 || rd_sides_is_log(path);
    for (int i = 0; i < RD_REAL_ATTRIBUTE; i++) {
        const struct rd_variable *const v = &rd_variables[i];
        if (is_by      ? v->tables == RD_BY && strcmp(v->path, name) == 0
            : is_table ? !(v->tables & (RD_SNAPSHOTS | RD_BY)) && v->tables != RD_SPARSE &&
                             strcmp(v->path, name + 1) == 0
                       : strcmp(v->path + 1, path) == 0)
            return v;
    }
    if (strncmp(path, &RD_FIELDS[1], strlen(RD_FIELDS) - 1) == 0)
        return &rd_variables[RD_FIELD];
    if (strcmp(path, rd_run_variables[RD_STOPPED].path + 1) == 0)
        return &rd_run_variables[RD_STOPPED];
    const hid_t type = H5Dget_type(set);
    const bool is_integer = H5Tget_class(type) == H5T_INTEGER;
    rd_h5_drop(type);
    return is_table ? &rd_variables[is_integer ? RD_INTEGER_ATTRIBUTE : RD_REAL_ATTRIBUTE] : NULL;
}

bool rd_sides_have_same_range(const struct rd_side s[2], const char *path)
{
    int64_t n[2] = {0, 0}, *value[2];
    for (int i = 0; i < 2; i++) {
        char *const scale = rd_text_format("%.*svalue", (int)(strrchr(path, '/') + 1 - path), path);
        value[i] = scale ? rd_result_integers(s[i].at, scale, &n[i]) : NULL;
        free(scale);
    }
    const bool same = value[0] && value[1] && n[0] == n[1] &&
                      (n[0] == 0 || memcmp(value[0], value[1], (size_t)n[0] * sizeof **value) == 0);
    free(value[0]);
    free(value[1]);
    return same;
}
