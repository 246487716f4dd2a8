/* fields - initial values of the fields that change, on the machine, with their gradients. */
#include "sim/fields.h"

bool rd_fields_begin(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)w->n_sites * sizeof *w->varying;
    bool ok = true;
    for (int i = 0; i < m->n_fields; i++)
        for (int64_t run = 0; ok && m->field_varies[i] && run < w->n_runs; run++) {
            double *const at =
                w->varying + m->field_component_of[RD_FIELD_COMPONENTS * i] * w->n_voxels;
            ok = s->backend->put(s->machine, at + run * w->n_sites,
                                 m->field_component + m->field[i].start * w->n_sites, bytes, e);
        }
    rd_sim_run(s, RD_FIELD_GRADIENT);
    return ok;
}
