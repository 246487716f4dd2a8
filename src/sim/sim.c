/* sim - the plan's arrays on a back end; alone allocates there. */
#include "sim.h"

#include "clock.h"
#include "lattice.h"
#include "lists.h"
#include "plan_paces.h"
#include "room.h"

#include <stdio.h>
#include <stdlib.h>

void rd_sim_size(const struct rd_plan *p, struct rd_world *w)
{
    const bool is_split = p->model->solver == RD_SOLVER_SPLIT;
    const int64_t sums = w->n_stripes * w->n_runs;
    w->n_count = w->n_species * w->n_cells;
    w->n_arrive = is_split ? w->n_count : 0;
    w->n_fired = sums * w->n_reactions;
    w->n_lost = p->has_lost ? sums * w->n_species * RD_N_FACES : 0;
    w->n_entered = p->has_entered ? sums * w->n_species * RD_N_FACES : 0;
    w->n_varying = (w->n_flow + w->n_incline) * w->n_cells;
    w->n_moment = 4 * w->n_followed * w->n_averaged;
    w->n_mean = 3 * w->n_species * w->n_averaged;
    for (int32_t i = 0; i < w->n_species; i++)
        w->n_pace_now += rd_plan_is_changing(&p->model->species[i]) ? w->n_cells : 0;
    w->n_stride = w->n_roaming > 0 ? w->n_runs : 0;
    w->n_fault = RD_N_FAULTS;
    w->n_halt = 1;
    if (p->model->stop.n > 0) {
        w->n_total = w->n_species * w->n_runs;
        w->n_still = w->n_stopped = w->n_runs;
        w->stops_at_steps = p->model->stops_at_steps;
    }
    rd_lists_size(p, w);
}

double rd_sim_memory(const struct rd_plan *p, int threads)
{
    struct rd_world w = p->world;
    rd_sim_size(p, &w);
    double bytes = 0.0;
#define STATE_BYTES(type, name) bytes += (double)w.n_##name * (double)sizeof(type);
    RD_TABLES(STATE_BYTES)
    RD_STATES(STATE_BYTES)
#undef STATE_BYTES
    if (p->model->solver == RD_SOLVER_EXACT)
        bytes += (double)rd_exact_memory(&w, threads);
    return bytes + (double)w.n_count * (double)sizeof(int32_t); /* the host's, being placed */
}

static bool check_memory(struct rd_sim *s, double beside, struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    const double need = rd_sim_memory(s->plan, s->backend->threads(s->machine)) +
                        (s->backend == &rd_backend_cpu ? beside : 0.0);
    const double has = (double)s->backend->memory(s->machine);
    if (has < 0.0 || need <= 0.95 * has)
        return true;
    const double cells = (double)m->grid.n_sites * (double)m->n_runs;
    return rd_fail(e,
                   "%lld run%s of %lld cells and %d species need %.3g GB; %s has %.3g GB free, "
                   "enough for about %.3g cells over all runs",
                   (long long)m->n_runs, m->n_runs == 1 ? "" : "s", (long long)m->grid.n_sites,
                   m->n_species, need / 1e9, s->backend->device(s->machine), has / 1e9,
                   0.95 * has / need * cells);
}

static bool reset_faults(struct rd_sim *s, struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS];
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        fault[kind] = (struct rd_fault){0, INT64_MAX};
    const int64_t never = INT64_MAX;
    return s->backend->put(s->machine, s->world.fault, fault, sizeof fault, e) &&
           s->backend->put(s->machine, s->world.halt, &never, sizeof never, e);
}

static bool open_placed(struct rd_sim *s, struct rd_error *e)
{
    if (s->plan->conserved.law.n == 0)
        return true;
    const size_t n = (size_t)(s->world.n_runs * s->world.n_species);
    s->placed = calloc(n, sizeof *s->placed);
    return s->placed || rd_fail(e, "out of memory for the totals of %zu species and runs", n);
}

