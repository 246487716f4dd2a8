/* place_individuals - individuals that are placed or removed at the start and at events.

   Deaths are marked and newborn are stored as reactions do it. The same list update follows. */
#include "sim/place_individuals.h"

#include "base/large_array.h"
#include "base/threads.h"
#include "kernels/core/lattice.h"
#include "kernels/core/rng.h"
#include "sim/capacity.h"
#include "sim/initial_attributes.h"
#include "sim/step.h"

#include <stdlib.h>

/* Holds an individual that becomes another species; its attributes follow those of the ones before.
 */
struct moved {
    int64_t id, parent;
    double born;
    int64_t attribute; /* of the first one, among all */
};

/* Holds the numbers that the first newborn of a placement takes. */
struct first_newborn {
    int64_t newborn, id; /* its index among those that are stored, and its id */
    int32_t place;       /* among the births of its voxel */
};

struct placing {
    struct rd_sim *s;
    const struct rd_occasion *o;
    struct rd_error *e;

    int threads;
    struct rd_placement *placement;
    int64_t n;
    struct first_newborn *first_newborn; /* [placement] */
    struct rd_initial_attributes initial_attributes;

    int32_t *first, *births, *offset; /* copies of the machine's arrays */
    uint8_t *flag;
    int64_t *next_id;
    struct rd_newborn *newborn;
    double *trait;
    struct moved *moved; /* owned: [n_moved] */
    double *moved_attribute;
    int64_t n_moved, n_moved_attributes;
    int64_t n_newborn, capacity; /* newborn stored until the next list update; maximum */
};

static bool is_same_voxel(const struct rd_placement *a, const struct rd_placement *b)
{
    return a->list == b->list && a->voxel == b->voxel;
}

/* Returns the order of a birth or death within its event: removals by amount, then additions by
   list. */
static int64_t part_of(const struct placing *m, const struct rd_placement *a, bool is_birth)
{
    const int64_t which = is_birth ? a->list : a->by - m->o->event->take;
    return (int64_t)(m->o->number + 1) << 32 | (int64_t)is_birth << 31 | which;
}

static bool add_life(struct placing *m, const struct rd_placement *a, int64_t id, int64_t parent,
                     bool is_birth)
{
    struct rd_sim *const s = m->s;
    if (!s->plan->list[a->list].has_lineage)
        return true;
    if (!rd_capacity_for_lives(s, 1, m->e))
        return false;
    s->life[s->n_lives++] =
        (struct rd_life){.time = rd_occasion_time(m->o, a->voxel / s->world.lattice.n_sites),
                         .order_key = rd_first_order_key(s->step_clock.step),
                         .part = part_of(m, a, is_birth),
                         .run = a->voxel / s->world.lattice.n_sites,
                         .site = a->voxel % s->world.lattice.n_sites,
                         .id = id,
                         .parent = parent,
                         .species = s->plan->species_of[s->plan->list[a->list].species],
                         .is_birth = is_birth};
    return true;
}

/* Stores a newborn of the placement: one that becomes its species, or a new one. */
static bool store_newborn(struct placing *m, const struct rd_placement *a,
                          const struct first_newborn *first, int32_t k, struct rd_error *e)
{
    const struct rd_world *const w = &m->s->world;
    const struct moved *const was = a->is_same ? &m->moved[a->moved + k] : NULL;
    const int64_t i = first->newborn + k;
    const struct rd_kept kept = {
        was ? &m->s->plan->model->species[a->by->species] : NULL,
        was ? m->moved_attribute + was->attribute : NULL,
    };
    struct rd_newborn *const b = &m->newborn[i];
    *b = (struct rd_newborn){.id = was ? was->id : first->id + k,
                             .parent = was ? was->parent : -1,
                             .born = was ? was->born
                                         : rd_occasion_time(m->o, a->voxel / w->lattice.n_sites),
                             .id_of = -1,
                             .parent_of = -1,
                             .voxel = (uint32_t)a->voxel,
                             .list = a->list,
                             .place = first->place + k};
    return rd_initial_attributes_give(&m->initial_attributes, a, b->id, &kept,
                                      m->trait + i * w->lists.most_traits, e, e);
}

/* Sets the numbers that the newborn of placement i take. */
static bool number_newborn(struct placing *m, int64_t i)
{
    const struct rd_placement *const a = &m->placement[i];
    const int64_t c = m->s->plan->list[a->list].voxels + a->voxel,
                  run = a->voxel / m->s->world.lattice.n_sites;
    m->first_newborn[i] = (struct first_newborn){m->n_newborn, m->next_id[run], m->births[c]};
    m->n_newborn += a->number;
    m->births[c] += a->number;
    for (int32_t k = 0; k < a->number && !a->is_same; k++)
        if (!add_life(m, a, m->next_id[run]++, -1, true))
            return false;
    return rd_initial_attributes_open(&m->initial_attributes, a, m->e);
}

