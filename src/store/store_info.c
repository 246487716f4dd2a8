/* store_info - `rdsim info`: what a result holds, in a page. */
#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include "store_hdf.h"
#include "store_result.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the page goes, and what it is about. */
struct page {
    FILE *out;
    hid_t file;
    double *time;
    int64_t *run;
    int64_t n_times, n_runs;
};

/* A name in a column of its own, wide enough for n letters of UTF-8, of any bytes. */
static void tell_name(const struct page *p, const char *name, int n)
{
    for (const char *c = name; *c; c++)
        n -= (*c & 0xc0) != 0x80;
    fprintf(p->out, "  %s%*s", name, n > 0 ? n : 0, "");
}

static void tell_text(const struct page *p, hid_t at, const char *name, const char *label)
{
    char *const text = rd_h5_get_text(at, name);
    if (text && text[0])
        fprintf(p->out, "%-14s %s\n", label, text);
    H5free_memory(text);
}

static void tell_state(const struct page *p)
{
    if (H5Lexists(p->file, "provenance", H5P_DEFAULT) <= 0)
        return;
    const hid_t group = H5Gopen2(p->file, "provenance", H5P_DEFAULT);
    tell_text(p, group, "state", "state");
    rd_h5_drop(group);
}

static void tell_grid(const struct page *p)
{
    static const char *const axis[3] = {"x", "y", "z"};
    int64_t n[3];
    double edge[3];
    for (int i = 0; i < 3; i++)
        free(rd_result_reals(p->file, axis[i], &n[i]));
    rd_result_edges(p->file, edge);
    fprintf(p->out, "%-14s %lld x %lld x %lld cells of %.10g x %.10g x %.10g\n", "grid",
            (long long)n[0], (long long)n[1], (long long)n[2], edge[0], edge[1], edge[2]);
}

static void tell_times(const struct page *p)
{
    if (p->n_times > 0)
        fprintf(p->out, "%-14s %lld, from %.10g to %.10g\n", "times", (long long)p->n_times,
                p->time[0], p->time[p->n_times - 1]);
}

static void tell_runs(const struct page *p)
{
    const int64_t n = p->n_runs;
    if (n > 1)
        fprintf(p->out, "%-14s %lld, numbers %lld to %lld\n", "runs", (long long)n,
                (long long)p->run[0], (long long)p->run[n - 1]);
    else if (n == 1)
        fprintf(p->out, "%-14s 1, number %lld\n", "runs", (long long)p->run[0]);
}

static void tell_size(const struct page *p, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return;
    fprintf(p->out, "%-14s %.6g MB", "size", (double)about.st_size / 1e6);
    hsize_t length[RD_RANK_MOST];
    const hid_t counts = rd_result_series(p->file, RD_COUNTS, length);
    if (counts >= 0) {
        double bytes = sizeof(int32_t);
        for (int i = 0; i < RD_RANK_MOST; i++)
            bytes *= (double)length[i];
        fprintf(p->out, "; counts %.6g MB", bytes / 1e6);
        const double stored = (double)H5Dget_storage_size(counts);
        if (stored > 0)
            fprintf(p->out, ", compressed to %.6g MB", stored / 1e6);
    } else {
        fprintf(p->out, "; no counts of cells");
    }
    fputc('\n', p->out);
    rd_h5_drop(counts);
}

/* The mean over runs of what a variable [run,]time,item has at the last time; NULL without it. */
static double *last_means(hid_t at, enum rd_variable_name name, int64_t n)
{
    const struct rd_variable *const v = &rd_variables[name];
    const int time = rd_axis_place(v, RD_AXIS_TIME);
    hsize_t length[RD_RANK_MOST] = {0}, start[RD_RANK_MOST] = {0}, count[RD_RANK_MOST];
    const hid_t set = rd_result_series(at, name, length);
    if (set < 0 || length[time] == 0 || length[v->rank - 1] != (hsize_t)n) {
        rd_h5_drop(set);
        return NULL;
    }
    const hsize_t runs = time > 0 ? length[0] : 1;
    for (int i = 0; i < v->rank; i++)
        count[i] = i == v->rank - 1 ? length[i] : 1;
    start[time] = length[time] - 1;
    const hid_t space = H5Dget_space(set);
    const hid_t memory = H5Screate_simple(v->rank, count, NULL);
    double *const mean = calloc((size_t)n, sizeof *mean);
    double *const one = calloc((size_t)n, sizeof *one);
    for (hsize_t run = 0; mean && one && run < runs; run++) {
        start[0] = time > 0 ? run : start[0];
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, one) >= 0)
            for (int64_t i = 0; i < n; i++)
                mean[i] += one[i] / (double)runs;
    }
    free(one);
    rd_h5_drop(memory);
    rd_h5_drop(space);
    rd_h5_drop(set);
    return mean;
}

static void tell_items(const struct page *p, const char *names, enum rd_variable_name name,
                       const char *title)
{
    int64_t n;
    char **const text = rd_result_texts(p->file, names, &n);
    double *const mean = n > 0 ? last_means(p->file, name, n) : NULL;
    if (n > 0)
        fprintf(p->out, "\n%-32s %s\n", names, mean ? title : "");
    for (int64_t i = 0; i < n; i++) {
        tell_name(p, text[i] ? text[i] : "", 30);
        if (mean)
            fprintf(p->out, " %.10g", mean[i]);
        fputc('\n', p->out);
    }
    free(mean);
    rd_result_free_texts(text, n);
}

