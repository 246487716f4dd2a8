/* metadata - writes everything of a result but the series themselves: coordinates, attributes of
   the variables, the model, the provenance. */
#define _POSIX_C_SOURCE 200809L
#include "result/format/metadata.h"

#include "base/hash.h"
#include "base/text.h"
#include "hdf5/hdf5_file.h"
#include "result/format/data_set.h"
#include "result/format/plain_table.h"
#include "result/format/scales.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct rd_date rd_date_now(void)
{
    struct rd_date date = {{0}};
    struct timespec now = {0};
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts)) {
        const size_t n = strftime(date.text, sizeof date.text, "%Y-%m-%dT%H:%M:%S", &parts);
        snprintf(date.text + n, sizeof date.text - n, ".%06ldZ", now.tv_nsec / 1000);
    }
    return date;
}

/* Writes the date of the start and the command line. */
static bool put_history(hid_t file, const struct rd_result_info *s)
{
    const struct rd_record_of *const r = s->record;
    const char *const program = r->command ? "" : "rdsim ";
    const char *const command = r->command ? r->command : r->config_name;
    char *const line = rd_h5_memory(rd_text_format("%s: %s%s", s->start, program, command));
    const bool good = line && rd_h5_put_text(file, "history", line);
    free(line);
    return good;
}

/* Writes the names of the groups of the output, with blanks between them; the group of the root has
   none. */
static bool put_outputs(hid_t file, const struct rd_model *m)
{
    char text[RD_MAX_OUTPUTS * RD_NAME_BYTES] = "";
    size_t used = 0;
    for (int i = 0; i < m->n_outputs; i++)
        if (*m->output[i].name)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                     m->output[i].name);
    return !*text || rd_h5_put_text(file, RD_OUTPUTS, text);
}

static bool write_metadata_head(hid_t file, const struct rd_result_info *s)
{
    const struct rd_record_of *const r = s->record;
    const int32_t format = RD_FORMAT;
    char source[128] = "rdsim";
    for (int i = 0; i < r->n_provenance; i++)
        if (strcmp(r->provenance[i].name, "program") == 0 && r->provenance[i].text)
            snprintf(source, sizeof source, "%s", r->provenance[i].text);
    return rd_h5_put_text(file, "Conventions", "CF-1.8") &&
           rd_h5_put_text(file, "title", r->model->title ? r->model->title : "") &&
           rd_h5_put_text(file, "source", source) && put_history(file, s) &&
           rd_h5_put_number(file, "rdsim_format", H5T_NATIVE_INT32, &format) &&
           put_outputs(file, r->model);
}

static bool describe_series(hid_t file, hid_t set, const struct rd_result_info *s,
                            const struct rd_series *of)
{
    const struct rd_variable *const v = &rd_variables[of->name];
    bool good =
        rd_h5_label(set, v->long_name, rd_scales_unit(s->record->model, v->unit)) &&
        rd_h5_put_number(set, "_FillValue", rd_number_type(v->number), rd_number_fill(v->number));
    const struct rd_table *const rows = &s->layout->table[of->table],
                                 *const times =
                                     &s->layout->table[rd_layout_snapshots(s->layout, of->table)];
    for (int i = 0; good && i < v->rank; i++)
        good = rd_scale_attach(
            file, set, i,
            v->axis[i] == RD_AXIS_ROW || v->axis[i] == RD_AXIS_BIN ? rows->group : times->group,
            v->axis[i]);
    return good;
}

static bool put_series(hid_t file, const struct rd_result_info *s, rd_make_series *make, void *how)
{
    bool good = true;
    for (int i = 0; good && i < s->layout->n_series; i++) {
        const hid_t set = make(file, &s->layout->series[i], how);
        good = set >= 0 && describe_series(file, set, s, &s->layout->series[i]);
        rd_h5_drop(set);
    }
    return good;
}

/* Writes a variable with one value for each run into the group of table t. */
static bool put_of_runs(hid_t file, const struct rd_result_info *s, const struct rd_table *t,
                        const struct rd_variable *v, const void *values)
{
    const enum rd_axis axis = t->length[RD_AXIS_ENSEMBLE] > 0 ? RD_AXIS_ENSEMBLE : RD_AXIS_RUN;
    const hid_t at = rd_scales_group(file, t->group);
    const hid_t set = rd_h5_put_column(at, v->path + 1, rd_number_type(v->number),
                                       s->record->model->n_runs, values);
    const bool good = rd_h5_label(set, v->long_name, rd_scales_unit(s->record->model, v->unit)) &&
                      rd_scale_attach(file, set, 0, t->group, axis);
    rd_h5_drop(set);
    if (at != file)
        rd_h5_drop(at);
    return good;
}