/* Sets the number of placements that a thread takes at a time. */
enum { PORTION = 1024 };

/* Holds placements, the newborn of which are stored by several threads. */
struct portions {
    struct placing *all;
    int64_t begin, end;
};

static bool store_portion(void *of, int64_t portion, struct rd_error *e)
{
    const struct portions *const p = of;
    struct placing *const m = p->all;
    const int64_t begin = p->begin + portion * PORTION,
                  end = begin + PORTION < p->end ? begin + PORTION : p->end;
    for (int64_t i = begin; i < end; i++)
        for (int32_t k = 0; k < m->placement[i].number; k++)
            if (!store_newborn(m, &m->placement[i], &m->first_newborn[i], k, e))
                return false;
    return true;
}

/* Notes the individual at the entry, which becomes another species. */
static bool note_moved(struct placing *m, const struct rd_placement *a, int64_t entry)
{
    const struct rd_world *const w = &m->s->world;
    const struct rd_list *const l = &m->s->plan->list[a->list];
    const struct rd_backend *const b = m->s->backend;
    rd_machine *const on = m->s->machine;
    struct moved *const more = realloc(m->moved, (size_t)(m->n_moved + 1) * sizeof *more);
    if (more)
        m->moved = more;
    double *const attribute = realloc(
        m->moved_attribute, (size_t)(m->n_moved_attributes + l->n_traits) * sizeof *attribute + 1);
    if (attribute)
        m->moved_attribute = attribute;
    if (!more || !attribute)
        return rd_fail(m->e, "out of memory for converting individuals");
    struct moved *const x = &more[m->n_moved++];
    uint32_t slot;
    x->attribute = m->n_moved_attributes;
    bool ok = b->get(on, &slot, w->lists.slot + entry, sizeof slot, m->e) &&
              b->get(on, &x->id, w->lists.id + l->base + slot, sizeof x->id, m->e) &&
              b->get(on, &x->parent, w->lists.parent + l->base + slot, sizeof x->parent, m->e) &&
              b->get(on, &x->born, w->lists.born + l->base + slot, sizeof x->born, m->e);
    for (int32_t k = 0; ok && k < l->n_traits; k++)
        ok = b->get(on, &attribute[m->n_moved_attributes++],
                    w->lists.trait + l->trait + k * l->most + slot, sizeof *attribute, m->e);
    return ok;
}

/* Adds a death to the lineage, if the species has one. */
static bool report_death(struct placing *m, const struct rd_placement *a, int64_t entry)
{
    const struct rd_world *const w = &m->s->world;
    const struct rd_list *const l = &m->s->plan->list[a->list];
    uint32_t slot;
    int64_t id;
    const struct rd_backend *const b = m->s->backend;
    return !l->has_lineage ||
           (b->get(m->s->machine, &slot, w->lists.slot + entry, sizeof slot, m->e) &&
            b->get(m->s->machine, &id, w->lists.id + l->base + slot, sizeof id, m->e) &&
            add_life(m, a, id, -1, false));
}

/* Removes individuals of the voxel that were not removed before; every choice is equally likely
   (selection sampling: Knuth, The Art of Computer Programming 2, 3.4.2). Draws no random number if
   all are removed. */
static bool remove_individuals(struct placing *m, const struct rd_placement *a, bool is_moved,
                               struct rd_stream *s)
{
    const struct rd_list *const l = &m->s->plan->list[a->list];
    const int64_t begin = l->base + m->first[l->voxels + a->voxel];
    const int64_t end = l->base + m->first[l->voxels + a->voxel + 1];
    int64_t here = 0, left = -(int64_t)a->number;
    for (int64_t i = begin; i < end; i++)
        here += m->offset[i] == 0;
    for (int64_t i = begin; i < end && left > 0; i++) {
        if (m->offset[i] != 0)
            continue;
        const int64_t which = left < here ? (int64_t)rd_below(s, (uint64_t)here) : 0;
        here--;
        if (which >= left)
            continue;
        m->offset[i] = -1;
        left--;
        if (!(is_moved ? note_moved : report_death)(m, a, i))
            return false;
    }
    return true;
}

/* Marks all removed individuals, in the order of the amounts. Each amount has a stream in each run:
   part 1; its part 0 drew the voxels. */
