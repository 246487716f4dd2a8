/* modes_output - modes as text, as CSV and as HDF5. */
#define _POSIX_C_SOURCE 200809L
#include "modes/modes_output.h"

#include "base/memory.h"
#include "base/threads.h"
#include "result/write/modes_file.h"

#include <stdlib.h>
#include <string.h>

void rd_modes_output_reason(const struct rd_pathways *p, int reaction, FILE *out)
{
    const struct rd_blocked b = p->modes.core.block[reaction];
    const char *const species = b.row >= 0 ? p->network->species[b.row] : "";
    const bool is_own = b.row >= 0 && rd_sparse_at(&p->network->reaction[reaction].net, b.row) != 0;
    const char *const before = is_own ? "" : "it runs only together with others, and ";
    switch (b.reason) {
    case RD_BLOCK_EXCLUDED:
        fputs("it is excluded", out);
        return;
    case RD_BLOCK_SINGLE:
        fprintf(out, "%sno other reaction that can run changes %s", before, species);
        return;
    case RD_BLOCK_SOURCE:
        fprintf(out, "%sno reaction that can run makes %s", before, species);
        return;
    case RD_BLOCK_SINK:
        fprintf(out, "%sno reaction that can run consumes %s", before, species);
        return;
    case RD_BLOCK_OPPOSITE:
        fprintf(out, "it is coupled to a reaction that would have to run backward%s%s",
                b.row >= 0 ? " by " : "", species);
        return;
    case RD_BLOCK_BALANCE:
        fputs("the balance of all species leaves it no flux", out);
        return;
    case RD_BLOCK_NOT:
        fputs("directions and balances together leave it no flux", out);
        return;
    }
}

/* Prints number / scale, above 0, as a decimal: the scale divides a power of ten. */
static void print_decimal(rd_int128 number, int64_t scale, FILE *out)
{
    char digits[40];
    int n = 0;
    rd_int128 whole = number / scale, rest = number % scale;
    do
        digits[n++] = (char)('0' + (int)(whole % 10));
    while ((whole /= 10) > 0);
    while (n > 0)
        fputc(digits[--n], out);
    if (rest != 0)
        fputc('.', out);
    for (; rest != 0; rest %= scale) {
        rest *= 10;
        fputc('0' + (int)(rest / scale), out);
    }
}

/* Prints one side of an overall conversion: what has this sign. */
static void print_conversion_side(const struct rd_network *n, const rd_int128 *change, int sign,
                                  FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < n->n_species; i++) {
        const rd_int128 value = sign * change[i];
        if (value <= 0)
            continue;
        fputs(is_first ? "" : " + ", out);
        is_first = false;
        if (value != n->scale[i]) {
            print_decimal(value, n->scale[i], out);
            fputc(' ', out);
        }
        fputs(n->species[i], out);
    }
    if (is_first)
        fputc('0', out);
}

/* Prints " : 2 A => B", what a flux changes outside. Returns false if a number does not fit. */
static bool print_net(const struct rd_network *n, const int64_t *flux, FILE *out)
{
    rd_int128 *const change = rd_memory_need(calloc((size_t)n->n_species + 1, sizeof *change));
    bool fits = true;
    for (int i = 0; i < n->n_reactions; i++)
        for (int side = 0; flux[i] != 0 && side < 2; side++) {
            const struct rd_sparse *const v = side ? &n->reaction[i].right : &n->reaction[i].left;
            for (int k = 0; k < v->n; k++)
                fits = !__builtin_add_overflow(change[v->entry[k].at],
                                               (rd_int128)flux[i] * v->entry[k].value *
                                                   (side ? 1 : -1),
                                               &change[v->entry[k].at]) &&
                       fits;
        }
    if (fits) {
        fputs(" : ", out);
        print_conversion_side(n, change, -1, out);
        fputs(" => ", out);
        print_conversion_side(n, change, 1, out);
    }
    free(change);
    return fits;
}

