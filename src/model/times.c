/* times - the sections `time` and `output`: the end, the longest step, and the output times. */
#include "model/sections.h"

#include <math.h>
#include <string.h>

static bool asks_for_concentrations(const struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_CONCENTRATION)
            return true;
    return false;
}

/* Reads the condition that stops a run before its end; it may use totals of species, and t. */
static void read_stop(struct rd_reader *r, const rd_node *time)
{
    static const char *const when[] = {"outputs", "steps"};
    const rd_node *const stop = rd_node_member(time, "stop");
    const rd_node *const at = rd_node_member(time, "stop_at");
    r->m->stops_at_steps = rd_reader_word(at, 2, when) == 1;
    if (!stop) {
        if (r->m->stops_at_steps)
            rd_reader_warn(r, at,
                           "stop_at is \"steps\", but there is no stop, as in \"A >= 1000\"; it "
                           "does nothing");
        return;
    }
    const unsigned allowed = RD_USES_PARAMETERS | RD_USES_TIME | RD_USES_COUNTS;
    if (!rd_reader_expr(r, stop, "stop", allowed, RD_RANGE_ANY, &r->m->stop))
        return;
    if (asks_for_concentrations(&r->m->stop))
        rd_reader_fail(r, stop,
                       "stop is \"%s\"; it sees all voxels together, where there are numbers and "
                       "no concentrations: write A instead of [A]",
                       r->m->stop.text);
    else if (!(r->m->stop.uses & (RD_USES_TIME | RD_USES_COUNTS)))
        rd_reader_fail(r, stop,
                       "stop is \"%s\", which is the same at all times; it must ask for the number "
                       "of a species, or t, as in \"A >= 1000\"",
                       r->m->stop.text);
}

static void read_time(struct rd_reader *r, const rd_node *time)
{
    const rd_node *const step = rd_node_member(time, "step");
    const char *const word = rd_node_text(step);
    rd_reader_about(r, "time");
    rd_reader_number(r, rd_node_member(time, "end"), "end", RD_RANGE_POSITIVE, &r->m->end);
    if (!word || strcmp(word, "auto") != 0)
        rd_reader_number(r, step, "step", RD_RANGE_POSITIVE, &r->m->step);
    r->m->max_events = rd_node_integer(rd_node_member(time, "max_events"));
    read_stop(r, time);
}

/* Sets the output times k * every, each as a product, and the end. */
static void output_every(struct rd_reader *r, const rd_node *node, double every)
{
    struct rd_model *const m = r->m;
    const double most = 1e7;
    const double tolerance = 1e-9; /* in units of `every`; a time so close to the end is the end */
    const double last = floor(m->end / every);
    if (!(last < most)) {
        rd_reader_fail(r, node, "every %g up to %g is more than %.0f outputs; take a longer one",
                       every, m->end, most);
        return;
    }
    const bool hits_end = m->end - last * every <= tolerance * every;
    const int64_t n = (int64_t)last + (hits_end ? 1 : 2);
    m->output = rd_reader_array(r, n, sizeof *m->output);
    if (!m->output)
        return;
    for (int64_t k = 0; k < n - 1; k++)
        m->output[k] = (double)k * every;
    m->output[n - 1] = m->end;
    m->n_outputs = n;
}

static void output_at(struct rd_reader *r, const rd_node *times)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(times);
    m->output = rd_reader_array(r, n, sizeof *m->output);
    for (int k = 0; m->output && k < n; k++) {
        const rd_node *const node = rd_node_at(times, k);
        double *const t = &m->output[k];
        m->n_outputs = k + 1;
        if (!rd_reader_number(r, node, "times", RD_RANGE_NOT_NEGATIVE, t))
            return;
        if (m->end > 0 && *t > m->end)
            rd_reader_fail(r, node, "time %g is after the end, %g", *t, m->end);
        if (k > 0 && *t <= t[-1])
            rd_reader_fail(r, node, "time %g stands after %g; times must rise", *t, t[-1]);
    }
}

static void read_outputs(struct rd_reader *r, const rd_node *output)
{
    const rd_node *const every = rd_node_member(output, "every");
    const rd_node *const times = rd_node_member(output, "times");
    const bool has_end = r->m->end > 0; /* else the fault is reported; `every` may depend on the end
                                           by default */
    double interval;
    rd_reader_about(r, "output");
    if (every && times)
        rd_reader_fail(r, output, "has both every and times; give one of them");
    else if (times)
        output_at(r, times);
    else if (has_end && rd_reader_number(r, every, "every", RD_RANGE_POSITIVE, &interval))
        output_every(r, every, interval);
}

void rd_times_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    read_time(r, rd_node_member(root, "time"));
    read_outputs(r, rd_node_member(root, "output"));
}