static bool mark_all_removed(struct placing *m)
{
    const struct rd_world *const w = &m->s->world;
    struct rd_stream which;
    const struct rd_amount *by = NULL;
    int64_t of_run = -1;
    for (int64_t i = 0; i < m->n; i++) {
        const struct rd_placement *const a = &m->placement[i];
        const int64_t run = a->voxel / w->lattice.n_sites;
        struct rd_placement *const next =
            i + 1 < m->n && a[1].is_same ? &m->placement[i + 1] : NULL;
        if (a->number > 0)
            continue;
        if (!m->offset && !(m->offset = calloc((size_t)w->lists.n_offset, sizeof *m->offset)))
            return rd_fail(m->e, "out of memory for removing individuals");
        if (a->by != by || run != of_run)
            which = rd_occasion_stream(m->o, w->pass.seed, w->lattice.first_run, run, 1,
                                       a->by - m->o->event->take);
        by = a->by;
        of_run = run;
        if (next)
            next->moved = m->n_moved;
        if (!remove_individuals(m, a, next != NULL, &which))
            return false;
    }
    return true;
}

/* Reads the present lists from the machine. */
static bool open_placing(struct placing *m)
{
    const struct rd_world *const w = &m->s->world;
    const size_t voxels = (size_t)w->lists.n_first;
    m->first = rd_large_array(voxels, sizeof *m->first);
    m->births = rd_large_array(voxels, sizeof *m->births);
    m->flag = rd_large_array(voxels, sizeof *m->flag);
    m->next_id = malloc((size_t)w->lattice.n_runs * sizeof *m->next_id);
    if (!m->first || !m->births || !m->flag || !m->next_id)
        return rd_fail(m->e, "out of memory for the individuals of %lld voxels",
                       (long long)w->lattice.n_voxels);
    const struct rd_backend *const b = m->s->backend;
    return b->get(m->s->machine, m->first, w->lists.first, voxels * sizeof *m->first, m->e) &&
           b->get(m->s->machine, m->next_id, w->lists.id_base + w->lists.n_list * w->lattice.n_runs,
                  (size_t)w->lattice.n_runs * sizeof *m->next_id, m->e);
}

/* Returns the end of the placements that have the voxel of number i, and sets the number of newborn
   among them. */
static int64_t group_at(const struct placing *m, int64_t i, int64_t *n_newborn)
{
    const struct rd_placement *const a = m->placement;
    int64_t end = i;
    for (*n_newborn = 0; end < m->n && is_same_voxel(&a[i], &a[end]); end++)
        *n_newborn += a[end].number > 0 ? a[end].number : 0;
    return end;
}

/* Makes capacity for the newborn of any one voxel, on the host and on the machine. */
static bool reserve_newborn(struct placing *m)
{
    const struct rd_world *const w = &m->s->world;
    int64_t most = 0, n;
    for (int64_t i = 0; i < m->n;) {
        i = group_at(m, i, &n);
        most = n > most ? n : most;
    }
    if (!rd_capacity_reserve(m->s, most, 0, m->e))
        return false;
    m->capacity = w->lists.n_newborn / 2 > most ? w->lists.n_newborn / 2 : most;
    m->newborn = rd_large_array((size_t)m->capacity + 1, sizeof *m->newborn);
    m->trait = rd_large_array((size_t)(m->capacity * w->lists.most_traits) + 1, sizeof *m->trait);
    m->first_newborn = rd_large_array((size_t)m->n, sizeof *m->first_newborn);
    return (m->newborn && m->trait && m->first_newborn) ||
           rd_fail(m->e, "out of memory for placing individuals");
}

static void close_newborn(struct placing *m)
{
    free(m->newborn);
    free(m->first_newborn);
    free(m->trait);
    m->newborn = NULL;
    m->first_newborn = NULL;
    m->trait = NULL;
}

static void close_placing(struct placing *m)
{
    rd_initial_attributes_close(&m->initial_attributes);
    free(m->first);
    free(m->births);
    free(m->flag);
    free(m->offset);
    free(m->next_id);
    free(m->moved);
    free(m->moved_attribute);
}

/* Copies the marks and the newborn to the machine. */
static bool send_newborn(struct placing *m)
{
    const struct rd_world *const w = &m->s->world;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++) {
            const int64_t c = m->s->plan->list[i].voxels + voxel;
            m->flag[c + 1] = m->first[c] < m->first[c + 1];
        }
    const struct rd_need need = {.n_newborn = m->n_newborn, .touched = 1};
    const struct rd_backend *const b = m->s->backend;
