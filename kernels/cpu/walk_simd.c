/* walk_simd - moves molecules by uniformised walks. The words for many voxels are computed side by
   side, for as many attempts as most molecules need. Each molecule has the number of its site
   besides its place, to which a hop adds a constant. The plain body continues it if a border
   transmits with a probability, at the faces of the lattice, and if there are no words left. */
#include "kernels/cpu/walk_simd.h"

#include "kernels/passes/movement/hop.h"

/* Holds the state of the molecules of one voxel, which move one after the other. */
struct lane_guide {
    const struct rd_world *w;
    const int64_t *step;
    struct rd_place origin;
    const uint32_t *word;
    int32_t n_words, n_taken; /* words; words taken, more if the plain body needed them */
    int64_t site;             /* present site of the molecule */
    int32_t at[3];
};

/* Returns the stream of the voxel from the next word on, for the plain body; taken_of returns the
   words that it has taken. */
static struct rd_stream stream_of(const struct lane_guide *g)
{
    struct rd_stream s = rd_hop_stream(g->w, &g->origin, RD_FOR_WALK);
    s.counter[0] = (uint32_t)g->n_taken / 4;
    for (int32_t i = 0; i < g->n_taken % 4; i++)
        rd_word(&s);
    return s;
}

static int32_t taken_of(const struct rd_stream *s)
{
    return (int32_t)(4 * s->counter[0]) - s->left;
}

static void set_out_plainly(struct lane_guide *g, int32_t s)
{
    struct rd_stream stream = stream_of(g);
    rd_uniformised_walk(g->w, s, &g->origin, 1, &stream);
    g->n_taken = taken_of(&stream);
}

/* Attempts a hop towards the face by the plain body, and then `tries` more. */
static void go_on_plainly(struct lane_guide *g, int32_t s, int face, int32_t tries)
{
    struct rd_stream stream = stream_of(g);
    if (rd_hop_once(g->w, &g->w->movement.transport[s], face, g->at, &stream))
        rd_uniformised_walk_on(g->w, s, &g->origin, g->at, tries, &stream);
    else
        rd_lose(g->w, s, &g->origin, face, 1);
    g->n_taken = taken_of(&stream);
}

static const struct rd_uniformised_walk *
uniformised_walk_at(const struct rd_world *w, const struct rd_transport *m, int64_t site)
{
    return &w->movement
                .uniformised_walk[m->uniformised_walks + (m->hop_rate_kind == RD_HOP_RATE_BY_ZONE
                                                              ? w->lattice.zone[site]
                                                              : 0)];
}

/* Makes a hop within the lattice that certainly succeeds or certainly fails; returns false for any
   other. */
static inline bool hop_surely(struct lane_guide *g, const struct rd_transport *m, int face)
{
    const int axis = face / 2;
    const int32_t to = g->at[axis] + (face % 2 ? 1 : -1);
    if (to < 0 || to >= g->w->lattice.size[axis])
        return false;
    const int64_t site = g->site + g->step[face];
    const double probability = rd_probability_between(g->w, m, g->site, site);
    if (probability >= 1.0) {
        g->site = site;
        g->at[axis] = to;
    }
    return probability >= 1.0 || probability <= 0.0;
}

/* Moves a molecule like rd_uniformised_walk_one, if there are enough words with one for each
   attempt. */
static inline void lead_on(struct lane_guide *g, int32_t s, int32_t tries)
{
    const struct rd_transport *const m = &g->w->movement.transport[s];
    const struct rd_uniformised_walk *t = uniformised_walk_at(g->w, m, g->origin.site);
    g->site = g->origin.site;
    for (int axis = 0; axis < 3; axis++)
        g->at[axis] = g->origin.at[axis];
    int way = rd_uniformised_walk_way(t->first, t->first_last, g->word[g->n_taken++]);
    for (;;) {
        if (way < RD_N_FACES && !hop_surely(g, m, way)) {
            go_on_plainly(g, s, way, tries);
            return;
        }
        if (tries-- == 0)
            break;
        t = uniformised_walk_at(g->w, m, g->site);
        way = rd_uniformised_walk_way(t->next, t->next_last, g->word[g->n_taken++]);
    }
    const int64_t voxel = g->origin.run * g->w->lattice.n_sites + g->site;
    rd_add_arrivals(rd_arrivals_at(g->w, s, voxel), 1); /* without rows */
}

static inline void lead(struct lane_guide *g, int32_t s)
{
    if (g->n_taken < g->n_words) {
        const struct rd_uniformised_walk *const t =
            uniformised_walk_at(g->w, &g->w->movement.transport[s], g->origin.site);
        const int32_t tries =
            rd_shift(&g->w->movement, &g->w->movement.displacement[t->tries], g->word[g->n_taken]);
        if (tries < g->n_words - g->n_taken - 1) {
            g->n_taken++;
            lead_on(g, s, tries);
            return;
        }
    }
    set_out_plainly(g, s);
}

static void lead_all(struct rd_uniformised_walks *t, const struct rd_world *w)
{
    const uint32_t *word = t->walk.word;
    const int32_t *species = t->species;
    rd_calls_make(&t->walk, &w->pass, RD_FOR_WALK);
    for (int i = 0; i < t->n_bounds; i++) {
        const struct rd_uniformised_walks_origin *const h = &t->origin[i];
        struct lane_guide g = {.w = w,
                               .step = t->step,
                               .origin = rd_place_of(&w->lattice, h->voxel),
                               .word = word,
                               .n_words = 4 * h->n_calls};
        for (int32_t k = 0; k < h->n; k++)
            lead(&g, species[k]);
        word += 4 * h->n_calls;
        species += h->n;
    }
    t->n_bounds = 0;
    t->n = 0;
}

/* Returns the calls for n leavers: steps of usual length take little more than two and a half words
   for each. */
static int32_t calls_for(int32_t n)
{
    const int32_t n_calls = (3 * n + 3) / 4;
    return n_calls < RD_BUNCH ? n_calls : RD_BUNCH;
}

void rd_uniformised_walks_begin(struct rd_uniformised_walks *t, const struct rd_lattice *lattice)
{
    const int64_t stride[3] = {1, lattice->size[0], (int64_t)lattice->size[0] * lattice->size[1]};
    for (int face = 0; face < RD_N_FACES; face++)
        t->step[face] = face % 2 ? stride[face / 2] : -stride[face / 2];
    t->n_bounds = 0;
    t->n = 0;
    rd_calls_begin(&t->walk);
}

void rd_uniformised_walks_add(struct rd_uniformised_walks *t, const struct rd_world *w,
                              int64_t voxel, const int32_t *species, int32_t n)
{
    const int32_t n_calls = calls_for(n);
    assert(n <= RD_WALKERS_MOST);
    if (t->walk.n + n_calls > RD_BUNCH || t->n + n > RD_WALKERS_MOST)
        lead_all(t, w);
    rd_calls_add(&t->walk, w, voxel, 0, n_calls);
    t->origin[t->n_bounds++] =
        (struct rd_uniformised_walks_origin){.voxel = voxel, .n = n, .n_calls = n_calls};
    memcpy(t->species + t->n, species, (size_t)n * sizeof *species);
    t->n += n;
}

void rd_uniformised_walks_end(struct rd_uniformised_walks *t, const struct rd_world *w)
{
    lead_all(t, w);
}
