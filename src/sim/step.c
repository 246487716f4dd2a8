/* step - one time step, top to bottom.

   Strang (1968): half a step of reactions, movement, half a step of reactions; half of the change
   of fields comes before the movement and half after it. The error is of second order in the step.
   The half steps of reactions that meet between two steps of a stretch are one pass. Lie:
   reactions, movement, fields; the error is of first order. Species that move in substeps come last
   in a movement. */
#include "sim/step.h"

#include "plan/timeline.h"
#include "sim/capacity.h"
#include "sim/lists.h"
#include "sim/rows.h"
#include "sim/substeps.h"

/* Copies the present lists to the next ones, for lists that the update did not change. */
static void keep_lists(struct rd_sim *s)
{
    for (int64_t i = 0; i < s->world.lists.n_list; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_COPY_LIST);
    }
}

/* Makes the next lists, which have their index, the present ones. */
static void close_lists(struct rd_sim *s)
{
    for (int64_t i = 0; i < s->world.lists.n_list; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_RETURN_SLOTS);
    }
    rd_lists_swap(s);
    rd_sim_run(s, RD_COMMIT_LISTS);
}

/* Updates the lists by the marked deaths and the stored newborn. Each list makes room, closes its
   gaps and takes in its newborn, so that it stays sorted without a sort. */
static void update_lists(struct rd_sim *s)
{
    const int64_t n = s->world.lists.n_list;
    for (int64_t i = 0; i < n; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_SCAN_BIRTHS);
        rd_sim_run(s, RD_EXPAND);
        rd_sim_run(s, RD_SCAN_OFFSETS);
    }
    rd_sim_run(s, RD_CHECK_MAXIMUM);
    rd_sim_run(s, RD_PLACE_BIRTHS);
    for (int64_t i = 0; i < n; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_REDUCE);
    }
    rd_sim_run(s, RD_REFILL);
    rd_sim_run(s, RD_FINISH_LINEAGE);
    for (int64_t i = 0; i < n; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_REINDEX);
    }
}

void rd_step_update_lists(struct rd_sim *s)
{
    update_lists(s);
    keep_lists(s);
    close_lists(s);
}

/* Applies the counted events to the individuals. */
static void apply_events(struct rd_sim *s)
{
    rd_sim_run(s, RD_MAINTAIN);
    rd_sim_run(s, RD_COUNT_RUN);
    rd_sim_run(s, RD_ROLL_BACK);
    update_lists(s);
    keep_lists(s);
    close_lists(s);
}

void rd_step_totals(struct rd_sim *s)
{
    rd_sim_run(s, RD_CLEAR_TOTALS);
    rd_sim_run(s, RD_SUM_TOTALS);
}

/* Computes the present totals and mean positions that rates use. */
static void average(struct rd_sim *s)
{
    if (s->plan->model->n_rate_totals > 0)
        rd_step_totals(s);
    if (s->world.items.n_averaged == 0)
        return;
    rd_sim_run(s, RD_GATHER);
    rd_sim_run(s, RD_AVERAGE);
}

/* Changes the fields for dt by the present content of their voxels. */
static void change_fields(struct rd_sim *s, double from, double dt)
{
    if (s->world.items.n_changing == 0)
        return;
    rd_sim_aim(s, 0, from, dt);
    average(s);
    rd_sim_run(s, RD_CHANGE_FIELD);
    if (s->world.items.n_field_gradients > 0)
        rd_sim_run(s, RD_FIELD_GRADIENT);
}

/* Simulates the reactions in each voxel, or counts them if they involve individuals. */
static void react(struct rd_sim *s)
{
    if (rd_rows_exist(s))
        rd_rows_react(s);
    else
        rd_sim_run(s, RD_REACT);
}

/* Does the reactions in each voxel. Reactions of individuals are counted first, so that there is
   capacity for the newborn, and then applied. */
static void react_in_voxels(struct rd_sim *s, uint32_t part, double from, double dt)
{
    rd_sim_aim(s, part, from, dt);
    s->step_clock.reacted = from + dt;
    average(s);
    if (s->world.items.n_maintained == 0) {
        react(s);
        return;
    }
    do {
        rd_sim_run(s, RD_RESERVE);
        react(s);
        rd_capacity_check(s);
    } while (rd_capacity_lacked(s));
    if (rd_capacity_is_idle(s))
        return;
    apply_events(s);
}

/* Moves counted molecules in the interval that is set. */
static void move_counted(struct rd_sim *s)
{
    if (rd_rows_exist(s)) {
        rd_rows_move(s);
        return;
    }
    rd_sim_run(s, RD_HOP);
    rd_sim_run(s, RD_ENTER);
    rd_sim_run(s, RD_LAND);
}

/* Sorts the lists by voxel. */
static void sort_lists(struct rd_sim *s, int64_t n_lists)
{
    for (int64_t i = 0; i < n_lists; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_SORT);
        rd_sim_run(s, RD_INDEX);
    }
    if (n_lists > 0)
        close_lists(s);
}

