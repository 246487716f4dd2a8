/* compare_json - prints the comparison of two ensembles as JSON. */
#include "base/text.h"
#include "result/read/compare.h"

#include <math.h>

static void print_compared_number(FILE *out, const char *before, double value)
{
    fputs(before, out);
    rd_json_number(out, value);
}

/* Prints one ensemble, with what only it has. */
static void put_sample(FILE *out, const struct rd_comparison *c, int side)
{
    const struct rd_total_moments *const s = &c->of[side];
    const char *before = "";
    fprintf(out, "  \"%s\": {\"file\": ", side ? "b" : "a");
    rd_json_text(out, s->path);
    print_compared_number(out, ", \"runs\": ", s->is_exact ? (double)NAN : s->n_runs);
    print_compared_number(out, ", \"seed\": ", s->seed);
    fputs(", \"other_times\": [", out);
    for (int64_t i = 0, k = 0; i < s->n_times; i++) {
        if (rd_comparison_has(c->time[side], c->n_times, i))
            continue;
        print_compared_number(out, k++ ? ", " : "", s->time[i]);
    }
    fputs("], \"other_species\": [", out);
    for (int64_t i = 0; i < s->n_species; i++) {
        if (rd_comparison_has(c->species[side], c->n_species, i))
            continue;
        fputs(before, out);
        rd_json_text(out, s->species[i]);
        before = ", ";
    }
    fputs("]},\n", out);
}

static void put_pair(FILE *out, const struct rd_comparison *c, const struct rd_compared_pair *p)
{
    print_compared_number(out, "{\"a\": ", p->value[0]);
    print_compared_number(out, ", \"b\": ", p->value[1]);
    print_compared_number(out, ", \"z\": ", p->is_tested ? p->by.z : (double)NAN);
    print_compared_number(out, ", \"error\": ", p->by.error);
    print_compared_number(out,
                          ", \"finds\": ", p->is_tested ? rd_comparison_finds(c, p) : (double)NAN);
    fprintf(out, ", \"tested\": %s, \"differs\": %s}", p->is_tested ? "true" : "false",
            p->differs ? "true" : "false");
}

static void print_compared_rows(FILE *out, const struct rd_comparison *c)
{
    fputs("  \"comparisons\": [", out);
    for (int64_t t = 0; t < c->n_times; t++)
        for (int64_t i = 0; i < c->n_species; i++) {
            print_compared_number(out, t + i > 0 ? ",\n    {\"time\": " : "\n    {\"time\": ",
                                  c->of[0].time[c->time[0][t]]);
            fputs(", \"species\": ", out);
            rd_json_text(out, c->of[0].species[c->species[0][i]]);
            fputs(", \"mean\": ", out);
            put_pair(out, c, rd_comparison_pair(c, t, i, RD_OF_MEANS));
            fputs(", \"variance\": ", out);
            put_pair(out, c, rd_comparison_pair(c, t, i, RD_OF_VARIANCES));
            fputc('}', out);
        }
    fputs("\n  ],\n", out);
}

void rd_comparison_json(const struct rd_comparison *c, FILE *out)
{
    fputs("{\n", out);
    put_sample(out, c, 0);
    put_sample(out, c, 1);
    print_compared_number(out, "  \"level\": ", RD_COMPARE_LEVEL);
    fputs(",\n  \"correction\": \"Holm\",\n", out);
    fprintf(out, "  \"times\": %lld,\n  \"species\": %lld,\n  \"tested\": %lld,\n",
            (long long)c->n_times, (long long)c->n_species, (long long)c->n_tested);
    print_compared_number(out, "  \"critical_z\": ", c->critical);
    fputs(",\n", out);
    print_compared_rows(out, c);
    fprintf(out, "  \"differing\": %lld,\n  \"same_seed\": %s,\n  \"verdict\": \"%s\"\n}\n",
            (long long)c->n_differing, rd_comparison_shares_seed(c) ? "true" : "false",
            c->n_differing > 0 ? "differ" : "agree");
}
