/* fused_passes - the table of fused passes, and the recogniser of their sequences.

   A requested pass either continues an open sequence, or begins one, or runs at once. A complete
   sequence runs as its fused pass, in the place of its last pass. Passes that come between stay
   where they are if the table lets them pass; any other pass ends the sequence before it runs. */
#include "kernels/core/fused_passes.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS_MOST = 16 };

/* Describes a pass of a sequence. Neighbours of one group (not 0) are repeated for each list. */
struct member {
    enum rd_pass pass;
    int group;
};

struct sequence;

/* Describes a fused pass. */
struct rule {
    enum rd_pass fused;
    bool is_whole;   /* it needs all members; otherwise it does any of them, in their order */
    bool is_of_list; /* all members are for the list that the first one is for */
    int n_members;
    struct member member[MEMBERS_MOST];
    /* Returns whether the sequence may contain this pass. */
    bool (*suits)(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can);
    /* Returns whether the held passes give the same results if this pass comes before them; NULL:
       no pass does. */
    bool (*lets_pass)(const struct rd_world *w, enum rd_pass pass, int32_t list);
};

/* Returns whether walls remove no individuals of the selected list, and its density is neither very
   low nor very high. */
static bool is_list_nearly_sorted(const struct rd_world *w)
{
    return w->counts.n_lost == 0 && w->lattice.n_voxels <= INT32_MAX &&
           w->lattice.n_voxels <= RD_SORT_VOXELS_MOST * w->lists.reach &&
           w->lists.reach <= RD_SORT_LOAD_MOST * w->lattice.n_voxels;
}

static bool suits_update(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    (void)pass;
    (void)can;
    return w->lattice.n_voxels <= UINT32_MAX; /* the fused pass numbers voxels by 32 bits */
}

static bool suits_sort(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    (void)pass;
    (void)can;
    return is_list_nearly_sorted(w) && !rd_is_beside_others(w);
}

/* Returns whether the selected list moves by displacement distributions that are the same
   everywhere, and no run can be frozen. */
static bool suits_move(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    return suits_sort(w, pass, can) && w->lists.now.moves_alike && w->runs.n_frozen == 0;
}

/* Returns whether reactions of rows follow their movement without a pass between. Individuals need
   one. */
static bool suits_landing(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    (void)pass;
    (void)can;
    return w->items.n_maintained == 0 && w->lattice.n_voxels <= UINT32_MAX;
}

/* Returns whether a whole step of rows can be fused, and the last try did not fail. */
static bool suits_row_step(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    (void)pass;
    return can.rows && !w->rows.declines;
}

static bool suits_step(const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    return can.steps && (pass != RD_REACT || can.reacts) &&
           (pass != RD_HOP || !w->movement.has_uniformised_walks);
}

/* Lets counted species pass, which move independently of individuals, and other lists. */
static bool lets_pass_move(const struct rd_world *w, enum rd_pass pass, int32_t list)
{
    const bool is_of_list = pass == RD_MOVE || pass == RD_SORT || pass == RD_INDEX;
    return pass == RD_HOP || pass == RD_ENTER || pass == RD_LAND ||
           (is_of_list && w->lists.at_list != list);
}

/* Lets a movement of individuals pass that waits for its sort. */
static bool lets_pass_step(const struct rd_world *w, enum rd_pass pass, int32_t list)
{
    (void)list;
    return pass == RD_MOVE && suits_move(w, pass, (struct rd_fusible){0});
}

/* Lists the fused passes. A pass continues an open sequence if it can; otherwise the first rule
   that it can begin counts. */
