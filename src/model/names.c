/* names - parameters, species, regions and fields by name, and the rules for names. region_names.c
   reads those of regions. */
#include "model/reader.h"

#include "expr/builtins.h"
#include "kernels/core/world.h"

#include <stdio.h>
#include <string.h>

/* Lists the kinds of names, and the sections in which they are declared. */
static const struct {
    const char *word, *list;
} name_kind[] = {
    [RD_NAME_PARAMETER] = {"parameter", "parameters"},
    [RD_NAME_SPECIES] = {"species", "species"},
    [RD_NAME_REGION] = {"region", "regions"},
    [RD_NAME_FIELD] = {"field", "fields"},
};

/* Returns the names of a kind that are read so far. */
static struct rd_names names_of(const struct rd_model *m, enum rd_name_kind kind)
{
    const struct rd_names names[] = {[RD_NAME_PARAMETER] = {m->n_parameters, m->parameter},
                                     [RD_NAME_SPECIES] = {m->n_species, m->species_name},
                                     [RD_NAME_REGION] = {m->n_regions, m->region_name},
                                     [RD_NAME_FIELD] = {m->n_fields, m->field_name}};
    return names[kind];
}

static int find_among(const struct rd_names *names, const char *name)
{
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    return -1;
}

int rd_names_find(const struct rd_model *m, enum rd_name_kind kind, const char *name)
{
    const struct rd_names names = names_of(m, kind);
    const struct rd_name_index *const index = kind == RD_NAME_SPECIES     ? &m->species_index
                                              : kind == RD_NAME_PARAMETER ? &m->parameter_index
                                                                          : NULL;
    return index && index->slot ? rd_name_index_find(index, name, strlen(name))
                                : find_among(&names, name);
}

int rd_names_attribute(const struct rd_model *m, int s, const char *name)
{
    return find_among(&m->attributes[s], name);
}

void rd_names_unknown(char *fact, size_t bytes, const struct rd_model *m, enum rd_name_kind kind,
                      const char *name)
{
    const struct rd_names names = names_of(m, kind);
    const char *const near = rd_text_nearest(name, names.n, rd_text_of, names.name);
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

bool rd_names_is_spelled(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "_0123456789";
    if (!*name || !strchr(letters, *name))
        return false;
    while (*name && (strchr(letters, *name) || strchr(others, *name)))
        name++;
    return !*name;
}

/* Checks the spelling of a name; word is its kind, here and below. */
static void check_spelling(struct rd_reader *r, const rd_node *node, const char *word,
                           const char *name, bool in_expressions)
{
    if (!rd_names_is_spelled(name))
        rd_reader_fail(r, node, "%s '%s': is not a name; write a letter, then letters, digits or _",
                       word, name);
    else if (in_expressions && rd_builtins_is_kept(name))
        rd_reader_fail(r, node, "%s '%s': the name is reserved in expressions; choose another",
                       word, name);
}

static void check_new(struct rd_reader *r, const rd_node *node, const char *word, const char *name,
                      bool is_known)
{
    if (is_known)
        rd_reader_fail(r, node, "%s '%s' is declared twice; rename one of them", word, name);
}

static void check_apart(struct rd_reader *r, const rd_node *node, const char *word,
                        const char *name, enum rd_name_kind other)
{
    if (rd_names_find(r->m, other, name) >= 0)
        rd_reader_fail(r, node, "%s '%s' has the name of a %s; rename one of them", word, name,
                       name_kind[other].word);
}

static void check_declared_name(struct rd_reader *r, const rd_node *node, enum rd_name_kind kind,
                                const char *name)
{
    const char *const word = name_kind[kind].word;
    check_spelling(r, node, word, name,
                   kind != RD_NAME_REGION &&
                       (kind != RD_NAME_SPECIES || !rd_builtins_is_value(name)));
    check_new(r, node, word, name, rd_names_find(r->m, kind, name) >= 0);
    if (kind == RD_NAME_SPECIES || kind == RD_NAME_FIELD)
        check_apart(r, node, word, name, RD_NAME_PARAMETER);
    if (kind == RD_NAME_FIELD)
        check_apart(r, node, word, name, RD_NAME_SPECIES);
    if (kind == RD_NAME_REGION && strcmp(name, "totals") == 0) /* its mask would be there */
        rd_reader_fail(r, node,
                       "%s '%s': results have their own /regions/totals; choose another name", word,
                       name);
}

/* Returns whether the name is that of a data set which the result has for each individual besides
   its attributes. */
static bool is_recorded_name(const char *name)
{
    static const char *const kept[] = {"id",  "born",      "voxel",     "row",
                                       "run", "row_start", "row_count", "time"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i], name) == 0)
            return true;
    return false;
}

static void check_attribute(struct rd_reader *r, const rd_node *node, int s, const char *name)
{
    char word[96];
    snprintf(word, sizeof word, "species '%.60s', attribute", r->m->species[s].name);
    check_spelling(r, node, word, name, true);
    check_new(r, node, word, name, rd_names_attribute(r->m, s, name) >= 0);
    check_apart(r, node, word, name, RD_NAME_PARAMETER);
    check_apart(r, node, word, name, RD_NAME_SPECIES);
    check_apart(r, node, word, name, RD_NAME_FIELD);
    if (is_recorded_name(name))
        rd_reader_fail(r, node, "%s '%s': the name is reserved in results; choose another", word,
                       name);
}