static void print_modes_head(const struct rd_pathways *p, const struct rd_modes_format *f,
                             FILE *out)
{
    const struct rd_network *const n = p->network;
    bool *const is_used = rd_memory_need(calloc((size_t)n->n_reactions + 1, sizeof *is_used));
    fprintf(out, "# %lld mode%s of %d reaction%s, hash %016llx%s\n", (long long)p->modes.support.n,
            p->modes.support.n == 1 ? "" : "s", n->n_reactions, n->n_reactions == 1 ? "" : "s",
            (unsigned long long)rd_supports_hash(&p->modes.support),
            p->modes.is_partial ? ", partial: there was no memory for more"
            : f->has_more       ? ", the shortest; there are more"
                                : "");
    for (int i = 0; i < p->modes.core.n + p->modes.core.n_loops; i++) {
        const struct rd_core_column *const x = i < p->modes.core.n
                                                   ? &p->modes.core.column[i]
                                                   : &p->modes.core.loop[i - p->modes.core.n];
        for (int k = 0; k < x->origin.n; k++)
            is_used[x->origin.entry[k].at] = true;
    }
    for (int i = 0; i < n->n_reactions; i++)
        if (!is_used[i]) {
            fprintf(out, "# %s never runs: ", n->reaction[i].name);
            rd_modes_output_reason(p, i, out);
            fputc('\n', out);
        }
    free(is_used);
}

/* Writes a text to a stream that no other thread uses: most of the time goes into many short texts.
 */
static void print_mode_text(const char *text, FILE *out)
{
    while (*text)
        putc_unlocked(*text++, out);
}

static void print_mode_number(int64_t number, FILE *out)
{
    char digits[24];
    int n = sizeof digits - 1;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    digits[n] = 0;
    do
        digits[--n] = (char)('0' + (int)(left % 10));
    while ((left /= 10) > 0);
    if (number < 0)
        digits[--n] = '-';
    print_mode_text(digits + n, out);
}

static void put_flux(const struct rd_network *n, const int64_t *flux, FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < n->n_reactions; i++) {
        if (flux[i] == 0)
            continue;
        print_mode_text(is_first ? (flux[i] < 0 ? "-" : "") : flux[i] < 0 ? " - " : " + ", out);
        is_first = false;
        if (flux[i] != 1 && flux[i] != -1) {
            print_mode_number(llabs(flux[i]), out);
            print_mode_text(" ", out);
        }
        print_mode_text(n->reaction[i].name, out);
    }
}

/* Writes one mode as a line. Returns false with a message. */
typedef bool write_mode(const struct rd_pathways *p, const struct rd_modes_format *f,
                        const int64_t *flux, FILE *out, struct rd_error *e);

static bool write_mode_text(const struct rd_pathways *p, const struct rd_modes_format *f,
                            const int64_t *flux, FILE *out, struct rd_error *e)
{
    put_flux(p->network, flux, out);
    if (f->has_net && !print_net(p->network, flux, out))
        return rd_fail(
            e, "the overall conversion of a mode does not fit into 128 bits; leave out --net");
    fputc('\n', out);
    return true;
}

static bool write_csv(const struct rd_pathways *p, const struct rd_modes_format *f,
                      const int64_t *flux, FILE *out, struct rd_error *e)
{
    (void)f;
    (void)e;
    const int n = p->network->n_reactions;
    for (int k = 0; k < n; k++) {
        print_mode_number(flux[k], out);
        print_mode_text(k + 1 < n ? "," : "\n", out);
    }
    return true;
}

/* Gives the modes that threads write at the same time, PART at a time, each part into a text. */
enum { PARTS = 64, PART = 64 };

struct batch {
    const struct rd_pathways *p;
    const struct rd_modes_format *f;
    write_mode *write;
    int64_t from; /* its first mode */
    struct part {
        char *text; /* owned */
        size_t length;
        struct rd_error e;
    } part[PARTS];
};

