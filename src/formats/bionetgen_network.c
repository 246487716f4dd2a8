/* bionetgen_network - reads the blocks of a BioNetGen network. */
#define _POSIX_C_SOURCE 200809L
#include "formats/bionetgen_network.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const block_name[RD_BNG_N_KINDS] = {
    [RD_BNG_PARAMETERS] = "parameters", [RD_BNG_FUNCTIONS] = "functions",
    [RD_BNG_SPECIES] = "species",       [RD_BNG_REACTIONS] = "reactions",
    [RD_BNG_GROUPS] = "groups",
};

bool rd_bng_fail(const struct rd_bng *b, const struct rd_bng_entry *x, const char *format, ...)
{
    static const char *const noun[RD_BNG_N_KINDS] = {
        [RD_BNG_PARAMETERS] = "parameter", [RD_BNG_FUNCTIONS] = "function",
        [RD_BNG_SPECIES] = "species",      [RD_BNG_REACTIONS] = "reaction",
        [RD_BNG_GROUPS] = "group",
    };
    va_list list;
    va_start(list, format);
    char *const what = rd_text_format_list(format, list);
    va_end(list);
    const bool is_reaction = x->kind == RD_BNG_REACTIONS;
    rd_fail(b->e, "%s:%d: %s '%.60s%s%.60s': %s", b->path, x->line, noun[x->kind], x->id,
            is_reaction ? " -> " : "", is_reaction ? x->products : "", what ? what : "");
    free(what);
    return false;
}

/* ---- lines ---- */

/* Describes a text while its lines are read. */
struct block_lines {
    struct rd_bng *b;
    char *rest;
    int line;   /* of the last text, its first if several are continued */
    int n_more; /* lines that continue it */
};

/* Returns the end of the line. One that ends in a backslash goes on: that, its comment and its end
   become blanks. */
static char *line_end(struct block_lines *s)
{
    char *at = s->rest;
    for (s->n_more = 0;; s->n_more++) {
        char *const end = at + strcspn(at, "\n");
        char *last = at + strcspn(at, "#\n");
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        if (!*end || last == at || last[-1] != '\\')
            return end;
        memset(last - 1, ' ', (size_t)(end - last) + 2);
        at = end + 1;
    }
}

/* Returns the next line that is not blank, without its comment; NULL after the last. */
static char *next_block_line(struct block_lines *s)
{
    while (*s->rest) {
        char *const line = s->rest + strspn(s->rest, " \t");
        s->line += 1 + s->n_more;
        char *const end = line_end(s);
        s->rest = end + (*end == '\n');
        *end = 0;
        line[strcspn(line, "#")] = 0;
        for (size_t n = strlen(line); n > 0 && isspace((unsigned char)line[n - 1]);)
            line[--n] = 0;
        if (*line)
            return line;
    }
    return NULL;
}

/* Cuts the next word off a line; "" at its end. */
static char *next_word(char **line)
{
    char *const word = *line + strspn(*line, " \t");
    char *const end = word + strcspn(word, " \t");
    *line = end + (*end != 0);
    *end = 0;
    return word;
}

/* Returns whether a line begins with these words, with any blanks between. */
static bool begins(const char *line, const char *first, const char *second)
{
    const size_t n = strlen(first),
                 gap = strncmp(line, first, n) == 0 ? strspn(line + n, " \t") : 0;
    return gap > 0 && strcmp(line + n + gap, second) == 0;
}

static bool is_index(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == 0;
}

/* ---- entries ---- */

static struct rd_bng_entry *add_bng_entry(struct rd_bng *b, enum rd_bng_kind kind, int line)
{
    const int n = b->n[kind];
    if ((n & (n - 1)) == 0) { /* room for a power of two */
        struct rd_bng_entry *const more =
            realloc(b->of[kind], (n ? 2 * (size_t)n : 1) * sizeof *more);
        if (!more) {
            rd_fail(b->e, "%s: out of memory for its %s", b->path, block_name[kind]);
            return NULL;
        }
        b->of[kind] = more;
    }
    b->of[kind][n] = (struct rd_bng_entry){.kind = kind, .line = line};
    return &b->of[kind][b->n[kind]++];
}

/* Removes the marks of a constant species, `$A` or `@c:$A`. */
static void take_constant(struct rd_bng_entry *x)
{
    char *const mark = strchr(x->id, '$');
    if (!mark)
        return;
    x->is_constant = true;
    memmove(mark, mark + 1, strlen(mark));
}

