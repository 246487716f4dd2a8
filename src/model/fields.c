/* fields - the section `fields`: a number for each voxel, from an expression or a file, and its
   rate of change; and the values and gradients that expressions use. Gradients of constant fields
   are computed once, by differences of the values in neighbouring voxels. */
#include "expr/builtins.h"
#include "hdf5/labels.h"
#include "kernels/core/backend.h"
#include "model/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- values and gradients in expressions ---- */

/* Checks the free memory before the allocation, since a system may grant more than it has, and kill
   the program later. */
static bool has_field_memory(struct rd_reader *r, const char *name, double bytes)
{
    const double has = (double)rd_backend_cpu.memory(NULL);
    return has < 0 || bytes <= 0.95 * has ||
           rd_fail(r->e,
                   "field '%s': %lld voxels need %.3g GB, and %.3g GB are free; use fewer voxels",
                   name, (long long)r->m->grid.n_sites, bytes / 1e9, has / 1e9);
}

double *rd_fields_add(struct rd_reader *r, const char *name, int32_t *which)
{
    struct rd_model *const m = r->m;
    const size_t one = (size_t)m->grid.n_sites * sizeof *m->field_component,
                 n = (size_t)m->n_field_components;
    if (!has_field_memory(r, name, (double)one))
        return NULL;
    double *const longer = realloc(m->field_component, (n + 1) * one);
    if (!longer) {
        rd_fail(r->e, "out of memory for the values of '%s' in all voxels", name);
        return NULL;
    }
    m->field_component = longer;
    *which = m->n_field_components++;
    return memset(longer + n * (size_t)m->grid.n_sites, 0, one);
}

/* Returns the number of the field among varying fields: the number of varying fields before it. */
static int32_t count_varying_before(const struct rd_model *m, int i)
{
    int32_t n = 0;
    for (int k = 0; k < i; k++)
        n += m->field_varies[k];
    return n;
}

/* Returns zeroed memory for the initial or constant values of field i, [site], owned by the model.
   Returns NULL with a message if there is too little memory. */
static double *begin_field(struct rd_reader *r, int i)
{
    struct rd_model *const m = r->m;
    int32_t start;
    double *const value = rd_fields_add(r, r->m->field[i].name, &start);
    if (!value)
        return NULL;
    m->field[i].start = start;
    m->field_component_of[RD_FIELD_COMPONENTS * i] =
        m->field_varies[i] ? count_varying_before(m, i) : start;
    return value;
}

/* Returns the initial or constant values of field i; NULL if begin was not called for it. */
static const double *start_of(const struct rd_model *m, int i)
{
    return m->field_component_of[RD_FIELD_COMPONENTS * i] < 0
               ? NULL
               : m->field_component + m->field[i].start * m->grid.n_sites;
}

/* Returns whether the field exists at the site; elsewhere it is 0. */
static bool is_at(const struct rd_model *m, const struct rd_field *f, int64_t site)
{
    return f->region < 0 || (m->mask[site] >> f->region & 1);
}

/* Returns the offset `on` to the neighbouring voxel if the field exists there, else 0. */
static int64_t neighbour(const struct rd_model *m, const struct rd_field *f, int64_t site,
                         int64_t on)
{
    return is_at(m, f, site + on) ? on : 0;
}

/* Computes the gradient of a field along an axis, at every site where the field exists. */
static void fill_slope(const struct rd_model *m, const struct rd_field *f, const double *value,
                       int axis, double *slope)
{
    const struct rd_grid *const g = &m->grid;
    const int32_t size = g->size[axis];
    const int64_t stride = axis == 0   ? 1
                           : axis == 1 ? g->size[0]
                                       : (int64_t)g->size[0] * g->size[1];
    for (int64_t site = 0; site < g->n_sites; site++) {
        const int32_t at = (int32_t)(site / stride % size);
        const bool wraps = g->wraps[axis];
        if (!is_at(m, f, site))
            continue;
        const int64_t ahead =
            neighbour(m, f, site, rd_neighbour_offset(true, stride, size, at, wraps));
        const int64_t behind =
            neighbour(m, f, site, rd_neighbour_offset(false, stride, size, at, wraps));
        slope[site] = (value[site + ahead] - value[site + behind]) *
                      rd_per_length(ahead, behind, g->edge[axis]);
    }
}