static const struct rule rules[] = {
    {
        .fused = RD_UPDATE_LISTS,
        .is_whole = true,
        .n_members = 12,
        .member = {{RD_MAINTAIN, 0},
                   {RD_COUNT_RUN, 0},
                   {RD_ROLL_BACK, 0},
                   {RD_SCAN_BIRTHS, 1},
                   {RD_EXPAND, 1},
                   {RD_SCAN_OFFSETS, 1},
                   {RD_CHECK_MAXIMUM, 0},
                   {RD_PLACE_BIRTHS, 0},
                   {RD_REDUCE, 2},
                   {RD_REFILL, 0},
                   {RD_FINISH_LINEAGE, 0},
                   {RD_REINDEX, 3}},
        .suits = suits_update,
    },
    {
        .fused = RD_MOVE_AND_SORT,
        .is_whole = true,
        .is_of_list = true,
        .n_members = 3,
        .member = {{RD_MOVE, 0}, {RD_SORT, 0}, {RD_INDEX, 0}},
        .suits = suits_move,
        .lets_pass = lets_pass_move,
    },
    {
        .fused = RD_SORT_BY_VOXEL,
        .is_whole = true,
        .is_of_list = true,
        .n_members = 2,
        .member = {{RD_SORT, 0}, {RD_INDEX, 0}},
        .suits = suits_sort,
    },
    {
        .fused = RD_ROW_STEP,
        .is_whole = true,
        .n_members = RD_ROW_STEP_PASSES,
        .member = {{RD_HOP_ROWS, 0},
                   {RD_LINK_ARRIVALS, 0},
                   {RD_LAND_ROWS, 0},
                   {RD_CLOSE_ROWS, 0},
                   {RD_REACT_ROWS, 0}},
        .suits = suits_row_step,
    },
    {
        .fused = RD_REACT_LANDED,
        .is_whole = true,
        .n_members = 3,
        .member = {{RD_LAND_ROWS, 0}, {RD_CLOSE_ROWS, 0}, {RD_REACT_ROWS, 0}},
        .suits = suits_landing,
    },
    {
        .fused = RD_FUSED_STEP,
        .n_members = 3,
        .member = {{RD_LAND, 0}, {RD_REACT, 0}, {RD_HOP, 0}},
        .suits = suits_step,
        .lets_pass = lets_pass_step,
    },
};
enum { N_RULES = sizeof rules / sizeof rules[0] };

/* Holds the passes of an open sequence, and the member that comes next. */
struct sequence {
    const struct rule *rule; /* NULL: not open */
    int at;
    int32_t list; /* of the next member, if that is for one list */
    struct rd_request *request;
    int n, capacity;
};

/* The open sequences are the first ones, in the order in which they began. */
struct rd_fuser {
    rd_fuser_run *run;
    void *to;
    struct sequence *sequence;
    int n, capacity;
};

bool rd_has_items(const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
#define HAS_ITEMS(NUMBER, function, items, most)                                                   \
    case RD_##NUMBER:                                                                              \
        return (most) > 0;
        RD_PASSES(HAS_ITEMS)
#undef HAS_ITEMS
    case RD_SCAN_OFFSETS:
    case RD_SORT:
        return w->lists.reach > 0;
    default:
        return true;
    }
}

rd_fuser *rd_fuser_open(rd_fuser_run *run, void *to)
{
    rd_fuser *const f = (rd_fuser *)calloc(1, sizeof *f);
    if (f)
        *f = (struct rd_fuser){.run = run, .to = to};
    return f;
}

void rd_fuser_close(rd_fuser *f)
{
    for (int i = 0; f && i < f->capacity; i++)
        free(f->sequence[i].request);
    if (f)
        free(f->sequence);
    free(f);
}

int rd_fuser_held(const rd_fuser *f)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        n += f->sequence[i].n;
    return n;
}

/* Returns the index of the member that this pass would be, as the next one of the sequence; -1 if
   it cannot continue the sequence. */
static int next_member(const struct sequence *s, const struct rd_world *w, enum rd_pass pass,
                       struct rd_fusible can)
{
    const struct rule *const r = s->rule;
    const int end = r->is_whole ? s->at + 1 : r->n_members;
    for (int i = s->at; i < end; i++) {
        const bool is_of_list = r->is_of_list || r->member[i].group != 0;
        if (r->member[i].pass == pass && (!is_of_list || w->lists.at_list == s->list))
            return r->suits(w, pass, can) ? i : -1;
    }
    return -1;
}

/* Sets what comes after member i. */
static void advance_sequence(struct sequence *s, const struct rd_world *w, int i)
{
    const struct rule *const r = s->rule;
    const int group = r->member[i].group;
    s->at = i + 1;
    if (group == 0 || (s->at < r->n_members && r->member[s->at].group == group))
        return;
    if (++s->list == w->lists.n_list) {
        s->list = 0;
        return;
    }
    while (s->at > 0 && r->member[s->at - 1].group == group)
        s->at--;
}

static bool grow_array(void **array, int *capacity, size_t each)
{
    const int more = *capacity > 0 ? 2 * *capacity : 4;
    void *const grown = realloc(*array, (size_t)more * each);
    if (!grown)
        return false;
    memset((char *)grown + (size_t)*capacity * each, 0, (size_t)(more - *capacity) * each);
    *array = grown;
    *capacity = more;
    return true;
}

