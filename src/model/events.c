/* events - the section `events`: the times at which parameters are set and molecules are removed
   and added. */
#include "model/amount.h"
#include "model/names.h"
#include "model/sections.h"

#include <stdlib.h>

static bool sets(const struct rd_event *x, int parameter)
{
    for (int i = 0; i < x->n_set; i++)
        if (x->set[i].parameter == parameter)
            return true;
    return false;
}

static void read_settings(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const int n = group ? rd_node_length(group) : 0;
    x->set = rd_reader_array(r, n, sizeof *x->set);
    x->n_set = x->set ? n : 0;
    for (int i = 0; i < x->n_set; i++) {
        const rd_node *const node = rd_node_at(group, i);
        const char *const name = rd_node_name(node);
        x->set[i].parameter = rd_names_look(r, node, RD_NAME_PARAMETER, name);
        rd_reader_expr(r, node, name, RD_USES_PARAMETERS | RD_USES_TIME, RD_RANGE_ANY,
                       &x->set[i].value);
    }
    for (int i = 0; i < x->n_set; i++) {
        const int p = x->set[i].parameter, heir = p < 0 ? -1 : r->heir[p];
        if (heir >= 0 && !sets(x, heir))
            rd_reader_warn(r, group,
                           "'%s' is set, but '%s', computed from it at the start, keeps its value; "
                           "set that too",
                           r->m->parameter[p], r->m->parameter[heir]);
    }
}

/* Reads one amount, or a list of them. */
static void read_amounts(struct rd_reader *r, const rd_node *node, enum rd_amount_use use,
                         struct rd_amount **amount, int *n_amounts)
{
    const bool is_list = node && rd_node_is_list(node);
    const int n = is_list ? rd_node_length(node) : node != NULL;
    *amount = rd_reader_array(r, n, sizeof **amount);
    *n_amounts = *amount ? n : 0;
    for (int i = 0; i < *n_amounts; i++)
        rd_amount_read(r, is_list ? rd_node_at(node, i) : node, use, &(*amount)[i]);
}

static void check_times(struct rd_reader *r, const rd_node *group, const struct rd_event *x)
{
    const double end = r->m->end;
    const double most = 1e7; /* occurrences of one event; each takes a step */
    if (end > 0 && x->time > end)
        rd_reader_warn(r, group, "it comes at %g, after the end at %g", x->time, end);
    else if (x->until < x->time)
        rd_reader_fail(r, group, "until is %g, before the first time, %g", x->until, x->time);
    else if (x->every > 0 && (x->until - x->time) / x->every > most)
        rd_reader_fail(r, group,
                       "every %g from %g to %g is more than %.0f times; take a longer one",
                       x->every, x->time, x->until, most);
}

static void read_times(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const rd_node *const time = rd_node_member(group, "time");
    const rd_node *const every = rd_node_member(group, "every");
    const rd_node *const until = rd_node_member(group, "until");
    bool read = true;
    if (!time && !every)
        read = rd_reader_fail(r, group, "needs a time, or every so often");
    if (until && !every)
        read = rd_reader_fail(r, group, "until goes with every");
    if (every)
        read &= rd_reader_number(r, every, "every", RD_RANGE_POSITIVE, &x->every);
    x->time = x->every;
    if (time)
        read &= rd_reader_number(r, time, "time", RD_RANGE_NOT_NEGATIVE, &x->time);
    x->until = r->m->end;
    if (until)
        read &= rd_reader_number(r, until, "until", RD_RANGE_NOT_NEGATIVE, &x->until);
    if (read && r->m->end > 0)
        check_times(r, group, x);
}

static void read_event(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    read_times(r, group, x);
    read_settings(r, rd_node_member(group, "set"), x);
    read_amounts(r, rd_node_member(group, "remove"), RD_AMOUNT_REMOVE, &x->remove, &x->n_remove);
    read_amounts(r, rd_node_member(group, "add"), RD_AMOUNT_ADD, &x->add, &x->n_add);
    if (x->n_set + x->n_remove + x->n_add == 0)
        rd_reader_fail(r, group, "does nothing; give it set, add or remove");
}

void rd_events_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "events");
    const int n = rd_node_length(list);
    r->m->event = rd_reader_array(r, n, sizeof *r->m->event);
    r->m->n_events = r->m->event ? n : 0;
    for (int i = 0; i < r->m->n_events; i++) {
        rd_reader_about(r, "events[%d]", i);
        read_event(r, rd_node_at(list, i), &r->m->event[i]);
    }
}
