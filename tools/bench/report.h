/* report - prints the figures of the bench one by one as a table, or all of them as JSON. */
#ifndef RD_BENCH_REPORT_H
#define RD_BENCH_REPORT_H

#include "bench/figure.h"

#include <stdio.h>

enum rd_report_form { RD_REPORT_TABLE, RD_REPORT_MARKDOWN, RD_REPORT_SILENT };

struct rd_report {
    FILE *out;
    enum rd_report_form form;
    const char *backend, *device;
    int threads;
    double free_bytes;        /* of memory at the start; < 0: unknown */
    struct rd_figure *figure; /* owned */
    int n;
};

/* Prints the program, the machine and the head of the table. */
void rd_report_begin(const struct rd_report *r);
/* Prints the figure, and stores a copy. Returns false and sets e if memory is short. */
bool rd_report_add(struct rd_report *r, const struct rd_figure *f, struct rd_error *e);
/* Prints the sources of the peers' figures. */
void rd_report_end(const struct rd_report *r);
void rd_report_free(struct rd_report *r);

/* Prints all figures with all repeats as JSON. */
struct rd_bench_of;
void rd_report_json(const struct rd_report *r, const struct rd_bench_of *of, FILE *out);

#endif
