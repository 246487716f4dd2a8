/* masks - fills in the masks of all regions, each after the regions of which it is made. */
#include "model/masks.h"

#include "base/threads.h"
#include "hdf5/labels.h"
#include "kernels/core/eval.h"
#include "model/png_image.h"
#include "model/region.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Describes a site and its coordinates. */
struct mask_spot {
    int64_t site;
    int32_t at[3];
};

/* Advances to the next site. */
static void advance_site(const struct rd_grid *g, struct mask_spot *s)
{
    s->site++;
    for (int a = 0; a < 3 && ++s->at[a] == g->size[a]; a++)
        s->at[a] = 0;
}

/* Returns the number of slices of the grid: places along the last axis that has several. */
static int64_t n_slices(const struct rd_grid *g)
{
    return g->size[2] > 1 ? g->size[2] : g->size[1];
}

/* Holds a region with a shape while its masks are filled in. */
struct shape_fill {
    const struct rd_model *m;
    int region;
    uint64_t *mask;
};

/* Fills in the rows along x of one place along the last axis that has several. */
static bool fill_slice(void *of, int64_t slice, struct rd_error *e)
{
    const struct shape_fill *const f = of;
    const struct rd_model *const m = f->m;
    const struct rd_region *const r = &m->region[f->region];
    const int64_t n = m->grid.n_sites / n_slices(&m->grid), end = (slice + 1) * n;
    struct mask_spot s = {.site = slice * n};
    s.at[m->grid.size[2] > 1 ? 2 : 1] = (int32_t)slice;
    for (; s.site < end; advance_site(&m->grid, &s)) {
        const double has = rd_region_has(r, &m->grid, m->value, s.at);
        if (has != has)
            return rd_fail(
                e, "%s: region '%s': '%s' is not finite in voxel %s; avoid division by 0 there",
                r->place, r->name, r->where.text, rd_grid_voxel(&m->grid, s.at).text);
        f->mask[s.site] |= (uint64_t)(has != 0) << f->region;
    }
    return true;
}

static bool fill_shape(const struct rd_model *m, int i, uint64_t *mask, struct rd_error *e)
{
    struct shape_fill f = {.m = m, .region = i, .mask = mask};
    return rd_threads_try(rd_threads_number(0), n_slices(&m->grid), fill_slice, &f, e);
}

static bool is_label_of(const struct rd_region *r, int64_t label)
{
    for (int k = 0; k < r->n_labels; k++)
        if (r->label[k] == label)
            return true;
    return false;
}

/* Finds the least label above `from`; returns false if there is none. */
static bool next_label(const int64_t *label, int64_t n, int64_t from, int64_t *next)
{
    bool is_one = false;
    for (int64_t site = 0; site < n; site++)
        if (label[site] > from && (!is_one || label[site] < *next)) {
            *next = label[site];
            is_one = true;
        }
    return is_one;
}

/* Reports the first labels that the image has, since none of the region's labels occurs. */
static bool fail_for_labels(const char *which, const struct rd_region *r, const int64_t *label,
                            int64_t n, struct rd_error *e)
{
    char list[160] = "";
    int64_t next = INT64_MIN;
    int used = 0;
    for (int k = 0; next_label(label, n, next, &next); k++) {
        if (k == 6) {
            snprintf(list + used, sizeof list - (size_t)used, ", ...");
            break;
        }
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%lld", k ? ", " : "",
                         (long long)next);
    }
    return rd_fail(e, "%s contains no voxel: the labels in %s are %s; choose some of them", which,
                   r->file, list);
}

static bool fill_labels(const struct rd_model *m, int i, uint64_t *mask, struct rd_error *e)
{
    const struct rd_region *const r = &m->region[i];
    const int32_t *const size = m->grid.size;
    char which[256];
    snprintf(which, sizeof which, "%.160s: region '%.60s'", r->place, r->name);
    int64_t *const label = malloc((size_t)m->grid.n_sites * sizeof *label);
    bool good = label || rd_fail(e, "%s: out of memory for the labels of %s", which, r->file);
    good = good && (r->dataset ? rd_store_labels(r->file, r->dataset, size, label, which, e)
                               : rd_picture_read(r->file, size, label, which, e));
    bool is_any = false;
    for (int64_t site = 0; good && site < m->grid.n_sites; site++) {
        const bool is_one = is_label_of(r, label[site]);
        mask[site] |= (uint64_t)is_one << i;
        is_any = is_any || is_one;
    }
    good = good && (is_any || fail_for_labels(which, r, label, m->grid.n_sites, e));
    free(label);
    return good;
}

/* Returns whether a hop from the site to any neighbour crosses from the region `whole` into one of
   the parts. */
static bool is_touching(const struct rd_model *m, const struct rd_region *r, const uint64_t *mask,
                        const struct mask_spot *s)
{
    const struct rd_grid *const g = &m->grid;
    int64_t stride = 1;
    for (int face = 0; face < RD_FACES; face++) {
        const int axis = face / 2;
        const int64_t neighbour = s->site + rd_neighbour_offset(face % 2, stride, g->size[axis],
                                                                s->at[axis], g->wraps[axis]);
        for (int part = 0; part < m->n_regions; part++)
            if ((r->parts >> part & 1) &&
                rd_region_crosses(mask[s->site], mask[neighbour], r->whole, part))
                return true;
        stride *= face % 2 ? g->size[axis] : 1;
    }
    return false;
}

bool rd_masks_reach(const struct rd_model *m, int region, int face)
{
    const int32_t end = face % 2 ? m->grid.size[face / 2] - 1 : 0;
    for (struct mask_spot s = {0}; s.site < m->grid.n_sites; advance_site(&m->grid, &s))
        if (s.at[face / 2] == end && m->mask[s.site] >> region & 1)
            return true;
    return false;
}