/* Moves individuals and then counted molecules: individuals move by the counts from before. Then
   takes the counts of individuals from their lists. Rows move after the sort, so that a GPU can
   move and sort individuals at once. */
static void move_molecules(struct rd_sim *s, double from, double dt)
{
    const int32_t n = s->plan->moves;
    const int64_t n_lists = s->world.items.n_tallied > 0 ? s->world.lists.n_list : 0;
    for (int32_t part = 0; part < n; part++) {
        rd_sim_aim(s, (uint32_t)part, from + dt * part / n, dt / n);
        average(s);
        for (int64_t i = 0; i < n_lists; i++) {
            rd_lists_choose(s, i);
            rd_sim_run(s, RD_MOVE);
        }
        if (rd_rows_exist(s))
            sort_lists(s, n_lists);
        move_counted(s);
        if (!rd_rows_exist(s))
            sort_lists(s, n_lists);
        if (n_lists > 0)
            rd_sim_run(s, RD_TALLY);
    }
    rd_substeps_take(s, from, dt);
}

/* Does the reactions between voxels and compartments. */
static void exchange_with_compartments(struct rd_sim *s, uint32_t part, double from, double dt)
{
    if (s->world.items.n_exchanging == 0)
        return;
    rd_sim_aim(s, part, from, dt);
    average(s);
    rd_sim_run(s, RD_EXCHANGE_SUMS);
    rd_sim_run(s, RD_EXCHANGE);
}

/* Mixes voxels and compartments that exchange molecules infinitely fast. */
static void mix(struct rd_sim *s, double from, double dt)
{
    if (s->world.items.n_mixing == 0)
        return;
    rd_sim_aim(s, 0, from, dt);
    rd_sim_run(s, RD_MIX_COUNT);
    rd_sim_run(s, RD_MIX_SHARE);
    rd_sim_run(s, RD_MIX_PLACE);
}

/* Moves molecules within the lattice, and between it and the compartments: half of the exchange,
   the lattice, the other half. */
static void move_and_exchange(struct rd_sim *s, double from, double dt)
{
    const bool is_split = s->world.items.n_moving + s->world.items.n_tallied > 0;
    exchange_with_compartments(s, 0, from, is_split ? dt / 2.0 : dt);
    move_molecules(s, from, dt);
    if (is_split)
        exchange_with_compartments(s, 1, from + dt / 2.0, dt / 2.0);
    mix(s, from, dt);
}

static void step_lie(struct rd_sim *s, double from, double dt)
{
    react_in_voxels(s, 0, from, dt);
    move_and_exchange(s, from, dt);
    change_fields(s, from, dt);
}

static void step_strang(struct rd_sim *s, double from, double dt, bool opens, bool closes)
{
    if (opens)
        react_in_voxels(s, 0, from, dt / 2.0);
    change_fields(s, from, dt / 2.0);
    move_and_exchange(s, from, dt);
    change_fields(s, from + dt / 2.0, dt / 2.0);
    react_in_voxels(s, 1, from + dt / 2.0, closes ? dt / 2.0 : dt);
}

void rd_step_stop(struct rd_sim *s, double now)
{
    const struct rd_world *const w = &s->world;
    if (w->runs.n_stopped == 0)
        return;
    rd_sim_aim(s, 0, now, 0.0);
    rd_step_totals(s);
    rd_sim_run(s, RD_STOP_RUN);
}

void rd_step_test_events(struct rd_sim *s, double now)
{
    if (s->world.items.n_tested == 0)
        return;
    rd_sim_aim(s, 0, now, 0.0);
    rd_step_totals(s);
    rd_sim_run(s, RD_TEST_EVENTS);
}

void rd_step(struct rd_sim *s, const struct rd_stretch *stretch, int64_t j)
{
    const struct rd_model *const m = s->plan->model;
    const double from = rd_stretch_time(stretch, j);
    const bool is_each = m->stops_at_steps || m->n_conditions > 0;
    s->step_clock.order_key = rd_first_order_key(s->step_clock.step);
    /* without movement there is nothing to split */
    if (m->solver == RD_SOLVER_EXACT) {
        average(s);
        rd_sim_exact(s, from, stretch->step, false);
    } else if (m->splitting == RD_SPLITTING_LIE ||
               s->world.items.n_moving + s->world.items.n_tallied + s->world.items.n_changing +
                       s->world.items.n_exchanging + s->world.items.n_mixing ==
                   0)
        step_lie(s, from, stretch->step);
    else
        step_strang(s, from, stretch->step, j == 0 || is_each,
                    j == stretch->n_steps - 1 || is_each);
    if (m->stops_at_steps)
        rd_step_stop(s, rd_stretch_time(stretch, j + 1));
    rd_step_test_events(s, rd_stretch_time(stretch, j + 1));
    s->step_clock.step++;
}
