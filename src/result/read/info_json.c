/* info_json - `rdsim info --json`: prints the contents of a result as JSON. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/result_reader.h"

#include "base/text.h"
#include "result/read/counts_reader.h"
#include "result/read/summary.h"

#include <math.h>
#include <stdlib.h>

/* Describes the output file, and the result. */
struct json_page {
    FILE *out;
    const struct rd_summary *of;
    bool has_one; /* the current group has a member already */
};

/* Prints the name of a member of a group, after a comma if it is not the first. */
static void begin_member(struct json_page *p, const char *name)
{
    fputs(p->has_one ? ", " : "", p->out);
    p->has_one = true;
    rd_json_text(p->out, name);
    fputs(": ", p->out);
}

static void print_json_number(struct json_page *p, const char *name, double value)
{
    begin_member(p, name);
    rd_json_number(p->out, value);
}

static void print_json_attribute(struct json_page *p, hid_t at, const char *name)
{
    char *const text = rd_h5_get_text(at, name);
    double number = (double)NAN;
    begin_member(p, name);
    if (text)
        rd_json_text(p->out, text);
    else
        rd_json_number(p->out, rd_h5_get_number(at, name, &number) ? number : (double)NAN);
    H5free_memory(text);
}

static void begin_json_group(struct json_page *p, const char *name)
{
    begin_member(p, name);
    fputc('{', p->out);
    p->has_one = false;
}

static void end_json_group(struct json_page *p)
{
    fputc('}', p->out);
    p->has_one = true;
}

static void print_json_head(struct json_page *p)
{
    const struct rd_summary *const s = p->of;
    begin_member(p, "result");
    rd_json_text(p->out, s->path);
    begin_member(p, "state");
    if (s->state.state == RD_STATE_FOREIGN)
        fputs("null", p->out);
    else
        rd_json_text(p->out, rd_state_name(s->state.state));
    print_json_number(p, "until", s->state.until);
    int64_t n_faulted = 0;
    if (H5Lexists(s->file, "faults", H5P_DEFAULT) > 0)
        free(rd_result_integers(s->file, "faults/run", &n_faulted));
    print_json_number(p, "runs_faulted", (double)n_faulted);
    print_json_number(p, "snapshots", (double)s->n_moments);
    print_json_number(p, "snapshots_wanted", s->n_wanted < 0 ? (double)NAN : (double)s->n_wanted);
    print_json_attribute(p, s->file, "title");
    print_json_attribute(p, s->file, "source");
    print_json_number(p, "bytes", s->bytes);
    begin_member(p, "voxels");
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "[", p->out);
        rd_json_number(p->out, s->voxels[i] > 0 ? (double)s->voxels[i] : (double)NAN);
    }
    fputc(']', p->out);
    begin_member(p, "edges");
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "[", p->out);
        rd_json_number(p->out, s->edge[i]);
    }
    fputc(']', p->out);
    print_json_number(p, "runs", (double)s->n_all);
    print_json_number(p, "first_run", s->n_runs > 0 ? (double)s->run[0] : (double)NAN);
}

/* Prints names, each with its mean over runs at the last time, or null. */
static void put_items(struct json_page *p, const char *names, enum rd_variable_name name)
{
    int64_t n;
    char **const text = rd_result_texts(p->of->at, names, &n);
    double *const mean = n > 0 ? rd_summary_means(p->of->at, name, 0, n) : NULL;
    begin_json_group(p, names);
    for (int64_t i = 0; i < n; i++)
        print_json_number(p, text[i], mean ? mean[i] : (double)NAN);
    end_json_group(p);
    free(mean);
    rd_result_free_texts(text, n);
}

/* Prints the total of each species in each region. */
static void put_regions(struct json_page *p)
{
    int64_t n, n_species;
    char **const region = rd_result_texts(p->of->at, "region", &n);
    char **const species = rd_result_texts(p->of->at, "species", &n_species);
    begin_json_group(p, "region");
    for (int64_t i = 0; i < n; i++) {
        double *const mean = rd_summary_means(p->of->at, RD_REGION_MEAN, i, n_species);
        begin_json_group(p, region[i]);
        for (int64_t k = 0; k < n_species; k++)
            print_json_number(p, species[k], mean ? mean[k] : (double)NAN);
        end_json_group(p);
        free(mean);
    }
    end_json_group(p);
    rd_result_free_texts(region, n);
    rd_result_free_texts(species, n_species);
}

static void put_individuals(struct json_page *p, hid_t species)
{
    struct rd_h5_name name;
    print_json_number(p, "number", rd_summary_living(p->of, species));
    begin_member(p, "attributes");
    const char *before = "[";
    for (hsize_t i = 0; rd_h5_name(species, i, &name); i++)
        if (!rd_summary_is_column(name.text)) {
            fputs(before, p->out);
            rd_json_text(p->out, name.text);
            before = ", ";
        }
    fputs(*before == '[' ? "[]" : "]", p->out);
}