/* Returns how many of the first n times of all are times of the group. */
static int64_t times_among(const struct rd_result_info *s, int output, int64_t n)
{
    int64_t among = 0;
    for (int64_t k = 0; k < n; k++)
        among += (int64_t)(s->due[k] >> output & 1);
    return among;
}

/* Writes the states of runs as those of the group of table number i. */
static bool put_run_state(hid_t file, const struct rd_result_info *s, int i)
{
    const struct rd_table *const t = &s->layout->table[i];
    const int64_t n = s->record->model->n_runs;
    int64_t *const valid = rd_h5_memory(malloc((size_t)n * sizeof *valid));
    for (int64_t run = 0; valid && run < n; run++)
        valid[run] = s->length[i];
    for (int64_t k = 0; valid && k < s->n_faulted; k++) {
        const struct rd_faulted *const f = &s->faulted[k];
        if (f->n_times < s->length[0])
            valid[f->run - s->record->model->first_run] = times_among(s, t->output, f->n_times);
    }
    const bool good =
        valid && put_of_runs(file, s, t, &rd_run_variables[RD_RUN_STATE], valid) &&
        (!s->stopped || put_of_runs(file, s, t, &rd_run_variables[RD_STOPPED], s->stopped));
    free(valid);
    return good;
}

static bool put_run_states(hid_t file, const struct rd_result_info *s)
{
    bool good = true;
    for (int i = 0; good && i < s->layout->n_tables; i++)
        good = s->layout->table[i].kind != RD_SNAPSHOTS || put_run_state(file, s, i);
    return good;
}

/* Writes the runs that faulted: their numbers, times and messages. */
static bool put_faults(hid_t file, const struct rd_result_info *s)
{
    struct rd_plain_table t = {file, H5I_INVALID_HID, "/faults/", s->n_faulted};
    if (t.n == 0)
        return true;
    const hid_t text = rd_h5_text_type();
    int64_t *const run = rd_h5_memory(calloc((size_t)t.n, sizeof *run));
    double *const time = rd_h5_memory(calloc((size_t)t.n, sizeof *time));
    const char **const why = rd_h5_memory(calloc((size_t)t.n, sizeof *why));
    const bool has_memory = run && time && why;
    for (int64_t i = 0; has_memory && i < t.n; i++) {
        run[i] = s->faulted[i].run;
        time[i] = s->faulted[i].time;
        why[i] = s->faulted[i].text;
    }
    const bool good =
        has_memory && rd_plain_table_open(&t) &&
        rd_plain_table_put(&t, "run", "number of the run", H5T_NATIVE_INT64, run) &&
        rd_plain_table_put(&t, "time", "time before which it faulted", H5T_NATIVE_DOUBLE, time) &&
        rd_plain_table_put(&t, "message", "message of the fault", text, why);
    free(run);
    free(time);
    free(why);
    rd_h5_drop(text);
    rd_h5_drop(t.group);
    return good;
}

/* Writes the table of parameter vectors: a column for each parameter, and the runs of a row. */
static bool write_vector_table(hid_t file, const struct rd_result_info *s)
{
    const struct rd_theta *const x = &s->record->model->theta;
    struct rd_plain_table t = {file, H5I_INVALID_HID, "/rows/", x->table.n_rows};
    if (t.n == 0)
        return true;
    double *const column = rd_h5_memory(calloc((size_t)t.n, sizeof *column));
    const double n_runs = (double)x->n_runs;
    bool good = column && rd_plain_table_open(&t) &&
                rd_h5_put_number(t.group, "runs", H5T_NATIVE_DOUBLE, &n_runs) &&
                rd_h5_put_text(t.group, "share", x->shares_streams ? "streams" : "none");
    for (int k = 0; good && k < x->table.n_columns; k++) {
        for (int64_t row = 0; row < t.n; row++)
            column[row] = x->table.value[row * x->table.n_columns + k];
        good = rd_plain_table_put(&t, x->table.name[k], "parameter", H5T_NATIVE_DOUBLE, column);
    }
    free(column);
    rd_h5_drop(t.group);
    return good;
}

/* Describes a FNV-1a hash in hexadecimal digits. */
struct hash_text {
    char text[17];
};

