/* check_regions - prints regions, and counts the pieces of those that confine a moving species. */
#include "app/check.h"

#include "kernels/core/eval.h"
#include "model/region.h"

#include <stdlib.h>

void rd_check_regions(FILE *out, const struct rd_model *m)
{
    for (int r = 0; r < m->n_regions; r++) {
        char what[320];
        int64_t n = 0;
        for (int64_t site = 0; site < m->grid.n_sites; site++)
            n += (int64_t)(m->mask[site] >> r & 1);
        rd_region_describe(m, &m->region[r], what, sizeof what);
        fprintf(out, "region      %s: %lld voxel%s of %lld; %s\n", m->region[r].name, (long long)n,
                n == 1 ? "" : "s", (long long)m->grid.n_sites, what);
    }
}

/* The voxels of one region while its pieces are counted. */
struct piece_search {
    const struct rd_grid *grid;
    const bool *wraps; /* [axis]: the species' walls are periodic */
    uint8_t *is_left;  /* [site]: in the region, and in no piece so far */
    int64_t *waiting;  /* sites of the piece whose neighbours are still to be searched */
    int64_t n_waiting;
};

static void add(struct piece_search *s, int64_t site)
{
    if (!s->is_left[site])
        return;
    s->is_left[site] = 0;
    s->waiting[s->n_waiting++] = site;
}

/* Adds the neighbours of a site across its faces. The site itself stands for a missing one, and is
   in the piece already. */
static void add_neighbours(struct piece_search *s, int64_t site)
{
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t size = s->grid->size[axis], at = (int32_t)(site / stride % size);
        add(s, site + rd_beside(false, stride, size, at, s->wraps[axis]));
        add(s, site + rd_beside(true, stride, size, at, s->wraps[axis]));
        stride *= size;
    }
}

struct pieces {
    int64_t n, n_voxels;
    int64_t largest; /* voxels of the largest piece */
};

static struct pieces count_pieces(struct piece_search *s)
{
    struct pieces pieces = {0};
    for (int64_t first = 0; first < s->grid->n_sites; first++) {
        int64_t n = 0;
        add(s, first);
        for (; s->n_waiting > 0; n++)
            add_neighbours(s, s->waiting[--s->n_waiting]);
        pieces.n += n > 0;
        pieces.n_voxels += n;
        pieces.largest = n > pieces.largest ? n : pieces.largest;
    }
    return pieces;
}

/* Counts the pieces of a region that share no face; n is 0 if memory is lacking. */
static struct pieces pieces_of(const struct rd_model *m, int region, const bool wraps[3])
{
    const size_t n = (size_t)m->grid.n_sites;
    struct piece_search s = {.grid = &m->grid, .wraps = wraps};
    struct pieces pieces = {0};
    s.is_left = malloc(n);
    s.waiting = malloc(n * sizeof *s.waiting);
    for (size_t site = 0; s.is_left && site < n; site++)
        s.is_left[site] = (uint8_t)(m->mask[site] >> region & 1);
    if (s.is_left && s.waiting)
        pieces = count_pieces(&s);
    free(s.is_left);
    free(s.waiting);
    return pieces;
}

void rd_check_pieces(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    for (int i = 0; i < m->n_species; i++) {
        const struct rd_species *const s = &m->species[i];
        if (s->region < 0 || p->transport[p->species_at[i]].kind == RD_MOVE_NOT)
            continue;
        bool wraps[3];
        for (int axis = 0; axis < 3; axis++)
            wraps[axis] = s->wall[2 * axis].kind == RD_WALL_PERIODIC;
        const struct pieces pieces = pieces_of(m, s->region, wraps);
        if (pieces.n > 1)
            fprintf(out,
                    "warning     %s: '%s' moves in '%s', whose %lld voxels form %lld pieces "
                    "without a common face (the largest has %lld), and no molecule leaves its "
                    "piece; make the region thicker\n",
                    s->place, s->name, m->region[s->region].name, (long long)pieces.n_voxels,
                    (long long)pieces.n, (long long)pieces.largest);
    }
}