#define PUT(name, n)                                                                               \
    b->put(m->s->machine, w->lists.name, m->name, (size_t)(n) * sizeof *m->name, m->e)
    return PUT(births, w->lists.n_births) &&
           b->zero(m->s->machine, w->lists.named, (size_t)w->lists.n_named * sizeof(int32_t),
                   m->e) &&
           PUT(flag, w->lists.n_flag) &&
           (m->offset ? PUT(offset, w->lists.n_offset)
                      : b->zero(m->s->machine, w->lists.offset,
                                (size_t)w->lists.n_offset * sizeof(int32_t), m->e)) &&
           PUT(newborn, m->n_newborn) &&
           b->put(m->s->machine, w->lists.newborn_trait, m->trait,
                  (size_t)(m->n_newborn * w->lists.most_traits) * sizeof *m->trait, m->e) &&
           b->put(m->s->machine, w->lists.id_base + w->lists.n_list * w->lattice.n_runs, m->next_id,
                  (size_t)w->lattice.n_runs * sizeof *m->next_id, m->e) &&
           b->put(m->s->machine, w->lists.need, &need, sizeof need, m->e);
#undef PUT
}

/* Updates the lists, and clears all marks and newborn. */
static bool update_placed_lists(struct placing *m)
{
    const struct rd_world *const w = &m->s->world;
    if (!send_newborn(m))
        return false;
    rd_sim_aim(m->s, 0, m->o->times ? m->o->times[0] : m->o->time, 0.0);
    rd_step_update_lists(m->s);
    free(m->offset);
    m->offset = NULL;
    m->n_newborn = 0;
    memset(m->births, 0, (size_t)w->lists.n_births * sizeof *m->births);
    return rd_sim_check(m->s, m->e) &&
           m->s->backend->get(m->s->machine, m->first, w->lists.first,
                              (size_t)w->lists.n_first * sizeof *m->first, m->e);
}

/* Stores the newborn of the placements, and updates the lists. */
static bool finish_newborn(struct placing *m, int64_t begin, int64_t end)
{
    struct portions p = {m, begin, end};
    return rd_threads_try(m->threads, (end - begin + PORTION - 1) / PORTION, store_portion, &p,
                          m->e) &&
           update_placed_lists(m);
}

/* Places all newborn by list and voxel. Each list update takes as many voxels as there is capacity
   for, so that the start takes no more memory than a step. */
static bool put_all(struct placing *m)
{
    int64_t begin = 0;
    for (int64_t i = 0, n; i < m->n;) {
        const int64_t end = group_at(m, i, &n);
        if (m->n_newborn + n > m->capacity) {
            if (!finish_newborn(m, begin, i))
                return false;
            begin = i;
        }
        for (; i < end; i++)
            if (m->placement[i].number > 0 && !number_newborn(m, i))
                return false;
    }
    return finish_newborn(m, begin, m->n);
}

/* Returns the end of the placements that one list update does: a later one takes individuals that
   came to their species in this update. */
static int64_t end_of_update(const struct rd_placements *p, int64_t begin)
{
    bool is_joined[RD_LISTS_MOST] = {false};
    int64_t i = begin;
    for (; i < p->n && !(p->placement[i].number < 0 && is_joined[p->placement[i].list]); i++)
        is_joined[p->placement[i].list] |= p->placement[i].number > 0;
    return i;
}

/* Does the placements of m in one list update, or in several if they are many. */
static bool place_at_once(struct placing *m)
{
    bool ok = mark_all_removed(m);
    qsort(m->placement, (size_t)m->n, sizeof *m->placement, rd_placement_order);
    ok = ok && reserve_newborn(m) && put_all(m);
    close_newborn(m);
    return ok;
}

bool rd_place_individuals(struct rd_sim *s, const struct rd_placements *placements,
                          const struct rd_occasion *o, struct rd_host_counts *counts,
                          struct rd_error *e)
{
    struct placing m = {.s = s,
                        .o = o,
                        .e = e,
                        .threads = rd_threads_number(placements->threads),
                        .initial_attributes = {.s = s, .o = o, .counts = counts}};
    const int64_t n_lives = s->n_lives;
    if (placements->n == 0)
        return true;
    bool ok = rd_host_counts_commit(counts, e) && open_placing(&m);
    for (int64_t begin = 0, end; ok && begin < placements->n; begin = end) {
        end = end_of_update(placements, begin);
        m.placement = placements->placement + begin;
        m.n = end - begin;
        ok = place_at_once(&m);
    }
    if (!ok)
        s->n_lives = n_lives;
    close_placing(&m);
    return ok;
}
