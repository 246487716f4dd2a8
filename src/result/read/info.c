/* info - `rdsim info`: prints the contents of a result as a page. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/result_reader.h"

#include "result/files/parts.h"
#include "result/read/counts_reader.h"
#include "result/read/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Describes the output file, and the result. */
struct info_page {
    FILE *out;
    const struct rd_summary *of;
    bool is_timing; /* report_fact prints seconds of passes if true, and the other facts if false */
};

/* Prints a name in a column of n characters. Counts characters of UTF-8, not bytes. */
static void report_name(const struct info_page *p, const char *name, int n)
{
    for (const char *c = name; *c; c++)
        n -= (*c & 0xc0) != 0x80;
    fprintf(p->out, "  %s%*s", name, n > 0 ? n : 0, "");
}

static void report_text(const struct info_page *p, hid_t at, const char *name, const char *label)
{
    char *const text = rd_h5_get_text(at, name);
    if (text && text[0])
        fprintf(p->out, "%-14s %s\n", label, text);
    H5free_memory(text);
}

/* Prints the state, and the time and number of snapshots that the run has reached. */
static void report_state(const struct info_page *p)
{
    const struct rd_summary *const s = p->of;
    const enum rd_state state = s->state.state;
    const bool is_known = state != RD_STATE_FOREIGN;
    fprintf(p->out, "%-14s %s", "state", is_known ? rd_state_name(state) : "not in the file");
    if (is_known && state != RD_STATE_COMPLETE && state != RD_STATE_FAULTED &&
        !isnan(s->state.until))
        fprintf(p->out, " at t = %.10g", s->state.until);
    if (s->n_wanted >= 0 && s->n_wanted != s->n_moments)
        fprintf(p->out, ", %lld of %lld snapshots", (long long)s->n_moments,
                (long long)s->n_wanted);
    fputc('\n', p->out);
}

/* Prints the first five runs that faulted. */
static void print_faulted_runs(const struct info_page *p)
{
    enum { REPORTED = 5 };
    int64_t n = 0;
    if (H5Lexists(p->of->file, "faults", H5P_DEFAULT) <= 0)
        return;
    char **const why = rd_result_texts(p->of->file, "faults/message", &n);
    if (why && n > 0)
        fprintf(p->out, "%-14s %lld of %lld runs\n", "faults", (long long)n,
                (long long)p->of->n_all);
    for (int64_t i = 0; why && i < n && i < REPORTED; i++)
        fprintf(p->out, "%-14s %s\n", "", why[i]);
    if (n > REPORTED)
        fprintf(p->out, "%-14s ... and so on, in /faults/message\n", "");
    rd_result_free_texts(why, n);
}

static void report_checkpoint(const struct info_page *p)
{
    const struct rd_parts parts = rd_parts_at(p->of->path);
    if (rd_parts_newest(&parts, INT64_MAX) >= 0)
        fprintf(p->out, "%-14s in %s: continue with the same command and --resume\n", "checkpoint",
                parts.directory.text);
}

static void report_grid(const struct info_page *p)
{
    const struct rd_summary *const s = p->of;
    fprintf(p->out, "%-14s %lld x %lld x %lld voxels of %.10g x %.10g x %.10g\n", "grid",
            (long long)s->voxels[0], (long long)s->voxels[1], (long long)s->voxels[2], s->edge[0],
            s->edge[1], s->edge[2]);
}

static void report_times(const struct info_page *p)
{
    if (p->of->n_times > 0)
        fprintf(p->out, "%-14s %lld, from %.10g to %.10g\n", "times", (long long)p->of->n_times,
                p->of->time[0], p->of->time[p->of->n_times - 1]);
}

