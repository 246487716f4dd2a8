/* sbml_occasions - when the events of an SBML model happen. An event of the time alone happens at
   set times, any other on a condition. Of simultaneous events the one with the highest priority is
   first; those that only keep values of that moment come before all (SBML Level 3 Core, 4.12). */
#include "formats/sbml_occasions.h"

#include "base/text.h"
#include "formats/sbml_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gives a time beyond all others. */
#define NEVER 1e300

/* Sets the most triggers of one event that wait for the end of its delay. */
enum { WAITING_MOST = 8 };

/* Describes an event of the model before it is converted. */
struct plan {
    Event_t *event;
    int number;
    double priority;
    rd_formula trigger, delay;
    bool was_true; /* before time 0 */
    bool is_persistent, keeps_values;
    struct rd_sbml_moment moment[RD_SBML_MOMENTS_MOST];
    int n_moments; /* -1: it happens on a condition */
};

struct plans {
    struct rd_sbml *s;
    struct plan *plan; /* owned */
    int n;
    struct rd_sbml_occasions *all;
};

static void about(struct rd_sbml *s, Event_t *event)
{
    rd_sbml_about_event(s, SBase_getLine((SBase_t *)event), event);
}

/* ---- formulas ---- */

rd_formula rd_sbml_event_parameter(struct rd_sbml *s, Event_t *event, const char *ending,
                                   double value)
{
    const char *const id = Event_getId(event) && *Event_getId(event) ? Event_getId(event) : "event";
    char *const wanted = rd_text_format("%s_%s", id, ending);
    const rd_formula name = rd_sbml_new_parameter(s, wanted ? wanted : id, value);
    free(wanted);
    return name;
}

/* ---- plans ---- */

static rd_formula delay_of_event(struct rd_sbml *s, Event_t *event)
{
    if (Event_isSetDelay(event) && Event_isSetTimeUnits(event) &&
        !rd_sbml_is_model_time(s, Event_getTimeUnits(event)))
        rd_sbml_fail(s, "its delay is in '%.60s'; convert it to the time unit of the model",
                     Event_getTimeUnits(event));
    const rd_formula delay =
        Event_isSetDelay(event) ? rd_sbml_math(s, Delay_getMath(Event_getDelay(event)), false, NULL)
                                : rd_formula_number(&s->pool, 0.0);
    if (rd_formula_any(delay, rd_sbml_varies, s))
        return delay;
    const double constant = rd_sbml_number(s, delay);
    if (!(constant >= 0.0))
        rd_sbml_fail(s, "its delay is %g; write one from 0 on", constant);
    return rd_formula_number(&s->pool, constant);
}

static bool is_delayed(const struct plan *p)
{
    return !rd_formula_is_number(p->delay, 0.0);
}

static double priority_of_event(struct rd_sbml *s, Event_t *event)
{
    if (!Event_isSetPriority(event))
        return -INFINITY;
    const rd_formula f = rd_sbml_math(s, Priority_getMath(Event_getPriority(event)), false, NULL);
    if (rd_formula_any(f, rd_sbml_varies, s))
        rd_sbml_fail(s, "its priority changes during the simulation; write a number");
    return rd_sbml_number(s, f);
}

static void make_plan(struct rd_sbml *s, struct plan *p, Event_t *event, int number)
{
    const Trigger_t *const t = Event_getTrigger(event);
    const bool has_flags = s->level >= 3;
    about(s, event);
    *p = (struct plan){.event = event,
                       .number = number,
                       .priority = priority_of_event(s, event),
                       .trigger = rd_sbml_math(s, Trigger_getMath(t), false, NULL),
                       .delay = delay_of_event(s, event),
                       .was_true = has_flags ? Trigger_getInitialValue(t) : true,
                       .is_persistent = has_flags ? Trigger_getPersistent(t) : true,
                       .keeps_values = Event_getUseValuesFromTriggerTime(event)};
    p->n_moments = p->delay->kind == RD_FORMULA_NUMBER
                       ? rd_sbml_moments(s, p->trigger, p->was_true, p->moment)
                       : -1;
}

/* Returns the time at which the event happens after moment i; infinite: it does not. */
static double time_after_moment(const struct plan *p, int i)
{
    const double time = p->moment[i].from + p->delay->number;
    return p->is_persistent || time <= p->moment[i].until ? time : INFINITY;
}

