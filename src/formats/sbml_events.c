/* sbml_events - the events of an SBML model as entries of a configuration. An event of the time
   alone happens at set times, any other on a condition; entries of one time are in the order of
   their priorities. */
#define _POSIX_C_SOURCE 200809L
#include "formats/sbml_events.h"

#include "base/text.h"
#include "formats/sbml_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A time beyond all others. */
#define NEVER 1e300

/* A parameter that an event sets besides its assignments, for the conversion. */
struct helper {
    rd_formula name, value;
};

/* An entry of the configuration: what an event does at a time, or on a condition. */
struct occasion {
    Event_t *event;
    rd_formula when; /* NULL: at the time */
    double time, priority;
    int number;              /* of the event in the model */
    bool is_helper;          /* it sets the helpers only */
    struct helper helper;    /* or none: its name is NULL */
    const rd_formula *saved; /* [assignment]: values of the time of the trigger; or NULL */
};

struct occasions {
    struct occasion *occasion; /* owned */
    int n;
};

static void about(struct rd_sbml *s, Event_t *event)
{
    rd_sbml_about(s, SBase_getLine((SBase_t *)event), "event '%.60s'", Event_getId(event));
}

/* ---- times ---- */

/* Returns the number that a formula has at all times; `otherwise` with a message if it changes. */
static double constant_of(struct rd_sbml *s, const ASTNode_t *math, const char *what,
                          double otherwise)
{
    const rd_formula f = rd_sbml_math(s, math, false, NULL);
    if (rd_formula_any(f, rd_sbml_varies, s)) {
        rd_sbml_fail(s, "its %s changes during the simulation; write a number", what);
        return otherwise;
    }
    return rd_sbml_number(s, f);
}

static double delay_of(struct rd_sbml *s, Event_t *event)
{
    const double delay = Event_isSetDelay(event)
                             ? constant_of(s, Delay_getMath(Event_getDelay(event)), "delay", 0.0)
                             : 0.0;
    if (!(delay >= 0.0))
        rd_sbml_fail(s, "its delay is %g; write one from 0 on", delay);
    return delay >= 0.0 ? delay : 0.0;
}

static double priority_of(struct rd_sbml *s, Event_t *event)
{
    return Event_isSetPriority(event)
               ? constant_of(s, Priority_getMath(Event_getPriority(event)), "priority", 0.0)
               : -INFINITY;
}

static bool add_occasion(struct rd_sbml *s, struct occasions *all, const struct occasion *one)
{
    struct occasion *const more = realloc(all->occasion, (size_t)(all->n + 1) * sizeof *more);
    if (!more)
        return rd_sbml_fail(s, "out of memory");
    all->occasion = more;
    more[all->n++] = *one;
    return true;
}

/* The trigger of an event. */
struct trigger {
    rd_formula is_true;
    bool was_true; /* before time 0 */
    bool is_persistent;
    double delay;
};

static struct trigger trigger_of(struct rd_sbml *s, Event_t *event)
{
    const Trigger_t *const t = Event_getTrigger(event);
    const bool has_flags = s->level >= 3;
    return (struct trigger){.is_true = rd_sbml_math(s, Trigger_getMath(t), false, NULL),
                            .was_true = has_flags ? Trigger_getInitialValue(t) : true,
                            .is_persistent = has_flags ? Trigger_getPersistent(t) : true,
                            .delay = delay_of(s, event)};
}

/* ---- conditions ---- */

static rd_formula pair(struct rd_sbml *s, enum rd_formula_kind kind, rd_formula a, rd_formula b)
{
    return rd_formula_pair(&s->pool, kind, a, b);
}

static rd_formula compared(struct rd_sbml *s, const char *operator, rd_formula a, rd_formula b)
{
    return rd_formula_of(&s->pool, RD_FORMULA_COMPARISON, operator,(rd_formula[]){a, b}, 2);
}

