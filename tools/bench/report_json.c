/* report_json - prints all figures, with every repeat, as JSON. */
#include "app/derived.h"
#include "base/text.h"
#include "bench/bench.h"
#include "rd_version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void print_sample(FILE *out, const struct rd_sample *s)
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

static void print_figure(FILE *out, const struct rd_figure *f)
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
        print_sample(out, &f->seconds);
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
        print_figure(out, &r->figure[i]);
        fputs(i + 1 < r->n ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
}