/* Returns whether `first` may happen when `then` is due, and before it. */
static bool comes_before(const struct plan *first, const struct plan *then)
{
    bool may = first->n_moments < 0 || then->n_moments < 0;
    for (int i = 0; i < first->n_moments && !may; i++)
        for (int k = 0; k < then->n_moments && !may; k++)
            may = time_after_moment(first, i) == time_after_moment(then, k) &&
                  isfinite(time_after_moment(then, k));
    return may && first != then &&
           (first->priority > then->priority ||
            (first->priority == then->priority && first->number < then->number));
}

/* Returns whether the event sets what a formula reads. */
static bool sets_part(const struct rd_sbml *s, Event_t *event, rd_formula f)
{
    bool does = false;
    for (unsigned i = 0; i < Event_getNumEventAssignments(event) && !does; i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(event, i);
        const struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
        does = x && (rd_formula_has(f, x->name) ||
                     (x->solved && x->from->name && rd_formula_has(f, x->from->name)));
    }
    return does;
}

/* Returns whether an event that comes before p, when p is due, may change the formula. */
static bool is_changed_before(const struct plans *all, const struct plan *p, rd_formula f)
{
    bool is = false;
    for (int i = 0; i < all->n && !is; i++)
        is = comes_before(&all->plan[i], p) && sets_part(all->s, all->plan[i].event, f);
    return is;
}

/* Events at set times happen before those on conditions. Where their order may matter, all events
   happen on conditions. */
static void unify(struct plans *all)
{
    bool has_condition = false, has_order = false;
    for (int i = 0; i < all->n; i++) {
        has_condition = has_condition || all->plan[i].n_moments < 0;
        has_order = has_order || Event_isSetPriority(all->plan[i].event);
        for (int k = 0; k < all->n && all->plan[i].n_moments >= 0 && !has_order; k++)
            has_order = all->plan[k].n_moments >= 0 && comes_before(&all->plan[k], &all->plan[i]);
    }
    for (int i = 0; i < all->n && has_condition && has_order; i++)
        all->plan[i].n_moments = -1;
}

/* ---- entries ---- */

static void add_occasion(struct plans *all, const struct rd_sbml_occasion *one)
{
    struct rd_sbml_occasions *const to = all->all;
    struct rd_sbml_occasion *const more = realloc(to->occasion, (size_t)(to->n + 1) * sizeof *more);
    if (!more) {
        rd_sbml_fail(all->s, "out of memory");
        return;
    }
    to->occasion = more;
    more[to->n] = *one;
    more[to->n].sequence = to->n;
    to->n++;
}

static struct rd_sbml_settings make_settings(struct rd_sbml *s, size_t most)
{
    struct rd_sbml_settings made = {rd_formula_list(&s->pool, most),
                                    rd_formula_list(&s->pool, most), 0};
    return made.name && made.value ? made : (struct rd_sbml_settings){0};
}

static void add_setting(struct rd_sbml_settings *to, rd_formula name, rd_formula value)
{
    if (!to->name)
        return;
    to->name[to->n] = name;
    to->value[to->n++] = value;
}

static struct rd_sbml_settings one_setting(struct rd_sbml *s, rd_formula name, rd_formula value)
{
    struct rd_sbml_settings made = make_settings(s, 1);
    add_setting(&made, name, value);
    return made;
}

/* Makes a trigger that is true at the start without an event wait until it has been false. */
static rd_formula armed(struct plans *all, const struct rd_sbml_occasion *o, const struct plan *p)
{
    struct rd_sbml *const s = all->s;
    const rd_formula is_true = rd_sbml_of_run(s, p->trigger);
    if (!p->was_true || rd_sbml_number(s, p->trigger) == 0.0)
        return is_true;
    const rd_formula flag = rd_sbml_event_parameter(s, p->event, "armed", 0.0);
    struct rd_sbml_occasion arm = *o;
    arm.when = rd_formula_not(&s->pool, is_true);
    arm.is_helper = true;
    arm.settings = one_setting(s, flag, rd_formula_number(&s->pool, 1.0));
    add_occasion(all, &arm);
    return rd_formula_pair(
        &s->pool, RD_FORMULA_AND,
        rd_formula_compared(&s->pool, flag, ">", rd_formula_number(&s->pool, 0.0)), is_true);
}

