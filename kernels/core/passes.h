/* passes - THE LIST of passes: P(NUMBER, function, items, most). The function runs for every item
   below `items`, an expression in the world w that may read the machine's memory. `most` is an
   upper bound that the host can compute; if it is 0, `items` is not read. Each back end expands the
   list once into loops or launches and contains no names of passes. */
#ifndef RD_CORE_PASSES_H
#define RD_CORE_PASSES_H

#define RD_PASSES(P)                                                                               \
    P(REACT, rd_react, w->items.n_reacting, w->items.n_reacting)                                   \
    P(EXCHANGE_SUMS, rd_exchange_sums, w->items.n_exchange_groups, w->items.n_exchange_groups)     \
    P(EXCHANGE, rd_exchange_run, w->items.n_exchanging, w->items.n_exchanging)                     \
    P(MIX_COUNT, rd_mix_count, w->items.n_mixing_blocks, w->items.n_mixing_blocks)                 \
    P(MIX_SHARE, rd_mix_share, w->items.n_mixing, w->items.n_mixing)                               \
    P(MIX_PLACE, rd_mix_place, w->items.n_mixing_blocks, w->items.n_mixing_blocks)                 \
    P(RESERVE, rd_reserve, w->lists.n_need, w->lists.n_need)                                       \
    P(CHECK_CAPACITY, rd_check_capacity, w->lists.n_need, w->lists.n_need)                         \
    P(MAINTAIN, rd_maintain, rd_if_touched(&w->lists, w->items.n_maintained),                      \
      w->items.n_maintained)                                                                       \
    P(COUNT_RUN, rd_count_run, rd_if_touched(&w->lists, w->lattice.n_runs),                        \
      w->runs.faults_are_separate && w->items.n_maintained > 0 ? w->lattice.n_runs : 0)            \
    P(ROLL_BACK, rd_roll_back, rd_n_rolled_back(w),                                                \
      w->runs.faults_are_separate ? w->items.n_maintained : 0)                                     \
    P(EXPAND, rd_expand, rd_if_touched(&w->lists, w->lattice.n_voxels), w->lattice.n_voxels)       \
    P(CHECK_MAXIMUM, rd_check_maximum, rd_if_touched(&w->lists, w->lattice.n_runs),                \
      w->lattice.n_runs)                                                                           \
    P(PLACE_BIRTHS, rd_place_births, rd_n_newborn(&w->lists), w->lists.n_newborn)                  \
    P(REDUCE, rd_reduce, rd_if_touched(&w->lists, rd_n_listed(&w->lists)), w->lists.reach)         \
    P(REFILL, rd_refill, rd_n_newborn(&w->lists), w->lists.n_newborn)                              \
    P(FINISH_LINEAGE, rd_finish_lineage, rd_n_notes(&w->lists), w->lists.n_note)                   \
    P(COPY_LIST, rd_copy_list, rd_n_copied(w), w->lists.reach)                                     \
    P(RETURN_SLOTS, rd_return_slots, rd_n_returned(&w->lists), w->lists.reach)                     \
    P(REINDEX, rd_reindex, rd_if_touched(&w->lists, w->lattice.n_voxels + 1),                      \
      w->lattice.n_voxels + 1)                                                                     \
    P(INDEX, rd_index, rd_n_indexed(&w->lists), w->lists.reach + 1)                                \
    P(COMMIT_LISTS, rd_commit_lists, w->lists.n_list, w->lists.n_list)                             \
    P(MOVE, rd_move, rd_n_listed(&w->lists), w->lists.reach)                                       \
    P(HOP, rd_hop, w->items.n_moving, w->items.n_moving)                                           \
    P(ENTER, rd_enter, w->items.n_inlets, w->items.n_inlets)                                       \
    P(LAND, rd_land, w->items.n_moving, w->items.n_moving)                                         \
    P(REACT_ROWS, rd_react_row, w->items.n_reacting, w->items.n_reacting)                          \
    P(HOP_ROWS, rd_hop_row, w->items.n_moving, w->items.n_moving)                                  \
    P(LINK_ARRIVALS, rd_link_arrivals, w->rows.capacity->arrivals, w->rows.n_outbox)               \
    P(LAND_ROWS, rd_land_row, w->rows.n_row, w->rows.n_row)                                        \
    P(CLOSE_ROWS, rd_close_rows, w->rows.n_capacity, w->rows.n_capacity)                           \
    P(COUNT_PACKED, rd_count_packed, w->rows.n_offset, w->rows.n_offset)                           \
    P(PACK_ROWS, rd_pack_row, w->rows.n_packed, w->rows.n_packed)                                  \
    P(TOTAL_ROWS, rd_total_row, w->rows.n_row, w->rows.n_row)                                      \
    P(SUBSTEP_BEGIN, rd_substep_begin, w->movement.n_substep, w->movement.n_substep)               \
    P(UPDATE_RATES, rd_update_rates, w->items.n_substepped, w->items.n_substepped)                 \
    P(CHOOSE_SUBSTEP, rd_choose_substep, w->movement.n_substep, w->movement.n_substep)             \
    P(SUBSTEP_HOP, rd_substep_hop, w->items.n_substepped, w->items.n_substepped)                   \
    P(DEPOSIT, rd_deposit, w->items.n_substepped, w->items.n_substepped)                           \
    P(CHECK_SUBSTEPS, rd_check_substeps, w->movement.n_substep, w->movement.n_substep)             \
    P(TALLY, rd_tally, w->items.n_tallied, w->items.n_tallied)                                     \
    P(CHANGE_FIELD, rd_change_field, w->items.n_changing, w->items.n_changing)                     \
    P(FIELD_GRADIENT, rd_field_gradient, w->items.n_field_gradients, w->items.n_field_gradients)   \
    P(GATHER, rd_gather, w->items.n_gathered, w->items.n_gathered)                                 \
    P(AVERAGE, rd_average, w->items.n_averaged, w->items.n_averaged)                               \
    P(CLEAR_TOTALS, rd_clear_totals, w->runs.n_total, w->runs.n_total)                             \
    P(SUM_TOTALS, rd_sum_totals, w->items.n_summed, w->items.n_summed)                             \
    P(TEST_EVENTS, rd_test_events, w->items.n_tested, w->items.n_tested)                           \
    P(STOP_RUN, rd_stop_run, w->runs.n_stopped, w->runs.n_stopped)                                 \
    P(RANDOM_WORDS, rd_random_words, w->counts.n_count, w->counts.n_count)                         \
    P(SITE_SUMS, rd_site_sums, w->counts.n_surveyed, w->counts.n_surveyed)                         \
    P(REGION_TOTALS, rd_region_totals, w->counts.n_region_items, w->counts.n_region_items)

