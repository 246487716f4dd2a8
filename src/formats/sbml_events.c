/* sbml_events - the events of an SBML model as entries of a configuration: what each of them sets,
   removes and adds. */
#define _POSIX_C_SOURCE 200809L
#include "formats/sbml_events.h"

#include "formats/sbml_occasions.h"
#include "formats/sbml_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- assignments ---- */

/* Gives the lists of an event. */
enum { SET, REMOVE, ADD, N_LISTS };

/* Describes the entries of one event. */
struct event_writing {
    struct rd_sbml *s;
    const struct rd_sbml_counted *counted;
    const struct rd_sbml_occasion *o;
    FILE *list[N_LISTS];
    char *text[N_LISTS]; /* owned */
    size_t size[N_LISTS];
    bool has[N_LISTS];
};

static FILE *begin_event(struct event_writing *w, int kind)
{
    FILE *const out = w->list[kind];
    if (kind != SET)
        fputs(w->has[kind] ? ", " : "(", out);
    w->has[kind] = true;
    return out;
}

/* Writes a number of molecules, rounded if it depends on parameters. */
static void write_event_count(struct rd_sbml *s, FILE *out, rd_formula f)
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
    fprintf(begin_event(w, REMOVE), "{ species = \"%s\"; all = true; }", name);
    if (rd_formula_is_number(count, 0.0))
        return;
    FILE *const add = begin_event(w, ADD);
    fprintf(add, "{ species = \"%s\"; count = ", name);
    write_event_count(w->s, add, count);
    fputs("; }", add);
}

static void write_setting(struct event_writing *w, rd_formula name, rd_formula value)
{
    FILE *const out = begin_event(w, SET);
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
    const rd_formula before = rd_sbml_event_parameter(s, w->o->event, "before", 0.0);
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
static rd_formula value_at_trigger(struct event_writing *w, unsigned i)
{
    const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
    return w->o->saved ? w->o->saved[i]
                       : rd_sbml_math(w->s, EventAssignment_getMath(a), false, NULL);
}

/* Returns the value after the event: that before it, if an event at the same time has cancelled it.
 */
static rd_formula unless_cancelled(struct event_writing *w, rd_formula after, rd_formula before)
{
    const rd_formula part[] = {w->o->only_if, after, before};
    return w->o->only_if ? rd_formula_of(&w->s->pool, RD_FORMULA_CALL, "if", part, 3) : after;
}

/* Returns the molecules that assignment i gives a species: a concentration is that in the size
   after the event. */
static rd_formula given_count(struct event_writing *w, struct rd_sbml_symbol *x, unsigned i)
{
    struct rd_sbml *const s = w->s;
    const struct rd_sbml_symbol *const size = rd_sbml_compartment(s, x);
    for (unsigned k = 0; k < Event_getNumEventAssignments(w->o->event); k++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, k);
        if (x->is_concentration && size && strcmp(EventAssignment_getVariable(a), size->id) == 0)
            return rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT,
                                   rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT,
                                                   value_at_trigger(w, i), value_at_trigger(w, k)),
                                   rd_sbml_factor(s, x->items));
    }
    return rd_sbml_molecules(s, x, value_at_trigger(w, i), false);
}

static rd_formula assigned_count(struct event_writing *w, struct rd_sbml_symbol *x, unsigned i)
{
    return unless_cancelled(w, given_count(w, x, i), rd_sbml_count(w->s, x));
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
            sum = rd_formula_pair(&s->pool, RD_FORMULA_SUM, sum,
                                  rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, weight, count));
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

static void write_trigger_assignments(struct event_writing *w)
{
    struct rd_sbml *const s = w->s;
    for (unsigned i = 0; i < Event_getNumEventAssignments(w->o->event); i++) {
        const EventAssignment_t *const a = Event_getEventAssignment(w->o->event, i);
        struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
        const rd_formula name = rd_formula_name(&s->pool, RD_FORMULA_NAME, x->name);
        if (x->role == RD_SBML_IS_COUNT)
            assign_count(w, x, assigned_count(w, x, i));
        else if (is_set_directly(x))
            write_setting(w, name,
                          rd_sbml_of_run(s, unless_cancelled(w, value_at_trigger(w, i), name)));
        else if (x->solved)
            assign_solved(
                w, x, rd_sbml_of_run(s, unless_cancelled(w, value_at_trigger(w, i), x->solved)));
        else if (x->kind != RD_SBML_REFERENCE) /* its reaction has the message */
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
static void write_moment(const struct rd_sbml_occasion *o, FILE *out)
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
                           const struct rd_sbml_occasion *o, const char *separator, FILE *out)
{
    struct event_writing w = {.s = s, .counted = counted, .o = o};
    FILE *file[N_LISTS];
    bool is_open = true;
    for (int i = 0; i < N_LISTS; i++)
        is_open = (file[i] = open_memstream(&w.text[i], &w.size[i])) && is_open;
    memcpy(w.list, file, sizeof file);
    rd_sbml_about_event(s, SBase_getLine((SBase_t *)o->event), o->event);
    for (int i = 0; is_open && i < o->settings.n; i++)
        write_setting(&w, o->settings.name[i], o->settings.value[i]);
    if (is_open && !o->is_helper)
        write_trigger_assignments(&w);
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

/* Returns whether an entry happens at the time. */
static bool happens_at(const struct rd_sbml_occasions *all, double time)
{
    for (int i = 0; i < all->n; i++)
        if (!all->occasion[i].when && all->occasion[i].time == time)
            return true;
    return false;
}

/* Leaves out the times of entries, which end a step, too. */
static void remove_ended_breaks(const struct rd_sbml_occasions *all, struct rd_sbml_breaks *breaks)
{
    int n = 0;
    for (int i = 0; i < breaks->n; i++)
        if (!happens_at(all, breaks->at[i]))
            breaks->at[n++] = breaks->at[i];
    breaks->n = n;
}

void rd_sbml_write_events(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out)
{
    struct rd_sbml_breaks breaks = rd_sbml_find_breaks(s);
    struct rd_sbml_occasions all = {0};
    rd_sbml_find_occasions(s, &all);
    remove_ended_breaks(&all, &breaks);
    fputs(all.n > 0 || breaks.n > 0 ? "events = (\n" : "", out);
    for (int i = 0; i < all.n; i++)
        write_occasion(s, counted, &all.occasion[i], i > 0 ? ",\n" : "", out);
    if (breaks.n > 0)
        rd_sbml_write_breaks(s, &breaks, all.n > 0 ? ",\n" : "", out);
    fputs(all.n > 0 || breaks.n > 0 ? "\n);\n" : "", out);
    free(all.occasion);
}