/* Returns the value of assignment i at the time at which the event happens. */
static rd_formula value_of_assignment(struct rd_sbml *s, Event_t *event, unsigned i)
{
    return rd_sbml_math(s, EventAssignment_getMath(Event_getEventAssignment(event, i)), false,
                        NULL);
}

/* Returns [assignment]: the values of the time of the trigger, if they may differ from those of the
   time at which the event happens. Adds parameters that hold them to the settings. */
static const rd_formula *save_values(struct plans *all, const struct plan *p,
                                     struct rd_sbml_settings *settings)
{
    struct rd_sbml *const s = all->s;
    const unsigned n = Event_getNumEventAssignments(p->event);
    rd_formula *const saved = rd_formula_list(&s->pool, n);
    for (unsigned i = 0; saved && i < n; i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(p->event, i);
        const rd_formula value = value_of_assignment(s, p->event, i);
        saved[i] = value;
        if (!rd_formula_any(value, rd_sbml_varies, s) ||
            (!is_delayed(p) && !is_changed_before(all, p, value)))
            continue;
        saved[i] = rd_sbml_event_parameter(s, p->event, EventAssignment_getVariable(a), 0.0);
        add_setting(settings, saved[i], rd_sbml_of_run(s, value));
    }
    return saved;
}

/* Saves values when the trigger becomes true, by an entry of its own. */
static void save_at_trigger(struct plans *all, struct rd_sbml_occasion *o, const struct plan *p)
{
    struct rd_sbml_occasion save = *o;
    save.is_helper = true;
    save.settings = make_settings(all->s, Event_getNumEventAssignments(p->event));
    o->saved = save_values(all, p, &save.settings);
    if (save.settings.n > 0)
        add_occasion(all, &save);
}

/* Describes a trigger that waits for the end of the delay: the parameter that holds this time, and
   those that hold values of the time of the trigger. */
struct waiting_trigger {
    rd_formula due;
    const rd_formula *saved;
    struct rd_sbml_settings settings;
};

/* Returns the time at which the event is due. Infinite, which is a fault: the delay is negative. */
static rd_formula due_time(struct rd_sbml *s, const struct plan *p)
{
    const rd_formula delay = rd_sbml_of_run(s, p->delay);
    const rd_formula now = rd_formula_name(&s->pool, RD_FORMULA_NAME, "t");
    if (delay->kind == RD_FORMULA_NUMBER)
        return rd_formula_pair(&s->pool, RD_FORMULA_SUM, now, delay);
    return rd_formula_pair(&s->pool, RD_FORMULA_SUM, now,
                           rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, delay,
                                           rd_formula_compared(&s->pool, delay, ">=",
                                                               rd_formula_number(&s->pool, 0.0))));
}

/* Adds the settings with which a trigger takes the first place that is free. If none is, the last
   one becomes infinite, which is a fault. */
static void take_free_place(struct rd_sbml *s, const struct plan *p,
                            const struct waiting_trigger *place, int n, struct rd_sbml_settings *to)
{
    const rd_formula never = rd_formula_number(&s->pool, NEVER), due = due_time(s, p);
    rd_formula is_kept = NULL; /* an earlier place is free */
    for (int i = 0; i < n; i++) {
        const rd_formula is_free = rd_formula_compared(&s->pool, place[i].due, "==", never);
        const rd_formula taken = i + 1 < n
                                     ? rd_formula_if(&s->pool, is_free, due, place[i].due)
                                     : rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, due, is_free);
        add_setting(to, place[i].due,
                    is_kept ? rd_formula_if(&s->pool, is_kept, place[i].due, taken) : taken);
        const rd_formula is_mine = is_kept
                                       ? rd_formula_pair(&s->pool, RD_FORMULA_AND,
                                                         rd_formula_not(&s->pool, is_kept), is_free)
                                       : is_free;
        for (int k = 0; k < place[i].settings.n; k++)
            add_setting(to, place[i].settings.name[k],
                        n == 1 ? place[i].settings.value[k]
                               : rd_formula_if(&s->pool, is_mine, place[i].settings.value[k],
                                               place[i].settings.name[k]));
        is_kept = is_kept ? rd_formula_pair(&s->pool, RD_FORMULA_OR, is_kept, is_free) : is_free;
    }
}

