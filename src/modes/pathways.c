/* pathways - all elementary flux modes of a network: the elementary vectors of its stoichiometry.
 */
#include "modes/pathways.h"

#include "modes/plain.h"

/* Makes the equations of a steady state. */
static bool take_system(struct rd_system *s, const struct rd_network *n, struct rd_error *e)
{
    bool ok = rd_system_open(s, n->n_species, n->n_reactions, e);
    for (int i = 0; ok && i < n->n_reactions; i++) {
        struct rd_system_column *const x = &s->column[i];
        x->is_reversible = n->reaction[i].is_reversible;
        x->is_excluded = n->reaction[i].is_excluded;
        ok = rd_sparse_copy(&x->net, &n->reaction[i].net) ||
             rd_fail_memory(e, "out of memory for the network");
    }
    return ok;
}

bool rd_pathways_find(struct rd_pathways *p, const struct rd_network *n,
                      const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_system s = {0};
    *p = (struct rd_pathways){.network = n};
    const bool ok = take_system(&s, n, e) && rd_elementary_find(&p->modes, &s, o, e);
    rd_system_free(&s);
    return ok;
}

bool rd_pathways_find_plain(struct rd_pathways *p, const struct rd_network *n, FILE *steps,
                            struct rd_error *e)
{
    struct rd_system s = {0};
    *p = (struct rd_pathways){.network = n};
    const bool ok = take_system(&s, n, e) && rd_elementary_begin(&p->modes, &s, e) &&
                    rd_plain_find(&p->modes.support, n, steps, e) &&
                    rd_supports_sort(&p->modes.support, e);
    rd_system_free(&s);
    return ok;
}

void rd_pathways_free(struct rd_pathways *p)
{
    rd_elementary_free(&p->modes);
    *p = (struct rd_pathways){0};
}
