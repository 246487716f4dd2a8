/* muster - individuals that are placed and removed at the start and at events. The dead are marked
   and the newborn stored as reactions would, and then the lists follow in the same way. */
#include "muster.h"

#include "lattice.h"
#include "rng.h"
#include "room.h"
#include "step.h"

#include <stdlib.h>

/* The rules of one amount for the attributes of its species, bound. */
struct rules {
    const struct rd_amount *by;
    struct rd_expr *rule; /* one an attribute */
};

struct mustering {
    struct rd_sim *s;
    const double *value;
    const int32_t *count; /* afterwards */
    int event;            /* -1: the start */
    double t;
    struct rd_error *e;

    struct rd_arrival *arrival;
    int64_t n;
    struct rules *rules;
    int n_rules;

    int32_t *first, *births, *named, *offset; /* as on the machine */
    uint8_t *flag;
    int64_t *next_id;
    struct rd_newborn *newborn;
    double *trait;
    int64_t n_newborn, room; /* and how many may wait here for the lists to follow */
};

static const struct rd_species *species_of(const struct mustering *m, int32_t list)
{
    const struct rd_plan *const p = m->s->plan;
    return &p->model->species[p->species_of[p->list[list].species]];
}

static int by_cell(const void *a, const void *b)
{
    const struct rd_arrival *const x = a, *const y = b;
    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->by > y->by) - (x->by < y->by); /* they stand in one array, in their order */
}

static bool is_same_cell(const struct rd_arrival *a, const struct rd_arrival *b)
{
    return a->list == b->list && a->cell == b->cell;
}

/* The rules of an amount, bound when they are first asked for. */
static const struct rules *rules_of(struct mustering *m, const struct rd_arrival *a)
{
    for (int i = 0; i < m->n_rules; i++)
        if (m->rules[i].by == a->by)
            return &m->rules[i];
    const struct rd_species *const s = species_of(m, a->list);
    struct rules *const grown = realloc(m->rules, (size_t)(m->n_rules + 1) * sizeof *grown);
    if (grown)
        m->rules = grown;
    struct rd_expr *const rule = calloc((size_t)s->n_attributes + 1, sizeof *rule);
    if (!grown || !rule) {
        free(rule);
        rd_fail(m->e, "out of memory for the rules of '%s'", s->name);
        return NULL;
    }
    grown[m->n_rules] = (struct rules){a->by, rule};
    bool ok = true;
    for (int k = 0; ok && k < s->n_attributes; k++) {
        const bool is_given = a->by->attribute && a->by->attribute[k].n > 0;
        ok = rd_expr_bind(&rule[k], is_given ? &a->by->attribute[k] : &s->attribute[k].first,
                          m->value, m->s->plan->species_at, m->e);
    }
    return ok ? &m->rules[m->n_rules++] : (m->n_rules++, NULL);
}

/* The attributes of newborn number i. */
static bool endow(struct mustering *m, const struct rd_arrival *a, int64_t i)
{
    const struct rd_world *const w = &m->s->world;
    const struct rd_species *const s = species_of(m, a->list);
    const struct rules *const rules = rules_of(m, a);
    if (!rules)
        return false;
    const struct rd_place p = rd_place_of(w, a->cell);
    struct rd_stream stream = rd_stream_of(w->seed, w->first_run + p.run, w->beat->step,
                                           RD_FOR_TRAIT, (uint32_t)a->list, m->newborn[i].id);
    double *const own = m->trait + i * w->most_traits;
    struct rd_scene scene = rd_scene_at(&m->s->plan->world, &p); /* whose tables are here */
    scene.t = m->t;
    scene.count = m->count + a->cell;
    scene.stride = w->n_cells;
    scene.own = own;
    scene.own_stride = 1;
    scene.stream = &stream;
    for (int k = 0; k < s->n_attributes; k++) {
        own[k] = rd_expr_value(&rules->rule[k], &scene);
        if (!rd_is_trait(own[k], s->attribute[k].is_integer))
            return rd_fail(m->e, "%s: attribute '%s' of '%s' would begin as %g at (%g, %g, %g); %s",
                           s->attribute[k].place, s->attribute[k].name, s->name, own[k], scene.x,
                           scene.y, scene.z,
                           s->attribute[k].is_integer ? "it must be an integer (floor() makes one)"
                                                      : "it must be a finite number");
    }
    return true;
}

static bool add_life(struct mustering *m, const struct rd_arrival *a, int64_t id, int64_t parent,
                     bool is_birth)
{
    struct rd_sim *const s = m->s;
    if (!s->plan->list[a->list].has_lineage)
        return true;
    if (!rd_room_for_lives(s, 1, m->e))
        return false;
    s->life[s->n_lives++] =
        (struct rd_life){.time = m->t,
                         .run = a->cell / s->world.n_sites,
                         .site = a->cell % s->world.n_sites,
                         .id = id,
                         .parent = parent,
                         .species = s->plan->species_of[s->plan->list[a->list].species],
                         .is_birth = is_birth};
    return true;
}