/* Writes the files of a configuration that includes others: names, hashes and texts. */
static bool put_files(hid_t file, const struct rd_record_of *r)
{
    struct rd_plain_table t = {file, H5I_INVALID_HID, "/model/files/", r->n_files};
    if (t.n < 2)
        return true;
    const hid_t type = rd_h5_text_type();
    const char **const column = rd_h5_memory(calloc(3 * (size_t)t.n, sizeof *column));
    const char **const name = column, **const hash = name + t.n, **const text = hash + t.n;
    struct hash_text *const digits = rd_h5_memory(calloc((size_t)t.n, sizeof *digits));
    const bool has_memory = column && digits;
    for (int64_t i = 0; has_memory && i < t.n; i++) {
        name[i] = r->file[i].name;
        text[i] = r->file[i].text;
        snprintf(digits[i].text, sizeof digits[i].text, "%016" PRIx64,
                 rd_hash_on(RD_HASH_OF_NOTHING, text[i], strlen(text[i])));
        hash[i] = digits[i].text;
    }
    const bool good = has_memory && rd_plain_table_open(&t) &&
                      rd_plain_table_put(&t, "name", "file of the configuration", type, name) &&
                      rd_plain_table_put(&t, "hash", "FNV-1a hash of its text", type, hash) &&
                      rd_plain_table_put(&t, "text", "its text as it was read", type, text);
    free(column);
    free(digits);
    rd_h5_drop(type);
    rd_h5_drop(t.group);
    return good;
}

static bool write_facts(hid_t at, const struct rd_fact *fact, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fact[i].text
                  ? rd_h5_put_text(at, fact[i].name, fact[i].text)
                  : rd_h5_put_number(at, fact[i].name, H5T_NATIVE_DOUBLE, &fact[i].number)))
            return false;
    return true;
}

static bool put_configuration(hid_t model, const char *name, const char *long_name,
                              const char *text)
{
    const hid_t type = rd_h5_text_type();
    const hid_t set = rd_h5_put_column(model, name, type, -1, &text);
    const bool good = rd_h5_label(set, long_name, "1");
    rd_h5_drop(set);
    rd_h5_drop(type);
    return good;
}

/* Writes the edits of the program that ran the model, if it made any. */
static bool put_journal(hid_t model, const struct rd_record_of *r)
{
    char *const edits = r->journal ? rd_shared_text_copy(r->journal) : NULL;
    char *const text =
        edits && *edits ? rd_h5_memory(rd_text_format("edits = (%s\n);\n", edits)) : NULL;
    const bool good =
        (!r->journal || edits) && (!edits || !*edits || text) &&
        (!text || put_configuration(model, "journal",
                                    "edits that a program made while the run went on", text));
    free(edits);
    free(text);
    return good;
}

static bool put_model(hid_t file, const struct rd_result_info *s)
{
    const struct rd_record_of *const r = s->record;
    const hid_t model = rd_h5_group(file, "model");
    const hid_t derived = rd_h5_group(model, "derived");
    const bool good =
        rd_h5_put_text(model, "configuration_name", r->config_name) &&
        put_configuration(model, "configuration", "the configuration as it was read",
                          r->config_text) &&
        put_configuration(model, "effective_configuration",
                          "every key's value after defaults and --set", r->effective) &&
        (!r->inputs || !r->inputs[0] ||
         put_configuration(model, "inputs", "files that were read: bytes, FNV-1a hash, path",
                           r->inputs)) &&
        put_journal(model, r) && put_files(file, r) &&
        write_facts(derived, r->derived, r->n_derived);
    rd_h5_drop(derived);
    rd_h5_drop(model);
    return good;
}

static bool has_run_ended(const struct rd_result_info *s)
{
    return strcmp(s->state, "running") != 0;
}

static bool put_provenance(hid_t file, const struct rd_result_info *s)
{
    const bool ended = has_run_ended(s);
    const hid_t group = rd_h5_group(file, "provenance");
    const bool good =
        group >= 0 && rd_h5_put_text(group, "state", s->state) &&
        rd_h5_put_text(group, "start", s->start) &&
        (!ended || rd_h5_put_text(group, "end", rd_date_now().text)) &&
        rd_h5_put_number(group, "wall_seconds", H5T_NATIVE_DOUBLE, &s->wall_seconds) &&
        write_facts(group, s->record->provenance, s->record->n_provenance) &&
        write_facts(group, s->fact, s->n_facts);
    rd_h5_drop(group);
    return good;
}

/* Sets the largest number of voxels for which maps are written while a run goes on: a hundredth of
   a second. */
enum { MAPS_SOON = 1 << 18 };

/* Holds numbers of all voxels that do not change. */
struct map {
    const char *group, *name, *long_name, *unit;
    enum rd_number number;
    const void *value; /* [z][y][x] */
};