struct name {
    char text[256];
};

/* The i-th thing in a group, in the order of making; false behind the last one. */
static bool name_in(hid_t group, hsize_t i, struct name *name)
{
    return H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name->text,
                              sizeof name->text, H5P_DEFAULT) > 0;
}

static hid_t open_group(hid_t at, const char *name)
{
    return H5Lexists(at, name, H5P_DEFAULT) > 0 ? H5Gopen2(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

/* Whether every table of individuals has it. */
static bool is_column(const char *name)
{
    for (int i = 0; i < RD_REAL_ATTRIBUTE; i++)
        if ((rd_variables[i].tables & RD_STATES) != 0 && strcmp(name, rd_variables[i].path) == 0)
            return true;
    return strcmp(name, rd_axis_names[RD_AXIS_ROW]) == 0;
}

/* How many there are at the last time, and their attributes. */
static void tell_state_of(const struct page *p, hid_t species)
{
    struct name name;
    double sum = 0;
    double *const count = p->n_runs > 0 ? last_means(species, RD_ROW_COUNT, p->n_runs) : NULL;
    for (int64_t run = 0; count && run < p->n_runs; run++)
        sum += count[run];
    if (sum >= 0 && count)
        fprintf(p->out, " %.10g", sum / (double)p->n_runs);
    const char *before = "; attributes";
    for (hsize_t i = 0; name_in(species, i, &name); i++)
        if (!is_column(name.text)) {
            fprintf(p->out, "%s %s", before, name.text);
            before = ",";
        }
    free(count);
}

/* How many rows a table of the lineage has. */
static void tell_rows_of(const struct page *p, hid_t species, const char *table, const char *before)
{
    hsize_t length[RD_RANK_MOST] = {0};
    const hid_t group = open_group(species, table);
    const hid_t id = rd_result_series(group, RD_ID, length);
    if (id >= 0)
        fprintf(p->out, "%s %lld %s", before, (long long)length[0], table);
    rd_h5_drop(id);
    rd_h5_drop(group);
}

static void tell_lineage_of(const struct page *p, hid_t species)
{
    tell_rows_of(p, species, "births", "");
    tell_rows_of(p, species, "deaths", ",");
}

/* A line for each species in the folder. */
static void tell_folder(const struct page *p, const char *folder, const char *title,
                        void (*tell)(const struct page *p, hid_t species))
{
    struct name name;
    const hid_t group = open_group(p->file, folder);
    if (group >= 0)
        fprintf(p->out, "\n%-32s %s\n", folder, title);
    for (hsize_t i = 0; name_in(group, i, &name); i++) {
        const hid_t species = open_group(group, name.text);
        tell_name(p, name.text, 30);
        tell(p, species);
        fputc('\n', p->out);
        rd_h5_drop(species);
    }
    rd_h5_drop(group);
}

static herr_t tell_fact(hid_t at, const char *name, const H5A_info_t *about, void *page)
{
    (void)about;
    const struct page *const p = page;
    char *const text = rd_h5_get_text(at, name);
    double number;
    tell_name(p, name, 30);
    if (text)
        fprintf(p->out, " %s\n", text);
    else if (rd_h5_get_number(at, name, &number))
        fprintf(p->out, " %.10g\n", number);
    else
        fputs(" (neither a text nor a number)\n", p->out);
    H5free_memory(text);
    return 0;
}

static void tell_facts(struct page *p, const char *parent, const char *path, const char *title)
{
    if (H5Lexists(p->file, parent, H5P_DEFAULT) <= 0 || H5Lexists(p->file, path, H5P_DEFAULT) <= 0)
        return;
    const hid_t group = H5Gopen2(p->file, path, H5P_DEFAULT);
    fprintf(p->out, "\n%s\n", title);
    H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, tell_fact, p);
    rd_h5_drop(group);
}

bool rd_store_info(const char *path, FILE *out, struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    rd_h5_listen(&cause);
    struct page p = {.out = out, .file = rd_result_open(path, "", e)};
    if (p.file >= 0) {
        p.time = rd_result_reals(p.file, "time", &p.n_times);
        p.run = rd_result_integers(p.file, "run", &p.n_runs);
        fprintf(out, "%-14s %s\n", "result", path);
        tell_state(&p);
        tell_text(&p, p.file, "title", "title");
        tell_text(&p, p.file, "source", "written by");
        tell_grid(&p);
        tell_times(&p);
        tell_runs(&p);
        tell_size(&p, path);
        tell_items(&p, "species", RD_TOTAL_MEAN, "in all cells at the last time, mean over runs");
        tell_items(&p, "reaction", RD_REACTIONS, "fired by the last time, mean over runs");
        tell_folder(&p, "individuals", "at the last time, mean over runs", tell_state_of);
        tell_folder(&p, "lineage", "recorded in all runs", tell_lineage_of);
        tell_facts(&p, "model", "model/derived", "derived");
        tell_facts(&p, "provenance", "provenance", "provenance");
    }
    const bool good = p.file >= 0;
    free(p.time);
    free(p.run);
    rd_h5_drop(p.file);
    rd_h5_listen(NULL);
    return good;
}
