/* passes - THE LIST: P(NUMBER, function, done for each of what). The back ends expand it once
   each into loops or launches; they never learn the name of a pass. */
#ifndef RD_PASSES_H
#define RD_PASSES_H

#define RD_PASSES(P)                                                                               \
    P(REACT, rd_react, n_reacting)                                                                 \
    P(HOP, rd_hop, n_moving)                                                                       \
    P(ENTER, rd_enter, n_inlets)                                                                   \
    P(LAND, rd_land, n_moving)

enum rd_pass {
#define RD_PASS_NUMBER(NUMBER, function, items) RD_##NUMBER,
    RD_PASSES(RD_PASS_NUMBER)
#undef RD_PASS_NUMBER
        RD_N_PASSES
};

#endif
