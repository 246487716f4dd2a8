/* export_events - writes events. A parameter counts the occurrences of those at intervals, so that
   a trigger becomes true again, and of those that happen once when a condition becomes true. */
#include "export/export_model.h"

#include <math.h>
#include <stdlib.h>

bool rd_export_has_counter(const struct rd_event *event)
{
    return event->when.n > 0 ? !event->repeats : event->every > 0.0;
}

/* ---- triggers ---- */

static rd_formula counter(struct rd_export *x, int i)
{
    return rd_formula_name(&x->pool, RD_FORMULA_NAME, x->counter[i]);
}

/* Returns whether it is time for occurrence number `counter`; at most as many as the timeline
   has. */
static rd_formula at_times(struct rd_export *x, int i)
{
    const struct rd_event *const event = &x->model->event[i];
    const rd_formula now = rd_formula_of(&x->pool, RD_FORMULA_CALL, "time", NULL, 0);
    if (event->every <= 0.0)
        return rd_formula_compared(&x->pool, now, ">=", rd_formula_number(&x->pool, event->time));
    const rd_formula later = rd_formula_pair(
        &x->pool, RD_FORMULA_PRODUCT, rd_formula_number(&x->pool, event->every), counter(x, i));
    const rd_formula due = rd_formula_compared(
        &x->pool, now, ">=",
        rd_formula_pair(&x->pool, RD_FORMULA_SUM, rd_formula_number(&x->pool, event->time), later));
    if (event->until >= x->model->end)
        return due;
    const double most = floor((event->until - event->time) / event->every + 1e-6) + 1.0;
    const rd_formula is_left =
        rd_formula_compared(&x->pool, counter(x, i), "<", rd_formula_number(&x->pool, most));
    return rd_formula_pair(&x->pool, RD_FORMULA_AND, due, is_left);
}

static rd_formula trigger_of(struct rd_export *x, int i)
{
    const struct rd_event *const event = &x->model->event[i];
    if (event->when.n == 0)
        return at_times(x, i);
    const rd_formula when = rd_export_formula(x, &event->when);
    if (event->repeats)
        return when;
    const rd_formula is_new =
        rd_formula_compared(&x->pool, counter(x, i), "==", rd_formula_number(&x->pool, 0.0));
    return rd_formula_pair(&x->pool, RD_FORMULA_AND, when, is_new);
}

/* ---- assignments ---- */

static void write_event_assignment(struct rd_export *x, FILE *out, const char *variable,
                                   rd_formula value)
{
    fprintf(out, "          <eventAssignment variable=\"%s\">", variable);
    rd_mathml_write(x, out, value);
    fputs("</eventAssignment>\n", out);
}

/* Returns how many molecules an amount is. A mean is a whole number, which rd_export_check
   requires. */
static rd_formula molecules(struct rd_export *x, const struct rd_amount *a)
{
    const double per = a->kind == RD_AMOUNT_DENSITY ? x->model->grid.volume : 1.0;
    return a->kind == RD_AMOUNT_COUNT
               ? rd_export_formula(x, &a->much)
               : rd_formula_number(&x->pool,
                                   floor(rd_export_value(x->model, &a->much) * per + 0.5));
}

/* Changes the numbers of species, which hold those before the event until they change. */
static void change(struct rd_export *x, const struct rd_amount *a, bool is_taken, rd_formula *value)
{
    rd_formula *const of = &value[a->species];
    if (!*of)
        *of = rd_formula_name(&x->pool, RD_FORMULA_NAME, x->species[a->species]);
    if (a->becomes >= 0 && !value[a->becomes])
        value[a->becomes] = rd_formula_name(&x->pool, RD_FORMULA_NAME, x->species[a->becomes]);
    const rd_formula much = is_taken && a->share == RD_SHARE_ALL ? *of : molecules(x, a);
    if (a->becomes >= 0)
        value[a->becomes] = rd_formula_pair(&x->pool, RD_FORMULA_SUM, value[a->becomes], much);
    if (is_taken && a->share == RD_SHARE_ALL)
        *of = rd_formula_number(&x->pool, 0.0);
    else
        *of =
            rd_formula_pair(&x->pool, is_taken ? RD_FORMULA_DIFFERENCE : RD_FORMULA_SUM, *of, much);
}

/* Writes the new numbers of molecules; the amounts are for the parameters that the event sets. */
static void write_numbers(struct rd_export *x, FILE *out, const struct rd_event *event)
{
    const int n = x->model->n_species;
    rd_formula *const value = rd_formula_list(&x->pool, (size_t)n);
    if (!value)
        return;
    for (int s = 0; s < n; s++)
        value[s] = NULL;
    x->after = event;
    for (int k = 0; k < event->n_take; k++)
        change(x, &event->take[k], true, value);
    for (int k = 0; k < event->n_add; k++)
        change(x, &event->add[k], false, value);
    x->after = NULL;
    for (int s = 0; s < n; s++)
        if (value[s])
            write_event_assignment(x, out, x->species[s], value[s]);
}

static void write_event_assignments(struct rd_export *x, FILE *out, int i)
{
    const struct rd_event *const event = &x->model->event[i];
    const rd_formula one = rd_formula_number(&x->pool, 1.0);
    fputs("        <listOfEventAssignments>\n", out);
    for (int k = 0; k < event->n_set; k++)
        write_event_assignment(x, out, x->parameter[event->set[k].parameter],
                               rd_export_formula(x, &event->set[k].value));
    write_numbers(x, out, event);
    if (x->counter[i])
        write_event_assignment(x, out, x->counter[i],
                               rd_formula_pair(&x->pool, RD_FORMULA_SUM, counter(x, i), one));
    fputs("        </listOfEventAssignments>\n", out);
}

/* ---- events ---- */

/* Returns the rank of an event among simultaneous ones: those at times come first, then those with
   conditions, each in the order of the file. */
static int rank_of_event(const struct rd_model *m, int i)
{
    return m->n_events - i + (m->event[i].when.n == 0 ? m->n_events : 0);
}

static void write_event(struct rd_export *x, FILE *out, int i)
{
    const struct rd_model *const m = x->model;
    fprintf(out, "      <event id=\"%s\"", x->event[i]);
    rd_export_name(out, m->event[i].name);
    fputs(" useValuesFromTriggerTime=\"false\">\n"
          "        <trigger initialValue=\"false\" persistent=\"true\">",
          out);
    rd_mathml_write_condition(x, out, trigger_of(x, i));
    fputs("</trigger>\n", out);
    if (m->n_events > 1) {
        fputs("        <priority>", out);
        rd_mathml_write(x, out, rd_formula_number(&x->pool, rank_of_event(m, i)));
        fputs("</priority>\n", out);
    }
    write_event_assignments(x, out, i);
    fputs("      </event>\n", out);
}

void rd_export_events(struct rd_export *x, FILE *out)
{
    const int n = x->model->n_events;
    fputs(n > 0 ? "    <listOfEvents>\n" : "", out);
    for (int i = 0; i < n; i++)
        write_event(x, out, i);
    fputs(n > 0 ? "    </listOfEvents>\n" : "", out);
}