/* Writes one part of a batch. */
static void write_batch_part(void *of, int64_t number)
{
    struct batch *const b = of;
    struct part *const x = &b->part[number];
    const int64_t from = b->from + number * PART, n = b->p->modes.support.n;
    int64_t *const flux = malloc(((size_t)b->p->network->n_reactions + 1) * sizeof *flux);
    FILE *const out = open_memstream(&x->text, &x->length);
    bool ok = flux && out;
    for (int64_t i = from; ok && i < from + PART && i < n; i++)
        ok = rd_elementary_value(&b->p->modes, i, flux, &x->e) &&
             b->write(b->p, b->f, flux, out, &x->e);
    if ((out && fclose(out) != 0) || (!ok && x->e.n == 0))
        rd_fail_memory(&x->e, "out of memory for the text of modes");
    free(flux);
}

/* Writes all modes in their order. */
static bool write_all_modes(const struct rd_pathways *p, const struct rd_modes_format *f,
                            write_mode *write, FILE *out, struct rd_error *e)
{
    const int threads = rd_threads_number(f->n_threads);
    struct batch b = {.p = p, .f = f, .write = write};
    bool ok = true;
    for (; ok && b.from < p->modes.support.n; b.from += PARTS * PART) {
        const int64_t left = (p->modes.support.n - b.from + PART - 1) / PART;
        const int n_parts = left < PARTS ? (int)left : PARTS;
        memset(b.part, 0, sizeof b.part);
        rd_threads_each(threads, n_parts, write_batch_part, &b);
        for (int i = 0; i < n_parts; i++) {
            struct part *const x = &b.part[i];
            if (ok)
                fwrite(x->text, 1, x->length, out);
            if (ok && x->e.n > 0)
                ok = rd_fail(e, "%s", x->e.text);
            rd_error_free(&x->e);
            free(x->text);
        }
    }
    return ok;
}

bool rd_modes_output_text(const struct rd_pathways *p, const struct rd_modes_format *f, FILE *out,
                          struct rd_error *e)
{
    print_modes_head(p, f, out);
    return write_all_modes(p, f, write_mode_text, out, e);
}

/* Prints a name in quotes if it needs them. */
static void print_field(const char *name, FILE *out)
{
    if (!strpbrk(name, ",\"")) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

bool rd_modes_output_csv(const struct rd_pathways *p, const struct rd_modes_format *f, FILE *out,
                         struct rd_error *e)
{
    const struct rd_network *const n = p->network;
    for (int i = 0; i < n->n_reactions; i++) {
        print_field(n->reaction[i].name, out);
        fputc(i + 1 < n->n_reactions ? ',' : '\n', out);
    }
    const bool ok = write_all_modes(p, f, write_csv, out, e);
    if (ok && p->modes.is_partial)
        fputs("# partial: there was no memory for more\n", out);
    else if (ok && f->has_more)
        fputs("# the shortest; there are more\n", out);
    return ok;
}

bool rd_modes_output_hdf5(const struct rd_pathways *p, const struct rd_modes_format *format,
                          const char *path, struct rd_error *e)
{
    const struct rd_network *const n = p->network;
    const size_t size = (size_t)n->n_reactions + 1;
    int64_t *const flux = malloc(size * sizeof *flux);
    const char **const name = malloc(size * sizeof *name);
    bool ok = (flux && name) || rd_fail_memory(e, "out of memory for a mode");
    for (int i = 0; ok && i < n->n_reactions; i++)
        name[i] = n->reaction[i].name;
    struct rd_modes_file *const f = ok ? rd_modes_file_open(path, n->n_reactions, name, e) : NULL;
    ok = f != NULL;
    for (int64_t i = 0; ok && i < p->modes.support.n; i++)
        ok = rd_elementary_value(&p->modes, i, flux, e) && rd_modes_file_add(f, flux, e);
    if (f)
        ok = rd_modes_file_close(f, ok,
                                 &(struct rd_modes_state){rd_supports_hash(&p->modes.support),
                                                          p->modes.is_partial, format->has_more},
                                 e) &&
             ok;
    free(flux);
    free(name);
    return ok;
}
