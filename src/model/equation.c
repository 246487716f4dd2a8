/* equation - parses "A + 2 B -> C": two sides of terms, each a number and a species. An empty side
   may be written as 0, null, the sign of the empty set, or nothing. */
#include "model/equation.h"

#include "model/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Describes the text while it is parsed, and the results so far. */
struct equation_reading {
    const char *noun; /* what the text is, for messages */
    const char *text;
    const char *at; /* the rest of the text */
    char *written;  /* end of the copy with normalised blanks */
    bool is_known;  /* every species so far is declared */
    const struct rd_model *m;
    const char *place;
    struct rd_error *e;
};

/* Describes one side of the arrow; term has room for all terms. */
struct equation_side {
    struct rd_term *term;
    int n;
};

static bool fail_at_equation(const struct equation_reading *q, const char *at, const char *fact)
{
    return rd_fail(q->e, "%s: %s '%.80s', column %d: %s", q->place, q->noun, q->text,
                   (int)(at - q->text) + 1, fact);
}

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_equation_blanks(struct equation_reading *q)
{
    while (*q->at == ' ' || *q->at == '\t' || *q->at == '\n' || *q->at == '\r')
        q->at++;
}

static void put_words(struct equation_reading *q, const char *text, size_t length)
{
    memcpy(q->written, text, length);
    q->written += length;
    *q->written = 0;
}

/* Reads the number of molecules, "2" in "2 A"; it is 1 if no number is there. Returns false with a
   message if the number is not possible. */
static bool read_stoichiometry(struct equation_reading *q, int32_t *number)
{
    const char *const from = q->at;
    int64_t value = 0;
    for (; isdigit((unsigned char)*q->at); q->at++)
        value = value > INT32_MAX ? value : 10 * value + (*q->at - '0');
    *number = 1;
    if (q->at == from)
        return true;
    if (*q->at == '.')
        return fail_at_equation(q, q->at,
                                "the number of molecules is not whole; write a whole number");
    if (value == 0)
        return fail_at_equation(q, from, "the number of molecules is 0; leave this term out");
    if (value > INT32_MAX)
        return fail_at_equation(q, from,
                                "the number of molecules is above 2147483647; write a smaller one");
    put_words(q, from, (size_t)(q->at - from));
    put_words(q, " ", 1);
    skip_equation_blanks(q);
    if (*q->at == '*')
        q->at++;
    skip_equation_blanks(q);
    *number = (int32_t)value;
    return true;
}

enum { NO_NAME = -2 };

/* Returns whether other programs use the word for an empty side. */
static bool means_nothing(const char *word)
{
    static const char *const words[] = {"NULL",     "Null",  "none", "None", "nothing", "EmptySet",
                                        "emptyset", "empty", "nil",  "void", "Trash",   "Source"};
    size_t i = 0;
    while (i < sizeof words / sizeof *words && strcmp(word, words[i]) != 0)
        i++;
    return i < sizeof words / sizeof *words;
}

/* Returns the species whose name is next. Reports and returns -1 for an unknown name, and NO_NAME
   if there is no name. */
static int read_equation_species(struct equation_reading *q)
{
    const char *const from = q->at;
    if (!is_name_letter(*from)) {
        fail_at_equation(q, from,
                         *from
                             ? "there is no species here; write one"
                             : "the equation ends without a species; write one, or 0 for nothing");
        return NO_NAME;
    }
    while (is_name_letter(*q->at) || isdigit((unsigned char)*q->at) || *q->at == '_')
        q->at++;
    const size_t length = (size_t)(q->at - from);
    char *const name = q->written;
    put_words(q, from, length);
    const int species = rd_names_find(q->m, RD_NAME_SPECIES, name);
    if (species < 0) {
        char fact[256];
        rd_names_unknown(fact, sizeof fact, q->m, RD_NAME_SPECIES, name);
        q->is_known =
            fail_at_equation(q, from, means_nothing(name) ? "this is no species; write 0" : fact);
    }
    return species;
}