static void set_request(struct rd_request *q, const struct rd_world *w, enum rd_pass pass)
{
    q->pass = pass;
    memcpy(&q->world, w, sizeof *w); /* with its padding, since queues compare bytes */
    q->step_clock = *w->pass.step_clock;
}

/* Appends the pass to the sequence, as its member i. Returns false if there is no memory. */
static bool hold(struct sequence *s, const struct rd_world *w, enum rd_pass pass, int i)
{
    if (s->n == s->capacity && !grow_array((void **)&s->request, &s->capacity, sizeof *s->request))
        return false;
    set_request(&s->request[s->n++], w, pass);
    advance_sequence(s, w, i);
    return true;
}

static void run_pass(const rd_fuser *f, enum rd_pass pass, struct rd_request *request, int n)
{
    for (int i = 0; i < n; i++)
        request[i].world.pass.step_clock = &request[i].step_clock;
    f->run(f->to, pass, request, n);
}

static void run_plain_pass(const rd_fuser *f, const struct rd_world *w, enum rd_pass pass)
{
    struct rd_request request;
    set_request(&request, w, pass);
    run_pass(f, pass, &request, 1);
}

/* Closes sequence k, and runs its fused pass, or its plain passes if it is not complete. */
static void end_sequence(rd_fuser *f, int k)
{
    struct sequence s = f->sequence[k];
    memmove(&f->sequence[k], &f->sequence[k + 1], (size_t)(f->n - k - 1) * sizeof s);
    f->n--;
    if (s.n > 0 && (!s.rule->is_whole || s.at == s.rule->n_members))
        run_pass(f, s.rule->fused, s.request, s.n);
    else
        for (int i = 0; i < s.n; i++)
            if (rd_has_items(&s.request[i].world, s.request[i].pass))
                run_pass(f, s.request[i].pass, &s.request[i], 1);
    f->sequence[f->n] = (struct sequence){.request = s.request, .capacity = s.capacity};
}

void rd_fuser_end(rd_fuser *f)
{
    while (f->n > 0)
        end_sequence(f, 0);
}

void rd_fuser_end_parts(rd_fuser *f)
{
    for (int k = f->n - 1; k >= 0; k--)
        if (!f->sequence[k].rule->is_whole)
            end_sequence(f, k);
}

/* Ends the sequences that this pass cannot pass, except `own`, from the oldest one on. Returns the
   new index of `own`. */
static int end_others(rd_fuser *f, const struct rd_world *w, enum rd_pass pass, int own)
{
    for (int k = 0; k < f->n;) {
        const struct sequence *const s = &f->sequence[k];
        if (k == own || (s->rule->lets_pass && s->rule->lets_pass(w, pass, s->list))) {
            k++;
            continue;
        }
        end_sequence(f, k);
        own -= k < own;
    }
    return own;
}

/* Opens a sequence that this pass can begin. Returns its index; -1 if there is none, or no
   memory. */
static int begin_sequence(rd_fuser *f, const struct rd_world *w, enum rd_pass pass,
                          struct rd_fusible can)
{
    if (f->n == f->capacity &&
        !grow_array((void **)&f->sequence, &f->capacity, sizeof *f->sequence))
        return -1;
    struct sequence *const s = &f->sequence[f->n];
    for (const struct rule *r = rules; r < rules + N_RULES; r++) {
        s->rule = r;
        s->n = s->at = 0;
        s->list = r->is_of_list ? w->lists.at_list : 0;
        if (next_member(s, w, pass, can) >= 0)
            return f->n++;
    }
    return -1;
}

void rd_fuser_take(rd_fuser *f, const struct rd_world *w, enum rd_pass pass, struct rd_fusible can)
{
    int own = -1, member = -1;
    for (int k = 0; own < 0 && k < f->n; k++) {
        member = next_member(&f->sequence[k], w, pass, can);
        own = member >= 0 ? k : -1;
    }
    if (!rd_has_items(w, pass) && (own < 0 || !f->sequence[own].rule->is_whole))
        return;
    own = end_others(f, w, pass, own);
    if (own < 0) {
        own = begin_sequence(f, w, pass, can);
        member = own < 0 ? -1 : next_member(&f->sequence[own], w, pass, can);
    }
    if (own < 0) {
        run_plain_pass(f, w, pass);
    } else if (!hold(&f->sequence[own], w, pass, member)) {
        rd_fuser_end(f);
        run_plain_pass(f, w, pass);
    } else if (f->sequence[own].at == f->sequence[own].rule->n_members) {
        end_sequence(f, own);
    }
}