static rd_formula new_parameter(struct rd_sbml *s, Event_t *event, const char *ending, double value)
{
    const char *const id = Event_getId(event) && *Event_getId(event) ? Event_getId(event) : "event";
    char *const wanted = rd_text_format("%s_%s", id, ending);
    const rd_formula name = rd_sbml_new_parameter(s, wanted ? wanted : id, value);
    free(wanted);
    return name;
}

/* Makes a trigger that is true at the start without an event wait until it has been false. */
static rd_formula armed(struct rd_sbml *s, struct occasions *all, const struct occasion *o,
                        const struct trigger *t)
{
    const rd_formula is_true = rd_sbml_of_run(s, t->is_true);
    if (!t->was_true || rd_sbml_number(s, t->is_true) == 0.0)
        return is_true;
    const rd_formula flag = new_parameter(s, o->event, "armed", 0.0);
    struct occasion arm = *o;
    arm.when = rd_formula_of(&s->pool, RD_FORMULA_NOT, NULL, &is_true, 1);
    arm.is_helper = true;
    arm.helper = (struct helper){flag, rd_formula_number(&s->pool, 1.0)};
    add_occasion(s, all, &arm);
    return pair(s, RD_FORMULA_AND, compared(s, ">", flag, rd_formula_number(&s->pool, 0.0)),
                is_true);
}

/* Saves the values of the assignments that can change in parameters, when the trigger becomes
   true. */
static const rd_formula *save_values(struct rd_sbml *s, struct occasions *all,
                                     const struct occasion *o)
{
    const unsigned n = Event_getNumEventAssignments(o->event);
    rd_formula *const saved = rd_formula_list(&s->pool, n);
    for (unsigned i = 0; saved && i < n; i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(o->event, i);
        struct occasion save = *o;
        saved[i] = rd_sbml_math(s, EventAssignment_getMath(a), false, NULL);
        if (!rd_formula_any(saved[i], rd_sbml_varies, s))
            continue;
        save.is_helper = true;
        save.helper.value = rd_sbml_of_run(s, saved[i]);
        save.helper.name = new_parameter(s, o->event, EventAssignment_getVariable(a), 0.0);
        saved[i] = save.helper.name;
        add_occasion(s, all, &save);
    }
    return saved;
}

/* Delays an event: on the trigger a parameter gets the time at which it is due. A second trigger
   before that time would need a second one: it makes the first one infinite, which is a fault. */
static void delay_event(struct rd_sbml *s, struct occasions *all, struct occasion *o,
                        const struct trigger *t)
{
    const rd_formula never = rd_formula_number(&s->pool, NEVER);
    const rd_formula due = new_parameter(s, o->event, "due", NEVER);
    const rd_formula now = rd_formula_name(&s->pool, RD_FORMULA_NAME, "t");
    struct occasion start = *o;
    if (Event_getUseValuesFromTriggerTime(o->event))
        o->saved = save_values(s, all, o);
    start.is_helper = true;
    start.helper = (struct helper){
        due, pair(s, RD_FORMULA_QUOTIENT,
                  pair(s, RD_FORMULA_SUM, now, rd_formula_number(&s->pool, t->delay)),
                  compared(s, "==", due, never))};
    add_occasion(s, all, &start);
    if (!t->is_persistent) {
        start.when = rd_formula_of(&s->pool, RD_FORMULA_NOT, NULL, &o->when, 1);
        start.helper.value = never;
        add_occasion(s, all, &start);
    }
    o->when = compared(s, ">=", now, due);
    o->helper = (struct helper){due, never};
}

/* Adds an event on a condition. */
static void add_condition(struct rd_sbml *s, struct occasions *all, struct occasion *o,
                          const struct trigger *t)
{
    o->when = armed(s, all, o, t);
    if (t->delay > 0.0)
        delay_event(s, all, o, t);
    add_occasion(s, all, o);
}

/* Adds the entries of an event. An event of the time alone that is not persistent happens only if
   its trigger stays true over the delay. */
