/* passes - THE LIST: P(NUMBER, function, items, most). The function happens to every item below
   `items`, an expression in the world w that may read the machine's memory; `most` is a bound of it
   that the host can tell, and where it is 0 `items` is not read. The back ends expand the list once
   each into loops or launches; they never learn the name of a pass. */
#ifndef RD_CORE_PASSES_H
#define RD_CORE_PASSES_H

#define RD_PASSES(P)                                                                               \
    P(REACT, rd_react, w->n_reacting, w->n_reacting)                                               \
    P(ASK, rd_ask, w->n_need, w->n_need)                                                           \
    P(GRANT, rd_grant, w->n_need, w->n_need)                                                       \
    P(MAINTAIN, rd_maintain, rd_if_touched(w, w->n_maintained), w->n_maintained)                   \
    P(CENSUS, rd_census, rd_if_touched(w, w->n_runs),                                              \
      w->faults_alone && w->n_maintained > 0 ? w->n_runs : 0)                                      \
    P(RECALL, rd_recall, rd_n_recalled(w), w->faults_alone ? w->n_maintained : 0)                  \
    P(EXPAND, rd_expand, rd_if_touched(w, w->n_cells), w->n_cells)                                 \
    P(FIT, rd_fit, rd_if_touched(w, w->n_runs), w->n_runs)                                         \
    P(STAND, rd_stand, rd_n_newborn(w), w->n_newborn)                                              \
    P(REDUCE, rd_reduce, rd_if_touched(w, rd_n_listed(w)), w->reach)                               \
    P(REFILL, rd_refill, rd_n_newborn(w), w->n_newborn)                                            \
    P(TELL, rd_tell, rd_n_untold(w), w->n_note)                                                    \
    P(STAY, rd_stay, rd_n_staying(w), w->reach)                                                    \
    P(RETIRE, rd_retire, rd_n_retired(w), w->reach)                                                \
    P(REINDEX, rd_reindex, rd_if_touched(w, w->n_cells + 1), w->n_cells + 1)                       \
    P(INDEX, rd_index, rd_n_indexed(w), w->reach + 1)                                              \
    P(SETTLE, rd_settle, w->n_list, w->n_list)                                                     \
    P(MOVE, rd_move, rd_n_listed(w), w->reach)                                                     \
    P(HOP, rd_hop, w->n_moving, w->n_moving)                                                       \
    P(ENTER, rd_enter, w->n_inlets, w->n_inlets)                                                   \
    P(LAND, rd_land, w->n_moving, w->n_moving)                                                     \
    P(SET_OUT, rd_set_out, w->n_stride, w->n_stride)                                               \
    P(GAUGE, rd_gauge, w->n_roaming, w->n_roaming)                                                 \
    P(MEASURE, rd_measure, w->n_stride, w->n_stride)                                               \
    P(ROAM, rd_roam, w->n_roaming, w->n_roaming)                                                   \
    P(ALIGHT, rd_alight, w->n_roaming, w->n_roaming)                                               \
    P(AWAIT, rd_await, w->n_stride, w->n_stride)                                                   \
    P(TALLY, rd_tally, w->n_tallied, w->n_tallied)                                                 \
    P(FLOW, rd_flow_on, w->n_changing, w->n_changing)                                              \
    P(INCLINE, rd_incline, w->n_inclined, w->n_inclined)                                           \
    P(GATHER, rd_gather, w->n_gathered, w->n_gathered)                                             \
    P(AVERAGE, rd_average, w->n_averaged, w->n_averaged)                                           \
    P(CEASE, rd_cease, w->n_stopped, w->n_stopped)                                                 \
    P(WORDS, rd_words, w->n_count, w->n_count)                                                     \
    P(SURVEY, rd_survey, w->n_surveyed, w->n_surveyed)

/* Passes that have a twin for a portion of their items on the CPU, of the same bytes. */
#define RD_CPU_TUNED(T)                                                                            \
    T(REACT, rd_react_portion)                                                                     \
    T(MOVE, rd_move_portion)                                                                       \
    T(HOP, rd_hop_portion)                                                                         \
    T(WORDS, rd_words_portion)

/* And those that have a twin that launches itself on the GPU. */
#define RD_CUDA_TUNED(T)                                                                           \
    T(REACT, rd_react_tiles)                                                                       \
    T(UPKEEP, rd_upkeep_portions)                                                                  \
    T(MOVE, rd_move_leanly)                                                                        \
    T(HOP, rd_hop_on_tours)                                                                        \
    T(REGROUP, rd_regroup_boxes)                                                                   \
    T(WANDER, rd_wander_boxes)

/* What only twins do: UPKEEP is MAINTAIN and all that follows up to REINDEX, at once; REGROUP is
   the sort after a movement, and INDEX; WANDER is MOVE and REGROUP, of a list that moves by rows
   which are the same everywhere. */
enum rd_pass {
#define RD_PASS_NUMBER(NUMBER, function, items, most) RD_##NUMBER,
    RD_PASSES(RD_PASS_NUMBER)
#undef RD_PASS_NUMBER
        RD_UPKEEP,
    RD_REGROUP,
    RD_WANDER,
    RD_N_PASSES
};

#endif
