/* model - reads the sections in an order in which each finds what it refers to, and frees the
   model. */
#include "model/model.h"

#include "model/boundary_faces.h"
#include "model/reader.h"

#include <stdlib.h>

/* Reads the configuration into m; `all`, if it is not NULL, has the table with the row. */
static bool make(struct rd_model *m, const rd_config *c, const struct rd_model *all, int64_t row,
                 struct rd_error *e)
{
    const int before = e->n;
    *m = (struct rd_model){0};
    struct rd_reader r = {.m = m,
                          .c = c,
                          .e = e,
                          .units = rd_config_units(c),
                          .theta = all ? &all->theta : NULL,
                          .row = row};
    if (rd_names_read(&r) && rd_tables_read(&r) && rd_parameters_read(&r)) {
        rd_grid_read(&r);
        rd_shapes_read(&r);
        rd_parameters_read_sizes(&r);
        rd_fields_read(&r);
        rd_species_read(&r);
        rd_borders_read(&r);
        rd_reactions_read(&r);
        rd_odes_read(&r);
        m->n_rate_totals = m->n_totals;
        rd_observables_read(&r);
        rd_initial_read(&r);
        rd_times_read(&r);
        rd_events_read(&r);
        rd_settings_read(&r);
        rd_outputs_read(&r);
        rd_totals_check(&r);
        rd_events_check_fixed(&r);
        rd_species_check_individuals(&r);
        rd_births_warn_unused(&r);
        rd_parameter_rows_check(&r);
    }
    free(r.heir);
    free(r.measure);
    free(r.needs_regions);
    free(r.overlap);
    e->wrong |= e->n > before;
    return e->n == before;
}

bool rd_model_make(struct rd_model *m, const rd_config *c, struct rd_error *e)
{
    return make(m, c, NULL, 0, e);
}

bool rd_model_make_row(struct rd_model *m, const rd_config *c, const struct rd_model *all,
                       int64_t row, struct rd_error *e)
{
    return make(m, c, all, row, e);
}

bool rd_model_size(const rd_config *c, int64_t *n_sites, int *n_species)
{
    struct rd_error ignored = {0};
    struct rd_model m = {0};
    struct rd_reader r = {.m = &m, .c = c, .e = &ignored, .units = rd_config_units(c)};
    const bool is_read = rd_names_read(&r) && rd_tables_read(&r) && rd_parameters_read(&r);
    if (is_read)
        rd_grid_read(&r);
    const bool ok = is_read && ignored.n == 0;
    *n_sites = m.grid.n_sites;
    *n_species = m.n_species;
    free(r.heir);
    free(r.measure);
    free(r.needs_regions);
    free(r.overlap);
    rd_model_free(&m);
    rd_error_free(&ignored);
    return ok;
}

static void free_attribute(struct rd_attribute *a)
{
    rd_expr_free(&a->first);
    rd_expr_free(&a->birth);
    rd_expr_free(&a->orphan);
    free(a->name);
    free(a->place);
}

static void free_species(struct rd_species *s)
{
    for (int k = 0; k < s->n_attributes; k++)
        free_attribute(&s->attribute[k]);
    free(s->attribute);
    for (int a = 0; a < 3; a++) {
        rd_expr_free(&s->diffusion[a]);
        rd_expr_free(&s->drift[a]);
    }
    rd_walls_free(s->wall);
    free(s->name);
    free(s->label);
    free(s->colour);
    free(s->place);
}

static void free_model_reaction(struct rd_reaction *x)
{
    rd_expr_free(&x->rate);
    rd_expr_free(&x->propensity);
    rd_expr_free(&x->radius);
    rd_expr_free(&x->weight);
    free(x->label);
    free(x->equation);
    free(x->reactant);
    free(x->product);
    free(x->becomes);
    free(x->place);
}

void rd_event_free(const struct rd_model *m, struct rd_event *x)
{
    for (int i = 0; i < x->n_set; i++)
        rd_expr_free(&x->set[i].value);
    rd_expr_free(&x->when);
    free(x->name);
    free(x->set);
    rd_amounts_free(m, x->add, x->n_add);
    rd_amounts_free(m, x->take, x->n_take);
    free(x->place);
}

static void free_region(struct rd_region *x)
{
    rd_expr_free(&x->where);
    free(x->name);
    free(x->file);
    free(x->dataset);
    free(x->label);
    free(x->place);
}

static void free_field(struct rd_field *x)
{
    rd_expr_free(&x->value);
    rd_expr_free(&x->rate);
    free(x->name);
    free(x->file);
    free(x->dataset);
    free(x->place);
}

