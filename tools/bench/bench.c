/* bench - `rdsim-bench`: opens the machine, measures its limits, runs the selected cases and writes
   the figures. */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "bench/cases.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_stdout(const char *json)
{
    return json && strcmp(json, "-") == 0;
}

/* Checks the file before anything is measured, so that no file is overwritten and no figures are
   lost. */
static bool check_json(const struct rd_bench_of *of, struct rd_error *e)
{
    if (!of->json || is_stdout(of->json))
        return true;
    const bool is_there = access(of->json, F_OK) == 0;
    if (is_there && !of->force)
        return rd_fail(e, "%s: exists; name another file, or replace it with --force", of->json);
    FILE *const file = fopen(of->json, "a");
    if (!file)
        return rd_fail(e, "%s: cannot be written: %s", of->json, strerror(errno));
    fclose(file);
    if (!is_there)
        unlink(of->json);
    return true;
}

static bool write_json(const struct rd_bench *b, FILE *out, struct rd_error *e)
{
    const char *const json = b->of->json;
    if (!json)
        return true;
    FILE *const file = is_stdout(json) ? out : fopen(json, "w");
    if (!file)
        return rd_fail(e, "%s: cannot be written: %s", json, strerror(errno));
    rd_report_json(&b->report, b->of, file);
    if (file == out)
        return true;
    const bool ok = fflush(file) == 0 && !ferror(file);
    return (fclose(file) == 0 && ok) ||
           rd_fail(e, "%s: cannot be written: %s", json, strerror(errno));
}

/* Sets the name of the device: for the CPU, the model name in /proc/cpuinfo. */
static void name_device(struct rd_bench *b)
{
    snprintf(b->device, sizeof b->device, "%s", b->backend->device(b->machine));
    FILE *const file = b->is_gpu ? NULL : fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        char *const name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!name)
            continue;
        name[strcspn(name, "\n")] = 0;
        snprintf(b->device, sizeof b->device, "%s", name + strspn(name, ": "));
        break;
    }
    if (file)
        fclose(file);
}

static bool open_bench_machine(struct rd_bench *b, FILE *out, struct rd_error *e)
{
    const struct rd_machine_of *const machine = &b->of->machine;
    struct rd_error why_not = {0}; /* not printed: the report names the machine */
    b->backend = rd_backend_open(machine->backend, &b->machine, machine->threads, machine->device,
                                 &why_not, e);
    rd_error_free(&why_not);
    if (!b->backend)
        return false;
    b->is_gpu = b->backend != &rd_backend_cpu;
    name_device(b);
    b->report = (struct rd_report){.out = out,
                                   .form = is_stdout(b->of->json) ? RD_REPORT_SILENT
                                           : b->of->is_markdown   ? RD_REPORT_MARKDOWN
                                                                  : RD_REPORT_TABLE,
                                   .backend = b->backend->name,
                                   .device = b->device,
                                   .threads = b->backend->threads(b->machine),
                                   .free_bytes = (double)b->backend->memory(b->machine)};
    return true;
}

/* Reports a case for the CPU that was selected by name on a GPU. */
static bool report_left_out(struct rd_bench *b, const struct rd_case *c, struct rd_error *e)
{
    const struct rd_figure f = {
        .of = c->name, .what = "left out", .note = "runs only with --backend cpu"};
    return rd_report_add(&b->report, &f, e);
}

static bool run_cases(struct rd_bench *b, struct rd_error *e)
{
    bool ok = !b->of->model || rd_case_model(b, e);
    for (int i = 0; ok && !b->of->model && i < rd_n_cases; i++) {
        const struct rd_case *const c = &rd_cases[i];
        if (rd_case_is_selected(b, c))
            ok = c->on_gpu || !b->is_gpu ? c->run(b, e) : report_left_out(b, c, e);
    }
    return ok;
}

static bool measure_and_report(struct rd_bench *b, FILE *out, struct rd_error *e)
{
    rd_report_begin(&b->report);
    if (!rd_machine_limits_measure(b, e) || !run_cases(b, e))
        return false;
    rd_report_end(&b->report);
    return write_json(b, out, e);
}

bool rd_bench(const struct rd_bench_of *of, FILE *out, struct rd_error *e)
{
    struct rd_bench b = {.of = of};
    bool ok = rd_cases_check(of, e) && open_bench_machine(&b, out, e) && check_json(of, e);
    e->wrong = !ok;
    ok = ok && measure_and_report(&b, out, e);
    if (b.machine)
        b.backend->close(b.machine);
    rd_report_free(&b.report);
    return ok;
}