static void report_runs(const struct info_page *p)
{
    const int64_t n = p->of->n_runs, n_all = p->of->n_all;
    if (n > 0 && n < n_all)
        fprintf(p->out, "%-14s %lld, from number %lld; the first %lld are kept\n", "runs",
                (long long)n_all, (long long)p->of->run[0], (long long)n);
    else if (n > 1)
        fprintf(p->out, "%-14s %lld, numbers %lld to %lld\n", "runs", (long long)n,
                (long long)p->of->run[0], (long long)p->of->run[n - 1]);
    else if (n == 1)
        fprintf(p->out, "%-14s 1, number %lld\n", "runs", (long long)p->of->run[0]);
    double each = 0.0;
    const hid_t rows = rd_h5_open(p->of->file, "rows");
    if (rows >= 0 && rd_h5_get_number(rows, "runs", &each) && each >= 1.0)
        fprintf(p->out, "%-14s %lld of the table in /rows, %g run%s each\n", "rows",
                (long long)((double)n / each), each, each == 1.0 ? "" : "s");
    rd_h5_drop(rows);
}

/* Prints the size of counts that are rows. */
static void report_rows(const struct info_page *p)
{
    int64_t n, stored;
    rd_counts_size(p->of->at, &n, &stored);
    fprintf(p->out, "sparse counts: %lld rows, %.6g MB", (long long)n, 16.0 * (double)n / 1e6);
    if (stored > 0)
        fprintf(p->out, ", compressed to %.6g MB", (double)stored / 1e6);
}

static void report_size(const struct info_page *p)
{
    hsize_t length[RD_RANK_MOST];
    const hid_t counts = rd_result_series(p->of->at, RD_COUNTS, length);
    const bool is_sparse = rd_counts_are_sparse(p->of->at);
    fprintf(p->out, "%-14s ", "size");
    if (!p->of->group)
        fprintf(p->out, "%.6g MB%s", p->of->bytes / 1e6, p->of->groups.n > 0 ? "" : "; ");
    if (counts >= 0) {
        double bytes = sizeof(int32_t);
        for (int i = 0; i < RD_RANK_MOST; i++)
            bytes *= (double)length[i];
        fprintf(p->out, "counts %.6g MB", bytes / 1e6);
        const double stored = (double)H5Dget_storage_size(counts);
        if (stored > 0)
            fprintf(p->out, ", compressed to %.6g MB", stored / 1e6);
    } else if (is_sparse) {
        report_rows(p);
    } else if (p->of->group || p->of->groups.n == 0) {
        fprintf(p->out, "no counts of voxels");
    }
    fputc('\n', p->out);
    rd_h5_drop(counts);
}

static void report_items(const struct info_page *p, const char *names, enum rd_variable_name name,
                         const char *title)
{
    int64_t n;
    char **const text = rd_result_texts(p->of->at, names, &n);
    double *const mean = n > 0 ? rd_summary_means(p->of->at, name, 0, n) : NULL;
    if (n > 0)
        fprintf(p->out, "\n%-32s %s\n", names, mean ? title : "");
    for (int64_t i = 0; i < n; i++) {
        report_name(p, text[i], 30);
        if (mean)
            fprintf(p->out, " %.10g", mean[i]);
        fputc('\n', p->out);
    }
    free(mean);
    rd_result_free_texts(text, n);
}

/* Prints a line for each region: its total of each species. */
static void report_regions(const struct info_page *p)
{
    int64_t n, n_species;
    char **const region = rd_result_texts(p->of->at, "region", &n);
    char **const species = rd_result_texts(p->of->at, "species", &n_species);
    if (n > 0)
        fprintf(p->out, "\n%-32s in its voxels at the last time, mean over runs\n", "region");
    for (int64_t i = 0; i < n; i++) {
        double *const mean = rd_summary_means(p->of->at, RD_REGION_MEAN, i, n_species);
        report_name(p, region[i], 30);
        for (int64_t k = 0; mean && k < n_species; k++)
            fprintf(p->out, "%s %s %.10g", k > 0 ? "," : "", species[k], mean[k]);
        fputc('\n', p->out);
        free(mean);
    }
    rd_result_free_texts(region, n);
    rd_result_free_texts(species, n_species);
}