/* Prints the individuals with each value of an attribute. */
static void put_by(struct json_page *p, hid_t entry)
{
    int64_t n;
    int64_t *const value = rd_result_integers(entry, "value", &n);
    double *mean = n > 0 ? rd_summary_means(entry, RD_BY_MEAN, 0, n) : NULL;
    if (!mean && n > 0)
        mean = rd_summary_means(entry, RD_BY_COUNTS, 0, n);
    for (int64_t i = 0; value && i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)value[i]);
        print_json_number(p, name, mean ? mean[i] : (double)NAN);
    }
    free(value);
    free(mean);
}

static void put_lineage(struct json_page *p, hid_t species)
{
    static const char *const table[] = {"births", "deaths"};
    for (int i = 0; i < 2; i++) {
        const int64_t rows = rd_summary_rows(species, table[i]);
        print_json_number(p, table[i], rows < 0 ? (double)NAN : (double)rows);
    }
}

static void put_folder(struct json_page *p, const char *folder,
                       void (*put)(struct json_page *p, hid_t species))
{
    struct rd_h5_name name;
    const hid_t group = rd_h5_open(p->of->at, folder);
    begin_json_group(p, folder);
    for (hsize_t i = 0; rd_h5_name(group, i, &name); i++) {
        const hid_t species = rd_h5_open(group, name.text);
        begin_json_group(p, name.text);
        put(p, species);
        end_json_group(p);
        rd_h5_drop(species);
    }
    end_json_group(p);
    rd_h5_drop(group);
}

static void print_json_fields(struct json_page *p)
{
    struct rd_h5_name name;
    const hid_t group = rd_h5_open(p->of->at, "fields");
    begin_json_group(p, "fields");
    for (hsize_t i = 0; rd_h5_name(group, i, &name); i++) {
        struct rd_summary_range range;
        const hid_t field = H5Dopen2(group, name.text, H5P_DEFAULT);
        const bool is_known = rd_summary_field(p->of, field, &range);
        begin_json_group(p, name.text);
        print_json_number(p, "least", is_known ? range.least : (double)NAN);
        print_json_number(p, "most", is_known ? range.most : (double)NAN);
        begin_member(p, "changes");
        fputs(range.changes ? "true" : "false", p->out);
        end_json_group(p);
        rd_h5_drop(field);
    }
    end_json_group(p);
    rd_h5_drop(group);
}

/* Prints what the last snapshot has. */
static void put_contents(struct json_page *p)
{
    int64_t n_rows, stored;
    rd_counts_size(p->of->at, &n_rows, &stored);
    if (rd_counts_are_sparse(p->of->at))
        print_json_number(p, "sparse_rows", (double)n_rows);
    put_items(p, "species", RD_TOTAL_MEAN);
    if (H5Lexists(p->of->at, "observable", H5P_DEFAULT) > 0)
        put_items(p, "observable", RD_OBSERVABLE_MEAN);
    if (H5Lexists(p->of->at, "value", H5P_DEFAULT) > 0)
        put_items(p, "value", RD_VALUE_MEAN);
    put_regions(p);
    put_items(p, "reaction", RD_REACTIONS);
    if (H5Lexists(p->of->at, "by", H5P_DEFAULT) > 0)
        put_folder(p, "by", put_by);
    put_folder(p, "individuals", put_individuals);
    print_json_fields(p);
}

/* Prints the groups of the output that have a name. */
static void put_groups(struct json_page *p)
{
    begin_json_group(p, "groups");
    for (int i = 0; i < p->of->groups.n; i++) {
        struct rd_summary group;
        rd_summary_enter(&group, p->of, p->of->groups.name[i]);
        struct json_page page = {.out = p->out, .of = &group};
        begin_json_group(p, group.group);
        print_json_number(&page, "snapshots", (double)group.n_times);
        print_json_number(&page, "runs", (double)group.n_runs);
        put_contents(&page);
        end_json_group(p);
        rd_summary_leave(&group);
    }
    end_json_group(p);
}

static herr_t put_fact(hid_t at, const char *name, const H5A_info_t *about, void *page)
{
    (void)about;
    print_json_attribute(page, at, name);
    return 0;
}

static void print_json_facts(struct json_page *p, const char *name, hid_t group)
{
    begin_json_group(p, name);
    if (group >= 0)
        H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, put_fact, p);
    end_json_group(p);
    rd_h5_drop(group);
}

bool rd_store_info_json(const char *path, FILE *out, struct rd_error *e)
{
    struct rd_summary s;
    bool good = rd_summary_open(&s, path, e);
    if (good) {
        struct json_page p = {.out = out, .of = &s};
        fputc('{', out);
        print_json_head(&p);
        put_contents(&p);
        put_folder(&p, "lineage", put_lineage);
        put_groups(&p);
        const hid_t model = rd_h5_open(s.file, "model");
        print_json_facts(&p, "derived", rd_h5_open(model, "derived"));
        rd_h5_drop(model);
        print_json_facts(&p, "provenance", rd_h5_open(s.file, "provenance"));
        fputs("}\n", out);
        good = rd_summary_check(&s, e);
    }
    rd_summary_close(&s);
    return good;
}
