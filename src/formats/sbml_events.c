/* sbml_events - the events of an SBML model as entries of a configuration. An event of the time
   alone happens at set times; the entries of one time are in the order of their priorities. */
#define _POSIX_C_SOURCE 200809L
#include "formats/sbml_events.h"

#include "formats/sbml_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An event that happens once, at a time. */
struct occasion {
    Event_t *event;
    double time, priority;
    int number; /* of the event in the model */
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

static bool changes(const void *of, rd_formula name)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(of, name);
    return (!x && strcmp(name->name, "t") == 0) ||
           (x &&
            (x->role == RD_SBML_IS_COUNT || x->role == RD_SBML_IS_FIELD || x->is_set_by_event));
}

/* Returns the number that a formula has at all times; `otherwise` with a message if it changes. */
static double constant_of(struct rd_sbml *s, const ASTNode_t *math, const char *what,
                          double otherwise)
{
    const rd_formula f = rd_sbml_math(s, math, false, NULL);
    if (rd_formula_any(f, changes, s)) {
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

/* Adds the times of an event. An event that is not persistent happens only if its trigger stays
   true over the delay. */
static void add_times(struct rd_sbml *s, struct occasions *all, Event_t *event, int number)
{
    struct rd_sbml_moment moment[RD_SBML_MOMENTS_MOST];
    about(s, event);
    const Trigger_t *const trigger = Event_getTrigger(event);
    const bool has_flags = s->level >= 3;
    const bool was_true = has_flags ? Trigger_getInitialValue(trigger) : true;
    const bool is_persistent = has_flags ? Trigger_getPersistent(trigger) : true;
    const rd_formula f = rd_sbml_math(s, Trigger_getMath(trigger), false, NULL);
    const double delay = delay_of(s, event), priority = priority_of(s, event);
    const int n = rd_sbml_moments(s, f, was_true, moment);
    if (n < 0)
        rd_sbml_fail(s, "its trigger depends on more than the time, which is not supported; write "
                        "a comparison of the time with numbers");
    for (int i = 0; i < n; i++) {
        const struct occasion one = {event, moment[i].from + delay, priority, number};
        if (is_persistent || moment[i].from + delay <= moment[i].until)
            add_occasion(s, all, &one);
    }
}

static int compare(const void *a, const void *b)
{
    const struct occasion *const x = a, *const y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return x->number - y->number;
}

/* ---- assignments ---- */

/* The entries of one event, by kind. */
struct writing {
    struct rd_sbml *s;
    const struct rd_sbml_counted *counted;
    FILE *set, *remove, *add;
    char *text[3]; /* owned: of these three */
    size_t size[3];
    bool has[3];
};

static bool is_counted_name(const void *of, rd_formula name)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(of, name);
    return x && (x->role == RD_SBML_IS_COUNT || x->role == RD_SBML_IS_FIELD);
}

static FILE *begin(struct writing *w, int kind)
{
    FILE *const out = kind == 0 ? w->set : kind == 1 ? w->remove : w->add;
    if (kind > 0)
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
static void write_new_count(struct writing *w, const char *name, rd_formula count)
{
    fprintf(begin(w, 1), "{ species = \"%s\"; all = true; }", name);
    if (rd_formula_is_number(count, 0.0))
        return;
    FILE *const add = begin(w, 2);
    fprintf(add, "{ species = \"%s\"; count = ", name);
    write_count(w->s, add, count);
    fputs("; }", add);
}

/* Writes the new count of a species. */
static void assign_species(struct writing *w, struct rd_sbml_symbol *x, rd_formula value)
{
    struct rd_sbml *const s = w->s;
    const rd_formula count = rd_sbml_molecules(s, x, value, false);
    if (rd_formula_any(count, is_counted_name, s)) {
        rd_sbml_fail(s,
                     "sets '%.60s' to an expression of species, which is not supported; write "
                     "numbers and parameters",
                     x->id);
        return;
    }
    const double number = rd_sbml_number(s, count);
    if (!(number >= 0.0 && number <= INT32_MAX))
        rd_sbml_fail(s, "sets '%.60s' to %g molecules; write a number from 0 to %d", x->id, number,
                     INT32_MAX);
    const bool is_fixed = !rd_formula_any(count, changes, s);
    write_new_count(w, x->name,
                    is_fixed ? rd_formula_number(&s->pool, number) : rd_sbml_of_run(s, count));
}

static void assign_parameter(struct writing *w, const struct rd_sbml_symbol *x, rd_formula value)
{
    if (rd_formula_any(value, is_counted_name, w->s)) {
        rd_sbml_fail(w->s,
                     "sets '%.60s' to an expression of species, which is not supported; "
                     "write numbers and parameters",
                     x->id);
        return;
    }
    FILE *const out = begin(w, 0);
    fprintf(out, "%s = \"", x->name);
    rd_formula_write(out, rd_sbml_of_run(w->s, value));
    fputs("\"; ", out);
}

/* Refuses to set a species of which a counted rule depends, unless the event sets all of them. */
static void assign_counted(struct writing *w, Event_t *event)
{
    struct rd_sbml *const s = w->s;
    for (int i = 0; i < w->counted->n; i++) {
        const struct rd_sbml_counted_rule *const r = &w->counted->rule[i];
        rd_formula sum = rd_formula_number(&s->pool, r->constant);
        bool is_set = false, is_whole = true;
        for (int k = 0; k < s->n_symbols; k++) {
            if (r->weight[k] == 0)
                continue;
            const EventAssignment_t *const a =
                Event_getEventAssignmentByVar(event, s->symbol[k].id);
            const rd_formula value =
                a ? rd_sbml_molecules(s, &s->symbol[k],
                                      rd_sbml_math(s, EventAssignment_getMath(a), false, NULL),
                                      false)
                  : rd_sbml_count(s, &s->symbol[k]);
            const rd_formula weight = rd_formula_number(&s->pool, r->weight[k]);
            sum = rd_formula_pair(&s->pool, RD_FORMULA_SUM, sum,
                                  rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, weight, value));
            is_set = is_set || a;
            is_whole = is_whole && a;
        }
        if (is_set && !is_whole)
            rd_sbml_fail(s,
                         "sets some but not all species of the rule of '%.60s', which is not "
                         "supported; set all of them",
                         r->species->id);
        else if (is_set)
            write_new_count(w, r->species->name,
                            rd_formula_any(sum, changes, s)
                                ? rd_sbml_of_run(s, sum)
                                : rd_formula_number(&s->pool, rd_sbml_number(s, sum)));
    }
}

static void write_assignments(struct writing *w, Event_t *event)
{
    struct rd_sbml *const s = w->s;
    for (unsigned i = 0; i < Event_getNumEventAssignments(event); i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(event, i);
        struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
        about(s, event);
        const rd_formula value = rd_sbml_math(s, EventAssignment_getMath(a), false, NULL);
        if (x->role == RD_SBML_IS_COUNT)
            assign_species(w, x, value);
        else if (x->role == RD_SBML_IS_PARAMETER)
            assign_parameter(w, x, value);
        else
            rd_sbml_fail(s, "sets '%.60s', which a rule gives; remove one of them", x->id);
    }
    assign_counted(w, event);
}

/* ---- entries ---- */

static void write_lists(struct writing *w, FILE *out)
{
    static const char *const key[] = {"set = { ", "remove = ", "add = "};
    static const char *const end[] = {"}; ", "); ", "); "};
    for (int i = 0; i < 3; i++)
        if (w->has[i])
            fprintf(out, "%s%s%s", key[i], w->text[i], end[i]);
}

static void write_occasion(struct rd_sbml *s, const struct rd_sbml_counted *counted,
                           const struct occasion *o, const char *separator, FILE *out)
{
    struct writing w = {.s = s, .counted = counted};
    w.set = open_memstream(&w.text[0], &w.size[0]);
    w.remove = open_memstream(&w.text[1], &w.size[1]);
    w.add = open_memstream(&w.text[2], &w.size[2]);
    if (w.set && w.remove && w.add) {
        write_assignments(&w, o->event);
        fflush(w.set);
        fflush(w.remove);
        fflush(w.add);
        fprintf(out, "%s    # %s\n    { time = %.17g; ", separator, Event_getId(o->event), o->time);
        write_lists(&w, out);
        fputs("}", out);
    } else {
        s->pool.is_full = true;
    }
    FILE *const file[] = {w.set, w.remove, w.add};
    for (int i = 0; i < 3; i++) {
        if (file[i])
            fclose(file[i]);
        free(w.text[i]);
    }
}

void rd_sbml_write_events(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out)
{
    struct occasions all = {0};
    for (unsigned i = 0; i < Model_getNumEvents(s->model); i++)
        add_times(s, &all, Model_getEvent(s->model, i), (int)i);
    if (all.n > 0)
        qsort(all.occasion, (size_t)all.n, sizeof *all.occasion, compare);
    fputs(all.n > 0 ? "events = (\n" : "", out);
    for (int i = 0; i < all.n; i++)
        write_occasion(s, counted, &all.occasion[i], i > 0 ? ",\n" : "", out);
    fputs(all.n > 0 ? "\n);\n" : "", out);
    free(all.occasion);
}
