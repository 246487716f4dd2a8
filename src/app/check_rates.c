/* check_rates - prints the effective rates of reactions of two molecules. */
#include "app/check_rates.h"

#include "app/check_units.h"
#include "base/text.h"
#include "plan/microscopic.h"
#include "plan/pair_rate.h"
#include "plan/step_limit.h"

/* Gives the part of a rate below which a warning is printed, and the most such warnings. */
static const double least_part = 0.9;
enum { WARNED_MOST = 3 };

static const char *const where[] = {"", "for one pair on a periodic line of this length",
                                    "for one pair in a periodic square of this size",
                                    "for one pair in a large lattice"};

static const struct rd_reaction *reaction_of(const struct rd_plan *p, int32_t reaction)
{
    return &p->model->reaction[p->reaction_of[reaction]];
}

static double percent(const struct rd_pair_rate *q)
{
    return q->rate > 0.0 ? 100.0 * q->effective / q->rate : 100.0;
}

/* Prints the rate of molecules that react when they touch, and what the lattice needs for it. */
static void print_microscopic(FILE *out, const struct rd_plan *p, int32_t reaction)
{
    struct rd_microscopic q;
    struct rd_error none = {0};
    if (rd_plan_microscopic(p, reaction_of(p, reaction), p->model->value, &q, &none))
        fprintf(out,
                "rate %.4g, as of molecules that touch at %.4g and then react at %.4g; voxels must "
                "be larger than %.4g, and the split solver needs a step of at most %.3g\n",
                q.continuum, q.radius, q.intrinsic, q.smallest,
                rd_step_limit_by_encounters(p, reaction));
    rd_error_free(&none);
}

static void print_effective(FILE *out, const struct rd_plan *p, const struct rd_pair_rate *q)
{
    fprintf(out, "rate %.4g", q->effective);
    rd_check_usual_unit(out, p->model, q->effective, (struct rd_dimension){q->dim, -1});
    fprintf(out, ", %.3g %% of %.6g, %s\n", percent(q), q->rate, where[q->dim]);
}

void rd_check_rates(FILE *out, const struct rd_plan *p)
{
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const struct rd_pair_rate q = rd_pair_rate_of(p, r);
        if (!q.is_pair)
            continue;
        fprintf(out, "effective   %s: ", reaction_of(p, r)->equation);
        if (reaction_of(p, r)->is_microscopic)
            print_microscopic(out, p, r);
        else if (*q.why)
            fprintf(out, "not known, since %s\n", q.why);
        else
            print_effective(out, p, &q);
    }
}

/* Returns the edge of cubes at which the least part of the rate is left; 0 if voxels are no
   cubes, or their size does not matter as much. */
static double sufficient_edge(const struct rd_plan *p, const struct rd_pair_rate *q)
{
    const double *const h = p->world.lattice.edge;
    if (q->dim != 3 || h[0] != h[1] || h[0] != h[2])
        return 0.0;
    return h[0] * (q->rate / q->effective - 1.0) / (1.0 / least_part - 1.0);
}

static void warn_fast_pair(FILE *out, const struct rd_plan *p, int32_t reaction,
                           const struct rd_pair_rate *q)
{
    const double edge = sufficient_edge(p, q);
    fprintf(out, "warning     %s: '%s' happens at %.3g %% of its rate %s; ",
            reaction_of(p, reaction)->place, reaction_of(p, reaction)->equation, percent(q),
            where[q->dim]);
    if (edge > 0.0)
        fprintf(out, "take voxels of edge %g or more, or see docs/voxels.md\n",
                rd_text_round_up(edge));
    else
        fprintf(out, "see docs/voxels.md\n");
}

void rd_check_slow_pairs(FILE *out, const struct rd_plan *p)
{
    int n = 0;
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const struct rd_pair_rate q = rd_pair_rate_of(p, r);
        const bool is_slow = q.is_pair && !*q.why && !reaction_of(p, r)->is_microscopic &&
                             percent(&q) < 100.0 * least_part;
        if (is_slow && ++n <= WARNED_MOST)
            warn_fast_pair(out, p, r, &q);
    }
    if (n > WARNED_MOST)
        fprintf(out, "warning     %d more reactions happen at less than %g %% of their rate\n",
                n - WARNED_MOST, 100.0 * least_part);
}

void rd_check_rates_json(FILE *out, const struct rd_plan *p)
{
    const char *before = "";
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const struct rd_pair_rate q = rd_pair_rate_of(p, r);
        if (!q.is_pair)
            continue;
        fprintf(out, "%s\n    {\"reaction\": ", before);
        rd_json_text(out, reaction_of(p, r)->equation);
        before = ",";
        if (*q.why) {
            fputs(", \"rate\": null, \"effective\": null, \"why\": ", out);
            rd_json_text(out, q.why);
        } else {
            fputs(", \"rate\": ", out);
            rd_json_number(out, q.rate);
            fputs(", \"effective\": ", out);
            rd_json_number(out, q.effective);
            fputs(", \"why\": null", out);
        }
        fputs("}", out);
    }
}
