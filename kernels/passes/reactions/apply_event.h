/* apply_event - one event of a cell happens to individuals: those it takes are drawn among all who
   are alive at that moment, newborn ones too; they die, become another species and keep who they
   are, or stay; and others are born. */
#ifndef RD_PASSES_REACTIONS_APPLY_EVENT_H
#define RD_PASSES_REACTIONS_APPLY_EVENT_H

#include "kernels/passes/reactions/ssa.h"

RD_FN void rd_none_born(const struct rd_world *w, int64_t cell)
{
    for (int64_t i = 0; i < w->n_list; i++) {
        const int64_t c = w->list[i].cells + cell;
        w->births[c] = w->named[c] = 0;
    }
}

/* From here on individuals are told apart; the streams are the same whether it is enacted or only
   counted. */
RD_FN void rd_play_cast(struct rd_play *play, bool is_enacted)
{
    const struct rd_world *const w = play->w;
    const int64_t run = w->first_run + play->p.run, site = play->p.site;
    play->who = rd_stream_of(w->seed, run, w->beat->step, RD_FOR_WHO, w->part, site);
    play->birth = rd_stream_of(w->seed, run, w->beat->step, RD_FOR_BIRTH, w->part, site);
    play->is_enacted = is_enacted;
    play->n_notes = 0;
    rd_none_born(w, play->p.cell);
    for (int64_t i = 0; i < w->n_list; i++)
        rd_crew_open(w, &w->list[i], play->p.cell);
}

RD_FN double rd_play_time(const struct rd_play *play)
{
    return play->w->beat->time + play->w->dt / 2.0 - play->left;
}

RD_FN int32_t *rd_alive(const struct rd_play *play, const struct rd_list *l)
{
    return &play->w->count[l->species * play->w->n_cells + play->p.cell];
}

/* Who a member of the crew is: an id, or a rank among the births of its cell into the list id_of.
 */
struct rd_name {
    int64_t id, parent;
    double born;
    int32_t id_of, parent_of;
};

RD_FN struct rd_name rd_name_of_newborn(const struct rd_newborn *b)
{
    struct rd_name name;
    name.id = b->id;
    name.parent = b->parent;
    name.born = b->born;
    name.id_of = b->id_of;
    name.parent_of = b->parent_of;
    return name;
}

/* Of one who was there before, by its entry in the list. */
RD_FN struct rd_name rd_name_of_entry(const struct rd_world *w, const struct rd_list *l,
                                      int64_t entry)
{
    const int64_t s = l->base + w->slot[entry];
    struct rd_name name;
    name.id = w->id[s];
    name.parent = w->parent[s];
    name.born = w->born[s];
    name.id_of = name.parent_of = -1;
    return name;
}

RD_FN struct rd_name rd_name_of(const struct rd_play *play, const struct rd_list *l,
                                uint32_t member)
{
    const struct rd_world *const w = play->w;
    return rd_is_newborn(member) ? rd_name_of_newborn(rd_newborn_of(w, l, play->p.cell, member))
                                 : rd_name_of_entry(w, l, rd_entry_of(w, l, play->p.cell, member));
}

/* One who has no place yet. */
RD_FN void rd_newborn_begin(struct rd_newborn *b, const struct rd_name *name, int64_t cell,
                            int32_t list)
{
    b->id = name->id;
    b->parent = name->parent;
    b->born = name->born;
    b->id_of = name->id_of;
    b->parent_of = name->parent_of;
    b->cell = (uint32_t)cell;
    b->list = list;
    b->place = -1;
}

RD_FN void rd_note_life(struct rd_play *play, int32_t list, const struct rd_name *name,
                        bool is_birth)
{
    const struct rd_world *const w = play->w;
    if (RD_SIMPLE_ONLY || !w->list[list].has_lineage)
        return;
    const int32_t order = play->n_notes++;
    if (!play->is_enacted)
        return;
    struct rd_note *const note = &w->note[rd_add_i64(&w->need->n_notes, 1)];
    note->id = name->id;
    note->parent = name->parent;
    note->time = rd_play_time(play);
    note->id_of = name->id_of;
    note->parent_of = name->parent_of;
    note->cell = (uint32_t)play->p.cell;
    note->order = order;
    note->list = list;
    note->is_birth = is_birth;
    note->turn = w->beat->turn;
}

/* Draws the individuals that the reaction takes. Those drawn of one list come to stand at its end,
   the first drawn last. */
RD_FN bool rd_draw_roles(struct rd_play *play, int32_t reaction, uint32_t *member)
{
    const struct rd_world *const w = play->w;
    const struct rd_channel *const c = &w->channel[reaction];
    const struct rd_role *const role = &w->role[c->role];
    for (int32_t i = 0, n_drawn = 0; i < c->n_roles; i++, n_drawn++) {
        if (i > 0 && role[i].list != role[i - 1].list)
            n_drawn = 0;
        const struct rd_list *const l = &w->list[role[i].list];
        const int64_t n = *rd_alive(play, l) - n_drawn, cell = play->p.cell;
        if (n <= 0) { /* a law lets it happen without its reactants */
            rd_fault_at(w, RD_FAULT_NEGATIVE, cell, reaction);
            return false;
        }
        const struct rd_rule weight = role[i].weight;
        const int64_t k = !RD_SIMPLE_ONLY && weight.n_law > 0
                              ? rd_crew_weigh(w, l, cell, n, weight, &play->scene, &play->who)
                              : (int64_t)rd_below(&play->who, (uint64_t)n);
        if (k < 0) {
            rd_fault_at(w, RD_FAULT_WEIGHT, cell, reaction);
            return false;
        }
        member[i] = *rd_crew_at(w, l, cell, k);
        rd_crew_swap(w, l, cell, k, n - 1);
    }
    return true;
}

