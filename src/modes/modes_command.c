/* modes_command - what `rdsim modes` does, by the options. */
#include "modes/modes_command.h"

#include "modes/laws.h"
#include "modes/modes_output.h"
#include "modes/modes_report.h"
#include "result/write/modes_file.h"

#include <stdlib.h>
#include <string.h>

/* Returns the bytes of a size such as 500M, or 500 for that many bytes; 0 for NULL. */
static int64_t read_memory_size(const char *size)
{
    if (!size)
        return 0;
    char *unit;
    const int64_t number = strtoll(size, &unit, 10);
    const int shift = *unit == 'K'   ? 10
                      : *unit == 'M' ? 20
                      : *unit == 'G' ? 30
                      : *unit == 'T' ? 40
                                     : 0;
    return number > INT64_MAX >> shift ? INT64_MAX : number << shift;
}

/* Returns the number of the reaction that an option names, -1 with a message. */
static int find_reaction(const struct rd_network *n, const char *option, const char *name,
                         struct rd_error *e)
{
    const int reaction = rd_network_find(n, name);
    if (reaction < 0) {
        e->wrong = true;
        rd_fail(e,
                "%s %.80s: the network has no reaction of this name; names stand before the "
                "colon, or are 'EQUATION' with quotes in a configuration",
                option, name);
    }
    return reaction;
}

/* Keeps the modes that the options select. through: a reaction that they have, -1: any. */
static bool filter(struct rd_pathways *p, const struct rd_modes_options *o, int through,
                   struct rd_modes_format *f, struct rd_error *e)
{
    bool *const keeps = malloc((size_t)p->modes.support.n + 1);
    int64_t n = 0;
    if (!keeps)
        return rd_fail_memory(e, "out of memory for the modes");
    for (int64_t i = 0; i < p->modes.support.n; i++) {
        keeps[i] = (through < 0 || rd_supports_has(&p->modes.support, i, through)) &&
                   (o->longest == 0 || rd_supports_length(&p->modes.support, i) <= o->longest);
        f->has_more = f->has_more || (keeps[i] && o->most > 0 && n >= o->most);
        keeps[i] = keeps[i] && (o->most == 0 || n < o->most);
        n += keeps[i];
    }
    rd_supports_keep(&p->modes.support, keeps);
    free(keeps);
    return true;
}

static struct rd_engine_options engine_of(const struct rd_options *o)
{
    return (struct rd_engine_options){.n_threads = o->threads,
                                      .memory = read_memory_size(o->modes.memory),
                                      .longest = o->modes.longest,
                                      .progress = o->progress == RD_PROGRESS_NONE ? NULL : stderr};
}

/* Adds the messages of a search to e, each with the file, and frees them; returns ok. */
static bool add_file_messages(bool ok, const char *file, struct rd_error *own, struct rd_error *e)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(own, at, &length));)
        rd_fail(e, "%s: %.*s", file, length, at);
    rd_error_free(own);
    return ok;
}

/* Finds the modes; through: a reaction that they must have, -1: any. */
static bool search_modes(const struct rd_options *o, const struct rd_network *n, int through,
                         struct rd_pathways *p, FILE *out, struct rd_error *e)
{
    struct rd_engine_options engine = engine_of(o);
    struct rd_error own = {0};
    engine.most = o->modes.most;
    engine.through = through + 1;
    const bool ok = o->modes.plain ? rd_pathways_find_plain(p, n, o->modes.steps ? out : NULL, &own)
                                   : rd_pathways_find(p, n, &engine, &own);
    return add_file_messages(ok, o->file, &own, e);
}

static bool print_modes(const struct rd_options *o, struct rd_pathways *p,
                        const struct rd_modes_format *f, FILE *out, struct rd_error *e)
{
    if (o->modes.hdf5 && !rd_modes_output_hdf5(p, f, o->modes.hdf5, e))
        return false;
    if (o->modes.hdf5 && !o->modes.csv && !o->modes.count)
        return true;
    if (!o->modes.count) {
        struct rd_error own = {0};
        const bool ok = o->modes.csv ? rd_modes_output_csv(p, f, out, &own)
                                     : rd_modes_output_text(p, f, out, &own);
        return add_file_messages(ok, o->file, &own, e);
    }
    fprintf(out, "%lld mode%s, hash %016llx%s\n", (long long)p->modes.support.n,
            p->modes.support.n == 1 ? "" : "s",
            (unsigned long long)rd_supports_hash(&p->modes.support),
            p->modes.is_partial ? ", partial"
            : f->has_more       ? ", the shortest; there are more"
                                : "");
    return true;
}

static bool print_only_laws(const struct rd_options *o, const struct rd_network *n, FILE *out,
                            struct rd_error *e)
{
    struct rd_laws l = {0};
    struct rd_error own = {0};
    const bool is_found = rd_laws_find(&l, n, &own);
    const int n_species = is_found ? rd_laws_species(&l, n->n_species, &own) : -1;
    if (n_species >= 0) {
        fprintf(out, "# %d law%s over %d species%s", l.law.n, l.law.n == 1 ? "" : "s", n_species,
                l.n_missing == 0 ? "" : "; ");
        if (l.n_missing != 0)
            rd_laws_print_missing(&l, out);
        fputc('\n', out);
    }
    for (int i = 0; n_species >= 0 && i < l.law.n; i++) {
        rd_weighted_sums_print(&l.law.of[i], n->species, out);
        fputc('\n', out);
    }
    rd_laws_free(&l);
    return add_file_messages(n_species >= 0, o->file, &own, e);
}

