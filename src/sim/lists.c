/* lists - the individuals of a simulation between its passes. What fails here is kept, as in the
   passes, until the next check tells it. */
#include "lists.h"

#include "clock.h"
#include "expand.h"

#include <stdlib.h>

/* At first there is room for one newborn to so many that can live. */
enum { NEWBORN_SHARE = 16, NEWBORN_LEAST = 256 };

static bool has_lineage(const struct rd_plan *p)
{
    for (int64_t i = 0; i < p->world.n_list; i++)
        if (p->list[i].has_lineage)
            return true;
    return false;
}

void rd_lists_size(const struct rd_plan *p, struct rd_world *w)
{
    if (w->n_list == 0)
        return;
    const struct rd_list *const last = &p->list[w->n_list - 1];
    const int64_t entries = last->base + last->most, cells = w->n_list * (w->n_cells + 1);
    w->n_key = w->n_slot = w->n_key_next = w->n_slot_next = w->n_offset = entries;
    w->n_id = w->n_parent = w->n_born = entries;
    w->n_trait = last->trait + last->most * last->n_traits;
    w->n_first = w->n_births = w->n_named = w->n_room = w->n_flag = cells;
    w->n_touched = w->n_cells;
    w->n_live = w->n_coming = w->n_taken = w->n_rank_base = w->n_list;
    w->n_id_base = (w->n_list + 1) * w->n_runs;
    w->n_portion = last->portions + rd_n_portions(w, last) + 1;
    w->n_of_run = w->n_runs > 1 ? w->n_list * w->n_runs : 0;
    w->n_newborn = w->n_crew = w->n_standing = entries / NEWBORN_SHARE + NEWBORN_LEAST;
    w->n_newborn_trait = w->n_newborn * w->most_traits;
    /* walls may take everybody at once */
    w->n_note = !has_lineage(p) ? 0 : w->n_newborn + (p->has_lost ? entries : 0);
    w->n_need = 1;
}

/* A fault of the machine, for the next check; until then passes do nothing, so that none writes
   where there is no room. */
static bool keep(struct rd_sim *s, bool ok)
{
    const int64_t now = 0;
    struct rd_error unsaid = {0};
    if (!ok)
        s->backend->put(s->machine, s->world.halt, &now, sizeof now, &unsaid);
    rd_error_free(&unsaid);
    s->is_broken = s->is_broken || !ok;
    return ok;
}

bool rd_lists_open(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    uint32_t *const room = malloc((size_t)w->n_key * sizeof *room + 1);
    if (!room)
        return rd_fail(e, "out of memory for %lld individuals", (long long)w->n_key);
    const size_t bytes = (size_t)w->n_key * sizeof *room;
    for (int64_t i = 0; i < w->n_key; i++)
        room[i] = RD_KEY_NONE;
    bool ok = s->backend->put(s->machine, w->key, room, bytes, e) &&
              s->backend->put(s->machine, w->key_next, room, bytes, e);
    for (int64_t l = 0; l < w->n_list; l++)
        for (int64_t i = 0; i < s->plan->list[l].most; i++)
            room[s->plan->list[l].base + i] = (uint32_t)i;
    ok = ok && s->backend->put(s->machine, w->slot, room, bytes, e) &&
         s->backend->put(s->machine, w->slot_next, room, bytes, e);
    free(room);
    return ok;
}

void rd_lists_choose(struct rd_sim *s, int64_t i)
{
    s->world.at_list = (int32_t)i;
    s->world.now = s->plan->list[i];
}

/* Where a verb's time is kept. */
static void clock_verb(struct rd_sim *s, int which, double begin)
{
    struct rd_error unsaid = {0}; /* a failure is told by the next check */
    if (s->is_timed && s->backend->sync(s->machine, &unsaid))
        s->seconds[which] += rd_clock() - begin;
    rd_error_free(&unsaid);
}

void rd_lists_scan_births(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    const int64_t c = w->now.cells, n = w->n_cells + 1;
    s->backend->scan_segments(s->machine, w->room + c, w->births + c, w->flag + c, n);
    s->backend->scan(s->machine, w->births + c, NULL, n, false);
    s->backend->scan(s->machine, w->named + c, NULL, n, false);
    clock_verb(s, RD_TIME_SCAN, begin);
}

void rd_lists_scan_offsets(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    s->backend->scan(s->machine, w->offset + w->now.base, w->live + w->at_list, w->now.most, true);
    clock_verb(s, RD_TIME_SCAN, begin);
}

/* As many bits as tell the cells apart, and those that are none from them. */
static int key_bits(const struct rd_world *w)
{
    int bits = 1;
    while (w->n_cells >> bits > 0)
        bits++;
    return bits;
}