/* Removes the brackets of a function without arguments, `f()`. */
static bool take_brackets(const struct rd_bng *b, struct rd_bng_entry *x)
{
    char *const open = strchr(x->id, '(');
    if (!open)
        return true;
    const bool is_global = strcmp(open, "()") == 0;
    *open = 0;
    return is_global ||
           rd_bng_fail(b, x,
                       "has arguments, and only functions without them can be converted; "
                       "write one for each value");
}

/* Refuses rate laws that are no expression. */
static bool check_bng_rate(const struct rd_bng *b, const struct rd_bng_entry *x)
{
    static const char *const laws[] = {"Sat", "MM", "Hill", "Arrhenius", "FunctionProduct"};
    const size_t n = strcspn(x->value, " \t(");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (strlen(laws[i]) == n && strncmp(x->value, laws[i], n) == 0)
            return rd_bng_fail(
                b, x, "the rate law '%s' cannot be converted; write it as a function", laws[i]);
    return true;
}

/* Reactions and groups mean species by their numbers, which must count them in order. */
static bool check_bng_number(const struct rd_bng *b, const struct rd_bng_entry *x,
                             const char *number)
{
    return x->kind != RD_BNG_SPECIES || strtol(number, NULL, 10) == b->n[RD_BNG_SPECIES] ||
           rd_bng_fail(b, x,
                       "has the number %.20s, but stands at place %d; number the species in order",
                       number, b->n[RD_BNG_SPECIES]);
}

/* Reads a line of a block: its number, if it has one, then name and value. */
static bool read_bng_line(struct rd_bng *b, enum rd_bng_kind kind, char *line, int at)
{
    struct rd_bng_entry *const x = add_bng_entry(b, kind, at);
    if (!x)
        return false;
    char *word = next_word(&line);
    const char *const number = is_index(word) && *line ? word : NULL;
    if (number)
        word = next_word(&line);
    x->id = word;
    if (kind == RD_BNG_REACTIONS)
        x->products = next_word(&line);
    line += strspn(line, " \t");
    if ((kind == RD_BNG_PARAMETERS || kind == RD_BNG_FUNCTIONS) && *line == '=' && line[1] != '=')
        line += 1 + strspn(line + 1, " \t");
    x->value = line;
    if (kind == RD_BNG_SPECIES)
        take_constant(x);
    if (!*x->value && kind != RD_BNG_GROUPS)
        return rd_bng_fail(b, x, "has no value; write a line as '%s'",
                           kind == RD_BNG_REACTIONS ? "1 1,2 3 kp" : "1 name value");
    return number && !check_bng_number(b, x, number) ? false
           : kind == RD_BNG_FUNCTIONS                ? take_brackets(b, x)
           : kind == RD_BNG_REACTIONS                ? check_bng_rate(b, x)
                                                     : true;
}

/* ---- blocks ---- */

static int kind_of_block(const char *name)
{
    for (int i = 0; i < RD_BNG_N_KINDS; i++)
        if (strcmp(name, block_name[i]) == 0)
            return i;
    return strcmp(name, "seed species") == 0 ? (int)RD_BNG_SPECIES : -1;
}

