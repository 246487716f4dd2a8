/* model_size - reads names, parameters and grid only, and discards their messages. A file of its
   own, since model.c is the list of all sections. */
#include "model/model_size.h"

#include "model/names.h"
#include "model/sections.h"

#include <stdlib.h>

bool rd_model_size(const rd_config *c, int64_t *n_sites, int *n_species)
{
    struct rd_error ignored = {0};
    struct rd_model m = {0};
    struct rd_reader r = {.m = &m, .c = c, .e = &ignored};
    const bool is_read = rd_names_read(&r) && rd_parameters_read(&r);
    if (is_read)
        rd_grid_read(&r);
    const bool ok = is_read && ignored.n == 0;
    *n_sites = m.grid.n_sites;
    *n_species = m.n_species;
    free(r.heir);
    free(r.overlap);
    rd_model_free(&m);
    rd_error_free(&ignored);
    return ok;
}
