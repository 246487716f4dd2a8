/* check_individuals - the part of `rdsim check` about individuals.

   It prints their maximum numbers and memory, the rules of their attributes, and the individuals
   that react. */
#include "app/check.h"

static void print_attribute(FILE *out, const struct rd_species *s, const struct rd_attribute *a)
{
    fprintf(out, "attribute   %s.%s%s: initial %s, birth ", s->name, a->name,
            a->is_integer ? " (integer)" : "", a->first.text);
    if (a->has_birth)
        fprintf(out, "%s", a->birth.text);
    else
        fprintf(out, "the parent's %s or initial", a->name);
    if (a->has_orphan)
        fprintf(out, ", orphan %s", a->orphan.text);
    fprintf(out, "\n");
}

/* Prints the least diffusivity that the lattice gives to individuals with a drift by expressions.
   Before the run it is unknown for which of them drift exceeds 2 D / h. */
static void print_spread(FILE *out, const struct rd_plan *p, const struct rd_species *s)
{
    const char *before = "            each has on the lattice a diffusivity of at least ";
    for (int axis = 0; axis < p->model->grid.dim; axis++) {
        const struct rd_expr *const drift = &s->drift[axis];
        if (drift->uses == 0 && rd_expr_value(drift, &(struct rd_eval_context){0}) == 0.0)
            continue;
        fprintf(out, "%s%g |drift| along %c", before, p->world.lattice.edge[axis] / 2.0,
                "xyz"[axis]);
        before = ", ";
    }
    if (*before == ',')
        fprintf(out, " (h / 2; smaller voxels have less)\n");
}

void rd_check_individuals(FILE *out, const struct rd_plan *p, int species)
{
    static const char *const motion[] = {[RD_MOVE_NOT] = "that do not move",
                                         [RD_MOVE_DISPLACEMENTS] =
                                             "that move by displacement distributions",
                                         [RD_MOVE_WALK] = "that move hop by hop",
                                         [RD_MOVE_OWN] = "each with its own hop rates"};
    static const char *const record[] = {[RD_KEEPS_STATE] = "",
                                         [RD_KEEPS_LINEAGE] = "; births and deaths are recorded",
                                         [RD_KEEPS_NOTHING] = "; only their counts are recorded"};
    const struct rd_species *const s = &p->model->species[species];
    const int32_t number = p->species_at[species];
    if (!s->is_individual)
        return;
    fprintf(out, "individuals %s: at most %lld a run, of %zu B, %s%s\n", s->name, (long long)s->max,
            rd_sim_individual_bytes(&p->world, &p->list[p->list_of[number]]),
            motion[p->transport[number].kind], record[s->record]);
    if (p->transport[number].kind == RD_MOVE_OWN)
        print_spread(out, p, s);
    for (int a = 0; a < s->n_attributes; a++)
        print_attribute(out, s, &s->attribute[a]);
}

double rd_check_row_bytes(const struct rd_model *m, const struct rd_output *o)
{
    enum { COLUMNS = 7, WIDTH = 8 }; /* id, parent, born, voxel, x, y, z; docs/output.md */
    double sum = 0.0;
    for (int i = 0; i < o->n_species && rd_output_keeps_voxels(o); i++) {
        const struct rd_species *const s = &m->species[o->species[i]];
        if (s->is_individual && s->record != RD_KEEPS_NOTHING)
            sum += (double)s->max * (double)((COLUMNS + s->n_attributes) * WIDTH);
    }
    return sum;
}

static const struct rd_species *list_species_of(const struct rd_plan *p, int32_t list)
{
    return &p->model->species[p->species_of[p->list[list].species]];
}

static bool is_same_participant(const struct rd_participant *a, const struct rd_participant *b)
{
    return a->list == b->list && a->fate == b->fate && a->becomes == b->becomes;
}

/* Prints the first n participants, which are alike. */
static void print_participants(FILE *out, const struct rd_plan *p, const struct rd_reaction *r,
                               const struct rd_participant *participant, int32_t n)
{
    static const char *const fate[][2] = {[RD_FATE_STAY] = {"stays", "stay"},
                                          [RD_FATE_DIE] = {"dies", "die"},
                                          [RD_FATE_BECOME] = {"becomes ", "become "}};
    const struct rd_species *const s = list_species_of(p, participant->list);
    fprintf(out, "%d %s %s%s", (int)n, s->name, fate[participant->fate][n > 1],
            participant->fate == RD_FATE_BECOME ? list_species_of(p, participant->becomes)->name
                                                : "");
    if (participant->weight.n_program == 0)
        return;
    const bool is_given = r->has_weight && s == &p->model->species[r->weight.of];
    fprintf(out, ", drawn in proportion to %s", is_given ? r->weight.text : "its term of the sum");
}

/* Prints the first n births, which are alike. */
static void print_births(FILE *out, const struct rd_plan *p,
                         const struct rd_participant *participant, const struct rd_birth *birth,
                         int32_t n)
{
    fprintf(out, "%d %s %s born %s%s", (int)n, list_species_of(p, birth->list)->name,
            n > 1 ? "are" : "is", birth->parent < 0 ? "without a parent" : "of ",
            birth->parent < 0 ? "" : list_species_of(p, participant[birth->parent].list)->name);
}

void rd_check_fates(FILE *out, const struct rd_plan *p, int32_t channel)
{
    const struct rd_channel *const c = &p->channel[channel];
    const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[channel]];
    const struct rd_participant *const participant =
        c->n_participants > 0 ? p->participant + c->participant : NULL;
    const struct rd_birth *const birth = p->birth + c->birth;
    const char *before = "            ";
    for (int32_t i = 0, n; i < c->n_participants; i += n) {
        for (n = 1; i + n < c->n_participants &&
                    is_same_participant(&participant[i], &participant[i + n]);)
            n++;
        fprintf(out, "%s", before);
        print_participants(out, p, r, &participant[i], n);
        before = "; ";
    }
    for (int32_t i = 0, n; i < c->n_births; i += n) {
        for (n = 1; i + n < c->n_births && birth[i + n].list == birth[i].list &&
                    birth[i + n].parent == birth[i].parent;)
            n++;
        fprintf(out, "%s", before);
        print_births(out, p, participant, &birth[i], n);
        before = "; ";
    }
    if (c->n_participants + c->n_births > 0)
        fprintf(out, "\n");
}
