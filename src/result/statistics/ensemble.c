/* ensemble - the statistics over runs of one snapshot: of totals, and of each voxel's counts. */
#include "result/statistics/ensemble.h"

#include <stdlib.h>

/* Voxels that are summed at a time, so that their sums stay in the cache during the loop over
   runs. */
enum { BLOCK = 4096 };

static bool make_quantiles(struct rd_ensemble *m)
{
    const size_t n = (size_t)m->n_species * (size_t)m->n_quantiles;
    if (n == 0)
        return true;
    m->total_quantile = calloc(n, sizeof *m->total_quantile);
    m->histogram = calloc((size_t)m->n_species, sizeof *m->histogram);
    return m->total_quantile && m->histogram;
}

bool rd_ensemble_make(struct rd_ensemble *m, const struct rd_ensemble *of, bool has_pairs,
                      bool has_voxels, struct rd_error *e)
{
    const int64_t n_species = of->n_species, n_sites = of->n_sites;
    const size_t species = (size_t)n_species, voxels = species * (size_t)n_sites;
    *m = *of;
    m->total_mean = calloc(species + 1, sizeof *m->total_mean);
    m->total_variance = calloc(species + 1, sizeof *m->total_variance);
    m->total_min = calloc(species + 1, sizeof *m->total_min);
    m->total_max = calloc(species + 1, sizeof *m->total_max);
    bool good =
        m->total_mean && m->total_variance && m->total_min && m->total_max && make_quantiles(m);
    if (has_pairs) {
        m->total_covariance = calloc(species * species + 1, sizeof *m->total_covariance);
        good = good && m->total_covariance;
    }
    if (has_voxels) {
        m->voxel_mean = calloc(voxels + 1, sizeof *m->voxel_mean);
        m->voxel_variance = calloc(voxels + 1, sizeof *m->voxel_variance);
        m->voxel_min = calloc(voxels + 1, sizeof *m->voxel_min);
        m->voxel_max = calloc(voxels + 1, sizeof *m->voxel_max);
        good = good && m->voxel_mean && m->voxel_variance && m->voxel_min && m->voxel_max;
    }
    if (!good)
        rd_fail(e, "out of memory for the statistics of %lld species in %lld voxels",
                (long long)n_species, (long long)n_sites);
    good = good && rd_statistics_make(&m->totals, n_species, has_pairs, e) &&
           rd_statistics_make(&m->voxels, BLOCK, false, e);
    if (!good)
        rd_ensemble_free(m);
    return good;
}

void rd_ensemble_free(struct rd_ensemble *m)
{
    free(m->total_mean);
    free(m->total_variance);
    free(m->total_min);
    free(m->total_max);
    free(m->total_covariance);
    free(m->total_quantile);
    for (int64_t i = 0; m->histogram && i < m->n_species; i++)
        rd_histogram_free(&m->histogram[i]);
    free(m->histogram);
    free(m->voxel_mean);
    free(m->voxel_variance);
    free(m->voxel_min);
    free(m->voxel_max);
    rd_statistics_free(&m->totals);
    rd_statistics_free(&m->voxels);
    *m = (struct rd_ensemble){0};
}

static bool is_out(const uint8_t *out, int64_t run)
{
    return out && out[run] != 0;
}

/* Computes the quantiles of one species. */
static bool take_quantiles(struct rd_ensemble *m, int64_t species, const int64_t *totals,
                           const uint8_t *out, struct rd_error *e)
{
    struct rd_histogram *const h = &m->histogram[species];
    bool good = true;
    rd_histogram_clear(h);
    for (int64_t run = 0; good && run < m->n_runs; run++)
        good = is_out(out, run) || rd_histogram_add(h, totals[run * m->n_species + species], e);
    for (int i = 0; good && i < m->n_quantiles; i++)
        m->total_quantile[species * m->n_quantiles + i] = rd_histogram_quantile(h, m->quantile[i]);
    return good;
}

static void take_totals(struct rd_ensemble *m, const int64_t *totals, const uint8_t *out)
{
    struct rd_statistics *const t = &m->totals;
    rd_statistics_clear(t);
    for (int64_t run = 0; run < m->n_runs; run++)
        if (!is_out(out, run))
            rd_statistics_add(t, totals + run * m->n_species);
    m->n_in = t->runs;
    for (int64_t i = 0; i < m->n_species; i++) {
        m->total_mean[i] = rd_statistics_mean(t, i);
        m->total_variance[i] = rd_statistics_variance(t, i);
        m->total_min[i] = t->of[i].min;
        m->total_max[i] = t->of[i].max;
        for (int64_t j = 0; m->total_covariance && j < m->n_species; j++)
            m->total_covariance[i * m->n_species + j] = rd_statistics_covariance(t, i, j);
    }
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

static void take_voxels(struct rd_ensemble *m, const int32_t *counts, const uint8_t *out)
{
    const int64_t n = m->n_species * m->n_sites;
    struct rd_statistics *const t = &m->voxels;
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        t->n = n - begin < BLOCK ? n - begin : BLOCK;
        rd_statistics_clear(t);
        for (int64_t run = 0; run < m->n_runs; run++)
            if (!is_out(out, run))
                rd_statistics_add_counts(t, counts + run * n + begin);
        report_voxels(m, t, begin);
    }
}

bool rd_ensemble_take(struct rd_ensemble *m, const int64_t *totals, const int32_t *counts,
                      const struct rd_sum *sums, const uint8_t *out, struct rd_error *e)
{
    bool good = true;
    take_totals(m, totals, out);
    const struct rd_statistics all = {
        .n = m->n_species * m->n_sites, .runs = m->n_in, .of = (struct rd_sum *)(uintptr_t)sums};
    if (m->voxel_mean && sums)
        report_voxels(m, &all, 0);
    else if (m->voxel_mean)
        take_voxels(m, counts, out);
    for (int64_t i = 0; good && m->histogram && i < m->n_species; i++)
        good = take_quantiles(m, i, totals, out, e);
    return good;
}