bool rd_sim_open(struct rd_sim *s, const struct rd_plan *p, const struct rd_machine_of *machine,
                 struct rd_error *e)
{
    *s = (struct rd_sim){.plan = p, .world = p->world, .done = -1};
    s->world.beat = &s->beat;
#define TABLE_NONE(type, name) s->world.name = NULL;
    RD_TABLES(TABLE_NONE) /* the plan's own are not for this one to free */
#undef TABLE_NONE
    const bool is_exact = p->model->solver == RD_SOLVER_EXACT;
    /* only the CPU has the exact solver: `auto` takes it, another choice is refused */
    const bool is_auto = strcmp(machine->backend, "auto") == 0;
    if (is_exact && strcmp(machine->backend, "cuda") == 0)
        return rd_fail(e, "solver = \"exact\" runs on the CPU only; take --backend cpu");
    s->backend = rd_backend_open(is_exact && is_auto ? "cpu" : machine->backend, &s->machine,
                                 machine->threads, machine->device, &s->remark, e);
    if (!s->backend)
        return false;
    s->is_verified = machine->verify;
#ifndef NDEBUG
    s->is_verified = true;
#endif
    s->is_timed = machine->timing || s->backend == &rd_backend_cpu;
    if (!check_memory(s, machine->beside, e))
        return false;
    rd_sim_size(p, &s->world);
#define STATE_ALLOC(type, name)                                                                    \
    ok = (s->world.name = s->backend->alloc(s->machine, (size_t)s->world.n_##name * sizeof(type),  \
                                            e)) != NULL &&                                         \
         ok;
    bool ok = true;
    RD_STATES(STATE_ALLOC)
#undef STATE_ALLOC
    if (ok && is_exact)
        ok = rd_exact_open(&s->exact, &s->world, s->backend->threads(s->machine), e);
    return ok && reset_faults(s, e) && rd_lists_open(s, e) && open_placed(s, e);
}

void rd_sim_close(struct rd_sim *s)
{
    if (s->exact)
        rd_exact_close(s->exact);
    if (s->machine) {
#define FREE(type, name) s->backend->free(s->machine, (void *)(uintptr_t)s->world.name);
        RD_TABLES(FREE)
        RD_STATES(FREE)
#undef FREE
        s->backend->close(s->machine);
    }
    rd_error_free(&s->remark);
    free(s->life);
    free(s->reach);
    free(s->placed);
    *s = (struct rd_sim){0};
}

/* Bytes in place of the old ones, where there is room for *room of them; else in a place with half
   more, so that tables for steps of other lengths seldom move. */
static bool take_table(struct rd_sim *s, const void **at, size_t *room, const void *from,
                       size_t bytes, struct rd_error *e)
{
    if (!*at || bytes > *room) {
        s->backend->free(s->machine, (void *)(uintptr_t)*at);
        const size_t more = *at ? bytes + bytes / 2 : bytes;
        *at = s->backend->alloc(s->machine, more, e);
        *room = *at ? more : 0;
    }
    return *at && s->backend->put(s->machine, (void *)(uintptr_t)*at, from, bytes, e);
}

