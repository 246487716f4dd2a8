/* names - parameters, species and regions by name; alone says which names are possible. */
#include "names.h"

#include "symbol.h"

#include <stdio.h>
#include <string.h>

static const char *parameter_name(const void *m, int i)
{
    return ((const struct rd_model *)m)->parameter[i];
}

static const char *species_name(const void *m, int i)
{
    return ((const struct rd_model *)m)->species[i].name;
}

static const char *region_name(const void *m, int i)
{
    return ((const struct rd_model *)m)->region[i].name;
}

static int number_of(const struct rd_model *m, enum rd_name_kind kind)
{
    return kind == RD_NAME_PARAMETER ? m->n_parameters
           : kind == RD_NAME_SPECIES ? m->n_species
                                     : m->n_regions;
}

static const struct {
    const char *word, *list; /* what it is, and where it is declared */
    const char *(*name)(const void *model, int i);
} name_kind[] = {
    [RD_NAME_PARAMETER] = {"parameter", "parameters", parameter_name},
    [RD_NAME_SPECIES] = {"species", "species", species_name},
    [RD_NAME_REGION] = {"region", "regions", region_name},
};

int rd_names_find(const struct rd_model *m, enum rd_name_kind kind, const char *name)
{
    const int n = number_of(m, kind);
    for (int i = 0; i < n; i++)
        if (strcmp(name_kind[kind].name(m, i), name) == 0)
            return i;
    return -1;
}

void rd_names_unknown(char *fact, size_t bytes, const struct rd_model *m, enum rd_name_kind kind,
                      const char *name)
{
    const char *const near = rd_nearest(name, number_of(m, kind), name_kind[kind].name, m);
    if (near)
        snprintf(fact, bytes, "%s '%.60s' is not declared; did you mean '%.60s'?",
                 name_kind[kind].word, name, near);
    else
        snprintf(fact, bytes, "%s '%.60s' is not declared; declare it in '%s'",
                 name_kind[kind].word, name, name_kind[kind].list);
}

int rd_names_look(struct rd_reader *r, const rd_node *node, enum rd_name_kind kind,
                  const char *name)
{
    const int found = rd_names_find(r->m, kind, name);
    if (found < 0) {
        char fact[256];
        rd_names_unknown(fact, sizeof fact, r->m, kind, name);
        rd_reader_fail(r, node, "%s", fact);
    }
    return found;
}

bool rd_names_place(struct rd_reader *r, const rd_node *group, int *region)
{
    const rd_node *const in = rd_node_member(group, "in");
    *region = in ? rd_names_look(r, in, RD_NAME_REGION, rd_node_text(in)) : -1;
    return !in || *region >= 0;
}

static bool is_spelled(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "_0123456789";
    if (!*name || !strchr(letters, *name))
        return false;
    while (*name && (strchr(letters, *name) || strchr(others, *name)))
        name++;
    return !*name;
}

static void check_name(struct rd_reader *r, const rd_node *node, enum rd_name_kind kind,
                       const char *name)
{
    const char *const word = name_kind[kind].word;
    if (!is_spelled(name))
        rd_reader_fail(r, node, "%s '%s': a name is a letter, then letters, digits or _", word,
                       name);
    else if (kind != RD_NAME_REGION && rd_symbol_is_kept(name))
        rd_reader_fail(r, node, "%s '%s': expressions keep this name for themselves; take another",
                       word, name);
    if (rd_names_find(r->m, kind, name) >= 0)
        rd_reader_fail(r, node, "%s '%s' is declared twice; names must differ", word, name);
    if (kind == RD_NAME_SPECIES && rd_names_find(r->m, RD_NAME_PARAMETER, name) >= 0)
        rd_reader_fail(r, node, "species '%s' has the name of a parameter; rename one of them",
                       name);
}

/* Whether the list is not too long. */
static bool check_length(struct rd_reader *r, const rd_node *list, enum rd_name_kind kind, int most)
{
    return rd_node_length(list) <= most ||
           rd_reader_fail(r, list, "there are %d %s; at most %d are possible", rd_node_length(list),
                          name_kind[kind].list, most);
}

static bool read_parameters(struct rd_reader *r, const rd_node *group)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(group);
    m->parameter = rd_reader_array(r, n, sizeof *m->parameter);
    m->value = rd_reader_array(r, n, sizeof *m->value);
    if (!m->parameter || !m->value)
        return false;
    for (int p = 0; p < n; p++) {
        const rd_node *const node = rd_node_at(group, p);
        check_name(r, node, RD_NAME_PARAMETER, rd_node_name(node));
        m->parameter[p] = rd_reader_copy(r, rd_node_name(node));
        if (!m->parameter[p])
            return false;
        m->n_parameters++;
    }
    return true;
}

/* Reads the name and the place of the thing at group into *name and *place. */
static bool read_name(struct rd_reader *r, const rd_node *group, enum rd_name_kind kind,
                      char **name, char **place)
{
    const char *const text = rd_node_text(rd_node_member(group, "name"));
    check_name(r, group, kind, text);
    *name = rd_reader_copy(r, text);
    *place = rd_reader_copy(r, rd_node_place(r->c, group));
    return *name && *place;
}

static bool read_species(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(list);
    m->species = rd_reader_array(r, n, sizeof *m->species);
    m->species_name = rd_reader_array(r, n, sizeof *m->species_name);
    if (!m->species || !m->species_name)
        return false;
    for (int s = 0; s < n; s++) {
        struct rd_species *const x = &m->species[s];
        x->region = -1;
        const bool read = read_name(r, rd_node_at(list, s), RD_NAME_SPECIES, &x->name, &x->place);
        m->species_name[s] = x->name;
        m->n_species++;
        if (!read)
            return false;
    }
    return true;
}

static bool read_regions(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(list);
    m->region = rd_reader_array(r, n, sizeof *m->region);
    if (!m->region)
        return false;
    for (int i = 0; i < n; i++) {
        struct rd_region *const x = &m->region[i];
        const bool read = read_name(r, rd_node_at(list, i), RD_NAME_REGION, &x->name, &x->place);
        m->n_regions++;
        if (!read)
            return false;
    }
    return true;
}

bool rd_names_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const parameters = rd_node_member(root, "parameters");
    const rd_node *const species = rd_node_member(root, "species");
    const rd_node *const regions = rd_node_member(root, "regions");
    if (rd_node_length(species) == 0)
        rd_reader_fail(r, species, "there is no species; a model needs one at least");
    return check_length(r, parameters, RD_NAME_PARAMETER, RD_MAX_PARAMETERS) &&
           check_length(r, species, RD_NAME_SPECIES, RD_MAX_SPECIES) &&
           check_length(r, regions, RD_NAME_REGION, RD_MAX_REGIONS) &&
           read_parameters(r, parameters) && read_species(r, species) && read_regions(r, regions);
}