/* Delays an event: when the trigger becomes true, a parameter gets the time at which it is due. If
   the trigger must stay true, there is one such time at most. */
static void delay_event(struct plans *all, struct rd_sbml_occasion *o, const struct plan *p)
{
    struct rd_sbml *const s = all->s;
    const rd_formula never = rd_formula_number(&s->pool, NEVER);
    const int n = p->is_persistent ? WAITING_MOST : 1;
    const unsigned n_values = p->keeps_values ? Event_getNumEventAssignments(p->event) : 0;
    struct waiting_trigger place[WAITING_MOST] = {{0}};
    struct rd_sbml_occasion start = *o;
    for (int i = 0; i < n; i++) {
        place[i].due = rd_sbml_event_parameter(s, p->event, "due", NEVER);
        place[i].settings = make_settings(s, n_values);
        if (p->keeps_values)
            place[i].saved = save_values(all, p, &place[i].settings);
    }
    start.is_helper = true;
    start.settings = make_settings(s, (size_t)n * (1 + n_values));
    take_free_place(s, p, place, n, &start.settings);
    add_occasion(all, &start);
    if (!p->is_persistent) {
        start.when = rd_formula_not(&s->pool, o->when);
        start.settings = one_setting(s, place[0].due, never);
        add_occasion(all, &start);
    }
    for (int i = 0; i < n; i++) {
        o->saved = place[i].saved;
        o->settings = one_setting(s, place[i].due, never);
        o->when = rd_formula_compared(&s->pool, rd_formula_name(&s->pool, RD_FORMULA_NAME, "t"),
                                      ">=", place[i].due);
        add_occasion(all, o);
    }
}

/* Adds the entries of an event on a condition. */
static void add_condition(struct plans *all, struct rd_sbml_occasion *o, const struct plan *p)
{
    o->when = armed(all, o, p);
    if (!p->is_persistent && is_changed_before(all, p, p->trigger))
        o->only_if = p->trigger;
    if (is_delayed(p)) {
        delay_event(all, o, p);
        return;
    }
    if (p->keeps_values)
        save_at_trigger(all, o, p);
    add_occasion(all, o);
}

/* Adds the entries of an event. An event of the time alone that is not persistent happens only if
   its trigger stays true over the delay. */
static void add_event(struct plans *all, const struct plan *p)
{
    struct rd_sbml_occasion one = {.event = p->event, .priority = p->priority, .number = p->number};
    about(all->s, p->event);
    if (p->n_moments < 0)
        add_condition(all, &one, p);
    for (int i = 0; i < p->n_moments; i++) {
        one.time = p->moment[i].from;
        if (isinf(time_after_moment(p, i)))
            continue;
        if (p->keeps_values)
            save_at_trigger(all, &one, p);
        one.time = time_after_moment(p, i);
        add_occasion(all, &one);
    }
}

static int compare_occasions(const void *a, const void *b)
{
    const struct rd_sbml_occasion *const x = a, *const y = b;
    if (!x->when != !y->when)
        return x->when ? 1 : -1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->is_helper != y->is_helper)
        return y->is_helper - x->is_helper;
    if (x->priority != y->priority && !x->is_helper)
        return x->priority > y->priority ? -1 : 1;
    return x->number != y->number ? x->number - y->number : x->sequence - y->sequence;
}

void rd_sbml_find_occasions(struct rd_sbml *s, struct rd_sbml_occasions *all)
{
    const unsigned n = Model_getNumEvents(s->model);
    struct plans plans = {.s = s, .plan = calloc((size_t)n + 1, sizeof(struct plan)), .all = all};
    if (!plans.plan) {
        rd_sbml_fail(s, "out of memory");
        return;
    }
    for (; plans.n < (int)n; plans.n++)
        make_plan(s, &plans.plan[plans.n], Model_getEvent(s->model, (unsigned)plans.n), plans.n);
    unify(&plans);
    for (int i = 0; i < plans.n; i++)
        add_event(&plans, &plans.plan[i]);
    if (all->n > 0)
        qsort(all->occasion, (size_t)all->n, sizeof *all->occasion, compare_occasions);
    free(plans.plan);
}