static bool add_term(struct equation_reading *q, struct equation_side *s, int species,
                     int32_t number)
{
    for (int i = 0; i < s->n; i++)
        if (s->term[i].species == species) {
            if (number > INT32_MAX - s->term[i].number)
                return fail_at_equation(
                    q, q->at, "the number of molecules is above 2147483647; write a smaller one");
            s->term[i].number += number;
            return true;
        }
    s->term[s->n++] = (struct rd_term){.species = species, .number = number};
    return true;
}

size_t rd_equation_nothing(const char *at)
{
    static const char *const spelling[] = {"0", "null", "\u2205", "\u00D8", "\u00F8"};
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++) {
        const size_t length = strlen(spelling[i]);
        const char next = strncmp(at, spelling[i], length) == 0 ? at[length] : '.';
        if (next != '.' && next != '_' && !isdigit((unsigned char)next) && !is_name_letter(next))
            return length;
    }
    return 0;
}

size_t rd_equation_arrow(const char *at, bool *is_reversible)
{
    static const struct {
        const char *spelling;
        bool is_reversible;
    } arrow[] = {{"->", false},     {"-->", false},    {"=>", false},    {"\u2192", false},
                 {"\u27F6", false}, {"\u21D2", false}, {"<->", true},    {"<-->", true},
                 {"<=>", true},     {"\u21CC", true},  {"\u21C4", true}, {"\u2194", true},
                 {"\u27F7", true},  {"\u21D4", true},  {"\u21CB", true}, {"\u21C6", true}};
    if (*at != '-' && *at != '=' && *at != '<' && *at != '\xE2') /* the first byte of each */
        return 0;
    for (size_t i = 0; i < sizeof arrow / sizeof *arrow; i++)
        if (strncmp(at, arrow[i].spelling, strlen(arrow[i].spelling)) == 0) {
            *is_reversible = arrow[i].is_reversible;
            return strlen(arrow[i].spelling);
        }
    return 0;
}

/* Returns whether the side is empty, and passes the sign of it. */
static bool take_nothing(struct equation_reading *q)
{
    bool is_reversible;
    const size_t length = rd_equation_nothing(q->at);
    const bool is_species =
        strncmp(q->at, "null", length) == 0 && rd_names_find(q->m, RD_NAME_SPECIES, "null") >= 0;
    if (length == 0 || is_species)
        return !*q->at || rd_equation_arrow(q->at, &is_reversible) > 0;
    q->at += length;
    return true;
}

/* Reads terms until no + follows, or an empty side. */
static bool read_equation_side(struct equation_reading *q, struct equation_side *s)
{
    skip_equation_blanks(q);
    if (take_nothing(q)) {
        put_words(q, "0", 1);
        skip_equation_blanks(q);
        return true;
    }
    for (bool more = true; more;) {
        int32_t number;
        if (!read_stoichiometry(q, &number))
            return false;
        const int species = read_equation_species(q);
        if (species == NO_NAME || (species >= 0 && !add_term(q, s, species, number)))
            return false;
        skip_equation_blanks(q);
        more = *q->at == '+';
        if (more) {
            put_words(q, " + ", 3);
            q->at++;
            skip_equation_blanks(q);
        }
    }
    return true;
}

static bool read_arrow(struct equation_reading *q, bool *is_reversible)
{
    const size_t length = rd_equation_arrow(q->at, is_reversible);
    if (length == 0 && (strncmp(q->at, "<-", 2) == 0 || strncmp(q->at, "\u2190", 3) == 0))
        return fail_at_equation(
            q, q->at, "this arrow leads to the left; write the reactants first, then '->'");
    if (length == 0 && *q->at == '=')
        return fail_at_equation(q, q->at,
                                "'=' is no arrow; write '->', or '<->' for both directions");
    if (length == 0 && !*q->at)
        return fail_at_equation(q, q->at, "the equation ends without '->'; write it");
    if (length == 0)
        return fail_at_equation(q, q->at, "there is neither '+' nor '->' here; write one of them");
    put_words(q, " -> ", 4);
    q->at += length;
    return true;
}

