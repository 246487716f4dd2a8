/* plan_lists - lists of individual species, and the effects of reactions on individuals:
   participants, births, and the rules of their attributes. */
#include "kernels/passes/lists/expand.h"
#include "model/kinship.h"
#include "plan/plan.h"

#include <stdlib.h>

static_assert((int)RD_PARTICIPANTS_MOST == (int)RD_ACTORS_MOST,
              "the participants of a reaction are at most its reactants");

/* Appends a zeroed entry to a table of n entries and returns it; NULL with a message. */
static void *append_zeroed(void **table, int64_t *n, size_t size, struct rd_error *e)
{
    char *const grown = realloc(*table, (size_t)(*n + 1) * size);
    if (!grown) {
        rd_fail(e, "out of memory for the rules of individuals");
        return NULL;
    }
    *table = grown;
    memset(grown + (size_t)*n * size, 0, size);
    return grown + (size_t)(*n)++ * size;
}
#define ADD(p, part, table, e)                                                                     \
    append_zeroed((void **)&(p)->table, &(p)->world.part.n_##table, sizeof *(p)->table, e)

static struct rd_list new_list_of(const struct rd_plan *p, int32_t species)
{
    const struct rd_species *const s = &p->model->species[p->species_of[species]];
    struct rd_list l = {.species = species,
                        .n_traits = s->n_attributes,
                        .max = s->max,
                        .most = s->max * p->world.lattice.n_runs,
                        .has_lineage = s->record == RD_KEEPS_LINEAGE};
    for (int a = 0; a < s->n_attributes; a++)
        l.integers |= (uint64_t)s->attribute[a].is_integer << a;
    return l;
}

/* Returns the number of voxels in a portion. At most about 4096 individuals stand in it, and there
   are enough portions for parallel work. */
static int32_t portion_of(const struct rd_world *w, const struct rd_list *l)
{
    const int64_t individuals = 4096, portions = 1024;
    int32_t n = RD_PORTION_MOST;
    while (n > 64 && w->lattice.n_voxels < portions * n)
        n /= 2;
    while (n > 1 && l->most / (w->lattice.n_voxels / n + 1) > individuals)
        n /= 2;
    return n;
}

bool rd_plan_lists(struct rd_plan *p, struct rd_error *e)
{
    struct rd_world *const w = &p->world;
    int64_t entries = 0, traits = 0, portions = 0;
    for (int32_t s = 0; s < w->counts.n_species; s++) {
        p->list_of[s] = -1;
        if (!p->model->species[p->species_of[s]].is_individual)
            continue;
        p->list_of[s] = (int32_t)w->lists.n_list;
        struct rd_list *const l = ADD(p, lists, list, e);
        if (!l)
            return false;
        *l = new_list_of(p, s);
        l->base = entries;
        l->trait = traits;
        l->voxels = p->list_of[s] * (w->lattice.n_voxels + 1);
        l->portion = portion_of(w, l);
        l->portions = portions;
        portions += rd_n_portions(&w->lattice, l) + 1;
        entries += l->most;
        traits += l->most * l->n_traits;
        w->lists.most_traits =
            l->n_traits > w->lists.most_traits ? l->n_traits : w->lists.most_traits;
    }
    return true;
}

/* Adds a rule; `parent` is the species of the parent, if it has one. */
static bool add_rule(struct rd_plan *p, const struct rd_expr *x, const struct rd_species *parent,
                     const double *value, struct rd_error *e)
{
    struct rd_rule *const rule = ADD(p, expressions, rule, e);
    if (!rule || !rd_plan_program(p, x, value, rule, NULL, e))
        return false;
    for (int32_t i = 0; i < rule->n_program; i++) {
        struct rd_op *const op = &p->program[rule->program + i];
        if (op->code == RD_OP_PARENT)
            op->index = rd_species_attribute(parent, p->model->inherited.name[op->index]);
    }
    return true;
}

/* Adds a rule that copies attribute `index` of the parent. */
static bool add_inheritance(struct rd_plan *p, int index, struct rd_error *e)
{
    struct rd_rule *const rule = ADD(p, expressions, rule, e);
    struct rd_op *const op = rule ? ADD(p, expressions, program, e) : NULL;
    if (!op)
        return false;
    *op = (struct rd_op){.code = RD_OP_PARENT, .index = index};
    *rule = (struct rd_rule){(int32_t)p->world.expressions.n_program - 1, 1};
    return true;
}

/* Adds the rules for the attributes of an individual of species s that a reaction makes. parent is
   NULL if it has none. If is_same, it is the same individual that had the species of the parent. */
static bool add_rules(struct rd_plan *p, const struct rd_species *s,
                      const struct rd_species *parent, bool is_same, const double *value,
                      int32_t *rules, struct rd_error *e)
{
    *rules = (int32_t)p->world.expressions.n_rule;
    bool ok = true;
    for (int i = 0; ok && i < s->n_attributes; i++) {
        const struct rd_attribute *const a = &s->attribute[i];
        const int like = parent ? rd_species_attribute(parent, a->name) : -1;
        if (!parent)
            ok = add_rule(p,
                          a->has_orphan  ? &a->orphan
                          : a->has_birth ? &a->birth
                                         : &a->first,
                          NULL, value, e);
        else if (like >= 0 && (is_same || !a->has_birth))
            ok = add_inheritance(p, like, e);
        else
            ok = add_rule(p, a->has_birth ? &a->birth : &a->first, parent, value, e);
    }
    return ok;
}

static const struct rd_species *planned_species_at(const struct rd_plan *p, int32_t species)
{
    return &p->model->species[species];
}

static bool add_participants(struct rd_plan *p, struct rd_channel *c, const struct rd_kinship *k,
                             const double *value, struct rd_error *e)
{
    c->participant = (int32_t)p->world.reactions.n_participant;
    c->n_participants = k->n_actors;
    for (int i = 0; i < k->n_actors; i++) {
        const struct rd_actor *const actor = &k->actor[i];
        struct rd_participant *const participant = ADD(p, reactions, participant, e);
        if (!participant)
            return false;
        *participant = (struct rd_participant){
            .list = p->list_of[p->species_at[actor->species]], .fate = actor->fate, .becomes = -1};
        if (actor->fate != RD_FATE_BECOMES)
            continue;
        int32_t rules;
        if (!add_rules(p, planned_species_at(p, actor->becomes),
                       planned_species_at(p, actor->species), true, value, &rules, e))
            return false;
        p->participant[p->world.reactions.n_participant - 1].becomes =
            p->list_of[p->species_at[actor->becomes]];
        p->participant[p->world.reactions.n_participant - 1].rules = rules;
    }
    return true;
}

static bool add_births(struct rd_plan *p, struct rd_channel *c, const struct rd_kinship *k,
                       const double *value, struct rd_error *e)
{
    c->birth = (int32_t)p->world.reactions.n_birth;
    c->n_births = k->n_children;
    for (int i = 0; i < k->n_children; i++) {
        const struct rd_child *const child = &k->child[i];
        const struct rd_species *const parent =
            child->parent < 0 ? NULL : planned_species_at(p, k->actor[child->parent].species);
        struct rd_birth birth = {.list = p->list_of[p->species_at[child->species]],
                                 .parent = child->parent};
        if (!add_rules(p, planned_species_at(p, child->species), parent, false, value, &birth.rules,
                       e))
            return false;
        struct rd_birth *const entry = ADD(p, reactions, birth, e);
        if (!entry)
            return false;
        *entry = birth;
    }
    return true;
}

/* Sets the weight of all participants of the list that have none. */
static void set_list_weight(struct rd_plan *p, const struct rd_channel *c, int32_t list,
                            struct rd_rule weight)
{
    for (int32_t i = c->participant; i < c->participant + c->n_participants; i++)
        if (p->participant[i].list == list && p->participant[i].weight.n_program == 0)
            p->participant[i].weight = weight;
}

/* Adds the sums in the program of a channel. If the list of a sum takes part in the reaction, the
   summand is the weight by which its individuals are drawn. */
static bool add_sums_of_lists(struct rd_plan *p, struct rd_channel *c, struct rd_error *e)
{
    c->sum = (int32_t)p->world.reactions.n_sum;
    for (int32_t i = c->program; i < c->program + c->n_program; i++) {
        if (p->program[i].code != RD_OP_SUM)
            continue;
        const int32_t n = (int32_t)p->program[i].value;
        struct rd_total *const sum = ADD(p, reactions, sum, e);
        if (!sum)
            return false;
        p->program[i].index = c->n_sums; /* binding may have removed other sums */
        *sum = (struct rd_total){.list = p->list_of[p->program[i + 1].index], .of = {i + 2, n - 1}};
        set_list_weight(p, c, sum->list, sum->of);
        c->n_sums++;
        i += n;
    }
    return true;
}

/* Returns whether the reaction changes any individual; otherwise none is drawn. */
static bool concerns_individuals(const struct rd_kinship *k)
{
    for (int i = 0; i < k->n_actors; i++)
        if (k->actor[i].fate != RD_FATE_STAYS)
            return true;
    return k->n_children > 0;
}

static bool cast_reaction(struct rd_plan *p, const struct rd_reaction *r, struct rd_channel *c,
                          const double *value, struct rd_error *e)
{
    struct rd_kinship kinship;
    rd_kinship_of(&kinship, p->model, r);
    if (!concerns_individuals(&kinship))
        kinship.n_actors = 0;
    if (!add_participants(p, c, &kinship, value, e) || !add_births(p, c, &kinship, value, e))
        return false;
    if (r->has_weight) {
        struct rd_rule weight;
        if (!rd_plan_program(p, &r->weight, value, &weight, NULL, e))
            return false;
        set_list_weight(p, c, p->list_of[p->species_at[r->weight.of]], weight);
    }
    return add_sums_of_lists(p, c, e);
}

bool rd_plan_motion(struct rd_plan *p, const struct rd_species *s, const double *value,
                    int32_t *motion, unsigned *all_uses, struct rd_error *e)
{
    *motion = (int32_t)p->world.expressions.n_rule;
    *all_uses = 0;
    for (int i = 0; i < 6; i++) {
        struct rd_rule *const rule = ADD(p, expressions, rule, e);
        unsigned uses = 0;
        if (!rule ||
            !rd_plan_program(p, i < 3 ? &s->diffusion[i] : &s->drift[i - 3], value, rule, &uses, e))
            return false;
        *all_uses |= uses;
    }
    p->uses_time = p->uses_time || (*all_uses & RD_USES_TIME);
    return true;
}

/* Makes the programs for the motion of the individuals of a list. */
static bool set_motion(struct rd_plan *p, struct rd_list *l, const double *value,
                       struct rd_error *e)
{
    const struct rd_species *const s = &p->model->species[p->species_of[l->species]];
    unsigned all_uses;
    if (!rd_plan_motion(p, s, value, &l->motion, &all_uses, e))
        return false;
    l->is_by_position = (all_uses & (RD_USES_SPACE | RD_USES_REGIONS | RD_USES_COUNTS |
                                     RD_USES_SLOPES | RD_USES_FIELDS | RD_USES_VARYING)) != 0;
    l->uses_neighbours = (all_uses & RD_USES_SLOPES) != 0;
    p->is_by_counts =
        p->is_by_counts ||
        (all_uses & (RD_USES_COUNTS | RD_USES_SLOPES | RD_USES_MEANS | RD_USES_TOTALS));
    for (int face = 0; face < RD_FACES; face++)
        l->reversed[face] =
            s->wall[face].kind == RD_WALL_BALLISTIC ? s->drift[face / 2].op[0].index : -1;
    return true;
}

/* Returns is_simple of the world: only mass action, no rows, and individuals without attributes,
   weights and lineage. */
static bool has_only_mass_action(const struct rd_plan *p)
{
    bool simple = !p->world.reactions.has_expressions && !p->world.reactions.has_attribute_rates &&
                  p->world.lists.most_traits == 0 && p->world.rows.n_column == 0;
    for (int64_t i = 0; i < p->world.lists.n_list; i++)
        simple = simple && !p->list[i].has_lineage;
    for (int64_t i = 0; i < p->world.reactions.n_participant; i++)
        simple = simple && p->participant[i].weight.n_program == 0;
    return simple;
}

/* Returns the largest number of events in a voxel and pass: individuals that they change are
   counted in 31 bits. */
static uint32_t max_events_of(const struct rd_plan *p)
{
    int32_t most = 1;
    for (int32_t i = 0; i < p->world.reactions.n_reactions; i++) {
        const int32_t n = p->channel[i].n_participants + p->channel[i].n_births;
        most = n > most ? n : most;
    }
    const int64_t wanted = p->model->max_events, can = INT32_MAX / most;
    return (uint32_t)(p->world.items.n_maintained > 0 && can < wanted ? can : wanted);
}

bool rd_plan_individuals(struct rd_plan *p, const double *value, struct rd_error *e)
{
    struct rd_world *const w = &p->world;
    w->reactions.n_participant = w->reactions.n_birth = w->expressions.n_rule = w->reactions.n_sum =
        0;
    w->reactions.has_attribute_rates = 0;
    bool is_concerned = false;
    for (int32_t i = 0; i < w->reactions.n_reactions; i++) {
        struct rd_channel *const c = &p->channel[i];
        if (!cast_reaction(p, &p->model->reaction[p->reaction_of[i]], c, value, e))
            return false;
        is_concerned = is_concerned || c->n_participants + c->n_births + c->n_sums > 0;
        w->reactions.has_attribute_rates = w->reactions.has_attribute_rates || c->n_sums > 0;
    }
    for (int64_t i = 0; i < w->lists.n_list; i++)
        if (!set_motion(p, &p->list[i], value, e))
            return false;
    w->items.n_maintained = is_concerned ? w->lattice.n_voxels : 0;
    w->reactions.max_events = max_events_of(p);
    bool moves = false;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        moves = moves || p->transport[p->list[i].species].kind != RD_MOVE_NOT;
    w->items.n_tallied = moves ? w->lattice.n_voxels : 0;
    w->reactions.is_simple = has_only_mass_action(p);
    return true;
}