/* Lists the passes that scan or sort the whole selected list, L(NUMBER); list_passes.h does them by
   operations of the back end:
     SCAN_BIRTHS   sums up the room before the first individual of each occupied voxel, and the
   ranks of the newborn SCAN_OFFSETS  computes how far each entry moves SORT          sorts by
   voxel, stably; individuals that a wall removed come last */
#define RD_LIST_PASSES(L)                                                                          \
    L(SCAN_BIRTHS)                                                                                 \
    L(SCAN_OFFSETS)                                                                                \
    L(SORT)                                                                                        \
    L(SCAN_ROWS)

/* Lists the passes that have a tuned version for a portion of their items on the CPU, with the same
   bytes. */
#define RD_CPU_TUNED(T)                                                                            \
    T(REACT, rd_react_portion)                                                                     \
    T(MOVE, rd_move_portion)                                                                       \
    T(HOP, rd_hop_portion)                                                                         \
    T(HOP_ROWS, rd_hop_rows_portion)                                                               \
    T(LAND_ROWS, rd_land_rows_portion)                                                             \
    T(REACT_ROWS, rd_react_rows_portion)                                                           \
    T(LAND, rd_land_portion)                                                                       \
    T(TALLY, rd_tally_portion)                                                                     \
    T(RANDOM_WORDS, rd_random_words_portion)

/* Lists the passes that have a tuned version with its own launches on the GPU, and whether it
   defers voxels or other items to a later kernel. */
#define RD_CUDA_TUNED(T)                                                                           \
    T(REACT, rd_react_tiles, true)                                                                 \
    T(UPDATE_LISTS, rd_update_lists_portions, true)                                                \
    T(INDEX, rd_index_by_search, false)                                                            \
    T(MOVE, rd_move_leanly, true)                                                                  \
    T(HOP, rd_hop_on_uniformised_walks, true)                                                      \
    T(REACT_ROWS, rd_react_rows_queues, true)                                                      \
    T(HOP_ROWS, rd_hop_rows_queues, true)                                                          \
    T(LINK_ARRIVALS, rd_link_and_send, false)                                                      \
    T(LAND_ROWS, rd_land_rows_queues, false)                                                       \
    T(SORT_BY_VOXEL, rd_sort_by_voxel_boxes, true)                                                 \
    T(MOVE_AND_SORT, rd_move_and_sort_boxes, true)

/* Lists the fused passes: each does a sequence of the passes above at once, on machines that have a
   tuned version of it. The host requests plain passes only; fused_passes.c has the table of
   sequences. */
#define RD_FUSED(F)                                                                                \
    F(UPDATE_LISTS)                                                                                \
    F(MOVE_AND_SORT)                                                                               \
    F(SORT_BY_VOXEL)                                                                               \
    F(ROW_STEP)                                                                                    \
    F(REACT_LANDED)                                                                                \
    F(FUSED_STEP)

enum rd_pass {
#define RD_PASS_NUMBER(NUMBER, ...) RD_##NUMBER,
    RD_PASSES(RD_PASS_NUMBER) RD_LIST_PASSES(RD_PASS_NUMBER) RD_N_PASSES, /* that are requested */
    RD_FUSED(RD_PASS_NUMBER)
#undef RD_PASS_NUMBER
};

#endif
