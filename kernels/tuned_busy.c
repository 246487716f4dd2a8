/* tuned_busy - cells in which much happens, many side by side: random numbers, logarithms and
   propensities of all lanes at once, with wide registers. What is out of the ordinary is left to
   the plain body, which takes a cell up where it stands. */
#include "tuned_busy.h"

#include "react.h"

/* With fewer lanes the plain body is as fast. */
enum { FEW = 8 };

bool rd_busy_suits(const struct rd_world *w)
{
    bool suits = !w->has_laws && w->n_maintained == 0 && w->n_species <= RD_BUSY_SPECIES &&
                 w->n_reactions <= RD_BUSY_CHANNELS;
    for (int32_t r = 0; suits && r < w->n_reactions; r++)
        suits = w->channel[r].region < 0;
    return suits;
}

/* Sums of propensities, in order, as rd_propensity has them. */
static inline void add_propensities(struct rd_busy *b, const struct rd_world *w)
{
    double sum[RD_BUNCH] = {0};
    for (int32_t r = 0; r < w->n_reactions; r++) {
        const struct rd_channel *const c = &w->channel[r];
        double a[RD_BUNCH];
        for (int k = 0; k < RD_BUNCH; k++)
            a[k] = c->rate;
        for (int32_t i = 0; i < c->n_reactants; i++) {
            const struct rd_reactant *const of = &w->reactant[c->reactant + i];
            const int32_t *const n = b->count[of->species];
            for (int32_t less = 0; less < of->number; less++)
                for (int k = 0; k < RD_BUNCH; k++)
                    a[k] *= (double)n[k] - (double)less;
        }
        for (int k = 0; k < RD_BUNCH; k++)
            b->part[r][k] = sum[k] += a[k];
    }
}

/* rd_uniform_of two words: a double of 52 bits is one between 2^52 and 2^53, less that. */
static inline double uniform_of(uint32_t high, uint32_t low)
{
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return (rd_real_of(bits | UINT64_C(0x433) << 52) - 0x1p52 + 0.5) * 0x1p-52;
}

/* When the next event of each lane is, and which. */
static inline void draw_events(struct rd_busy *b, const double *sum, int32_t n_reactions)
{
    double aim[RD_BUNCH];
    for (int k = 0; k < RD_BUNCH; k++) {
        const double u = uniform_of(b->call.w[0][k], b->call.w[1][k]);
        const double after = b->left[k] + rd_log_and(u, 0) / sum[k];
        b->after[k] = rd_is_quiet(sum[k], u, b->left[k]) ? 0.0 : after;
    }
    for (int k = 0; k < RD_BUNCH; k++) {
        const double at = uniform_of(b->call.w[2][k], b->call.w[3][k]) * sum[k];
        aim[k] = at < sum[k] ? at : sum[k] * (1.0 - 0x1p-53);
        b->which[k] = 0;
    }
    for (int32_t r = 0; r < n_reactions; r++)
        for (int k = 0; k < RD_BUNCH; k++)
            b->which[k] += !(b->part[r][k] > aim[k]);
}

static RD_WIDE void look_ahead(struct rd_busy *b, const struct rd_world *w, const uint32_t key[2])
{
    memcpy(b->call.w, b->counter, sizeof b->call.w);
    rd_bunch_call(&b->call, key);
    add_propensities(b, w);
    draw_events(b, b->part[w->n_reactions - 1], w->n_reactions);
}

static void store(struct rd_busy *b, const struct rd_world *w, int lane)
{
    const struct rd_place p = rd_place_apart(w, b->cell[lane]);
    int64_t *const fired = w->fired + rd_sums_of(w, p.run, p.site) * w->n_reactions;
    for (int32_t s = 0; s < w->n_species; s++)
        w->count[s * w->n_cells + p.cell] = b->count[s][lane];
    for (int32_t r = 0; r < w->n_reactions; r++)
        if (b->fired[r][lane] > 0)
            rd_add_i64(&fired[r], b->fired[r][lane]);
}