void rd_lists_sort(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    const int64_t base = w->now.base;
    s->backend->sort(s->machine, w->key + base, w->slot + base, w->key_next + base,
                     w->slot_next + base, w->live + w->at_list, w->now.most, key_bits(w));
    clock_verb(s, RD_TIME_SORT, begin);
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *const old = *a;
    *a = *b;
    *b = old;
}

/* A few bytes of the machine's memory. */
static bool look(struct rd_sim *s, void *to, const void *from, size_t bytes)
{
    struct rd_error unsaid = {0};
    const bool ok = s->backend->get(s->machine, to, from, bytes, &unsaid);
    rd_error_free(&unsaid);
    return keep(s, ok);
}

/* Whether there was a fault, so that passes do nothing any more. */
static bool is_halted(struct rd_sim *s)
{
    int64_t halt;
    return !look(s, &halt, s->world.halt, sizeof halt) || halt != INT64_MAX;
}

void rd_lists_swap(struct rd_sim *s)
{
    if (is_halted(s))
        return;
    swap(&s->world.key, &s->world.key_next);
    swap(&s->world.slot, &s->world.slot_next);
}

void rd_lists_ask(struct rd_sim *s)
{
    struct rd_error unsaid = {0};
    keep(s, s->backend->zero(s->machine, s->world.need, sizeof *s->world.need, &unsaid));
    rd_error_free(&unsaid);
}

/* Another array of n entries in place of the old one, whose content is lost. */
static bool renew(struct rd_sim *s, void **at, int64_t *n, int64_t more, size_t size,
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
    renew(s, (void **)&(s)->world.name, &(s)->world.n_##name, more, sizeof *(s)->world.name, e)

bool rd_lists_reserve(struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e)
{
    if (n_newborn > INT32_MAX)
        return rd_fail(e, "more than 2147483647 births in one step were asked for; set a shorter "
                          "time.step");
    return RENEW(s, newborn, n_newborn, e) && RENEW(s, crew, n_newborn, e) &&
           RENEW(s, standing, n_newborn, e) &&
           RENEW(s, newborn_trait, n_newborn * s->world.most_traits, e) &&
           RENEW(s, note, n_notes, e);
}

bool rd_lists_have_room(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    struct rd_error unsaid = {0};
    struct rd_need *const need = &s->need;
    if (!look(s, need, w->need, sizeof *need))
        return true;
    /* where walls take individuals, their notes come beside those that are counted here */
    const int64_t newborn = need->guessed > need->newborn ? need->guessed : need->newborn;
    if (newborn <= w->n_newborn && need->notes <= w->n_note)
        return true;
    const int64_t half = newborn / 2;
    const bool ok = rd_lists_reserve(s, newborn + half, need->notes + need->notes / 2, &unsaid);
    rd_error_free(&unsaid);
    rd_lists_ask(s);
    return !keep(s, ok);
}

bool rd_lists_are_touched(const struct rd_sim *s)
{
    return s->need.touched > 0;
}

static int by_place(const void *a, const void *b)
{
    const struct rd_note *const x = a, *const y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->list > y->list) - (x->list < y->list);
}

bool rd_lists_expect_lives(struct rd_sim *s, int64_t n, struct rd_error *e)
{
    if (s->n_lives + n <= s->lives_room)
        return true;
    const int64_t room = 2 * (s->n_lives + n);
    struct rd_life *const grown = realloc(s->life, (size_t)room * sizeof *grown);
    if (!grown)
        return rd_fail(e, "out of memory for %lld births and deaths", (long long)room);
    s->life = grown;
    s->lives_room = room;
    return true;
}

static bool drain(struct rd_sim *s, int64_t n, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    struct rd_note *const note = malloc((size_t)n * sizeof *note);
    const bool ok = note && rd_lists_expect_lives(s, n, e) &&
                    s->backend->get(s->machine, note, w->note, (size_t)n * sizeof *note, e);
    if (ok)
        qsort(note, (size_t)n, sizeof *note, by_place);
    for (int64_t i = 0; ok && i < n; i++)
        s->life[s->n_lives++] = (struct rd_life){
            .time = note[i].time,
            .run = note[i].cell / w->n_sites,
            .site = note[i].cell % w->n_sites,
            .id = note[i].id,
            .parent = note[i].parent,
            .species = s->plan->species_of[s->plan->list[note[i].list].species],
            .is_birth = note[i].is_birth,
        };
    free(note);
    return ok;
}

void rd_lists_drain(struct rd_sim *s)
{
    struct rd_error unsaid = {0};
    if (s->world.n_note == 0 || is_halted(s) || !look(s, &s->need, s->world.need, sizeof s->need))
        return;
    if (s->need.n_notes > 0)
        keep(s, drain(s, s->need.n_notes, &unsaid));
    rd_error_free(&unsaid);
    rd_lists_ask(s);
}
