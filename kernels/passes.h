/* passes - THE LIST: P(NUMBER, function, items, most). The function happens to every item below
   `items`, an expression in the world w that may read the machine's memory; `most` is a bound of it
   that the host can tell. The back ends expand the list once each into loops or launches; they
   never learn the name of a pass. */
#ifndef RD_PASSES_H
#define RD_PASSES_H

#define RD_PASSES(P)                                                                               \
    P(REACT, rd_react, w->n_reacting, w->n_reacting)                                               \
    P(HOP, rd_hop, w->n_moving, w->n_moving)                                                       \
    P(ENTER, rd_enter, w->n_inlets, w->n_inlets)                                                   \
    P(LAND, rd_land, w->n_moving, w->n_moving)

enum rd_pass {
#define RD_PASS_NUMBER(NUMBER, function, items, most) RD_##NUMBER,
    RD_PASSES(RD_PASS_NUMBER)
#undef RD_PASS_NUMBER
        RD_N_PASSES
};

#endif