static bool put(struct mustering *m, const struct rd_arrival *a)
{
    const struct rd_world *const w = &m->s->world;
    const int64_t c = m->s->plan->list[a->list].cells + a->cell, run = a->cell / w->n_sites;
    for (int32_t k = 0; k < a->number; k++) {
        const int64_t i = m->n_newborn++;
        m->newborn[i] = (struct rd_newborn){.id = m->next_id[run]++,
                                            .parent = -1,
                                            .born = m->t,
                                            .id_of = -1,
                                            .parent_of = -1,
                                            .cell = (uint32_t)a->cell,
                                            .list = a->list,
                                            .place = m->births[c]++};
        if (!endow(m, a, i) || !add_life(m, a, m->newborn[i].id, -1, true))
            return false;
    }
    return true;
}

/* The lineage is told who died. */
static bool tell_death(struct mustering *m, const struct rd_arrival *a, int64_t entry)
{
    const struct rd_world *const w = &m->s->world;
    const struct rd_list *const l = &m->s->plan->list[a->list];
    uint32_t slot;
    int64_t id;
    const struct rd_backend *const b = m->s->backend;
    return !l->has_lineage ||
           (b->get(m->s->machine, &slot, w->slot + entry, sizeof slot, m->e) &&
            b->get(m->s->machine, &id, w->id + l->base + slot, sizeof id, m->e) &&
            add_life(m, a, id, -1, false));
}

/* Of those in the cell who were not yet taken, every choice is equally likely (selection sampling:
   Knuth, The Art of Computer Programming 2, 3.4.2). */
static bool take(struct mustering *m, const struct rd_arrival *a, struct rd_stream *who)
{
    const struct rd_list *const l = &m->s->plan->list[a->list];
    const int64_t begin = l->base + m->first[l->cells + a->cell];
    const int64_t end = l->base + m->first[l->cells + a->cell + 1];
    int64_t here = 0, left = -(int64_t)a->number;
    for (int64_t i = begin; i < end; i++)
        here += m->offset[i] == 0;
    for (int64_t i = begin; i < end && left > 0; i++) {
        if (m->offset[i] != 0 || (int64_t)rd_below(who, (uint64_t)here--) >= left)
            continue;
        m->offset[i] = -1;
        left--;
        if (!tell_death(m, a, i))
            return false;
    }
    return true;
}

/* All who are removed, in the order of the amounts. Each amount has a stream in each run: part 1,
   beside the one that drew from which cells. */
static bool take_all(struct mustering *m)
{
    const struct rd_world *const w = &m->s->world;
    m->offset = calloc((size_t)w->n_offset, sizeof *m->offset);
    if (!m->offset)
        return rd_fail(m->e, "out of memory for removing individuals");
    struct rd_stream who;
    const struct rd_amount *by = NULL;
    int64_t of_run = -1;
    for (int64_t i = 0; i < m->n; i++) {
        const struct rd_arrival *const a = &m->arrival[i];
        const int64_t run = a->cell / w->n_sites;
        if (a->number > 0)
            continue;
        if (a->by != by || run != of_run)
            who = rd_stream_of(w->seed, w->first_run + run, w->beat->step, RD_FOR_EVENT, 1,
                               (int64_t)m->event << 16 |
                                   (a->by - m->s->plan->model->event[m->event].remove));
        by = a->by;
        of_run = run;
        if (!take(m, a, &who))
            return false;
    }
    return true;
}

/* The lists as they are. */
static bool open(struct mustering *m)
{
    const struct rd_world *const w = &m->s->world;
    const size_t cells = (size_t)w->n_first;
    m->first = malloc(cells * sizeof *m->first);
    m->births = calloc(cells, sizeof *m->births);
    m->named = calloc(cells, sizeof *m->named);
    m->flag = calloc(cells, sizeof *m->flag);
    m->next_id = malloc((size_t)w->n_runs * sizeof *m->next_id);
    if (!m->first || !m->births || !m->named || !m->flag || !m->next_id)
        return rd_fail(m->e, "out of memory for the individuals of %lld cells",
                       (long long)w->n_cells);
    const struct rd_backend *const b = m->s->backend;
    return b->get(m->s->machine, m->first, w->first, cells * sizeof *m->first, m->e) &&
           b->get(m->s->machine, m->next_id, w->id_base + w->n_list * w->n_runs,
                  (size_t)w->n_runs * sizeof *m->next_id, m->e);
}

/* The arrivals from number i on that one cell has, and how many they are. */
static int64_t group_at(const struct mustering *m, int64_t i, int64_t *n_newborn)
{
    const struct rd_arrival *const a = m->arrival;
    int64_t end = i;
    for (*n_newborn = 0; end < m->n && is_same_cell(&a[i], &a[end]); end++)
        *n_newborn += a[end].number > 0 ? a[end].number : 0;
    return end;
}