static void load(struct rd_busy *b, const struct rd_world *w, int lane, int64_t cell)
{
    const struct rd_place p = rd_place_apart(w, cell);
    const struct rd_stream s =
        rd_stream_of(w->seed, w->first_run + p.run, w->beat->step, RD_FOR_REACT, w->part, p.site);
    b->cell[lane] = cell;
    b->left[lane] = w->dt;
    for (int i = 0; i < 4; i++)
        b->counter[i][lane] = s.counter[i];
    for (int32_t i = 0; i < w->n_species; i++)
        b->count[i][lane] = w->count[i * w->n_cells + cell];
    for (int32_t r = 0; r < w->n_reactions; r++)
        b->fired[r][lane] = 0;
}

/* The lane has nothing to do: another cell takes it, or the last lane's. */
static void pass_on(struct rd_busy *b, const struct rd_world *w, int lane)
{
    if (b->n_waiting > 0) {
        load(b, w, lane, b->waiting[--b->n_waiting]);
        return;
    }
    const int last = --b->n;
    b->cell[lane] = b->cell[last];
    b->left[lane] = b->left[last];
    b->after[lane] = b->after[last];
    b->which[lane] = b->which[last];
    for (int i = 0; i < 4; i++)
        b->counter[i][lane] = b->counter[i][last];
    for (int32_t i = 0; i < w->n_species; i++)
        b->count[i][lane] = b->count[i][last];
    for (int32_t r = 0; r < w->n_reactions; r++) {
        b->fired[r][lane] = b->fired[r][last];
        b->part[r][lane] = b->part[r][last];
    }
}

/* The plain body goes on from where the lane stands. */
static void leave_to_plain(struct rd_busy *b, const struct rd_world *w, int lane)
{
    struct rd_play play;
    store(b, w, lane);
    rd_play_open(&play, w, b->cell[lane]);
    play.event.counter[0] = b->counter[0][lane];
    play.left = b->left[lane];
    rd_react_on(&play);
}

/* Whether an event is all that the plain body would have made of it. */
static bool is_ordinary(const struct rd_busy *b, const struct rd_world *w, int lane)
{
    const double sum = b->part[w->n_reactions - 1][lane];
    if (!(sum < INFINITY) || b->which[lane] == w->n_reactions ||
        b->counter[0][lane] >= UINT32_MAX - 1)
        return false;
    const struct rd_channel *const c = &w->channel[b->which[lane]];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->change[c->change + i];
        const int64_t n = (int64_t)b->count[change->species][lane] + change->number;
        if (n < 0 || n > INT32_MAX)
            return false;
    }
    return true;
}

static void happen(struct rd_busy *b, const struct rd_world *w, int lane)
{
    const struct rd_channel *const c = &w->channel[b->which[lane]];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->change[c->change + i];
        b->count[change->species][lane] += change->number;
    }
    b->fired[b->which[lane]][lane]++;
    b->left[lane] = b->after[lane];
    b->counter[0][lane]++;
}

/* An event in each lane, or its end. */
static void advance(struct rd_busy *b, const struct rd_world *w)
{
    const struct rd_stream s = rd_stream_of(w->seed, 0, 0, RD_FOR_REACT, w->part, 0);
    look_ahead(b, w, s.key);
    /* from the last on, so that who takes a lane has had its event */
    for (int lane = b->n - 1; lane >= 0; lane--) {
        const bool is_over = b->part[w->n_reactions - 1][lane] == 0.0 || b->after[lane] <= 0.0;
        if (!is_over && is_ordinary(b, w, lane)) {
            happen(b, w, lane);
            continue;
        }
        if (is_over)
            store(b, w, lane);
        else
            leave_to_plain(b, w, lane);
        pass_on(b, w, lane);
    }
}

/* As long as there are enough cells. */
static void work(struct rd_busy *b, const struct rd_world *w, int enough)
{
    while (b->n + b->n_waiting >= enough) {
        while (b->n < RD_BUNCH && b->n_waiting > 0)
            load(b, w, b->n++, b->waiting[--b->n_waiting]);
        advance(b, w);
    }
}

void rd_busy_add(struct rd_busy *b, const struct rd_world *w, int64_t cell)
{
    b->waiting[b->n_waiting++] = cell;
    if (b->n_waiting == 2 * RD_BUNCH)
        work(b, w, RD_BUNCH);
}

void rd_busy_end(struct rd_busy *b, const struct rd_world *w)
{
    work(b, w, FEW);
    while (b->n > 0)
        leave_to_plain(b, w, --b->n);
    while (b->n_waiting > 0)
        rd_react(w, b->waiting[--b->n_waiting]);
}
