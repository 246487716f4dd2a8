/* ensemble - the statistics over runs of one snapshot: of totals, and of each voxel's counts. */
#include "result/statistics/ensemble.h"

#include <stdlib.h>

/* Sets the voxels that are summed at a time, so that their sums stay in the cache during the loop
   over runs. */
enum { BLOCK = 4096 };

static bool make_totals(struct rd_totals_of *t, const struct rd_ensemble *m, int64_t n_places)
{
    const size_t n = (size_t)(n_places * m->n_species), paired = (size_t)m->n_paired;
    *t = (struct rd_totals_of){.n_places = n_places};
    t->mean = calloc(n + 1, sizeof *t->mean);
    t->variance = calloc(n + 1, sizeof *t->variance);
    t->min = calloc(n + 1, sizeof *t->min);
    t->max = calloc(n + 1, sizeof *t->max);
    if (paired > 0)
        t->covariance = calloc((size_t)n_places * paired * paired + 1, sizeof *t->covariance);
    if (m->n_quantiles > 0)
        t->quantile = calloc(n * (size_t)m->n_quantiles + 1, sizeof *t->quantile);
    return t->mean && t->variance && t->min && t->max && (paired == 0 || t->covariance) &&
           (m->n_quantiles == 0 || t->quantile);
}

static void free_totals(struct rd_totals_of *t)
{
    free(t->mean);
    free(t->variance);
    free(t->min);
    free(t->max);
    free(t->covariance);
    free(t->quantile);
}

bool rd_ensemble_make(struct rd_ensemble *m, const struct rd_ensemble *of, struct rd_error *e)
{
    const size_t species = (size_t)of->n_species,
                 voxels = (size_t)of->n_surveyed * (size_t)of->n_sites;
    *m = *of;
    bool good = make_totals(&m->all, m, 1);
    good = make_totals(&m->region, m, m->n_regions) && good;
    m->histogram = calloc(species + 1, sizeof *m->histogram);
    m->pair = calloc((size_t)m->n_paired + 1, sizeof *m->pair);
    good = good && m->histogram && m->pair;
    if (voxels > 0) {
        m->voxel_mean = calloc(voxels + 1, sizeof *m->voxel_mean);
        m->voxel_variance = calloc(voxels + 1, sizeof *m->voxel_variance);
        m->voxel_min = calloc(voxels + 1, sizeof *m->voxel_min);
        m->voxel_max = calloc(voxels + 1, sizeof *m->voxel_max);
        good = good && m->voxel_mean && m->voxel_variance && m->voxel_min && m->voxel_max;
    }
    if (!good)
        rd_fail(e, "out of memory for the statistics of %lld species in %lld voxels",
                (long long)of->n_species, (long long)of->n_sites);
    good = good && rd_statistics_make(&m->totals, of->n_species, false, e) &&
           rd_statistics_make(&m->pairs, m->n_paired, true, e) &&
           rd_statistics_make(&m->voxels, BLOCK, false, e);
    if (!good)
        rd_ensemble_free(m);
    return good;
}

void rd_ensemble_free(struct rd_ensemble *m)
{
    free_totals(&m->all);
    free_totals(&m->region);
    for (int64_t i = 0; m->histogram && i < m->n_species; i++)
        rd_histogram_free(&m->histogram[i]);
    free(m->histogram);
    free(m->pair);
    free(m->voxel_mean);
    free(m->voxel_variance);
    free(m->voxel_min);
    free(m->voxel_max);
    rd_statistics_free(&m->totals);
    rd_statistics_free(&m->pairs);
    rd_statistics_free(&m->voxels);
    *m = (struct rd_ensemble){0};
}

static bool is_out(const uint8_t *out, int64_t run)
{
    return out && out[run] != 0;
}

/* Computes the quantiles of one species in one place, whose totals are `stride` apart. */
static bool take_quantiles(struct rd_ensemble *m, int64_t species, const int64_t *total,
                           int64_t stride, const uint8_t *out, int64_t *quantile,
                           struct rd_error *e)
{
    struct rd_histogram *const h = &m->histogram[species];
    bool good = true;
    rd_histogram_clear(h);
    for (int64_t run = 0; good && run < m->n_runs; run++)
        good = is_out(out, run) || rd_histogram_add(h, total[run * stride], e);
    for (int i = 0; good && i < m->n_quantiles; i++)
        quantile[i] = rd_histogram_quantile(h, m->quantile[i]);
    return good;
}