static void add_event(struct rd_sbml *s, struct occasions *all, Event_t *event, int number)
{
    struct rd_sbml_moment moment[RD_SBML_MOMENTS_MOST];
    about(s, event);
    const struct trigger t = trigger_of(s, event);
    struct occasion one = {.event = event, .priority = priority_of(s, event), .number = number};
    const bool saves = t.delay > 0.0 && Event_getUseValuesFromTriggerTime(event);
    const int n = rd_sbml_moments(s, t.is_true, t.was_true, moment);
    if (n < 0)
        add_condition(s, all, &one, &t);
    for (int i = 0; i < n; i++) {
        one.time = moment[i].from;
        one.saved = saves ? save_values(s, all, &one) : NULL;
        one.time = moment[i].from + t.delay;
        if (t.is_persistent || one.time <= moment[i].until)
            add_occasion(s, all, &one);
    }
}

static int compare(const void *a, const void *b)
{
    const struct occasion *const x = a, *const y = b;
    if (!x->when != !y->when)
        return x->when ? 1 : -1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return x->number != y->number ? x->number - y->number : y->is_helper - x->is_helper;
}

/* ---- assignments ---- */

/* The lists of an event. */
enum { SET, REMOVE, ADD, N_LISTS };

/* The entries of one event. */
struct event_writing {
    struct rd_sbml *s;
    const struct rd_sbml_counted *counted;
    const struct occasion *o;
    FILE *list[N_LISTS];
    char *text[N_LISTS]; /* owned */
    size_t size[N_LISTS];
    bool has[N_LISTS];
};

static FILE *begin(struct event_writing *w, int kind)
{
    FILE *const out = w->list[kind];
    if (kind != SET)
        fputs(w->has[kind] ? ", " : "(", out);
    w->has[kind] = true;
    return out;
}

/* Writes a number of molecules, rounded if it depends on parameters. */
static void write_count(struct rd_sbml *s, FILE *out, rd_formula f)
{
    if (f->kind == RD_FORMULA_NUMBER) {
        fprintf(out, "%.0f", floor(f->number + 0.5));
        return;
    }
    const rd_formula half = rd_formula_number(&s->pool, 0.5);
    fputc('"', out);
    rd_formula_write(out, rd_formula_call(&s->pool, "floor",
                                          rd_formula_pair(&s->pool, RD_FORMULA_SUM, f, half)));
    fputc('"', out);
}

/* Writes that the species gets a number of molecules that does not depend on the present ones. */
static void write_new_count(struct event_writing *w, const char *name, rd_formula count)
{
    fprintf(begin(w, REMOVE), "{ species = \"%s\"; all = true; }", name);
    if (rd_formula_is_number(count, 0.0))
        return;
    FILE *const add = begin(w, ADD);
    fprintf(add, "{ species = \"%s\"; count = ", name);
    write_count(w->s, add, count);
    fputs("; }", add);
}

static void write_setting(struct event_writing *w, rd_formula name, rd_formula value)
{
    FILE *const out = begin(w, SET);
    fprintf(out, "%s = \"", name->name);
    rd_formula_write(out, value);
    fputs("\"; ", out);
}

/* Puts a parameter with the value before the event in place of a name. */
static rd_formula keep_before(struct event_writing *w, rd_formula f, const char *name)
{
    struct rd_sbml *const s = w->s;
    if (!rd_formula_has(f, name))
        return f;
    const rd_formula before = new_parameter(s, w->o->event, "before", 0.0);
    write_setting(w, before, rd_formula_name(&s->pool, RD_FORMULA_NAME, name));
    return rd_formula_replace(&s->pool, f, name, before);
}

/* Returns whether an event sets the symbol by its name. */
static bool is_set_directly(const struct rd_sbml_symbol *x)
{
    return x->role == RD_SBML_IS_PARAMETER || x->role == RD_SBML_IS_ODE;
}