/* Prints the number of individuals at the last time, and the names of their attributes. */
static void report_state_of(const struct info_page *p, hid_t species)
{
    struct rd_h5_name name;
    const double living = rd_summary_living(p->of, species);
    if (!isnan(living))
        fprintf(p->out, " %.10g", living);
    const char *before = "; attributes";
    for (hsize_t i = 0; rd_h5_name(species, i, &name); i++)
        if (!rd_summary_is_column(name.text)) {
            fprintf(p->out, "%s %s", before, name.text);
            before = ",";
        }
}

/* Prints the range of the attribute, and the value that occurs most. */
static void report_by_of(const struct info_page *p, hid_t entry)
{
    int64_t n;
    int64_t *const value = rd_result_integers(entry, "value", &n);
    double *mean = n > 0 ? rd_summary_means(entry, RD_BY_MEAN, 0, n) : NULL;
    if (!mean && n > 0)
        mean = rd_summary_means(entry, RD_BY_COUNTS, 0, n);
    double sum = 0.0;
    int64_t most = 0;
    for (int64_t i = 0; mean && i < n; i++) {
        sum += mean[i];
        most = mean[i] > mean[most] ? i : most;
    }
    if (value && n > 0)
        fprintf(p->out, " %lld to %lld", (long long)value[0], (long long)value[n - 1]);
    if (value && mean)
        fprintf(p->out, "; %.10g individuals, most with %lld: %.10g", sum, (long long)value[most],
                mean[most]);
    free(value);
    free(mean);
}

static void report_rows_of(const struct info_page *p, hid_t species, const char *table,
                           const char *before)
{
    const int64_t rows = rd_summary_rows(species, table);
    if (rows >= 0)
        fprintf(p->out, "%s %lld %s", before, (long long)rows, table);
}

static void report_lineage_of(const struct info_page *p, hid_t species)
{
    report_rows_of(p, species, "births", "");
    report_rows_of(p, species, "deaths", ",");
}

/* Prints a line for each species in the group. */
static void report_folder(const struct info_page *p, const char *folder, const char *title,
                          void (*report)(const struct info_page *p, hid_t species))
{
    struct rd_h5_name name;
    const hid_t group = rd_h5_open(p->of->at, folder);
    if (group >= 0)
        fprintf(p->out, "\n%-32s %s\n", folder, title);
    for (hsize_t i = 0; rd_h5_name(group, i, &name); i++) {
        const hid_t species = rd_h5_open(group, name.text);
        report_name(p, name.text, 30);
        report(p, species);
        fputc('\n', p->out);
        rd_h5_drop(species);
    }
    rd_h5_drop(group);
}

static void report_fields(const struct info_page *p)
{
    struct rd_h5_name name;
    struct rd_summary_range range;
    const hid_t group = rd_h5_open(p->of->at, "fields");
    if (group >= 0)
        fprintf(p->out, "\n%-32s in all voxels; in the first run at the last time\n", "fields");
    for (hsize_t i = 0; rd_h5_name(group, i, &name); i++) {
        const hid_t field = H5Dopen2(group, name.text, H5P_DEFAULT);
        report_name(p, name.text, 30);
        if (rd_summary_field(p->of, field, &range))
            fprintf(p->out, " %.10g to %.10g%s", range.least, range.most,
                    range.changes ? "" : ", always");
        fputc('\n', p->out);
        rd_h5_drop(field);
    }
    rd_h5_drop(group);
}

