/* capacity - room for newborn individuals, for lineage records and for the living. */
#include "sim/capacity.h"

#include "kernels/passes/lists/capacity.h"
#include "sim/lists.h"
#include "sim/rows.h"
#include "sim/substeps.h"

#include <stdlib.h>

/* All passes do nothing from now on, so that none writes beyond the capacity. */
void rd_capacity_keep(struct rd_sim *s, const struct rd_error *why)
{
    const int64_t now = 0;
    struct rd_error ignored = {0};
    s->backend->put(s->machine, s->world.runs.first_faulting_pass, &now, sizeof now, &ignored);
    rd_error_free(&ignored);
    rd_fail(&s->broken, "%s", why->text);
}

/* Replaces an array by one of at least `more` entries, if it has fewer; its content is lost then.
   Returns false with a message on failure. */
static bool renew_array(struct rd_sim *s, void **at, int64_t *n, int64_t more, size_t size,
                        struct rd_error *e)
{
    if (more <= *n)
        return true;
    s->backend->free(s->machine, *at);
    *n = 0;
    *at = s->backend->alloc(s->machine, (size_t)more * size, e);
    *n = *at ? more : 0;
    return *at != NULL;
}
#define RENEW(s, name, more, e)                                                                    \
    renew_array(s, (void **)&(s)->world.lists.name, &(s)->world.lists.n_##name, more,              \
                sizeof *(s)->world.lists.name, e)

bool rd_capacity_reserve(struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e)
{
    if (n_newborn > INT32_MAX)
        return rd_fail(e,
                       "a step needs room for %lld births, more than 2147483647; set a shorter "
                       "time.step",
                       (long long)n_newborn);
    return RENEW(s, newborn, n_newborn, e) && RENEW(s, members, n_newborn, e) &&
           RENEW(s, standing, n_newborn, e) &&
           RENEW(s, newborn_trait, n_newborn * s->world.lists.most_traits, e) &&
           RENEW(s, note, n_notes, e);
}

/* Returns whether there is memory for this capacity in place of the present one; if not, adds a
   message. Without this check, a step in which numbers explode would take all free memory, also
   from other programs. */
static bool affords(const struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const double each =
        (double)(sizeof *w->lists.newborn + sizeof *w->lists.members + sizeof *w->lists.standing +
                 (size_t)w->lists.most_traits * sizeof *w->lists.newborn_trait);
    const double need = (double)(n_newborn - w->lists.n_newborn) * each +
                        (double)(n_notes - w->lists.n_note) * (double)sizeof *w->lists.note;
    const double has = (double)s->backend->memory(s->machine);
    return has < 0.0 || need <= 0.95 * has ||
           rd_fail(e,
                   "%lld births in one step need %.3g GB more, and %s has %.3g GB free; set a "
                   "shorter time.step, or lower the rates of birth",
                   (long long)n_newborn, need / 1e9, s->backend->device(s->machine), has / 1e9);
}

static int by_place(const void *a, const void *b)
{
    const struct rd_note *const x = a, *const y = b;
    if (x->order_key != y->order_key)
        return x->order_key < y->order_key ? -1 : 1;
    if (x->voxel != y->voxel)
        return x->voxel < y->voxel ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->list > y->list) - (x->list < y->list);
}

bool rd_capacity_for_lives(struct rd_sim *s, int64_t n, struct rd_error *e)
{
    if (s->n_lives + n <= s->lives_capacity)
        return true;
    const int64_t capacity = 2 * (s->n_lives + n);
    struct rd_life *const grown = realloc(s->life, (size_t)capacity * sizeof *grown);
    if (!grown)
        return rd_fail(e, "out of memory for %lld births and deaths", (long long)capacity);
    s->life = grown;
    s->lives_capacity = capacity;
    return true;
}