static bool make_slope(struct rd_reader *r, int i, int32_t field_component)
{
    struct rd_model *const m = r->m;
    double *const slope =
        rd_fields_add(r, r->m->field[i].name, &m->field_component_of[field_component]);
    if (slope)
        fill_slope(m, &m->field[i], start_of(m, i),
                   field_component % RD_FIELD_COMPONENTS - RD_FIELD_COMPONENT_SLOPE, slope);
    return slope != NULL;
}

/* Registers a gradient of a varying field, which is computed in every step. */
static bool request_gradient(struct rd_reader *r, int i, int32_t field_component)
{
    struct rd_model *const m = r->m;
    struct rd_steepness *const longer =
        realloc(m->field_gradient, ((size_t)m->n_gradients + 1) * sizeof *longer);
    if (!longer)
        return rd_fail(r->e, "out of memory for field '%s'", m->field[i].name);
    m->field_gradient = longer;
    longer[m->n_gradients] =
        (struct rd_steepness){i, field_component % RD_FIELD_COMPONENTS - RD_FIELD_COMPONENT_SLOPE};
    m->field_component_of[field_component] = m->n_field_rates + m->n_gradients++;
    return true;
}

/* Replaces the field number of an operation by the component number of the model; creates the
   component if needed. */
static bool take_field(struct rd_reader *r, struct rd_op *op)
{
    const struct rd_model *const m = r->m;
    const int32_t field_component = op->index;
    const int i = field_component / RD_FIELD_COMPONENTS;
    if (!start_of(m, i))
        return true; /* the missing values are already reported */
    const bool is_there = m->field_component_of[field_component] >= 0;
    if (!is_there && !(m->field_varies[i] ? request_gradient(r, i, field_component)
                                          : make_slope(r, i, field_component)))
        return false;
    op->index = m->field_component_of[field_component];
    return true;
}

bool rd_fields_take(struct rd_reader *r, struct rd_expr *x)
{
    bool good = true;
    for (int32_t i = 0; good && i < x->n; i++) {
        const unsigned uses = rd_builtins_uses(x->op[i].code);
        if (uses & (RD_USES_FIELDS | RD_USES_VARYING))
            good = take_field(r, &x->op[i]);
        if (uses & RD_USES_MEANS)
            r->m->species[x->op[i].index].is_followed = true;
        if (uses & RD_USES_SLOPES)
            r->m->species[x->op[i].index].has_slope = true;
    }
    return good;
}

/* ---- the section ---- */

static void place_of_site(const struct rd_grid *g, int64_t site, int32_t at[3])
{
    at[0] = (int32_t)(site % g->size[0]);
    at[1] = (int32_t)(site / g->size[0] % g->size[1]);
    at[2] = (int32_t)(site / g->size[0] / g->size[1]);
}

/* Returns the value of the field's expression at a site. */
static double field_value_at(const struct rd_model *m, const struct rd_field *f, int64_t site)
{
    int32_t at[3];
    double centre[3];
    place_of_site(&m->grid, site, at);
    rd_grid_centre(&m->grid, at, centre);
    const struct rd_eval_context eval_context = {
        .x = centre[0],
        .y = centre[1],
        .z = centre[2],
        .volume = m->grid.volume,
        .regions = m->mask ? m->mask[site] : 0,
        .parameter = m->value,
        .field = m->field_component ? m->field_component + site : NULL,
        .field_stride = m->grid.n_sites};
    return rd_expr_value(&f->value, &eval_context);
}

/* Computes the values of the field. Reports the first one that is not finite where the field
   exists. */
