/* cases - the list of cases, their selection, and the trial of a case at one size. */
#include "bench/cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rd_case rd_cases[] = {
    {"peer", "three species, A + B <-> C, D tau/h^2 = q: a case of Lattice Microbes", true,
     rd_case_peer},
    {"movement", "the same three species without reactions", true, rd_case_movement},
    {"split", "A + B <-> C at its equilibrium: a time unit of the split solver", true,
     rd_case_split},
    {"regions", "the same in a cell with a nucleus, against no regions", true, rd_case_regions},
    {"propensities", "Michaelis-Menten propensities, evaluated in each voxel and step", true,
     rd_case_propensities},
    {"individuals", "walkers with 1 % deaths and births per step, against one sort of their list",
     true, rd_case_individuals},
    {"exact", "A + B <-> C at its equilibrium: events of the exact solver", false, rd_case_exact},
    {"ensemble",
     "ten thousand runs of five reactions in one voxel, against hand-written code on one core",
     true, rd_case_ensemble},
    {"threads", "all threads against one", false, rd_case_threads},
    {"memory", "bytes per voxel and species, and per individual", true, rd_case_memory},
    {"recording", "a snapshot every 100 steps: totals, statistics, counts", true,
     rd_case_recording},
    {"checkpoint", "the time that a run waits for a checkpoint, against writing as many bytes",
     true, rd_case_checkpoint},
};
const int rd_n_cases = sizeof rd_cases / sizeof rd_cases[0];

static const char *case_name(const void *list, int i)
{
    return ((const struct rd_case *)list)[i].name;
}

/* Returns whether the command line names the case. */
static bool is_case_named(const struct rd_bench_of *of, const char *name)
{
    for (int i = 0; i < of->n_names; i++)
        if (strcmp(of->name[i], name) == 0)
            return true;
    return false;
}

bool rd_case_is_selected(const struct rd_bench *b, const struct rd_case *c)
{
    return b->of->n_names > 0 ? is_case_named(b->of, c->name) : c->on_gpu || !b->is_gpu;
}

bool rd_cases_check(const struct rd_bench_of *of, struct rd_error *e)
{
    bool ok = true;
    for (int i = 0; i < of->n_names; i++) {
        bool is_one = false;
        for (int k = 0; k < rd_n_cases; k++)
            is_one = is_one || strcmp(of->name[i], rd_cases[k].name) == 0;
        const char *const near = rd_text_nearest(of->name[i], rd_n_cases, case_name, rd_cases);
        if (!is_one)
            ok = rd_fail(e, "--case %s: there is no such case; %s%s%s", of->name[i],
                         near ? "did you mean '" : "see rdsim-bench --list", near ? near : "",
                         near ? "'?" : "");
    }
    return ok;
}

void rd_cases_list(FILE *out)
{
    for (int i = 0; i < rd_n_cases; i++)
        fprintf(out, "%-12s %s%s\n", rd_cases[i].name, rd_cases[i].meaning,
                rd_cases[i].on_gpu ? "" : " (on the CPU)");
}

int rd_sizes(const struct rd_bench_of *of, const struct rd_size *list, int n, int n_quick,
             struct rd_size *size)
{
    if (of->is_quick)
        n = n_quick;
    int n_sizes = 0;
    for (int i = 0; i < n; i++) {
        const struct rd_size wanted = {of->voxels > 0 ? of->voxels : list[i].voxels,
                                       of->load > 0.0 ? of->load : list[i].load};
        bool is_new = true;
        for (int k = 0; k < n_sizes; k++)
            is_new = is_new && (size[k].voxels != wanted.voxels || size[k].load != wanted.load);
        if (is_new)
            size[n_sizes++] = wanted;
    }
    return n_sizes;
}

double rd_size_voxels(const struct rd_size *s)
{
    return (double)s->voxels * s->voxels * s->voxels;
}

int64_t rd_size_number(const struct rd_size *s)
{
    return (int64_t)(s->load * rd_size_voxels(s) + 0.5);
}