static bool drain_list(struct rd_sim *s, int64_t n, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    struct rd_note *const note = malloc((size_t)n * sizeof *note);
    const bool ok =
        (note || rd_fail(e, "out of memory for %lld births and deaths", (long long)n)) &&
        rd_capacity_for_lives(s, n, e) &&
        s->backend->get(s->machine, note, w->lists.note, (size_t)n * sizeof *note, e);
    if (ok)
        qsort(note, (size_t)n, sizeof *note, by_place);
    for (int64_t i = 0; ok && i < n; i++) {
        if (note[i].list < 0)
            continue;
        s->life[s->n_lives++] = (struct rd_life){
            .time = note[i].time,
            .order_key = note[i].order_key,
            .run = note[i].voxel / w->lattice.n_sites,
            .site = note[i].voxel % w->lattice.n_sites,
            .id = note[i].id,
            .parent = note[i].parent,
            .species = s->plan->species_of[s->plan->list[note[i].list].species],
            .is_birth = note[i].is_birth,
        };
    }
    free(note);
    return ok;
}

/* Moves all lineage records from the machine to the host. */
static bool drain_all(struct rd_sim *s, struct rd_error *e)
{
    struct rd_need *const need = &s->need;
    if (need->n_notes == 0)
        return true;
    const bool ok = drain_list(s, need->n_notes, e);
    need->n_notes = need->n_reported = 0;
    return ok && s->backend->put(s->machine, s->world.lists.need, need, sizeof *need, e);
}

bool rd_capacity_drain(struct rd_sim *s, struct rd_error *e)
{
    s->need.n_notes = s->need.n_reported;
    return drain_all(s, e);
}

/* Returns the most individuals that may live in a list until the next synchronisation, if `live` of
   them live now. Keeps the bound from before while it fits, since other bounds need other CUDA
   graphs. */
static int64_t reach_for(int64_t live, int64_t before, int64_t most)
{
    const int64_t ample = live + live / 4 + 1024;
    if (before < most && before >= live + live / 16 + 64 && before <= 2 * ample)
        return before;
    return ample < most ? ample : most;
}

/* Sets the bounds of all lists, with `more` individuals still to come. Returns the number of living
   individuals, or -1 with a message. A back end that shares the host's memory needs no bounds. */
static int64_t set_list_bounds(struct rd_sim *s, int64_t more, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)w->lists.n_list * sizeof(int64_t);
    int64_t *const live = malloc(bytes), all = 0;
    if (!live) {
        rd_fail(e, "out of memory for %lld lists of individuals", (long long)w->lists.n_list);
        return -1;
    }
    if (!s->backend->get(s->machine, live, w->lists.live, bytes, e)) {
        free(live);
        rd_fail(e, "%s: the number of living individuals cannot be read; run again",
                s->backend->device(s->machine));
        return -1;
    }
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        if (!s->backend->shares_host_memory)
            s->reach[i] = reach_for(live[i] + more, s->reach[i], s->plan->list[i].most);
        all += live[i];
    }
    free(live);
    return all;
}

/* Makes capacity after a pause: half more than needed, so that growing numbers seldom cause another
   pause. */
static bool make_capacity(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const struct rd_need need = s->need;
    const int64_t never = INT64_MAX, live = set_list_bounds(s, need.newborn, e);
    if (live < 0 || !drain_all(s, e))
        return false;
    const int64_t newborn = rd_newborn_needed(&need);
    const int64_t notes = need.n_notes + rd_notes_needed(&w->counts, &need, live);
    return affords(s, newborn, w->lists.n_note > 0 ? notes : 0, e) &&
           rd_capacity_reserve(
               s, newborn > w->lists.n_newborn ? newborn + newborn / 2 : 0,
               w->lists.n_note > 0 && notes > w->lists.n_note ? notes + notes / 2 : 0, e) &&
           s->backend->put(s->machine, w->runs.first_faulting_pass, &never, sizeof never, e);
}

static bool read_need(struct rd_sim *s, struct rd_error *e)
{
    return s->backend->get(s->machine, &s->need, s->world.lists.need, sizeof s->need, e);
}

void rd_capacity_check(struct rd_sim *s)
{
    for (int64_t i = 0; i < s->world.lists.n_list; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_CHECK_CAPACITY);
    }
}