static void fill_touching(const struct rd_model *m, int i, uint64_t *mask)
{
    for (struct mask_spot s = {0}; s.site < m->grid.n_sites; advance_site(&m->grid, &s))
        mask[s.site] |= (uint64_t)is_touching(m, &m->region[i], mask, &s) << i;
}

static bool is_composed(const struct rd_region *r, uint64_t here)
{
    const uint64_t parts = here & r->parts;
    switch (r->shape) {
    case RD_SHAPE_UNION:
        return parts != 0;
    case RD_SHAPE_INTERSECTION:
        return parts == r->parts;
    case RD_SHAPE_DIFFERENCE:
        return (here >> r->whole & 1) && parts == 0;
    default:
        return parts == 0;
    }
}

static void fill_composed(const struct rd_model *m, int i, uint64_t *mask)
{
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        mask[site] |= (uint64_t)is_composed(&m->region[i], mask[site]) << i;
}

static bool fill_mask(const struct rd_model *m, int i, uint64_t *mask, struct rd_error *e)
{
    const enum rd_shape shape = m->region[i].shape;
    if (shape == RD_SHAPE_TOUCHING)
        fill_touching(m, i, mask);
    else if (shape >= RD_SHAPE_UNION)
        fill_composed(m, i, mask);
    else if (shape == RD_SHAPE_LABELS)
        return fill_labels(m, i, mask, e);
    else
        return fill_shape(m, i, mask, e);
    return true;
}

/* Returns the regions of which the region is made, as bits. */
static uint64_t needs(const struct rd_region *r)
{
    if (r->shape < RD_SHAPE_UNION)
        return 0;
    return r->parts | (r->whole >= 0 ? UINT64_C(1) << r->whole : 0);
}

static int lowest(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

/* Reports a circle among the open regions, each of which needs another one of them. */
static bool report_region_circle(const struct rd_model *m, uint64_t open, struct rd_error *e)
{
    uint64_t seen = 0;
    int i = lowest(open);
    for (; !(seen >> i & 1); i = lowest(needs(&m->region[i]) & open))
        seen |= UINT64_C(1) << i;
    char circle[256] = "";
    size_t used = 0;
    int at = i;
    do {
        used +=
            (size_t)snprintf(circle + used, sizeof circle - used, "%.40s -> ", m->region[at].name);
        at = lowest(needs(&m->region[at]) & open);
    } while (at != i && used < sizeof circle);
    return rd_fail(e, "%s: region '%s' is made of itself (%s%s); give one of them a shape",
                   m->region[i].place, m->region[i].name,
                   used < sizeof circle ? circle : "a long circle: ... -> ", m->region[i].name);
}

/* Reports the regions without voxels: those whose bit is not in `any`, the union of all masks. */
static bool check_occupied(const struct rd_model *m, uint64_t any, struct rd_error *e)
{
    bool occupied = true;
    for (int i = 0; i < m->n_regions; i++) {
        const struct rd_region *const r = &m->region[i];
        if (any >> i & 1 || i >= rd_model_n_shapes(m))
            continue;
        char what[320];
        rd_region_describe(m, r, what, sizeof what);
        if (r->shape < RD_SHAPE_LABELS)
            occupied = rd_fail(e,
                               "%s: region '%s' contains no voxel's centre (%s; voxels measure "
                               "%s); make it larger or move it into the grid",
                               r->place, r->name, what, rd_grid_point(&m->grid, m->grid.edge).text);
        else
            occupied = rd_fail(e, "%s: region '%s' contains no voxel (%s); change its parts",
                               r->place, r->name, what);
    }
    return occupied;
}

/* Fills in all regions, each as soon as the regions of which it is made are filled in. */
static bool fill_all(const struct rd_model *m, uint64_t *mask, struct rd_error *e)
{
    const int n = rd_model_n_shapes(m);
    uint64_t open = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    bool good = true;
    while (open) {
        const uint64_t before = open;
        for (int i = 0; i < n; i++) {
            if (!(open >> i & 1) || (needs(&m->region[i]) & open))
                continue;
            good = fill_mask(m, i, mask, e) && good;
            open &= ~(UINT64_C(1) << i);
        }
        if (open == before)
            return report_region_circle(m, open, e);
    }
    return good;
}

uint64_t *rd_masks_make(const struct rd_model *m, struct rd_error *e)
{
    const int64_t n = m->grid.n_sites;
    uint64_t *const mask = calloc((size_t)n, sizeof *mask), any = 0;
    if (!mask) {
        rd_fail(e, "out of memory for the regions of %" PRId64 " voxels", n);
        return NULL;
    }
    bool good = fill_all(m, mask, e);
    for (int64_t site = 0; site < n; site++)
        any |= mask[site];
    if (good && check_occupied(m, any, e))
        return mask;
    free(mask);
    return NULL;
}

/* Adds mask to the n in *list unless it is there; returns false if there is no memory. */
static bool add_overlap(uint64_t **list, int *n, uint64_t mask)
{
    for (int i = 0; i < *n; i++)
        if ((*list)[i] == mask)
            return true;
    uint64_t *const longer = realloc(*list, ((size_t)*n + 1) * sizeof **list);
    if (!longer)
        return false;
    *list = longer;
    longer[(*n)++] = mask;
    return true;
}

uint64_t *rd_masks_overlaps(const uint64_t *mask, int64_t n, int *n_overlaps)
{
    uint64_t *list = NULL;
    *n_overlaps = 0;
    for (int64_t site = 0; site < n; site++)
        if ((site == 0 || mask[site] != mask[site - 1]) &&
            !add_overlap(&list, n_overlaps, mask[site])) {
            free(list);
            *n_overlaps = 0;
            return NULL;
        }
    return list;
}