/* Puts parameters with the values before the event in place of those that the event sets, since
   molecules are added after that. */
static rd_formula before_event(struct event_writing *w, rd_formula f)
{
    struct rd_sbml *const s = w->s;
    for (unsigned i = 0; i < Event_getNumEventAssignments(w->o->event); i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
        const struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
        if (is_set_directly(x))
            f = keep_before(w, f, x->name);
        else if (x->solved)
            f = keep_before(w, keep_before(w, f, x->from->name), x->since->name);
    }
    return keep_before(w, f, "t"); /* which numbers of molecules cannot use */
}

/* Writes the new count of a species, or of a rule that counts molecules. */
static void assign_count(struct event_writing *w, const struct rd_sbml_symbol *x, rd_formula count)
{
    struct rd_sbml *const s = w->s;
    const bool is_fixed = !rd_formula_any(count, rd_sbml_varies, s);
    const double number = is_fixed ? rd_sbml_number(s, count) : 0.0;
    if (!(number >= 0.0 && number <= INT32_MAX))
        rd_sbml_fail(s, "sets '%.60s' to %g molecules; write a number from 0 to %d", x->id, number,
                     INT32_MAX);
    else
        write_new_count(w, x->name,
                        is_fixed ? rd_formula_number(&s->pool, number)
                                 : before_event(w, rd_sbml_of_run(s, count)));
}

/* Returns the value of assignment i: that of the time of the trigger if it is saved. */
static rd_formula value_of(struct event_writing *w, unsigned i)
{
    const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
    return w->o->saved ? w->o->saved[i]
                       : rd_sbml_math(w->s, EventAssignment_getMath(a), false, NULL);
}

/* Returns the molecules that assignment i gives a species: a concentration is that in the size
   after the event. */
static rd_formula assigned_count(struct event_writing *w, struct rd_sbml_symbol *x, unsigned i)
{
    struct rd_sbml *const s = w->s;
    const struct rd_sbml_symbol *const size = rd_sbml_compartment(s, x);
    for (unsigned k = 0; k < Event_getNumEventAssignments(w->o->event); k++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, k);
        if (x->is_concentration && size && strcmp(EventAssignment_getVariable(a), size->id) == 0)
            return pair(s, RD_FORMULA_PRODUCT,
                        pair(s, RD_FORMULA_PRODUCT, value_of(w, i), value_of(w, k)),
                        rd_sbml_factor(s, x->items));
    }
    return rd_sbml_molecules(s, x, value_of(w, i), false);
}

/* Returns the molecules of a species after the event. */
static rd_formula count_after(struct event_writing *w, struct rd_sbml_symbol *x, bool *is_set)
{
    for (unsigned i = 0; i < Event_getNumEventAssignments(w->o->event); i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
        if (strcmp(EventAssignment_getVariable(a), x->id) == 0) {
            *is_set = true;
            return assigned_count(w, x, i);
        }
    }
    return rd_sbml_count(w->s, x);
}

/* Updates the rules that count species that the event sets. */
static void assign_counted(struct event_writing *w)
{
    struct rd_sbml *const s = w->s;
    for (int i = 0; i < w->counted->n; i++) {
        const struct rd_sbml_counted_rule *const r = &w->counted->rule[i];
        rd_formula sum = rd_formula_number(&s->pool, r->constant);
        bool is_set = false;
        for (int k = 0; k < s->n_symbols; k++) {
            if (r->weight[k] == 0)
                continue;
            const rd_formula weight = rd_formula_number(&s->pool, r->weight[k]);
            const rd_formula count = count_after(w, &s->symbol[k], &is_set);
            sum = pair(s, RD_FORMULA_SUM, sum, pair(s, RD_FORMULA_PRODUCT, weight, count));
        }
        if (is_set)
            assign_count(w, r->species, sum);
    }
}

