/* initial - the section `initial`: the molecules at time 0; the entries add up. */
#include "model/amount.h"
#include "model/sections.h"

void rd_initial_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "initial");
    const int n = rd_node_length(list);
    r->m->initial = rd_reader_array(r, n, sizeof *r->m->initial);
    r->m->n_initial = r->m->initial ? n : 0;
    for (int i = 0; i < r->m->n_initial; i++) {
        rd_reader_about(r, "initial[%d]", i);
        rd_amount_read(r, rd_node_at(list, i), RD_AMOUNT_INITIAL, &r->m->initial[i]);
    }
}