/* Adds the message of a search for which the memory was not enough, and how much it needed. */
static void fail_partial(const struct rd_options *o, const char *what, int64_t rows_needed,
                         struct rd_error *e)
{
    rd_fail(e, "%s: the %s are not complete: %s needs about %lld rows; %s%s", o->file, what,
            o->modes.memory ? "the next table" : "out of memory: the next table",
            (long long)rows_needed,
            o->modes.memory ? "give more than --mem " : "take a machine with more memory",
            o->modes.memory ? o->modes.memory : "");
}

static bool print_semiflows(const struct rd_options *o, const struct rd_network *n, FILE *out,
                            bool *is_partial, struct rd_error *e)
{
    const struct rd_engine_options engine = engine_of(o);
    struct rd_error own = {0};
    int64_t rows_needed;
    const bool ok = rd_laws_print_semiflows(n, &engine, out, &rows_needed, &own);
    *is_partial = ok && rows_needed > 0;
    if (*is_partial)
        fail_partial(o, "semiflows", rows_needed, e);
    return add_file_messages(ok, o->file, &own, e);
}

/* Prints the page on a network. c: the configuration that it is of, or NULL. A model of another
   program has one if it can be converted. */
static bool print_network_report(const struct rd_options *o, const struct rd_network *n,
                                 const rd_config *c, FILE *out, struct rd_error *e)
{
    struct rd_model m = {0};
    struct rd_engine_options engine = engine_of(o);
    struct rd_error ignored = {0};
    engine.memory = engine.memory > 0 ? engine.memory : INT64_C(1) << 30;
    rd_config *const converted = c ? NULL : rd_network_configuration(o->file);
    const bool has_model =
        (c || converted) && rd_model_make(&m, c ? c : converted, c ? e : &ignored);
    const bool ok = (!c || has_model) && rd_modes_report(n, has_model ? &m : NULL, &engine, out, e);
    rd_model_free(&m);
    rd_config_free(converted);
    rd_error_free(&ignored);
    return ok;
}

/* Returns whether a search shows that the network has no mode at all. */
static bool has_no_mode(const struct rd_pathways *p, int through)
{
    const struct rd_elementary *const v = &p->modes;
    return v->core.n + v->core.n_loops == 0 ||
           (v->support.n == 0 && !v->is_partial && !v->is_cut && through < 0);
}

/* Finds the modes and prints them. */
static bool list_modes(const struct rd_options *o, const struct rd_network *n, FILE *out,
                       bool *is_partial, struct rd_error *e)
{
    struct rd_pathways p = {0};
    struct rd_modes_format f = {.n_threads = o->threads, .has_net = o->modes.net};
    const int through = o->modes.through ? find_reaction(n, "--through", o->modes.through, e) : -1;
    bool ok = (!o->modes.through || through >= 0) && search_modes(o, n, through, &p, out, e);
    if (ok && has_no_mode(&p, through)) {
        e->wrong = true;
        ok = o->modes.without
                 ? rd_fail(e,
                           "--without %.80s: no other reaction can run in a steady state; leave "
                           "it out",
                           o->modes.without)
                 : rd_fail(e,
                           "%s: no reaction can run in a steady state; rdsim modes --report says "
                           "why",
                           o->file);
    }
    *is_partial = p.modes.is_partial;
    ok = ok && (o->modes.steps ||
                (filter(&p, &o->modes, through, &f, e) && print_modes(o, &p, &f, out, e)));
    if (ok && p.modes.is_partial)
        fail_partial(o, "modes", p.modes.rows_needed, e);
    rd_pathways_free(&p);
    return ok;
}

/* Excludes the reaction that --without names. */
static bool exclude(struct rd_network *n, const char *name, struct rd_error *e)
{
    const int reaction = name ? find_reaction(n, "--without", name, e) : -1;
    if (reaction >= 0)
        n->reaction[reaction].is_excluded = true;
    return !name || reaction >= 0;
}

bool rd_modes_command(const struct rd_options *o, FILE *out, bool *is_partial,
                      struct rd_error *notes, struct rd_error *e)
{
    struct rd_network n = {0};
    rd_config *c = NULL;
    bool ok = (!o->modes.hdf5 || rd_modes_file_check(o->modes.hdf5, e)) &&
              rd_network_read(&n, o->file, &c, notes, e);
    if (ok && o->modes.reversible)
        rd_network_join(&n);
    ok = ok && exclude(&n, o->modes.without, e);
    if (ok)
        ok = o->modes.report      ? print_network_report(o, &n, c, out, e)
             : o->modes.laws      ? print_only_laws(o, &n, out, e)
             : o->modes.semiflows ? print_semiflows(o, &n, out, is_partial, e)
                                  : list_modes(o, &n, out, is_partial, e);
    rd_network_free(&n);
    rd_config_free(c);
    return ok;
}