static void free_outputs(struct rd_model *m)
{
    for (int i = 0; i < m->n_outputs; i++) {
        free(m->output[i].name);
        free(m->output[i].time);
        free(m->output[i].species);
        free(m->output[i].quantile);
        free(m->output[i].place);
    }
    for (int i = 0; i < m->n_by; i++) {
        free(m->by[i].name);
        free(m->by[i].place);
    }
    free(m->by);
    free(m->output);
    free(m->moment);
    free(m->due);
}

/* Frees the arrays themselves, after all that their elements own. */
static void free_arrays(const struct rd_model *m)
{
    void *const owned[] = {m->title,
                           m->parameter,
                           m->value,
                           m->parameter_place,
                           m->reads_parameter,
                           m->is_of_run,
                           m->condition,
                           m->region,
                           m->mask,
                           m->region_name,
                           m->extent,
                           m->total,
                           m->observable,
                           m->named_value,
                           m->ode,
                           m->surface,
                           m->compartment,
                           m->field,
                           m->field_name,
                           m->field_component,
                           m->field_component_of,
                           m->field_varies,
                           m->field_gradient,
                           m->species,
                           m->species_name,
                           m->reads_species,
                           m->reaction,
                           m->event,
                           m->surveyed,
                           m->paired,
                           m->quantile,
                           m->file,
                           m->length_unit,
                           m->time_unit,
                           m->attributes,
                           (void *)m->inherited.name};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

void rd_model_free(struct rd_model *m)
{
    for (int p = 0; p < m->n_parameters; p++) {
        free(m->parameter[p]);
        free(m->parameter_place[p]);
    }
    for (int i = 0; i < m->n_regions; i++)
        free_region(&m->region[i]);
    for (int i = 0; i < m->n_surfaces; i++) {
        free(m->surface[i].voxel);
        free(m->surface[i].place);
    }
    for (int i = 0; i < m->n_fields; i++)
        free_field(&m->field[i]);
    rd_borders_free(m);
    rd_boundary_faces_free(m->boundaries);
    for (int i = 0; i < m->n_reactions; i++)
        free_model_reaction(&m->reaction[i]);
    for (int i = 0; i < m->n_events; i++)
        rd_event_free(m, &m->event[i]);
    for (int k = 0; k < m->n_totals; k++)
        free(m->total[k].place);
    free_outputs(m);
    for (int k = 0; k < m->n_observables; k++) {
        free(m->observable[k].name);
        free(m->observable[k].term);
    }
    for (int k = 0; k < m->n_named_values; k++) {
        free(m->named_value[k].name);
        rd_expr_free(&m->named_value[k].value);
    }
    for (int k = 0; k < m->n_odes; k++)
        rd_expr_free(&m->ode[k].rate);
    rd_expr_free(&m->stop);
    rd_amounts_free(m, m->initial, m->n_initial);
    for (int s = 0; s < m->n_species; s++) {
        free_species(&m->species[s]);
        free((void *)m->attributes[s].name);
    }
    rd_tables_free(m);
    rd_name_index_free(&m->species_index);
    rd_name_index_free(&m->parameter_index);
    free_arrays(m);
    rd_number_table_free(&m->theta.table);
    free(m->theta.parameter);
    rd_error_free(&m->warnings);
    *m = (struct rd_model){0};
}

struct rd_scope rd_model_scope(const struct rd_model *m, unsigned allowed)
{
    return (struct rd_scope){
        .n_parameters = m->n_parameters,
        .parameter = m->parameter,
        .n_species = m->n_species,
        .species = m->species_name,
        .parameter_index = m->parameter_index.slot ? &m->parameter_index : NULL,
        .species_index = m->species_index.slot ? &m->species_index : NULL,
        .n_regions = m->n_regions,
        .region = m->region_name,
        .extent = m->extent,
        .n_tables = m->n_tables,
        .table = m->table,
        .n_fields = m->n_fields,
        .n_fields_here = m->n_filled,
        .field = m->field_name,
        .field_varies = m->field_varies,
        .allowed = allowed,
        .attributes = m->attributes,
        .parents = m->inherited,
    };
}

int64_t rd_model_at_once(const struct rd_model *m)
{
    int64_t most = m->n_runs;
    for (int s = 0; s < m->n_species; s++) {
        const struct rd_species *const x = &m->species[s];
        if (x->is_individual && x->max * most > INT32_MAX)
            most = INT32_MAX / x->max;
        if (x->is_individual && m->grid.n_sites * most > RD_LISTED_VOXELS)
            most = RD_LISTED_VOXELS / m->grid.n_sites;
    }
    return most;
}
