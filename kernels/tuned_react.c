/* tuned_react - see the header. In most cells nothing happens in a pass, and the first random
   number says so: those are drawn side by side, and react itself sees the other cells. */
#include "tuned_react.h"

#include "bunch.h"
#include "react.h"

/* The counter of each cell's first call, as rd_stream_of lays it out. */
static void count_bunch(const struct rd_world *w, int64_t begin, struct rd_bunch *c)
{
    for (int k = 0; k < RD_BUNCH; k++) {
        const struct rd_place p = rd_place_apart(w, begin + k);
        const struct rd_stream s =
            rd_stream_of(w->seed, w->first_run + p.run, w->step, RD_FOR_REACT, w->part, p.site);
        for (int i = 0; i < 4; i++)
            c->w[i][k] = s.counter[i];
    }
}

static void react_bunch(const struct rd_world *w, int64_t begin, int n)
{
    struct rd_bunch c;
    const struct rd_stream s = rd_stream_of(w->seed, 0, 0, RD_FOR_REACT, w->part, 0);
    count_bunch(w, begin, &c);
    rd_bunch_call(&c, s.key);
    for (int k = 0; k < n; k++) {
        const int64_t cell = begin + k;
        const struct rd_place p = rd_place_apart(w, cell);
        if (!rd_is_quiet(w, &p, rd_uniform_of(c.w[0][k], c.w[1][k]))) {
            rd_react(w, cell);
        } else if (w->n_maintained > 0) {
            rd_none_born(w, cell);
            w->touched[cell] = 0;
        }
    }
}

void rd_react_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    if (w->has_laws) {
        for (int64_t i = begin; i < end; i++)
            rd_react(w, i);
        return;
    }
    for (int64_t i = begin; i < end; i += RD_BUNCH)
        react_bunch(w, i, (int)(end - i < RD_BUNCH ? end - i : RD_BUNCH));
}