/* Of those drawn, the ones that die or become others are no longer of the crew. */
RD_FN void rd_leave_roles(struct rd_play *play, const struct rd_channel *c, const uint32_t *member)
{
    const struct rd_world *const w = play->w;
    for (int32_t i = 0; i < c->n_roles; i++) {
        const struct rd_role *const role = &w->role[c->role + i];
        const struct rd_list *const l = &w->list[role->list];
        if (role->fate == RD_FATE_STAY)
            continue;
        --*rd_alive(play, l);
        if (play->is_enacted && !rd_is_newborn(member[i]))
            w->offset[rd_entry_of(w, l, play->p.cell, member[i])] = -1;
        if (role->fate == RD_FATE_DIE) {
            const struct rd_name name = rd_name_of(play, l, member[i]);
            rd_note_life(play, role->list, &name, false);
        }
    }
}

/* The attributes of newborn[number], rule by rule; a rule sees those before it, and the parent's.
 */
RD_FN bool rd_endow(struct rd_play *play, int32_t list, int32_t rules, int64_t number,
                    const struct rd_list *from, uint32_t parent)
{
    const struct rd_world *const w = play->w;
    const struct rd_list *const l = &w->list[list];
    double *const trait = w->newborn_trait + number * w->most_traits;
    struct rd_scene scene = play->scene;
    scene.t = rd_play_time(play);
    scene.stream = &play->birth;
    scene.own = trait;
    scene.own_stride = 1;
    if (from)
        scene.parent = rd_traits_of(w, from, play->p.cell, parent, &scene.parent_stride);
    for (int32_t a = 0; a < l->n_traits; a++) {
        const struct rd_rule *const rule = &w->rule[rules + a];
        const double v = rd_law(w->law + rule->law, rule->n_law, &scene);
        if (!rd_is_trait(v, l->integers >> a & 1)) {
            rd_fault_at(w, RD_FAULT_TRAIT, play->p.cell, list * 64 + a);
            return false;
        }
        trait[a] = v;
    }
    return true;
}

/* One more of the list: born, with the member `other` of the list `from` as its parent (NULL:
   none), or that member itself, who becomes one of this list. */
RD_FN bool rd_join(struct rd_play *play, int32_t list, int32_t rules, const struct rd_list *from,
                   uint32_t other, bool is_same)
{
    const struct rd_world *const w = play->w;
    const struct rd_list *const l = &w->list[list];
    const int64_t c = l->cells + play->p.cell;
    if (!rd_crew_reserve(w, l, play->p.cell, play->is_enacted))
        return false;
    const uint32_t member = RD_NEWBORN | (uint32_t)w->births[c];
    const int64_t number = w->room[c] + (int64_t)w->births[c]++;
    struct rd_name name = {-1, -1, rd_play_time(play), -1, -1};
    if (from) {
        const struct rd_name known = rd_name_of(play, from, other);
        name.parent = known.id;
        name.parent_of = known.id_of;
        if (is_same)
            name = known;
    }
    if (!is_same) {
        name.id = w->named[c]++;
        name.id_of = list;
        rd_note_life(play, list, &name, true);
    }
    rd_newborn_begin(&w->newborn[number], &name, play->p.cell, list);
    const int64_t place = (*rd_alive(play, l))++;
    *rd_crew_at(w, l, play->p.cell, place) = member;
    return RD_SIMPLE_ONLY || l->n_traits == 0 || rd_endow(play, list, rules, number, from, other);
}

/* False: a fault, or (while it is only counted) no room. */
RD_FN bool rd_enact(struct rd_play *play, int32_t reaction)
{
    const struct rd_world *const w = play->w;
    const struct rd_channel *const c = &w->channel[reaction];
    uint32_t member[RD_ROLES_MOST];
    if (!rd_draw_roles(play, reaction, member))
        return false;
    rd_leave_roles(play, c, member);
    for (int32_t i = 0; i < c->n_roles; i++) {
        const struct rd_role *const role = &w->role[c->role + i];
        if (role->fate == RD_FATE_BECOME &&
            !rd_join(play, role->becomes, role->rules, &w->list[role->list], member[i], true))
            return false;
    }
    for (int32_t i = 0; i < c->n_births; i++) {
        const struct rd_birth *const b = &w->birth[c->birth + i];
        const bool has_parent = b->parent >= 0;
        if (!rd_join(play, b->list, b->rules,
                     has_parent ? &w->list[w->role[c->role + b->parent].list] : 0,
                     has_parent ? member[b->parent] : 0, false))
            return false;
    }
    return true;
}

#endif