/* Computes the covariances of one place from its totals, [run][place][species]. */
static void compute_covariances(struct rd_ensemble *m, struct rd_totals_of *to, int64_t place,
                                const int64_t *totals, const uint8_t *out)
{
    struct rd_statistics *const t = &m->pairs;
    const int64_t n = m->n_paired;
    rd_statistics_clear(t);
    for (int64_t run = 0; run < m->n_runs; run++) {
        if (is_out(out, run))
            continue;
        for (int64_t i = 0; i < n; i++)
            m->pair[i] = totals[(run * to->n_places + place) * m->n_species + m->paired[i]];
        rd_statistics_add(t, m->pair);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            to->covariance[(place * n + i) * n + j] = rd_statistics_covariance(t, i, j);
}

/* Computes the statistics of one place from its totals, [run][place][species]. */
static bool compute_place_statistics(struct rd_ensemble *m, struct rd_totals_of *to, int64_t place,
                                     const int64_t *totals, const uint8_t *out, struct rd_error *e)
{
    struct rd_statistics *const t = &m->totals;
    const int64_t n = m->n_species, first = place * n, stride = to->n_places * n;
    bool good = true;
    rd_statistics_clear(t);
    for (int64_t run = 0; run < m->n_runs; run++)
        if (!is_out(out, run))
            rd_statistics_add(t, totals + run * stride + first);
    m->n_in = t->runs;
    for (int64_t i = 0; good && i < n; i++) {
        const int64_t at = first + i;
        to->mean[at] = rd_statistics_mean(t, i);
        to->variance[at] = rd_statistics_variance(t, i);
        to->min[at] = t->of[i].min;
        to->max[at] = t->of[i].max;
        if (to->quantile)
            good = take_quantiles(m, i, totals + at, stride, out,
                                  to->quantile + at * m->n_quantiles, e);
    }
    return good;
}

static bool compute_totals_statistics(struct rd_ensemble *m, struct rd_totals_of *to,
                                      const int64_t *totals, const uint8_t *out, struct rd_error *e)
{
    bool good = true;
    for (int64_t place = 0; good && place < to->n_places; place++) {
        good = compute_place_statistics(m, to, place, totals, out, e);
        if (to->covariance)
            compute_covariances(m, to, place, totals, out);
    }
    return good;
}

/* Computes the statistics of voxels begin, begin + 1, ... from their sums. */
static void report_voxels(struct rd_ensemble *m, const struct rd_statistics *t, int64_t begin)
{
    for (int64_t i = 0; i < t->n; i++) {
        m->voxel_mean[begin + i] = rd_statistics_mean(t, i);
        m->voxel_variance[begin + i] = rd_statistics_variance(t, i);
        m->voxel_min[begin + i] = (int32_t)t->of[i].min;
        m->voxel_max[begin + i] = (int32_t)t->of[i].max;
    }
}

/* Computes the statistics of n voxels, from voxel number to on, from counts of all runs. */
static void take_voxels(struct rd_ensemble *m, int64_t to, int64_t n, const int32_t *counts,
                        const uint8_t *out)
{
    const int64_t each = m->n_species * m->n_sites;
    struct rd_statistics *const t = &m->voxels;
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        t->n = n - begin < BLOCK ? n - begin : BLOCK;
        rd_statistics_clear(t);
        for (int64_t run = 0; run < m->n_runs; run++)
            if (!is_out(out, run))
                rd_statistics_add_counts(t, counts + run * each + begin);
        report_voxels(m, t, to + begin);
    }
}

/* Computes them for the surveyed species; those that follow each other are taken together. */
static void take_surveyed(struct rd_ensemble *m, const int32_t *counts, const uint8_t *out)
{
    for (int i = 0, end; i < m->n_surveyed; i = end) {
        for (end = i + 1; end < m->n_surveyed && m->surveyed[end] == m->surveyed[end - 1] + 1;)
            end++;
        take_voxels(m, i * m->n_sites, (end - i) * m->n_sites, counts + m->surveyed[i] * m->n_sites,
                    out);
    }
}

bool rd_ensemble_take(struct rd_ensemble *m, const int64_t *totals, const int64_t *region_totals,
                      const int32_t *counts, const struct rd_sum *sums, const uint8_t *out,
                      struct rd_error *e)
{
    const bool good = compute_totals_statistics(m, &m->all, totals, out, e) &&
                      compute_totals_statistics(m, &m->region, region_totals, out, e);
    const struct rd_statistics all = {
        .n = m->n_surveyed * m->n_sites, .runs = m->n_in, .of = (struct rd_sum *)(uintptr_t)sums};
    if (m->voxel_mean && sums)
        report_voxels(m, &all, 0);
    else if (m->voxel_mean && counts)
        take_surveyed(m, counts, out);
    return good;
}
