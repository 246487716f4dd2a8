/* check_halve - compares a model with itself at half of the step.

   Run r has the same seed at both steps, so that both begin with the same molecules; then their
   random numbers differ. The error of the mean difference comes from the differences of the runs,
   and so it holds whether the two are correlated or not. */
#include "app/check_halve.h"

#include "app/batches.h"
#include "kernels/core/lattice.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

/* Sets the least number of runs; the number from which on a normal distribution is assumed; and the
   deviations that are significant, in standard errors. A coincidence is as large in at most 1 of
   370 comparisons, also with Student's distribution of 15 degrees of freedom. */
enum { RUNS_LEAST = 16, MANY_RUNS = 30 };
static const double significant_few = 4.0, significant_many = 3.0;

/* Holds the totals at the end. */
struct totals {
    int64_t n_runs;
    int n_species;
    double *total; /* [run][species in the file's order] */
    bool *faulted; /* [run] */
};

static bool keep_nothing(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    (void)to;
    (void)sim;
    (void)time;
    (void)e;
    return true;
}

static bool forget_lives(void *to, struct rd_sim *sim, struct rd_error *e)
{
    (void)to;
    (void)e;
    sim->n_lives = 0;
    return true;
}

/* Adds up the counts of the batch's runs, of which the first has index `first`. */
static bool add_batch_totals(struct totals *t, struct rd_sim *s, const struct rd_plan *p,
                             int64_t first, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t n_runs = (size_t)w->lattice.n_runs;
    struct rd_host_counts counts;
    uint64_t *const sum = calloc(n_runs, sizeof *sum);
    bool ok = rd_host_counts_open(&counts, p, NULL, e) && rd_host_counts_get(&counts, s, e) &&
              (sum || rd_fail(e, "out of memory for the totals of %zu runs", n_runs));
    for (int32_t k = 0; ok && k < w->counts.n_species; k++) {
        memset(sum, 0, n_runs * sizeof *sum);
        ok = rd_host_counts_sum(&counts, k, sum, e);
        for (int64_t run = 0; run < w->lattice.n_runs; run++)
            t->total[(first + run) * t->n_species + p->species_of[k]] = (double)sum[run];
    }
    rd_host_counts_close(&counts);
    for (int64_t i = 0; i < s->n_faulted; i++)
        t->faulted[s->faulted[i].run - rd_run_number(&w->lattice, 0) + first] = true;
    free(sum);
    return ok;
}

/* Opens the simulator for the present batch. The first batch is made smaller until it fits. */
static struct rd_plan *open_batch(struct rd_batch *b, struct rd_sim *s,
                                  const struct rd_machine_of *machine, struct rd_error *e)
{
    for (;;) {
        struct rd_error why = {0};
        struct rd_plan *const p = rd_batch_open(b, &why);
        const bool ok = p && rd_sim_open(s, p, machine, &why);
        if (!ok && p && b->at == 0 && rd_batch_shrink(b, s->n_fit)) {
            rd_sim_close(s);
            rd_batch_close(b);
            rd_error_free(&why);
            continue;
        }
        if (!ok)
            rd_error_add(e, &why);
        rd_error_free(&why);
        return ok ? p : NULL;
    }
}

static bool simulate_totals(struct totals *t, const struct rd_model *m, const struct rd_options *o,
                            struct rd_error *e)
{
    const struct rd_machine_of machine = {
        .backend = o->backend, .threads = o->threads, .device = o->device};
    const struct rd_watch watch = {.record = keep_nothing, .live = forget_lives};
    struct rd_plan all = {0};
    struct rd_batch b = {.all = m, .plan_of_all = &all, .size = rd_batch_first_size(m, o->at_once)};
    bool ok = rd_plan_open(&all, m, e), is_last = false;
    for (; ok && !is_last; b.at++) {
        struct rd_sim s = {0};
        double stopped;
        struct rd_plan *const p = open_batch(&b, &s, &machine, e);
        ok =
            p && rd_run(p, &s, &watch, &stopped, e) && add_batch_totals(t, &s, p, b.at * b.size, e);
        is_last = rd_batch_is_last(&b);
        rd_sim_close(&s);
        rd_batch_close(&b);
    }
    rd_plan_free(&all);
    return ok;
}

