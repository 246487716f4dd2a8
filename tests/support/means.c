/* means - the equations for means on a lattice: diffusion, drift and reactions, integrated by
   Heun's method. */
#include "means.h"
#include "theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int voxels_of(const struct means *m)
{
    return m->size[0] * m->size[1];
}

static void add_reactions(const struct means *m, const double *number, double *slope)
{
    const int n_voxels = voxels_of(m);
    for (int voxel = 0; voxel < n_voxels; voxel++) {
        double n[MEANS_SPECIES], change[MEANS_SPECIES] = {0};
        for (int s = 0; s < m->n_species; s++)
            n[s] = number[s * n_voxels + voxel];
        m->react(n, change);
        for (int s = 0; s < m->n_species; s++)
            slope[s * n_voxels + voxel] += change[s];
    }
}

/* Adds the flow across the face between a voxel and the next one along the axis. */
static void add_hops(const struct means *m, int s, int axis, const double *number, double *slope)
{
    const double hop = m->diffusion[s] / (m->edge * m->edge);
    const double carried = m->drift[axis] / (2 * m->edge);
    const int stride = axis == 0 ? 1 : m->size[0];
    for (int voxel = 0; voxel < voxels_of(m); voxel++)
        if (voxel / stride % m->size[axis] + 1 < m->size[axis]) {
            const double field_rate =
                (hop + carried) * number[voxel] - (hop - carried) * number[voxel + stride];
            slope[voxel] -= field_rate;
            slope[voxel + stride] += field_rate;
        }
}

static void slope_of(const struct means *m, const double *number, double *slope)
{
    const int n_voxels = voxels_of(m);
    memset(slope, 0, (size_t)(m->n_species * n_voxels) * sizeof *slope);
    add_reactions(m, number, slope);
    for (int s = 0; s < m->n_species; s++)
        for (int axis = 0; axis < 2; axis++)
            add_hops(m, s, axis, number + s * n_voxels, slope + s * n_voxels);
}

void means_advance(const struct means *m, double t, double *number)
{
    const int n = m->n_species * voxels_of(m), steps = (int)ceil(t / m->step);
    const double step = t / steps;
    double *const first = theory_zeros(3 * n), *const second = first + n, *const ahead = second + n;
    for (int k = 0; k < steps; k++) {
        slope_of(m, number, first);
        for (int i = 0; i < n; i++)
            ahead[i] = number[i] + step * first[i];
        slope_of(m, ahead, second);
        for (int i = 0; i < n; i++)
            number[i] += step * (first[i] + second[i]) / 2;
    }
    free(first);
}