/* Checks that the list is not too long. */
static bool check_length(struct rd_reader *r, const rd_node *list, enum rd_name_kind kind, int most)
{
    return rd_node_length(list) <= most ||
           rd_reader_fail(r, list, "there are %d %s; use at most %d", rd_node_length(list),
                          name_kind[kind].list, most);
}

static bool open_index(struct rd_reader *r, struct rd_name_index *x, char *const *name, int n)
{
    return rd_name_index_open(x, name, n) ||
           rd_fail(r->e, "%s: out of memory for %d names", rd_config_name(r->c), n);
}

/* Adds a parameter, declared at node. */
static bool add_parameter(struct rd_reader *r, const rd_node *node, const char *name)
{
    struct rd_model *const m = r->m;
    const int p = m->n_parameters;
    check_declared_name(r, node, RD_NAME_PARAMETER, name);
    rd_quantities_name(r, node, name);
    m->n_parameters++;
    m->parameter[p] = rd_reader_copy(r, name);
    m->parameter_place[p] = rd_reader_copy(r, rd_node_place(r->c, node));
    if (!m->parameter[p] || !m->parameter_place[p])
        return false;
    rd_name_index_add(&m->parameter_index, p);
    return true;
}

/* Adds the variables of ODEs as parameters of runs. */
static bool read_odes(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(list);
    m->ode = rd_reader_array(r, n, sizeof *m->ode);
    bool read = m->ode != NULL;
    for (int i = 0; read && i < n; i++) {
        const rd_node *const node = rd_node_at(list, i);
        m->ode[m->n_odes++].parameter = m->n_parameters;
        m->is_of_run[m->n_parameters] = m->has_run_values = true;
        read = add_parameter(r, node, rd_node_text(rd_node_member(node, "name")));
    }
    return read;
}

static bool read_parameters(struct rd_reader *r, const rd_node *group, const rd_node *odes)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(group) + rd_node_length(odes);
    m->parameter = rd_reader_array(r, n, sizeof *m->parameter);
    m->value = rd_reader_array(r, n, sizeof *m->value);
    m->parameter_place = rd_reader_array(r, n, sizeof *m->parameter_place);
    m->reads_parameter = rd_reader_array(r, n, sizeof *m->reads_parameter);
    m->is_of_run = rd_reader_array(r, n, sizeof *m->is_of_run);
    if (!m->is_of_run || !m->parameter || !m->value || !m->parameter_place || !m->reads_parameter ||
        !open_index(r, &m->parameter_index, m->parameter, n))
        return false;
    bool read = true;
    for (int p = 0; read && p < rd_node_length(group); p++)
        read = add_parameter(r, rd_node_at(group, p), rd_node_name(rd_node_at(group, p)));
    return read && read_odes(r, odes);
}

bool rd_names_entry(struct rd_reader *r, const rd_node *group, enum rd_name_kind kind, char **name,
                    char **place)
{
    const char *const text = rd_node_text(rd_node_member(group, "name"));
    check_declared_name(r, group, kind, text);
    *name = rd_reader_copy(r, text);
    *place = rd_reader_copy(r, rd_node_place(r->c, group));
    return *name && *place;
}

bool rd_names_spelled(struct rd_reader *r, const rd_node *node, const char *word, const char *name)
{
    check_spelling(r, node, word, name, false);
    return rd_names_is_spelled(name);
}

static bool read_species_names(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(list);
    m->species = rd_reader_array(r, n, sizeof *m->species);
    m->species_name = rd_reader_array(r, n, sizeof *m->species_name);
    m->attributes = rd_reader_array(r, n, sizeof *m->attributes);
    m->reads_species = rd_reader_array(r, n, sizeof *m->reads_species);
    if (!m->species || !m->species_name || !m->attributes || !m->reads_species ||
        !open_index(r, &m->species_index, m->species_name, n))
        return false;
    for (int s = 0; s < n; s++) {
        struct rd_species *const x = &m->species[s];
        x->region = x->surface = x->compartment = -1;
        const bool read =
            rd_names_entry(r, rd_node_at(list, s), RD_NAME_SPECIES, &x->name, &x->place) &&
            rd_species_looks(r, rd_node_at(list, s), x);
        m->species_name[s] = x->name;
        m->n_species++;
        if (!read)
            return false;
        rd_name_index_add(&m->species_index, s);
    }
    return true;
}

