/* apply_event - applies one event of a voxel to individuals. Participants are drawn among all that
   are alive at that moment, newborn included. They die, change to another species and keep their
   identity, or stay; other individuals are born. */
#ifndef RD_PASSES_REACTIONS_APPLY_EVENT_H
#define RD_PASSES_REACTIONS_APPLY_EVENT_H

#include "kernels/passes/reactions/row_ssa.h"

/* Sets the numbers of births in the voxel to 0. */
RD_FN void rd_none_born(const struct rd_lists *lists, int64_t voxel)
{
    for (int64_t i = 0; i < lists->n_list; i++) {
        const int64_t c = lists->list[i].voxels + voxel;
        lists->births[c] = lists->named[c] = 0;
    }
}

/* Prepares the voxel for events that distinguish individuals. The streams are the same whether
   events are enacted or only counted. */
RD_FN void rd_ssa_cast(struct rd_ssa *ssa, bool is_enacted)
{
    const struct rd_world *const w = ssa->w;
    const int64_t run = w->lattice.first_run + ssa->p.run, site = ssa->p.site;
    ssa->individual = rd_stream_of(w->pass.seed, run, w->pass.step_clock->step, RD_FOR_INDIVIDUAL,
                                   w->pass.part, site);
    ssa->birth =
        rd_stream_of(w->pass.seed, run, w->pass.step_clock->step, RD_FOR_BIRTH, w->pass.part, site);
    ssa->is_enacted = is_enacted;
    ssa->n_notes = 0;
    rd_none_born(&w->lists, ssa->p.voxel);
    for (int64_t i = 0; i < w->lists.n_list; i++)
        rd_members_open(&w->lists, &w->lists.list[i], ssa->p.voxel);
}

/* Returns the time of the present event. */
RD_FN double rd_ssa_time(const struct rd_ssa *ssa)
{
    return ssa->w->pass.step_clock->time + ssa->w->pass.dt / 2.0 - ssa->left;
}

/* Returns the address of the number of living members of the list in the voxel. */
RD_FN int32_t *rd_alive(const struct rd_ssa *ssa, const struct rd_list *l)
{
    return &ssa->w->counts.count[l->column * ssa->w->lattice.n_voxels + ssa->p.voxel];
}

/* Holds the identity of a member: an id, or a rank among the births of its voxel into the list
   id_of. */
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

/* Returns the identity of an individual from before the step, by its entry in the list. */
RD_FN struct rd_name rd_name_of_entry(const struct rd_lists *lists, const struct rd_list *l,
                                      int64_t entry)
{
    const int64_t s = l->base + lists->slot[entry];
    struct rd_name name;
    name.id = lists->id[s];
    name.parent = lists->parent[s];
    name.born = lists->born[s];
    name.id_of = name.parent_of = -1;
    return name;
}

RD_FN struct rd_name rd_name_of(const struct rd_ssa *ssa, const struct rd_list *l, uint32_t member)
{
    const struct rd_world *const w = ssa->w;
    return rd_is_newborn(member)
               ? rd_name_of_newborn(rd_newborn_of(&w->lists, l, ssa->p.voxel, member))
               : rd_name_of_entry(&w->lists, l, rd_entry_of(&w->lists, l, ssa->p.voxel, member));
}

/* Initialises a newborn that has no place yet. */
RD_FN void rd_newborn_begin(struct rd_newborn *b, const struct rd_name *name, int64_t voxel,
                            int32_t list)
{
    b->id = name->id;
    b->parent = name->parent;
    b->born = name->born;
    b->id_of = name->id_of;
    b->parent_of = name->parent_of;
    b->voxel = (uint32_t)voxel;
    b->list = list;
    b->place = -1;
}

/* Adds a birth or death to the lineage, or only counts it if events are not enacted. */
RD_FN void rd_note_life(struct rd_ssa *ssa, int32_t list, const struct rd_name *name, bool is_birth)
{
    const struct rd_world *const w = ssa->w;
    if (RD_SIMPLE_ONLY || !w->lists.list[list].has_lineage)
        return;
    const int32_t order = ssa->n_notes++;
    if (!ssa->is_enacted)
        return;
    struct rd_note *const note = &w->lists.note[rd_add_i64(&w->lists.need->n_notes, 1)];
    note->id = name->id;
    note->parent = name->parent;
    note->time = rd_ssa_time(ssa);
    note->id_of = name->id_of;
    note->parent_of = name->parent_of;
    note->voxel = (uint32_t)ssa->p.voxel;
    note->order = order;
    note->list = list;
    note->is_birth = is_birth;
    note->order_key = w->pass.step_clock->order_key;
}

/* Draws the individuals that the reaction takes. Those of one list are moved to the end of its
   members, the first one to the last place. It returns false with a fault. */
RD_FN bool rd_draw_participants(struct rd_ssa *ssa, int32_t reaction, uint32_t *member)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    const struct rd_participant *const participant = &w->reactions.participant[c->participant];
    for (int32_t i = 0, n_drawn = 0; i < c->n_participants; i++, n_drawn++) {
        if (i > 0 && participant[i].list != participant[i - 1].list)
            n_drawn = 0;
        const struct rd_list *const l = &w->lists.list[participant[i].list];
        const int64_t n = *rd_alive(ssa, l) - n_drawn, voxel = ssa->p.voxel;
        if (n <= 0) { /* an expression lets it happen without its reactants */
            rd_fault_at(w, RD_FAULT_NEGATIVE, voxel, reaction);
            return false;
        }
        const struct rd_rule weight = participant[i].weight;
        const int64_t k =
            !RD_SIMPLE_ONLY && weight.n_program > 0
                ? rd_members_weigh(w, l, voxel, n, &weight, &ssa->eval_context, &ssa->individual)
                : (int64_t)rd_below(&ssa->individual, (uint64_t)n);
        if (k < 0) {
            rd_fault_at(w, RD_FAULT_WEIGHT, voxel, reaction);
            return false;
        }
        member[i] = *rd_members_at(&w->lists, l, voxel, k);
        rd_members_swap(&w->lists, l, voxel, k, n - 1);
    }
    return true;
}