/* Returns whether a block says nothing that the network does not say. */
static bool is_needless(const char *name)
{
    static const char *const known[] = {"molecule types", "observables",     "reaction rules",
                                        "compartments",   "population maps", "energy patterns",
                                        "actions"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}

/* Reads a block to its end. kind: -1: it is skipped. */
static bool read_bng_block(struct block_lines *s, const char *name, int kind)
{
    const int begin = s->line;
    bool good = true;
    for (char *line; (line = next_block_line(s));) {
        if (begins(line, "end", name))
            return good;
        if (strncmp(line, "begin ", 6) == 0)
            break;
        if (kind >= 0)
            good = read_bng_line(s->b, (enum rd_bng_kind)kind, line, s->line) && good;
    }
    return rd_fail(s->b->e, "%s:%d: the block '%s' has no end; add 'end %s'", s->b->path, begin,
                   name, name);
}

static bool begin_bng_block(struct block_lines *s, const char *name)
{
    struct rd_bng *const b = s->b;
    const int kind = kind_of_block(name);
    b->has_rules = b->has_rules || strcmp(name, "reaction rules") == 0;
    b->has_reactions = b->has_reactions || kind == RD_BNG_REACTIONS;
    if (kind >= 0 && b->n[kind] > 0)
        return rd_fail(b->e, "%s:%d: there are two blocks '%s'; join them", b->path, s->line, name);
    if (kind >= 0 || strcmp(name, "model") == 0)
        return kind < 0 || read_bng_block(s, name, kind);
    if (!is_needless(name))
        return rd_fail(b->e, "%s:%d: the block '%.60s' cannot be converted; remove what needs it",
                       b->path, s->line, name);
    rd_fail(b->notes, "%s:%d: the block '%s' is left out: the network has its effect", b->path,
            s->line, name);
    return read_bng_block(s, name, -1);
}

/* Reads a line outside of blocks: an action, or a setting. */
static bool read_action(const struct block_lines *s, const char *line)
{
    const struct rd_bng *const b = s->b;
    if (strncmp(line, "substanceUnits", 14) == 0)
        return !strstr(line, "Conc") ||
               rd_fail(b->e,
                       "%s:%d: amounts are concentrations; generate the network with "
                       "substanceUnits(\"Number\")",
                       b->path, s->line);
    if (strcmp(line, "end model") != 0)
        rd_fail(b->notes, "%s:%d: '%.40s' is left out", b->path, s->line, line);
    return true;
}

static bool read_blocks(struct rd_bng *b)
{
    struct block_lines s = {.b = b, .rest = b->text};
    bool good = true;
    for (char *line; (line = next_block_line(&s));) {
        const size_t gap = strncmp(line, "begin", 5) == 0 ? strspn(line + 5, " \t") : 0;
        good = (gap > 0 ? begin_bng_block(&s, line + 5 + gap) : read_action(&s, line)) && good;
    }
    return good;
}

/* ---- species by number ---- */

struct rd_bng_entry *rd_bng_species(const struct rd_bng *b, const char *number,
                                    const struct rd_bng_entry *by)
{
    char *end;
    const long i = strtol(number, &end, 10);
    if (end > number && *end == 0 && i >= 1 && i <= b->n[RD_BNG_SPECIES])
        return &b->of[RD_BNG_SPECIES][i - 1];
    rd_bng_fail(b, by, "'%.20s' is no number of a species; give one from 1 to %d", number,
                b->n[RD_BNG_SPECIES]);
    return NULL;
}

/* Reads a member of a group, as 3 or 2*3; NULL with a message. */
static rd_formula read_member(struct rd_bng *b, const struct rd_bng_entry *group, char *member)
{
    char *end = NULL;
    char *const star = strchr(member, '*');
    const double weight = star ? strtod(member, &end) : 1.0;
    if (star && (end != star || end == member || weight != floor(weight) || weight < 1.0 ||
                 weight > INT32_MAX)) {
        rd_bng_fail(b, group, "'%.20s' is no member; write 3, or 2*3 with a whole number", member);
        return NULL;
    }
    const struct rd_bng_entry *const x = rd_bng_species(b, star ? star + 1 : member, group);
    return x ? rd_formula_pair(&b->pool, RD_FORMULA_PRODUCT, rd_formula_number(&b->pool, weight),
                               rd_formula_name(&b->pool, RD_FORMULA_NAME, x->name))
             : NULL;
}

rd_formula rd_bng_sum(struct rd_bng *b, struct rd_bng_entry *group)
{
    if (group->formula || group->is_wrong)
        return group->formula;
    size_t most = 2;
    for (const char *c = group->value; *c; c++)
        most += *c == ',';
    rd_formula *const part = calloc(most, sizeof *part);
    char *const members = rd_text_format("%s", group->value);
    char *rest;
    int n = 0;
    bool good = (part && members) || rd_fail(b->e, "%s: out of memory for its groups", b->path);
    for (char *member = good ? strtok_r(members, ",", &rest) : NULL; member && good;
         member = strtok_r(NULL, ",", &rest))
        good = (part[n++] = read_member(b, group, member)) != NULL;
    group->formula = good ? rd_formula_of(&b->pool, RD_FORMULA_SUM, NULL, part, n) : NULL;
    group->is_wrong = !good;
    free(part);
    free(members);
    return group->formula;
}

/* ---- the whole network ---- */

bool rd_bng_open(struct rd_bng *b, const char *text)
{
    b->text = rd_text_format("%s", rd_text_after_mark(text));
    if (!b->text)
        return rd_fail(b->e, "%s: out of memory for the network", b->path);
    if (!read_blocks(b))
        return false;
    const char *const lacks = b->n[RD_BNG_SPECIES] == 0           ? "species"
                              : b->has_rules && !b->has_reactions ? "reactions"
                                                                  : NULL;
    if (lacks)
        return rd_fail(b->e,
                       "%s:1: has no block '%s', so it is no network; generate one with "
                       "BioNetGen's generate_network, and name that .net file",
                       b->path, lacks);
    return rd_bng_name_entries(b);
}

void rd_bng_close(struct rd_bng *b)
{
    for (int i = 0; i < RD_BNG_N_KINDS; i++)
        free(b->of[i]);
    free(b->named);
    free(b->text);
    rd_formula_pool_free(&b->pool);
}