/* Reads the names of the attributes of species number s from the list of them. */
static bool read_attributes(struct rd_reader *r, const rd_node *list, int s)
{
    struct rd_species *const x = &r->m->species[s];
    const int n = rd_node_length(list);
    if (n > RD_ATTRIBUTES_MOST)
        return rd_reader_fail(r, list, "species '%s' has %d attributes; use at most %d", x->name, n,
                              RD_ATTRIBUTES_MOST);
    char **const name = rd_reader_array(r, n, sizeof *name);
    r->m->attributes[s].name = name;
    x->attribute = rd_reader_array(r, n, sizeof *x->attribute);
    if (!name || !x->attribute)
        return false;
    for (int k = 0; k < n; k++) {
        struct rd_attribute *const a = &x->attribute[k];
        const rd_node *const group = rd_node_at(list, k);
        const char *const text = rd_node_text(rd_node_member(group, "name"));
        check_attribute(r, group, s, text);
        x->n_attributes++;
        a->name = rd_reader_copy(r, text);
        a->place = rd_reader_copy(r, rd_node_place(r->c, group));
        if (!a->name || !a->place)
            return false;
        name[r->m->attributes[s].n++] = a->name;
    }
    return true;
}

/* Lists the name of every attribute once; there are n at most. */
static bool list_inherited(struct rd_reader *r, int n)
{
    struct rd_model *const m = r->m;
    char **const name = rd_reader_array(r, n, sizeof *name);
    m->inherited.name = name;
    for (int s = 0; name && s < m->n_species; s++)
        for (int k = 0; k < m->attributes[s].n; k++)
            if (find_among(&m->inherited, m->attributes[s].name[k]) < 0)
                name[m->inherited.n++] = m->attributes[s].name[k];
    return name != NULL;
}

static bool read_individual_names(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    int n_lists = 0, n_attributes = 0;
    for (int s = 0; s < m->n_species; s++) {
        const rd_node *const group = rd_node_member(rd_node_at(list, s), "individuals");
        m->species[s].is_individual = group != NULL;
        n_lists += group != NULL;
        if (group && !read_attributes(r, rd_node_member(group, "attributes"), s))
            return false;
        n_attributes += m->attributes[s].n;
    }
    if (n_lists > RD_LISTS_MOST)
        return rd_reader_fail(r, list, "%d species have individuals; use at most %d such species",
                              n_lists, RD_LISTS_MOST);
    return list_inherited(r, n_attributes);
}

/* Checks that not more fields vary than a voxel has room for. */
static bool check_field_rates(struct rd_reader *r, const rd_node *list)
{
    return r->m->n_field_rates <= RD_FIELD_RATES_MOST ||
           rd_reader_fail(r, list, "%d fields have a rate; use at most %d such fields",
                          r->m->n_field_rates, RD_FIELD_RATES_MOST);
}

static bool read_fields(struct rd_reader *r, const rd_node *list)
{
    struct rd_model *const m = r->m;
    const int n = rd_node_length(list);
    m->field = rd_reader_array(r, n, sizeof *m->field);
    m->field_name = rd_reader_array(r, n, sizeof *m->field_name);
    m->field_varies = rd_reader_array(r, n, sizeof *m->field_varies);
    m->field_component_of =
        rd_reader_array(r, RD_FIELD_COMPONENTS * n, sizeof *m->field_component_of);
    if (!m->field || !m->field_name || !m->field_varies || !m->field_component_of)
        return false;
    for (int k = 0; k < RD_FIELD_COMPONENTS * n; k++)
        m->field_component_of[k] = -1;
    for (int i = 0; i < n; i++) {
        struct rd_field *const x = &m->field[i];
        const bool read =
            rd_names_entry(r, rd_node_at(list, i), RD_NAME_FIELD, &x->name, &x->place);
        m->field_name[i] = x->name;
        m->field_varies[i] = rd_node_member(rd_node_at(list, i), "rate") != NULL;
        m->n_field_rates += m->field_varies[i];
        m->n_fields++;
        if (!read)
            return false;
    }
    return check_field_rates(r, list);
}

bool rd_names_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const parameters = rd_node_member(root, "parameters");
    const rd_node *const species = rd_node_member(root, "species");
    const rd_node *const regions = rd_node_member(root, "regions");
    const rd_node *const fields = rd_node_member(root, "fields");
    const rd_node *const odes = rd_node_member(root, "odes");
    r->axes = rd_reader_many(rd_node_member(rd_node_member(root, "grid"), "voxels"));
    if (rd_node_length(species) == 0)
        rd_reader_fail(r, species, "there is no species; declare one");
    const bool read = check_length(r, parameters, RD_NAME_PARAMETER, RD_MAX_PARAMETERS) &&
                      check_length(r, odes, RD_NAME_PARAMETER, RD_MAX_ODES) &&
                      check_length(r, species, RD_NAME_SPECIES, RD_MAX_SPECIES) &&
                      check_length(r, regions, RD_NAME_REGION, RD_MAX_REGIONS) &&
                      check_length(r, fields, RD_NAME_FIELD, RD_MAX_FIELDS) &&
                      read_parameters(r, parameters, odes) && read_species_names(r, species) &&
                      read_fields(r, fields) && read_individual_names(r, species) &&
                      rd_region_names_read(r, regions, rd_node_member(root, "surfaces"),
                                           rd_node_member(root, "compartments"));
    if (read) {
        rd_events_find_run_values(r);
        rd_compartments_note(r->m, species);
    }
    return read;
}