static bool compute_values(struct rd_reader *r, const rd_node *node, const struct rd_field *f,
                           double *value)
{
    const struct rd_model *const m = r->m;
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        if (!is_at(m, f, site))
            value[site] = 0;
        else if (!f->file)
            value[site] = field_value_at(m, f, site);
        if (rd_is_finite(value[site]))
            continue;
        int32_t at[3];
        place_of_site(&m->grid, site, at);
        return rd_reader_fail(r, node, "is %g in voxel %s; give a finite number%s", value[site],
                              rd_grid_voxel(&m->grid, at).text,
                              f->region < 0 ? " everywhere" : " wherever the field is");
    }
    return true;
}

/* Fills in the values of field i; grid and regions must be correct. */
static bool fill_field(struct rd_reader *r, const rd_node *node, int i)
{
    const struct rd_field *const f = &r->m->field[i];
    double *const value = begin_field(r, i);
    char which[256];
    snprintf(which, sizeof which, "%.160s: field '%.60s'", f->place, f->name);
    return value &&
           (!f->file || rd_store_map(f->file, f->dataset, r->m->grid.size, value, which, r->e)) &&
           compute_values(r, node, f, value);
}

static bool read_field_file(struct rd_reader *r, const rd_node *group, const rd_node *file,
                            struct rd_field *f)
{
    const rd_node *const dataset = rd_node_member(group, "dataset");
    if (!dataset)
        return rd_reader_fail(r, group, "has a file without dataset; name a data set of the file");
    f->file = rd_reader_copy(r, rd_node_text(file));
    f->dataset = rd_reader_copy(r, rd_node_text(dataset));
    return f->file && f->dataset;
}

static bool read_field(struct rd_reader *r, const rd_node *group, struct rd_field *f)
{
    static const char *const key[] = {"value", "file"};
    const unsigned uses =
        RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_FIELDS;
    const rd_node *const in = rd_node_member(group, "in");
    f->region = in ? rd_compartments_region(r, in) : -1;
    bool read = !in || f->region >= 0;
    const int which = rd_reader_one_of(r, group, 2, key);
    if (which < 0)
        return false;
    const rd_node *const node = rd_node_member(group, key[which]);
    if (which == 1)
        return read_field_file(r, group, node, f) && read;
    if (rd_node_member(group, "dataset"))
        read = rd_reader_fail(r, group, "has dataset without file; leave it out");
    return rd_reader_expr(r, node, "value", uses, RD_RANGE_ANY, &f->value) && read &&
           (r->has_values || !(f->value.uses & RD_USES_PARAMETERS));
}

/* Reads the rate of change of a field, which may use everything in its voxel. */
static void read_rate(struct rd_reader *r, const rd_node *node, struct rd_field *f)
{
    const unsigned uses = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                          RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_FIELDS | RD_USES_VARYING |
                          RD_USES_MEANS | RD_USES_TOTALS;
    rd_reader_about(r, "field '%.60s'", f->name);
    if (rd_reader_expr(r, node, "rate", uses, RD_RANGE_ANY, &f->rate))
        rd_compartments_check_voxel(r, node, "rate", &f->rate);
}

void rd_fields_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "fields");
    const bool is_reported = m->grid.n_sites == 0 || (m->n_regions > 0 && !m->mask);
    bool are_filled = true; /* all earlier fields */
    for (int i = 0; i < m->n_fields; i++) {
        const rd_node *const group = rd_node_at(list, i);
        rd_reader_about(r, "field '%.60s'", m->field[i].name);
        const bool can_fill = read_field(r, group, &m->field[i]) && !is_reported &&
                              (are_filled || !(m->field[i].value.uses & RD_USES_FIELDS));
        are_filled = can_fill && fill_field(r, group, i) && are_filled;
        m->n_filled++;
    }
    for (int i = 0; i < m->n_fields; i++)
        if (m->field_varies[i])
            read_rate(r, rd_node_member(rd_node_at(list, i), "rate"), &m->field[i]);
}