static bool check_end(const struct equation_reading *q)
{
    return !*q->at ||
           fail_at_equation(q, q->at, "there is no '+' here; write it, or end the equation");
}

/* Checks that mass action can multiply the numbers of the reactants. */
static bool check_reaction_order(const struct equation_reading *q,
                                 const struct equation_side *reactants, bool has_propensity)
{
    int64_t order = 0;
    for (int i = 0; i < reactants->n; i++)
        order += reactants->term[i].number;
    return has_propensity || order <= RD_ORDER_MOST ||
           rd_fail(q->e,
                   "%s: equation '%.80s': %lld molecules react together; write a propensity, or at "
                   "most %d molecules",
                   q->place, q->text, (long long)order, RD_ORDER_MOST);
}

bool rd_equation_read(struct rd_reaction *x, const char *text, const struct rd_model *m,
                      const char *place, bool *is_reversible, struct rd_error *e)
{
    size_t most_terms = 1;
    for (const char *c = text; *c; c++)
        most_terms += *c == '+';
    x->reactant = calloc(most_terms, sizeof *x->reactant);
    x->product = calloc(most_terms, sizeof *x->product);
    x->equation = calloc(3 * strlen(text) + 8, 1); /* "+" becomes " + " */
    if (!x->reactant || !x->product || !x->equation)
        return rd_fail(e, "%s: out of memory for the equation", place);
    struct equation_reading q = {"equation", text, text, x->equation, true, m, place, e};
    struct equation_side reactants = {x->reactant, 0}, products = {x->product, 0};
    const bool read = read_equation_side(&q, &reactants) && read_arrow(&q, is_reversible) &&
                      read_equation_side(&q, &products) && check_end(&q) && q.is_known &&
                      check_reaction_order(&q, &reactants, x->has_propensity) &&
                      (!*is_reversible || check_reaction_order(&q, &products, x->has_propensity));
    x->n_reactants = reactants.n;
    x->n_products = products.n;
    return read;
}

bool rd_equation_sum(struct rd_term **term, int *n, const char *text, const struct rd_model *m,
                     const char *place, struct rd_error *e)
{
    size_t most_terms = 1;
    for (const char *c = text; *c; c++)
        most_terms += *c == '+';
    *term = calloc(most_terms, sizeof **term);
    char *const written = calloc(3 * strlen(text) + 8, 1);
    struct equation_side s = {*term, 0};
    struct equation_reading q = {"sum", text, text, written, true, m, place, e};
    const bool read = *term && written ? read_equation_side(&q, &s) && check_end(&q) && q.is_known
                                       : rd_fail(e, "%s: out of memory for the sum", place);
    free(written);
    *n = s.n;
    return read;
}

bool rd_equation_turn(struct rd_reaction *back, const struct rd_reaction *x)
{
    const char *const arrow = strstr(x->equation, " -> ");
    const size_t bytes = strlen(x->equation) + 1;
    back->n_reactants = x->n_products;
    back->n_products = x->n_reactants;
    back->reactant = calloc((size_t)x->n_products + 1, sizeof *back->reactant);
    back->product = calloc((size_t)x->n_reactants + 1, sizeof *back->product);
    back->equation = malloc(bytes);
    if (!back->reactant || !back->product || !back->equation)
        return false;
    memcpy(back->reactant, x->product, (size_t)x->n_products * sizeof *x->product);
    memcpy(back->product, x->reactant, (size_t)x->n_reactants * sizeof *x->reactant);
    snprintf(back->equation, bytes, "%s -> %.*s", arrow + 4, (int)(arrow - x->equation),
             x->equation);
    return true;
}

int32_t rd_equation_number(const struct rd_term *side, int n, int32_t species)
{
    for (int i = 0; i < n; i++)
        if (side[i].species == species)
            return side[i].number;
    return 0;
}
