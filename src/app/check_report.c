/* check_report - the report of `rdsim check` as a page or as a JSON document; separate because
   check.c prints the plan only. */
#define _POSIX_C_SOURCE 200809L
#include "app/check.h"
#include "app/check_halve.h"
#include "result/write/result.h"

#include <stdlib.h>

/* Writes the lines of the report, whole. */
static bool write_lines(const struct rd_options *o, struct rd_setup *a, FILE *report,
                        struct rd_error *e)
{
    const struct rd_machine_of machine = {
        .backend = o->backend, .threads = o->threads, .device = o->device};
    char batches[400];
    rd_batch_describe(batches, sizeof batches, &a->plan, &machine, o->at_once);
    rd_setup_warn_of_step(a);
    rd_check_files(report, a->config);
    return rd_check_print(report, &a->plan, &a->forecast, batches, e) &&
           (!o->halve || rd_check_halve(report, a, o, e));
}

bool rd_check_report(const struct rd_options *o, struct rd_setup *a, FILE *out,
                     struct rd_error *refused, struct rd_error *e)
{
    char *page = NULL;
    size_t length = 0;
    FILE *const report = open_memstream(&page, &length);
    if (!report)
        return rd_fail(e, "out of memory for the report");
    bool ok = write_lines(o, a, report, e);
    if (fclose(report) != 0)
        ok = rd_fail(e, "out of memory for the report");
    if (page && !o->json)
        rd_check_page(out, page);
    if (ok)
        rd_store_check(a->model.file, o->force, refused);
    if (ok && o->json)
        rd_check_json(out, a, o->file, page, refused);
    free(page);
    return ok;
}