/* Begins the solution of a rate rule anew, at the time of the event. */
static void assign_solved(struct event_writing *w, const struct rd_sbml_symbol *x, rd_formula value)
{
    write_setting(w, x->from, value);
    write_setting(w, x->since, rd_formula_name(&w->s->pool, RD_FORMULA_NAME, "t"));
}

static void write_assignments(struct event_writing *w)
{
    struct rd_sbml *const s = w->s;
    for (unsigned i = 0; i < Event_getNumEventAssignments(w->o->event); i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
        struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
        const rd_formula name = rd_formula_name(&s->pool, RD_FORMULA_NAME, x->name);
        if (x->role == RD_SBML_IS_COUNT)
            assign_count(w, x, assigned_count(w, x, i));
        else if (is_set_directly(x))
            write_setting(w, name, rd_sbml_of_run(s, value_of(w, i)));
        else if (x->solved)
            assign_solved(w, x, rd_sbml_of_run(s, value_of(w, i)));
        else
            rd_sbml_fail(s, "sets '%.60s', which a rule gives; remove one of them", x->id);
    }
    assign_counted(w);
}

/* ---- entries ---- */

static void write_lists(struct event_writing *w, FILE *out)
{
    static const char *const key[] = {"set = { ", "remove = ", "add = "};
    static const char *const end[] = {"}; ", "); ", "); "};
    for (int i = 0; i < N_LISTS; i++)
        if (w->has[i])
            fprintf(out, "%s%s%s", key[i], w->text[i], end[i]);
}

/* Writes when an entry happens. */
static void write_moment(const struct occasion *o, FILE *out)
{
    if (!o->when) {
        fputs("time = ", out);
        rd_sbml_write_number(out, o->time);
        fputs("; ", out);
        return;
    }
    fputs("when = \"", out);
    rd_formula_write(out, o->when);
    fputs("\"; repeat = true; ", out);
}

static void write_occasion(struct rd_sbml *s, const struct rd_sbml_counted *counted,
                           const struct occasion *o, const char *separator, FILE *out)
{
    struct event_writing w = {.s = s, .counted = counted, .o = o};
    FILE *file[N_LISTS];
    bool is_open = true;
    for (int i = 0; i < N_LISTS; i++)
        is_open = (file[i] = open_memstream(&w.text[i], &w.size[i])) && is_open;
    memcpy(w.list, file, sizeof file);
    about(s, o->event);
    if (is_open && o->helper.name)
        write_setting(&w, o->helper.name, o->helper.value);
    if (is_open && !o->is_helper)
        write_assignments(&w);
    for (int i = 0; i < N_LISTS; i++)
        if (file[i])
            fflush(file[i]);
    fprintf(out, "%s    # %s\n    { ", separator, Event_getId(o->event));
    write_moment(o, out);
    if (is_open)
        write_lists(&w, out);
    fputs("}", out);
    s->pool.is_full = s->pool.is_full || !is_open;
    for (int i = 0; i < N_LISTS; i++) {
        if (file[i])
            fclose(file[i]);
        free(w.text[i]);
    }
}

void rd_sbml_write_events(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out)
{
    struct occasions all = {0};
    const struct rd_sbml_breaks breaks = rd_sbml_find_breaks(s);
    for (unsigned i = 0; i < Model_getNumEvents(s->model); i++)
        add_event(s, &all, Model_getEvent(s->model, i), (int)i);
    if (all.n > 0)
        qsort(all.occasion, (size_t)all.n, sizeof *all.occasion, compare);
    fputs(all.n > 0 || breaks.n > 0 ? "events = (\n" : "", out);
    for (int i = 0; i < all.n; i++)
        write_occasion(s, counted, &all.occasion[i], i > 0 ? ",\n" : "", out);
    if (breaks.n > 0)
        rd_sbml_write_breaks(s, &breaks, all.n > 0 ? ",\n" : "", out);
    fputs(all.n > 0 || breaks.n > 0 ? "\n);\n" : "", out);
    free(all.occasion);
}