/* Writes a map in chunks of one plane. */
static bool put_map(hid_t file, const struct rd_result_info *s, const struct map *map)
{
    static const enum rd_axis axis[3] = {RD_AXIS_Z, RD_AXIS_Y, RD_AXIS_X};
    const struct rd_model *const m = s->record->model;
    const hsize_t length[3] = {(hsize_t)m->grid.size[2], (hsize_t)m->grid.size[1],
                               (hsize_t)m->grid.size[0]};
    const hsize_t chunk[3] = {1, length[1], length[2]};
    const hid_t plan = rd_set_plan(map->number), space = H5Screate_simple(3, length, NULL);
    const hid_t type = rd_number_type(map->number);
    const unsigned level = s->layout->table[1].compression;
    const bool is_planned = H5Pset_chunk(plan, 3, chunk) >= 0 && H5Pset_shuffle(plan) >= 0 &&
                            (level == 0 || H5Pset_deflate(plan, level) >= 0) &&
                            H5Pset_fletcher32(plan) >= 0;
    char parents[64];
    snprintf(parents, sizeof parents, "%s/", map->group);
    const hid_t group =
        rd_h5_parents(file, parents) ? H5Gopen2(file, map->group, H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t set =
        !is_planned ? H5I_INVALID_HID
                    : H5Dcreate2(group, map->name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    bool good = rd_h5_label(set, map->long_name, map->unit) &&
                (map->number == RD_FLAG || /* a mask has no missing values */
                 rd_h5_put_number(set, "_FillValue", type, rd_number_fill(map->number))) &&
                H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, map->value) >= 0;
    for (int i = 0; good && i < 3; i++)
        good = rd_scale_attach(file, set, i, "", axis[i]);
    rd_h5_drop(set);
    rd_h5_drop(group);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return good;
}

/* Writes the fields that do not change; those that change are series. */
static bool write_constant_fields(hid_t file, const struct rd_result_info *s)
{
    const struct rd_model *const m = s->record->model;
    bool good = true;
    for (int i = 0; good && s->record->has_counts && i < m->n_fields; i++) {
        const struct rd_field *const f = &m->field[i];
        const struct map map = {
            RD_FIELDS, f->name, rd_variables[RD_FIELD].long_name,
            "1",       RD_REAL, m->field_component + f->start * m->grid.n_sites};
        good = m->field_varies[i] || put_map(file, s, &map);
    }
    return good;
}

/* Writes which voxels belong to each region. */
static bool put_masks(hid_t file, const struct rd_result_info *s)
{
    const struct rd_model *const m = s->record->model;
    uint8_t *const is_in = rd_h5_memory(malloc((size_t)m->grid.n_sites + 1));
    bool good = is_in != NULL;
    for (int r = 0; good && m->mask && r < rd_model_n_places(m); r++) {
        for (int64_t site = 0; site < m->grid.n_sites; site++)
            is_in[site] = (uint8_t)(m->mask[site] >> r & 1);
        const struct map map = {RD_REGIONS, m->region[r].name, "1: the voxel belongs to the region",
                                "1",        RD_FLAG,           is_in};
        good = put_map(file, s, &map);
    }
    free(is_in);
    return good;
}

/* Writes the area of each surface in each voxel. */
static bool put_areas(hid_t file, const struct rd_result_info *s)
{
    const struct rd_model *const m = s->record->model;
    const char *const length = rd_scales_unit(m, RD_AXIS_X);
    const bool is_line = m->grid.dim < 3 || strcmp(length, "1") == 0;
    char *const unit = rd_h5_memory(rd_text_format("%s%s", length, is_line ? "" : "2"));
    double *const area = rd_h5_memory(malloc((size_t)m->grid.n_sites * sizeof *area + 1));
    bool good = unit && area;
    for (int i = 0; good && i < m->n_surfaces; i++) {
        const struct rd_surface *const x = &m->surface[i];
        memset(area, 0, (size_t)m->grid.n_sites * sizeof *area);
        for (int64_t k = 0; k < x->n_voxels; k++)
            area[x->voxel[k].site] = x->voxel[k].area;
        const struct map map = {RD_SURFACES,
                                m->region[x->region].name,
                                is_line && m->grid.dim < 3 ? "length of the surface in the voxel"
                                                           : "area of the surface in the voxel",
                                unit,
                                RD_REAL,
                                area};
        good = put_map(file, s, &map);
    }
    free(unit);
    free(area);
    return good;
}

/* Writes what does not change in time. A run that goes on would write it again with each segment,
   so it writes only small maps. */
static bool put_maps(hid_t file, const struct rd_result_info *s)
{
    const bool is_shown = has_run_ended(s) || s->record->model->grid.n_sites <= MAPS_SOON;
    return !is_shown ||
           (write_constant_fields(file, s) && put_masks(file, s) && put_areas(file, s));
}

bool rd_metadata_write(hid_t file, const struct rd_result_info *s, rd_make_series *make, void *how)
{
    return write_metadata_head(file, s) && rd_scales_write(file, s) &&
           rd_scales_all_rows(file, s) && put_series(file, s, make, how) &&
           put_run_states(file, s) && put_faults(file, s) && write_vector_table(file, s) &&
           put_model(file, s) && put_provenance(file, s) && put_maps(file, s);
}