static herr_t report_fact(hid_t at, const char *name, const H5A_info_t *about, void *page)
{
    (void)about;
    const struct info_page *const p = page;
    if ((strncmp(name, "seconds_", 8) == 0) != p->is_timing)
        return 0;
    char *const text = rd_h5_get_text(at, name);
    double number;
    report_name(p, name, 30);
    if (text)
        fprintf(p->out, " %s\n", text);
    else if (rd_h5_get_number(at, name, &number))
        fprintf(p->out, " %.10g\n", number);
    else
        fputs(" (neither a text nor a number)\n", p->out);
    H5free_memory(text);
    return 0;
}

static void report_facts(const struct info_page *p, const char *parent, const char *path,
                         const char *title)
{
    const hid_t above = rd_h5_open(p->of->file, parent);
    const hid_t group = above < 0 ? above : rd_h5_open(p->of->file, path);
    if (group >= 0) {
        fprintf(p->out, "\n%s\n", title);
        H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, report_fact,
                    (void *)(uintptr_t)p);
    }
    rd_h5_drop(group);
    rd_h5_drop(above);
}

/* Prints the names of a configuration's files, if it includes others. */
static void report_files(const struct info_page *p)
{
    int64_t n = 0;
    const hid_t model = rd_h5_open(p->of->file, "model");
    const hid_t files = model < 0 ? model : rd_h5_open(model, "files");
    char **const name = files < 0 ? NULL : rd_result_texts(p->of->file, "model/files/name", &n);
    for (int64_t i = 0; name && i < n; i++)
        fprintf(p->out, "%-14s %s\n", i ? "" : "made from", name[i]);
    if (name)
        rd_result_free_texts(name, n);
    rd_h5_drop(files);
    rd_h5_drop(model);
}

/* Prints what the last snapshot has. */
static void report_contents(const struct info_page *p)
{
    if (!p->of->has_snapshots)
        return;
    report_items(p, "species", RD_TOTAL_MEAN, "in all voxels at the last time, mean over runs");
    report_items(p, "observable", RD_OBSERVABLE_MEAN,
                 "in all voxels at the last time, mean over runs");
    report_items(p, "value", RD_VALUE_MEAN, "at the last time, mean over runs");
    report_regions(p);
    report_items(p, "reaction", RD_REACTIONS, "fired by the last time, mean over runs");
    report_folder(p, "by", "values; at the last time, mean over runs", report_by_of);
    report_folder(p, "individuals", "at the last time, mean over runs", report_state_of);
    report_fields(p);
}

/* Prints the groups of the output that have a name. */
static void report_groups(const struct info_page *p)
{
    for (int i = 0; i < p->of->groups.n; i++) {
        struct rd_summary group;
        rd_summary_enter(&group, p->of, p->of->groups.name[i]);
        const struct info_page page = {.out = p->out, .of = &group};
        fprintf(p->out, "\n%-14s %s\n", "group", group.group);
        report_times(&page);
        report_runs(&page);
        report_size(&page);
        report_contents(&page);
        rd_summary_leave(&group);
    }
}

static void report_all(const struct info_page *p)
{
    fprintf(p->out, "%-14s %s\n", "result", p->of->path);
    report_state(p);
    print_faulted_runs(p);
    report_checkpoint(p);
    report_text(p, p->of->file, "title", "title");
    report_text(p, p->of->file, "source", "written by");
    report_files(p);
    report_grid(p);
    report_times(p);
    report_runs(p);
    report_size(p);
    report_contents(p);
    report_groups(p);
    report_folder(p, "lineage", "recorded in all runs", report_lineage_of);
    report_facts(p, "model", "model/derived", "derived");
    report_facts(p, "provenance", "provenance", "provenance");
}

bool rd_store_info(const char *path, FILE *out, struct rd_error *e)
{
    struct rd_summary s;
    bool good = rd_summary_open(&s, path, e);
    if (good) {
        struct info_page p = {.out = out, .of = &s};
        report_all(&p);
        p.is_timing = true;
        report_facts(&p, "provenance", "provenance", "timing, in seconds");
        good = rd_summary_check(&s, e);
    }
    rd_summary_close(&s);
    return good;
}