/* Describes a mean difference, half of the step less the step, with its standard error. */
struct halving_difference {
    int64_t n;
    double mean, half, by, error;
};

static struct halving_difference compare_halved(const struct totals t[2], int species)
{
    struct halving_difference d = {0};
    double squares = 0.0;
    for (int64_t run = 0; run < t[0].n_runs; run++) {
        if (t[0].faulted[run] || t[1].faulted[run])
            continue;
        const int64_t at = run * t[0].n_species + species;
        const double by = t[1].total[at] - t[0].total[at], before = d.by;
        d.n++;
        d.by += (by - d.by) / (double)d.n;
        squares += (by - before) * (by - d.by);
        d.mean += (t[0].total[at] - d.mean) / (double)d.n;
        d.half += (t[1].total[at] - d.half) / (double)d.n;
    }
    d.error = d.n > 1 ? sqrt(squares / ((double)d.n - 1.0) / (double)d.n) : 0.0;
    return d;
}

static void print_differences(FILE *out, const struct rd_setup *a, const struct totals t[2])
{
    const struct rd_model *const m = &a->model;
    const double step = a->forecast.longest;
    int n_significant = 0;
    struct halving_difference d = compare_halved(t, 0);
    const double most = d.n < MANY_RUNS ? significant_few : significant_many;
    fprintf(out, "halve       %lld runs (the model has %lld) at a step of %.6g and of %.6g",
            (long long)d.n, (long long)m->n_runs, step, step / 2.0);
    fprintf(out, "; seed %llu for both, compared run by run\n", (unsigned long long)m->seed);
    if (d.n < 2) {
        fprintf(out, "halve       too few runs are left: the others faulted\n");
        return;
    }
    for (int s = 0; s < m->n_species; s++) {
        d = compare_halved(t, s);
        const bool is_significant = fabs(d.by) > most * d.error;
        n_significant += is_significant;
        fprintf(out, "halve       %s: %.6g, at half of the step %.6g; difference %.3g +- %.2g%s\n",
                m->species[s].name, d.mean, d.half, d.by, d.error,
                is_significant ? ": significant" : "");
    }
    if (n_significant > 0)
        fprintf(out,
                "halve       %d of %d totals change by more than %g standard errors; take a "
                "time.step of %.3g or less, and halve again\n",
                n_significant, m->n_species, most, step / 2.0);
    else
        fprintf(
            out,
            "halve       no total changes by more than %g standard errors; more runs (--runs N) "
            "show smaller differences\n",
            most);
}

/* Returns the number of runs: those of the model, or the least. */
static int64_t runs_of(const struct rd_model *m)
{
    return m->n_runs > RUNS_LEAST ? m->n_runs : RUNS_LEAST;
}

bool rd_check_halve(FILE *out, const struct rd_setup *a, const struct rd_options *o,
                    struct rd_error *e)
{
    if (a->model.solver == RD_SOLVER_EXACT && (!a->plan.uses_time || a->model.grid.n_sites == 1)) {
        fprintf(out, "halve       the exact solver needs no step: nothing changes\n");
        return true;
    }
    struct totals t[2] = {{0}, {0}};
    struct rd_model m = a->model;
    m.n_runs = a->model.theta.table.n_rows > 0 ? a->model.theta.n_runs : a->model.n_runs;
    m.theta = (struct rd_theta){0}; /* the parameters of the configuration */
    m.n_runs = m.n_all = runs_of(&m);
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        const size_t n = (size_t)m.n_runs * (size_t)m.n_species;
        t[i] = (struct totals){.n_runs = m.n_runs,
                               .n_species = m.n_species,
                               .total = calloc(n, sizeof *t[i].total),
                               .faulted = calloc((size_t)m.n_runs, sizeof *t[i].faulted)};
        m.halvings = i;
        ok = (t[i].total && t[i].faulted) || rd_fail(e, "out of memory for the totals");
        ok = ok && simulate_totals(&t[i], &m, o, e);
    }
    if (ok)
        print_differences(out, a, t);
    for (int i = 0; i < 2; i++) {
        free(t[i].total);
        free(t[i].faulted);
    }
    return ok;
}
