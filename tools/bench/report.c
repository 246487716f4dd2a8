/* report - prints the table, a line for each figure as soon as it is measured; or all figures, with
   every repeat, as JSON. */
#include "app/derived.h"
#include "base/text.h"
#include "bench/bench.h"
#include "rd_version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds the texts of a line of the table. */
enum { OF, WHAT, TIME, RATE, FLOOR, PEER, RATIO, SPREAD, NOTE, N_COLUMNS };
struct table_row {
    char column[N_COLUMNS][256];
};

static const struct table_column {
    const char *name;
    int width;
    bool is_number;
} columns[N_COLUMNS] = {
    {"case", 11, false}, {"what", 42, false},   {"time", 9, true},
    {"rate", 24, true},  {"of floor", 8, true}, {"peer", 9, true},
    {"ratio", 7, true},  {"spread", 7, true},   {"", 0, false},
};

static void print_bench_line(const struct rd_report *r, const struct table_row *l)
{
    char text[4096];
    size_t end = 0, used = 0;
    for (int i = 0; i < N_COLUMNS; i++) {
        const struct table_column *const c = &columns[i];
        if (r->form == RD_REPORT_MARKDOWN)
            end += (size_t)snprintf(text + end, sizeof text - end, "| %s ", l->column[i]);
        else
            end += (size_t)snprintf(text + end, sizeof text - end,
                                    c->is_number ? "%*s  " : "%-*s  ", c->width, l->column[i]);
        if (l->column[i][0])
            used = end;
    }
    if (r->form == RD_REPORT_MARKDOWN) {
        fprintf(r->out, "%s|\n", text);
        return;
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    fprintf(r->out, "%.*s\n", (int)used, text);
}

static void print_bench_head(const struct rd_report *r)
{
    struct table_row head = {0}, rule = {0};
    for (int i = 0; i < N_COLUMNS; i++) {
        strcpy(head.column[i], columns[i].name);
        strcpy(rule.column[i], columns[i].is_number ? "--:" : "---");
    }
    print_bench_line(r, &head);
    if (r->form == RD_REPORT_MARKDOWN)
        print_bench_line(r, &rule);
}

void rd_report_begin(const struct rd_report *r)
{
    if (r->form == RD_REPORT_SILENT)
        return;
    fprintf(r->out, "rdsim %s (%s) on %s, back end %s", RD_VERSION, RD_COMMIT, r->device,
            r->backend);
    if (r->threads > 1)
        fprintf(r->out, ", %d threads", r->threads);
    if (r->free_bytes >= 0.0)
        fprintf(r->out, ", %.3g GB free", r->free_bytes / 1e9);
    fprintf(r->out, ".\n\n");
    print_bench_head(r);
}

/* Writes the figure as texts; missing values stay empty. */
static void take_line(struct table_row *l, const struct rd_figure *f)
{
    *l = (struct table_row){0};
    const double median = rd_sample_median(&f->seconds);
    const size_t bytes = sizeof l->column[0];
    snprintf(l->column[OF], bytes, "%s", f->of);
    snprintf(l->column[WHAT], bytes, "%s", f->what);
    snprintf(l->column[NOTE], bytes, "%s", f->note);
    if (f->seconds.n > 0)
        rd_figure_scaled(l->column[TIME], bytes, median, "s");
    if (f->value != 0.0)
        rd_figure_scaled(l->column[RATE], bytes, f->value, f->unit);
    if (f->floor > 0.0 && median > 0.0)
        rd_figure_scaled(l->column[FLOOR], bytes, 100.0 * f->floor / median, "%");
    if (f->peer && f->peer->seconds > 0.0)
        rd_figure_scaled(l->column[PEER], bytes, f->peer->seconds, "s");
    else if (f->peer)
        rd_figure_scaled(l->column[PEER], bytes, f->peer->rate, "/s");
    if (f->ratio > 0.0)
        rd_figure_scaled(l->column[RATIO], bytes, f->ratio, "x");
    if (f->seconds.n > 1)
        rd_figure_scaled(l->column[SPREAD], bytes, 100.0 * rd_sample_spread(&f->seconds), "%");
}

bool rd_report_add(struct rd_report *r, const struct rd_figure *f, struct rd_error *e)
{
    struct rd_figure *const figure = realloc(r->figure, ((size_t)r->n + 1) * sizeof *figure);
    if (!figure)
        return rd_fail(e, "out of memory for the figures");
    r->figure = figure;
    r->figure[r->n++] = *f;
    struct table_row line;
    take_line(&line, f);
    if (r->form != RD_REPORT_SILENT) {
        print_bench_line(r, &line);
        fflush(r->out); /* the next figure may take long */
    }
    return true;
}

/* Returns whether an earlier figure of the same case has a peer. */
static bool has_earlier_peer(const struct rd_report *r, int figure)
{
    for (int i = 0; i < figure; i++)
        if (r->figure[i].peer && strcmp(r->figure[i].of, r->figure[figure].of) == 0)
            return true;
    return false;
}

void rd_report_end(const struct rd_report *r)
{
    if (r->form == RD_REPORT_SILENT)
        return;
    fputs("\n"
          "Times are medians of repeats after a warm-up, per step unless stated otherwise; spread "
          "is the longest minus\n"
          "the shortest. The floor is the memory traffic: each count (8 bytes per voxel and "
          "species) or entry of a list\n"
          "(16 bytes) read and written once; for an ensemble, four random words per event.\n"
          "Rates count a step of each voxel, molecule or individual, or events.\n",
          r->out);
    for (int i = 0; i < r->n; i++)
        if (r->figure[i].peer && !has_earlier_peer(r, i))
            fprintf(r->out, "Peer of '%s': %s, %s.\n", r->figure[i].of, r->figure[i].peer->program,
                    r->figure[i].peer->source);
}

/* Prints a member of an object that is not its first. */
static void print_member(FILE *out, const char *name, double value)
{
    fprintf(out, ", \"%s\": ", name);
    rd_json_number(out, value);
}

static void print_member_text(FILE *out, const char *name, const char *value)
{
    fprintf(out, ", \"%s\": ", name);
    rd_json_text(out, value);
}

static void print_bench_sample(FILE *out, const struct rd_sample *s)
{
    print_member(out, "seconds", rd_sample_median(s));
    fputs(", \"repeats\": [", out);
    for (int i = 0; i < s->n; i++) {
        fputs(i ? ", " : "", out);
        rd_json_number(out, s->value[i]);
    }
    fputs("]", out);
}

static void print_peer(FILE *out, const struct rd_figure *f)
{
    fputs(", \"peer\": {\"program\": ", out);
    rd_json_text(out, f->peer->program);
    print_member_text(out, "source", f->peer->source);
    if (f->peer->seconds > 0.0)
        print_member(out, "seconds", f->peer->seconds);
    else
        print_member(out, "rate", f->peer->rate);
    fputs("}", out);
    if (f->ratio > 0.0)
        print_member(out, "ratio", f->ratio);
}

/* Prints the parts of a step that took time. */
static void print_parts(FILE *out, const struct rd_figure *f)
{
    bool has_one = false;
    for (int i = 0; i < RD_N_TIMES; i++) {
        if (!(f->pass[i] > 0.0))
            continue;
        fprintf(out, "%s\"%s\": ", has_one ? ", " : ", \"parts\": {",
                rd_facts_second[i] + strlen("seconds_"));
        rd_json_number(out, f->pass[i]);
        has_one = true;
    }
    fputs(has_one ? "}" : "", out);
}

static void print_bench_figure(FILE *out, const struct rd_figure *f)
{
    fputs("    {\"case\": ", out);
    rd_json_text(out, f->of);
    print_member_text(out, "what", f->what);
    if (f->voxels > 0) {
        print_member(out, "voxels", f->voxels);
        print_member(out, "load", f->load);
    }
    if (f->steps > 0)
        print_member(out, "steps", (double)f->steps);
    if (f->seconds.n > 0)
        print_bench_sample(out, &f->seconds);
    if (f->value != 0.0) {
        print_member(out, "value", f->value);
        print_member_text(out, "unit", f->unit);
    }
    if (f->floor > 0.0)
        print_member(out, "floor_seconds", f->floor);
    if (f->peer)
        print_peer(out, f);
    print_parts(out, f);
    if (*f->note)
        print_member_text(out, "note", f->note);
    fputs("}", out);
}

static void print_sets(FILE *out, const struct rd_bench_of *of)
{
    fputs("  \"set\": {", out);
    for (int i = 0; i < of->n_set; i++) {
        fputs(i ? ", " : "", out);
        rd_json_text(out, of->set[i].path);
        fputs(": ", out);
        rd_json_text(out, of->set[i].value);
    }
    fputs("},\n", out);
}

void rd_report_json(const struct rd_report *r, const struct rd_bench_of *of, FILE *out)
{
    fputs("{\n  \"program\": \"rdsim\"", out);
    print_member_text(out, "version", RD_VERSION);
    print_member_text(out, "commit", RD_COMMIT);
    fputs(",\n  \"machine\": {\"backend\": ", out);
    rd_json_text(out, r->backend);
    print_member_text(out, "device", r->device);
    print_member(out, "threads", r->threads);
    print_member(out, "free_bytes", r->free_bytes >= 0.0 ? r->free_bytes : NAN);
    fprintf(out, "},\n  \"quick\": %s,\n", of->is_quick ? "true" : "false");
    print_sets(out, of);
    fputs("  \"figures\": [\n", out);
    for (int i = 0; i < r->n; i++) {
        print_bench_figure(out, &r->figure[i]);
        fputs(i + 1 < r->n ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
}

void rd_report_free(struct rd_report *r)
{
    free(r->figure);
    *r = (struct rd_report){0};
}