/* Room for those of any one cell, here and on the machine. */
static bool reserve(struct mustering *m)
{
    const struct rd_world *const w = &m->s->world;
    int64_t most = 0, n;
    for (int64_t i = 0; i < m->n;) {
        i = group_at(m, i, &n);
        most = n > most ? n : most;
    }
    if (!rd_room_reserve(m->s, most, 0, m->e))
        return false;
    m->room = w->n_newborn / 2 > most ? w->n_newborn / 2 : most;
    m->newborn = malloc((size_t)m->room * sizeof *m->newborn + 1);
    m->trait = malloc((size_t)(m->room * w->most_traits) * sizeof *m->trait + 1);
    return (m->newborn && m->trait) || rd_fail(m->e, "out of memory for placing individuals");
}

static void close(struct mustering *m)
{
    for (int i = 0; i < m->n_rules; i++) {
        const struct rd_model *const model = m->s->plan->model;
        for (int k = 0; k < model->species[m->rules[i].by->species].n_attributes; k++)
            rd_expr_free(&m->rules[i].rule[k]);
        free(m->rules[i].rule);
    }
    free(m->rules);
    free(m->first);
    free(m->births);
    free(m->named);
    free(m->flag);
    free(m->offset);
    free(m->next_id);
    free(m->newborn);
    free(m->trait);
}

/* What was marked and stored goes to the machine. */
static bool send(struct mustering *m)
{
    const struct rd_world *const w = &m->s->world;
    for (int64_t i = 0; i < w->n_list; i++)
        for (int64_t cell = 0; cell < w->n_cells; cell++) {
            const int64_t c = m->s->plan->list[i].cells + cell;
            m->flag[c + 1] = m->first[c] < m->first[c + 1];
        }
    const struct rd_need need = {.n_newborn = m->n_newborn, .touched = 1};
    const struct rd_backend *const b = m->s->backend;
#define PUT(name, n) b->put(m->s->machine, w->name, m->name, (size_t)(n) * sizeof *m->name, m->e)
    return PUT(births, w->n_births) && PUT(named, w->n_named) && PUT(flag, w->n_flag) &&
           (m->offset
                ? PUT(offset, w->n_offset)
                : b->zero(m->s->machine, w->offset, (size_t)w->n_offset * sizeof(int32_t), m->e)) &&
           PUT(newborn, m->n_newborn) &&
           b->put(m->s->machine, w->newborn_trait, m->trait,
                  (size_t)(m->n_newborn * w->most_traits) * sizeof *m->trait, m->e) &&
           b->put(m->s->machine, w->id_base + w->n_list * w->n_runs, m->next_id,
                  (size_t)w->n_runs * sizeof *m->next_id, m->e) &&
           b->put(m->s->machine, w->need, &need, sizeof need, m->e);
#undef PUT
}

/* The lists follow, and nothing is marked or stored any more. */
static bool settle(struct mustering *m)
{
    const struct rd_world *const w = &m->s->world;
    if (!send(m))
        return false;
    rd_sim_aim(m->s, 0, m->t, 0.0);
    rd_step_settle(m->s);
    free(m->offset);
    m->offset = NULL;
    m->n_newborn = 0;
    memset(m->births, 0, (size_t)w->n_births * sizeof *m->births);
    return rd_sim_check(m->s, m->e) &&
           m->s->backend->get(m->s->machine, m->first, w->first,
                              (size_t)w->n_first * sizeof *m->first, m->e);
}

/* All who are placed, by list and cell; as many cells at once as there is room for, so that a start
   takes no more memory than a step. */
static bool put_all(struct mustering *m)
{
    for (int64_t i = 0, n; i < m->n;) {
        const int64_t end = group_at(m, i, &n);
        if (m->n_newborn + n > m->room && !settle(m))
            return false;
        for (; i < end; i++)
            if (m->arrival[i].number > 0 && !put(m, &m->arrival[i]))
                return false;
    }
    return settle(m);
}

bool rd_muster(struct rd_sim *s, const struct rd_roster *roster, const double *value,
               const int32_t *count, int event, double t, struct rd_error *e)
{
    struct mustering m = {.s = s,
                          .value = value,
                          .count = count,
                          .event = event,
                          .t = t,
                          .e = e,
                          .arrival = roster->arrival,
                          .n = roster->n};
    if (m.n == 0)
        return true;
    const int64_t n_lives = s->n_lives;
    bool removes = false;
    for (int64_t i = 0; i < m.n; i++)
        removes = removes || m.arrival[i].number < 0;
    bool ok = open(&m) && (!removes || take_all(&m));
    qsort(m.arrival, (size_t)m.n, sizeof *m.arrival, by_cell);
    ok = ok && reserve(&m) && put_all(&m);
    if (!ok)
        s->n_lives = n_lives;
    close(&m);
    return ok;
}