void rd_settings_add(struct rd_settings *s, const char *path, const char *format, ...)
{
    assert(s->n < RD_SETTINGS_MOST);
    va_list values;
    va_start(values, format);
    vsnprintf(s->value[s->n], sizeof s->value[s->n], format, values);
    va_end(values);
    s->path[s->n++] = path;
}

/* Returns the trial's own changes, then those of the command line; the caller frees them. */
static struct rd_set *all_sets(const struct rd_trial *t, const struct rd_bench_of *of)
{
    struct rd_set *const set = malloc((size_t)(t->set.n + of->n_set) * sizeof *set + 1);
    for (int i = 0; set && i < t->set.n; i++)
        set[i] = (struct rd_set){.path = t->set.path[i], .value = t->set.value[i]};
    for (int i = 0; set && i < of->n_set; i++)
        set[t->set.n + i] = of->set[i];
    return set;
}

bool rd_trial(struct rd_bench *b, struct rd_trial *t, struct rd_error *e)
{
    const struct rd_bench_of *const of = b->of;
    if (of->steps > 0)
        t->steps = of->steps;
    const int n = t->size.voxels;
    const int least = of->repeats > 0 ? of->repeats : 3, most = of->repeats > 0 ? of->repeats : 9;
    rd_settings_add(&t->set, "grid.voxels", "(%d, %d, %d)", n, n, n);
    rd_settings_add(&t->set, "parameters.load", "%.17g", t->size.load);
    rd_settings_add(&t->set, "parameters.steps", "%lld", (long long)t->steps);
    rd_settings_add(&t->set, "parameters.rounds", "%d", most + 2);
    struct rd_set *const set = all_sets(t, of);
    if (!set)
        return rd_fail(e, "out of memory for a case's settings");
    struct rd_measure_of m = t->more;
    m.backend = b->backend;
    m.machine = b->machine;
    m.on = m.on.backend ? m.on : of->machine;
    m.name = t->of;
    m.text = t->text;
    m.set = set;
    m.n_set = t->set.n + of->n_set;
    m.least = least;
    m.most = most;
    m.seconds = of->is_quick ? 0.2 : 1.5;
    const bool ok = rd_measure(&t->m, &m, e);
    free(set);
    return ok;
}

/* Returns whether the settings are those for which peers were timed. */
static bool is_as_published(const struct rd_bench_of *of)
{
    return of->n_set == 0 && (of->steps == 0 || of->steps == 100);
}

/* Writes the reason why the trial could not run to the note. */
static void take_why(struct rd_figure *f, const struct rd_trial *t)
{
    int length = 0;
    const char *const why = rd_error_next(&t->m.why, NULL, &length);
    snprintf(f->note, sizeof f->note, "does not fit: %.*s", length, why ? why : "");
}

struct rd_figure rd_trial_figure(const struct rd_bench *b, const struct rd_trial *t, double amount,
                                 const char *unit)
{
    struct rd_figure f = {.of = t->of,
                          .voxels = t->size.voxels,
                          .load = t->size.load,
                          .steps = t->m.steps,
                          .seconds = t->m.seconds,
                          .unit = unit};
    if (!t->m.has_run) {
        take_why(&f, t);
        return f;
    }
    const double median = rd_sample_median(&t->m.seconds);
    f.value = amount / median;
    memcpy(f.pass, t->m.pass, sizeof f.pass);
    f.peer = is_as_published(b->of) ? rd_peer_of(t->of, t->size.voxels, t->size.load) : NULL;
    if (f.peer && rd_peer_is_on(f.peer, b->report.device))
        f.ratio = f.peer->seconds > 0.0 ? f.peer->seconds / median : f.value / f.peer->rate;
    return f;
}

struct rd_figure rd_trial_value(const struct rd_trial *t, const char *what, double value,
                                const char *unit)
{
    struct rd_figure f = {.of = t->of,
                          .voxels = t->size.voxels,
                          .load = t->size.load,
                          .steps = t->m.steps,
                          .value = value,
                          .unit = unit};
    snprintf(f.what, sizeof f.what, "%s", what);
    if (!t->m.has_run)
        take_why(&f, t);
    return f;
}