bool rd_sim_take(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const from = &s->plan->world;
    struct rd_world *const w = &s->world;
    bool ok = true;
#define TAKE(type, name)                                                                           \
    do {                                                                                           \
        const void *at = w->name;                                                                  \
        ok = ok && take_table(s, &at, &s->room.name, from->name,                                   \
                              (size_t)from->n_##name * sizeof(type), e);                           \
        w->name = at;                                                                              \
        w->n_##name = from->n_##name;                                                              \
    } while (0);
    RD_TABLES(TAKE)
#undef TAKE
    memcpy(w->inner, from->inner, sizeof w->inner);
    w->n_moving = from->n_moving;
    w->n_maintained = from->n_maintained;
    w->n_tallied = from->n_tallied;
    w->stop = from->stop;
    w->has_laws = from->has_laws;
    w->is_keen = from->is_keen;
    w->is_simple = from->is_simple;
    return ok;
}

bool rd_sim_put_counts(struct rd_sim *s, const int32_t *count, struct rd_error *e)
{
    return s->backend->put(s->machine, s->world.count, count,
                           (size_t)s->world.n_count * sizeof *count, e);
}

bool rd_sim_get_counts(struct rd_sim *s, int32_t *count, struct rd_error *e)
{
    return s->backend->get(s->machine, count, s->world.count,
                           (size_t)s->world.n_count * sizeof *count, e);
}

bool rd_sim_still(struct rd_sim *s, uint8_t **still, struct rd_error *e)
{
    const size_t n = (size_t)s->world.n_still;
    *still = n > 0 ? malloc(n) : NULL;
    return n == 0 || (*still ? s->backend->get(s->machine, *still, s->world.still, n, e)
                             : rd_fail(e, "out of memory for %zu runs", n));
}

void rd_sim_placed(struct rd_sim *s, const int32_t *count, int sign)
{
    const struct rd_world *const w = &s->world;
    for (int64_t row = 0; s->placed && row < w->n_species * w->n_runs; row++) {
        const int64_t run = row % w->n_runs, species = s->plan->species_of[row / w->n_runs];
        int64_t sum = 0;
        for (int64_t site = 0; site < w->n_sites; site++)
            sum += count[row * w->n_sites + site];
        s->placed[run * w->n_species + species] += sign * sum;
    }
}

void rd_sim_mark(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    s->mark = (struct rd_mark){s->beat, w->key, w->slot, w->key_next, w->slot_next};
}

bool rd_sim_is_done(const struct rd_sim *s)
{
    return s->beat.pass <= s->done;
}

void rd_sim_aim(struct rd_sim *s, uint32_t part, double from, double dt)
{
    s->world.part = part;
    s->beat.turn++;
    s->beat.time = from + dt / 2.0;
    s->world.dt = dt;
}

void rd_sim_run(struct rd_sim *s, enum rd_pass pass)
{
    struct rd_error unsaid = {0}; /* a failure is told by the next check */
    const double begin = rd_clock();
    s->beat.pass++;
    if (rd_sim_is_done(s))
        return;
    s->backend->run(s->machine, &s->world, pass);
    if (s->is_timed && s->backend->sync(s->machine, &unsaid))
        s->seconds[pass] += rd_clock() - begin;
    rd_error_free(&unsaid);
}

void rd_sim_pass(struct rd_sim *s, enum rd_pass pass, uint32_t part, double from, double dt)
{
    rd_sim_aim(s, part, from, dt);
    rd_sim_run(s, pass);
}

void rd_sim_exact(struct rd_sim *s, double from, double dt)
{
    const double begin = rd_clock();
    rd_sim_aim(s, 0, from, dt);
    rd_exact_run(s->exact, &s->world);
    s->seconds[RD_TIME_EXACT] += rd_clock() - begin;
}

/* Where a fault was, in the user's terms. */
struct spot {
    char run[80], cell[160];
};

static struct spot spot_of(const struct rd_sim *s, const struct rd_fault *f)
{
    const struct rd_place at = rd_place_of(&s->world, rd_fault_cell(f));
    struct spot spot;
    snprintf(spot.run, sizeof spot.run, "run %lld, before t = %.9g",
             (long long)(at.run + s->world.first_run), s->beat.time + s->world.dt / 2.0);
    snprintf(spot.cell, sizeof spot.cell, "in cell (%d, %d, %d) of %s", at.at[0], at.at[1],
             at.at[2], spot.run);
    return spot;
}

static bool tell_reaction(const struct rd_reaction *r, int kind, const struct spot *at,
                          struct rd_error *e)
{
    if (kind == RD_FAULT_NEGATIVE)
        return rd_fail(e,
                       "%s: reaction '%s' happened without its reactants %s; its law must be 0 "
                       "where they are absent",
                       r->place, r->equation, at->cell);
    if (kind == RD_FAULT_LAW)
        return rd_fail(e,
                       "%s: the law of reaction '%s' was negative or not a finite number %s; it "
                       "must be a number >= 0 everywhere",
                       r->place, r->equation, at->cell);
    return rd_fail(e,
                   "%s: the weights of reaction '%s' were negative, not finite, or all 0 %s; they "
                   "must be numbers >= 0, and that of one individual there above 0",
                   r->place, r->equation, at->cell);
}

static bool tell_attribute(const struct rd_species *s, const struct rd_attribute *a,
                           const struct spot *at, struct rd_error *e)
{
    return rd_fail(
        e, "%s: a rule of attribute '%s' of '%s' gave no %s %s; its rules must give %s", a->place,
        a->name, s->name, a->is_integer ? "integer" : "finite number", at->cell,
        a->is_integer ? "integers everywhere (floor() makes one)" : "finite numbers everywhere");
}

static bool tell_field(const struct rd_model *m, int64_t flow, const struct spot *at,
                       struct rd_error *e)
{
    int i = 0;
    while (!m->field_varies[i] || m->facet_of[RD_FACETS * i] != flow)
        i++;
    return rd_fail(e,
                   "%s: field '%s' became infinite or not a number %s; its rate must be a finite "
                   "number everywhere, and not let it grow without end",
                   m->field[i].place, m->field[i].name, at->cell);
}

static const struct rd_species *species_at(const struct rd_sim *s, int64_t species)
{
    return &s->plan->model->species[s->plan->species_of[species]];
}

static const struct rd_species *species_of_list(const struct rd_sim *s, int64_t list)
{
    return species_at(s, s->plan->list[list].species);
}

/* What came out as diffusivity or drift stands where the rates would. */
static bool tell_pace(const struct rd_sim *s, const struct rd_fault *f, const struct spot *at,
                      struct rd_error *e)
{
    const struct rd_species *const of = species_at(s, rd_fault_what(f));
    const struct rd_place place = rd_place_of(&s->world, rd_fault_cell(f));
    struct rd_pace pace;
    if (!s->backend->get(s->machine, &pace,
                         s->world.pace_now + s->plan->mover[rd_fault_what(f)].paces + place.cell,
                         sizeof pace, e))
        return false;
    int axis = 0;
    while (axis < 2 && pace.rate[2 * axis] >= 0.0 && rd_is_finite(pace.rate[2 * axis]) &&
           rd_is_finite(pace.rate[2 * axis + 1]))
        axis++;
    const double diffusion = pace.rate[2 * axis], drift = pace.rate[2 * axis + 1];
    const bool is_drift = diffusion >= 0.0 && rd_is_finite(diffusion);
    return rd_fail(e,
                   "%s: species '%s': %s along %c was %g %s, at (%.6g, %.6g, %.6g); it must be a "
                   "finite number%s everywhere",
                   of->place, of->name, is_drift ? "drift" : "diffusion", "xyz"[axis],
                   is_drift ? drift : diffusion, at->cell, rd_centre(&s->world, 0, place.at[0]),
                   rd_centre(&s->world, 1, place.at[1]), rd_centre(&s->world, 2, place.at[2]),
                   is_drift ? "" : " >= 0");
}

static bool tell(const struct rd_sim *s, int kind, const struct rd_fault *f, struct rd_error *e)
{
    const struct rd_plan *const p = s->plan;
    const int64_t what = rd_fault_what(f);
    const struct spot at = spot_of(s, f);
    const struct rd_species *of;
    switch (kind) {
    case RD_FAULT_OVERFLOW:
        return rd_fail(e,
                       "more than 2147483647 molecules of '%s' %s; a count cannot be larger: use "
                       "smaller cells, or fewer molecules that stand for more",
                       species_at(s, what)->name, at.cell);
    case RD_FAULT_NEGATIVE:
    case RD_FAULT_LAW:
    case RD_FAULT_WEIGHT:
        return tell_reaction(&p->model->reaction[p->reaction_of[what]], kind, &at, e);
    case RD_FAULT_FULL:
        of = species_of_list(s, what);
        return rd_fail(e,
                       "%s: more than max = %lld individuals of '%s' in %s; raise individuals.max",
                       of->place, (long long)of->max, of->name, at.run);
    case RD_FAULT_TRAIT:
        of = species_of_list(s, what / 64);
        return tell_attribute(of, &of->attribute[what % 64], &at, e);
    case RD_FAULT_MOTION:
        of = species_of_list(s, what);
        return rd_fail(e,
                       "%s: the diffusion of an individual of '%s' was negative, or its diffusion "
                       "or drift not finite, %s; both must be numbers, and diffusion >= 0, "
                       "everywhere",
                       of->place, of->name, at.cell);
    case RD_FAULT_FIELD:
        return tell_field(p->model, what, &at, e);
    case RD_FAULT_PACE:
        return tell_pace(s, f, &at, e);
    case RD_FAULT_HASTE:
        return rd_fail(e,
                       "movement that depends on counts became so fast that it would take more "
                       "than %d strides in a step in %s; set a shorter time.step",
                       RD_PART_END, at.run);
    case RD_FAULT_NAMES:
        return rd_fail(e, "more than %lld individuals were born in %s; there are no more ids",
                       (long long)RD_ID_END, at.run);
    default:
        return rd_fail(e,
                       "more random numbers than the 2^34 set aside for one cell and step were "
                       "needed %s; set a shorter time.step",
                       at.cell);
    }
}

bool rd_sim_check(struct rd_sim *s, struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS];
    if (!s->backend->sync(s->machine, e) ||
        !s->backend->get(s->machine, fault, s->world.fault, sizeof fault, e))
        return false;
    bool ok = !s->is_broken || rd_fail(e, "the machine failed, or has no memory, while individuals "
                                          "were born; lower individuals.max or time.step");
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        if (fault[kind].number > 0)
            ok = tell(s, kind, &fault[kind], e);
    return ok && rd_room_look(s, e);
}