bool rd_capacity_lacked(struct rd_sim *s)
{
    struct rd_error why = {0};
    if (!s->backend->shares_host_memory ||
        s->broken.n > 0) /* after a failure no capacity is made */
        return false;
    const bool ok = read_need(s, &why) && (s->need.lacks == 0 || make_capacity(s, &why));
    if (!ok)
        rd_capacity_keep(s, &why);
    rd_error_free(&why);
    if (!ok || s->need.lacks == 0)
        return false;
    s->step_clock.pass = s->need.from - 1; /* the next passes repeat these numbers */
    return true;
}

bool rd_capacity_is_idle(const struct rd_sim *s)
{
    return s->backend->shares_host_memory && s->need.touched == 0;
}

/* Goes back to the mark; passes up to number `done` are not done again. Both buffers of each list
   become equal, so that their order does not matter. */
static void return_to_mark(struct rd_sim *s, int64_t done)
{
    struct rd_world *const w = &s->world;
    const struct rd_mark *const to = &s->mark;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        rd_lists_choose(s, i);
        rd_sim_run(s, RD_COPY_LIST);
    }
    rd_rows_return(s);
    s->step_clock = to->step_clock;
    w->lists.key = to->key;
    w->lists.slot = to->slot;
    w->lists.key_next = to->key_next;
    w->lists.slot_next = to->slot_next;
    s->done = done;
}

/* Goes back after a pause that was not for lack of memory, and continues at that pass. */
static bool go_on_from(struct rd_sim *s, int64_t pass, struct rd_error *e)
{
    const int64_t never = INT64_MAX;
    return_to_mark(s, pass - 1);
    return s->backend->put(s->machine, s->world.runs.first_faulting_pass, &never, sizeof never, e);
}

/* Goes back after a pause because steps of rows could not be fused. They are fused again after the
   next check if the pool was too small, which the plain passes enlarge; otherwise some checks
   later, each time twice as many. */
static bool go_on_without_fusion(struct rd_sim *s, struct rd_error *e)
{
    struct rd_world *const w = &s->world;
    const int64_t none = 0;
    int64_t pass;
    w->rows.declines = s->declined;
    s->declines_left = 1;
    if (s->declined == RD_DECLINED_STATE) {
        s->declines = s->declines > 0 ? 2 * s->declines : 1;
        s->declines_left = s->declines;
    }
    return s->backend->put(s->machine, &w->rows.capacity->declined, &none, sizeof none, e) &&
           s->backend->get(s->machine, &pass, w->runs.first_faulting_pass, sizeof pass, e) &&
           go_on_from(s, pass, e);
}

/* Counts a check after which no pass paused. */
static void count_check(struct rd_sim *s)
{
    if (s->declines_left > 0 && --s->declines_left == 0)
        s->world.rows.declines = RD_DECLINED_NOT;
}

bool rd_capacity_again(struct rd_sim *s, int64_t *pass, struct rd_error *e)
{
    const bool has_lists = s->world.lists.n_list > 0;
    if (!rd_rows_short(s, pass, e) || (has_lists && !read_need(s, e)))
        return false;
    if (has_lists && s->need.lacks > 0)
        *pass = s->need.from;
    return true;
}

bool rd_capacity_renew(struct rd_sim *s, struct rd_error *e)
{
    const bool has_lists = s->world.lists.n_list > 0;
    int64_t pass;
    if (has_lists && s->need.lacks > 0) {
        return_to_mark(s, s->need.from - 1);
        return make_capacity(s, e);
    }
    if (s->short_pass > 0) {
        return_to_mark(s, s->short_pass);
        return true;
    }
    if (s->declined != RD_DECLINED_NOT)
        return go_on_without_fusion(s, e);
    if (rd_substeps_lacked(s, &pass, e))
        return go_on_from(s, pass, e);
    if (has_lists && (!drain_all(s, e) || set_list_bounds(s, 0, e) < 0))
        return false;
    rd_substeps_mark(s);
    count_check(s);
    rd_sim_mark(s);
    return true;
}