/* Removes the drawn participants that die or change the species from the members. */
RD_FN void rd_leave_participants(struct rd_ssa *ssa, const struct rd_channel *c,
                                 const uint32_t *member)
{
    const struct rd_world *const w = ssa->w;
    for (int32_t i = 0; i < c->n_participants; i++) {
        const struct rd_participant *const participant =
            &w->reactions.participant[c->participant + i];
        const struct rd_list *const l = &w->lists.list[participant->list];
        if (participant->fate == RD_FATE_STAY)
            continue;
        --*rd_alive(ssa, l);
        if (ssa->is_enacted && !rd_is_newborn(member[i]))
            w->lists.offset[rd_entry_of(&w->lists, l, ssa->p.voxel, member[i])] = -1;
        if (participant->fate == RD_FATE_DIE) {
            const struct rd_name name = rd_name_of(ssa, l, member[i]);
            rd_note_life(ssa, participant->list, &name, false);
        }
    }
}

/* Sets the attributes of newborn[number], rule by rule; a rule reads those before it, and those of
   the parent. It returns false with a fault. */
RD_FN bool rd_endow(struct rd_ssa *ssa, int32_t list, int32_t rules, int64_t number,
                    const struct rd_list *from, uint32_t parent)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_list *const l = &w->lists.list[list];
    double *const trait = w->lists.newborn_trait + number * w->lists.most_traits;
    struct rd_eval_context eval_context = ssa->eval_context;
    eval_context.t = rd_ssa_time(ssa);
    eval_context.stream = &ssa->birth;
    eval_context.own = trait;
    eval_context.own_stride = 1;
    if (from)
        eval_context.parent =
            rd_traits_of(&w->lists, from, ssa->p.voxel, parent, &eval_context.parent_stride);
    for (int32_t a = 0; a < l->n_traits; a++) {
        const struct rd_rule *const rule = &w->expressions.rule[rules + a];
        const double v = rd_eval_rule(&w->expressions, rule, &eval_context);
        if (!rd_is_trait(v, l->integers >> a & 1)) {
            rd_fault_at(w, RD_FAULT_TRAIT, ssa->p.voxel, list * 64 + a);
            return false;
        }
        trait[a] = v;
    }
    return true;
}

/* Adds an individual to the list: a birth with the member `other` of the list `from` as its parent
   (NULL: none); or, if is_same, that member itself, which changes to this list. */
RD_FN bool rd_join(struct rd_ssa *ssa, int32_t list, int32_t rules, const struct rd_list *from,
                   uint32_t other, bool is_same)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_list *const l = &w->lists.list[list];
    const int64_t c = l->voxels + ssa->p.voxel;
    if (!rd_members_reserve(&w->lists, l, ssa->p.voxel, ssa->is_enacted))
        return false;
    const uint32_t member = RD_NEWBORN | (uint32_t)w->lists.births[c];
    const int64_t number = w->lists.capacity[c] + (int64_t)w->lists.births[c]++;
    struct rd_name name = {-1, -1, rd_ssa_time(ssa), -1, -1};
    if (from) {
        const struct rd_name known = rd_name_of(ssa, from, other);
        name.parent = known.id;
        name.parent_of = known.id_of;
        if (is_same)
            name = known;
    }
    if (!is_same) {
        name.id = w->lists.named[c]++;
        name.id_of = list;
        rd_note_life(ssa, list, &name, true);
    }
    rd_newborn_begin(&w->lists.newborn[number], &name, ssa->p.voxel, list);
    const int64_t place = (*rd_alive(ssa, l))++;
    *rd_members_at(&w->lists, l, ssa->p.voxel, place) = member;
    return RD_SIMPLE_ONLY || l->n_traits == 0 || rd_endow(ssa, list, rules, number, from, other);
}

/* Applies one event. It returns false with a fault or, while events are only counted, without
   room. */
RD_FN bool rd_apply_event(struct rd_ssa *ssa, int32_t reaction)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    uint32_t member[RD_PARTICIPANTS_MOST];
    if (!rd_draw_participants(ssa, reaction, member))
        return false;
    rd_leave_participants(ssa, c, member);
    for (int32_t i = 0; i < c->n_participants; i++) {
        const struct rd_participant *const participant =
            &w->reactions.participant[c->participant + i];
        if (participant->fate == RD_FATE_BECOME &&
            !rd_join(ssa, participant->becomes, participant->rules,
                     &w->lists.list[participant->list], member[i], true))
            return false;
    }
    for (int32_t i = 0; i < c->n_births; i++) {
        const struct rd_birth *const b = &w->reactions.birth[c->birth + i];
        const bool has_parent = b->parent >= 0;
        if (!rd_join(ssa, b->list, b->rules,
                     has_parent
                         ? &w->lists.list[w->reactions.participant[c->participant + b->parent].list]
                         : 0,
                     has_parent ? member[b->parent] : 0, false))
            return false;
    }
    return true;
}

#endif
