/* key_hint - writes what the value of a key must be, and suggests keys for unknown names. */
#include "base/text.h"
#include "config/keys.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *key_name(const void *section, int i)
{
    return ((const struct rd_section *)section)->key[i].name;
}

/* Appends to a text with a capacity of `bytes`. */
static void add_words(char *text, size_t bytes, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, bytes - used, format, list);
    va_end(list);
}

static void add_range(char *text, size_t bytes, const struct rd_key *k)
{
    if (k->low == 0 && k->high == 0)
        return;
    if (isinf(k->high))
        add_words(text, bytes, " %s %.15g", k->open ? ">" : ">=", k->low);
    else
        add_words(text, bytes, " from %.15g to %.15g", k->low, k->high);
}

/* Writes what a list with one number for each axis must be. */
static void hint_each(const struct rd_key *k, char *text, size_t bytes)
{
    *text = 0;
    add_words(text, bytes, "a list of %s or \"expressions\"",
              k->kind == RD_KEY_INTEGERS ? "integers" : "numbers");
    add_range(text, bytes, k);
    add_words(text, bytes, ", one for each axis");
}

void rd_key_hint_one(const struct rd_key *k, char *text, size_t bytes)
{
    const bool is_group =
        k->kind == RD_KEY_LIST || k->kind == RD_KEY_LISTABLE || k->kind == RD_KEY_GROUPS;
    *text = 0;
    add_words(text, bytes, "%s",
              is_group                     ? "a group { ... }"
              : k->kind == RD_KEY_TEXTS    ? "a \"text\""
              : k->kind == RD_KEY_WHOLES   ? "an integer"
              : k->kind == RD_KEY_INTEGERS ? "an integer or \"expression\""
                                           : "a number or \"expression\"");
    add_range(text, bytes, k);
}

void rd_key_hint(const struct rd_key *k, char *text, size_t bytes)
{
    static const char *const kind[] = {
        [RD_KEY_TEXT] = "a \"text\"",
        [RD_KEY_TEXTS] = "a \"text\", or a list of texts",
        [RD_KEY_WORD] = "",
        [RD_KEY_NUMBER] = "a number or \"expression\"",
        [RD_KEY_INTEGER] = "an integer",
        [RD_KEY_WHOLES] = "an integer, or a list of integers",
        [RD_KEY_BOOL] = "true or false",
        [RD_KEY_VECTOR] = "a number or \"expression\"",
        [RD_KEY_INTEGERS] = "an integer or \"expression\"",
        [RD_KEY_NUMBERS] = "a list of numbers or \"expressions\"",
        [RD_KEY_GROUP] = "a group { ... }",
        [RD_KEY_LIST] = "a list of groups ({ ... }, { ... })",
        [RD_KEY_LISTABLE] = "a group { ... }, or a list of groups",
        [RD_KEY_CHOICE] = "a group { ... }",
        [RD_KEY_GROUPS] = "a group of named groups { ... }",
        [RD_KEY_NAMES] = "a group of named numbers or \"expressions\"",
        [RD_KEY_VALUES] = "a list of values, or a group { ... }",
    };
    if (k->each) {
        hint_each(k, text, bytes);
        return;
    }
    *text = 0;
    for (int i = 0; k->words[i]; i++) {
        const bool last = k->kind == RD_KEY_WORD && !k->words[i + 1];
        add_words(text, bytes, "%s\"%s\"", i == 0 ? "" : last ? " or " : ", ", k->words[i]);
    }
    add_words(text, bytes, "%s%s", k->words[0] && *kind[k->kind] ? " or " : "", kind[k->kind]);
    add_range(text, bytes, k);
    if (k->kind == RD_KEY_VECTOR)
        add_words(text, bytes, ", or a list with one for each axis");
    if (k->kind == RD_KEY_INTEGERS)
        add_words(text, bytes, ", or a list of 1 to 3 of them");
}

/* Returns the present name of a renamed key if the section has it; else NULL. */
static const char *renamed(const struct rd_section *s, const char *name)
{
    static const char *const was_is[][2] = {
        {"cells", "voxels"}, {"cell", "voxel"}, {"law", "propensity"}, {"chance", "probability"}};
    for (size_t i = 0; i < sizeof was_is / sizeof *was_is; i++)
        if (strcmp(name, was_is[i][0]) == 0 && rd_key_find(s, was_is[i][1]))
            return was_is[i][1];
    return NULL;
}

/* Pairs a key with the words that other programs, or papers, use for it. Blanks separate them. */
static const char *const key_words[][2] = {
    {"diffusion", "D diffusivity diff difc dcst dcoef Dm D0 diffusion_coefficient diffusion_coeff "
                  "diffusion_constant diffusion_const diffusion_rate"},
    {"drift", "v velocity advection drift_velocity flow"},
    {"in", "region compartment location domain subdomain volume_region volsys restrict_to"},
    {"on", "surface membrane patch surfsys"},
    {"walls", "boundary boundaries boundary_condition boundary_conditions bc bcs periodic"},
    {"edge", "h dx spacing resolution voxel_size cell_size lattice_spacing subvolume_size "
             "grid_size size_of_voxel"},
    {"count", "amount number molecules particles copies initial_amount initial_count initial_value "
              "copy_number number_of_molecules population quantity size n n0"},
    {"voxels", "n nx ny nz size shape dims dimensions cells subvolumes lattice_size mesh "
               "n_voxels num_voxels"},
    {"end", "duration t t_end tend tstop t_stop stop_time final_time t_final tf tmax t_max length "
            "until end_time runtime sim_time simulation_time max_time"},
    {"step", "dt timestep time_step step_size max_step tau delta_t h"},
    {"name", "id label title"},
    {"equation", "reaction reactants products formula stoichiometry"},
    {"back", "kr kb koff k_off reverse_rate backward backward_rate reversible k_backward"},
    {"rate", "k kf kon k_on kcat rate_constant constant kcst kinetic_constant forward k_forward "
             "speed mass_action"},
    {"propensity", "propensity_function hazard"},
    {"rate_law", "kinetic_law law kinetics rate_expression"},
    {"radius", "rxnrad binding_radius reaction_radius sigma r"},
    {"radii", "semi_axes axes"},
    {"centre", "center c middle"},
    {"density", "concentration conc initial_concentration c c0"},
    {"value", "expression function profile distribution"},
    {"at", "position location point"},
    {"title", "name model"},
    {"species", "molecule molecules name particles specie"},
    {"every", "interval dt period step save_interval write_interval sampling_interval sampling "
              "output_interval frequency"},
    {"times", "save_times time_points saveat"},
    {"file", "filename path name out"},
    {"keep", "save store record"},
    {"runs", "n_runs n_trajectories num_trajectories number_of_trajectories number_of_runs "
             "replicates repeats trajectories realizations samples n"},
    {"seed", "random_seed rng_seed rng"},
    {"grid", "geometry lattice mesh domain space box"},
    {"time", "simulation sim"},
    {"initial", "initial_conditions init initial_condition ic initial_state"},
    {"reactions", "rules reaction processes"},
    {"parameters", "params constants parameter variables"},
    {"regions", "subdomains domains"},
    {"output", "outputs results save"},
    {"run", "ensemble"},
    {"events", "actions triggers"},
    {"solver", "method algorithm simulator integrator"},
};

static const char *skip_lines(const char *c)
{
    return c + strspn(c, "_");
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns whether the words, which blanks separate, have the name; the size of letters and the sign
   _ make no difference. */
static bool has_word(const char *words, const char *name)
{
    while (*words) {
        const char *n = skip_lines(name);
        for (words = skip_lines(words); *n && small(*n) == small(*words); n = skip_lines(n + 1))
            words = skip_lines(words + 1);
        if (!*n && (!*words || *words == ' '))
            return true;
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    return false;
}

/* Returns the key of the section that a word of other programs means; NULL if there is none. */
static const char *meant(const struct rd_section *s, const char *name)
{
    for (size_t i = 0; i < sizeof key_words / sizeof *key_words; i++)
        if (rd_key_find(s, key_words[i][0]) && has_word(key_words[i][1], name))
            return key_words[i][0];
    return NULL;
}

static bool is_in_configuration(const struct rd_section *s)
{
    int i = 0;
    while (rd_keys_sections[i] && rd_keys_sections[i] != s)
        i++;
    return rd_keys_sections[i] != NULL;
}

/* Returns the section of the configuration's lists, or of its single groups, that has the key; NULL
   if none has it, or several have. */
static const struct rd_section *only_section(const char *key, bool is_list)
{
    const struct rd_section *found = NULL;
    int n = 0;
    for (int i = 0; i < rd_keys_root.n_keys; i++) {
        const struct rd_key *const k = &rd_keys_root.key[i];
        if (k->inside && (k->kind == RD_KEY_LIST) == is_list && rd_key_find(k->inside, key)) {
            found = k->inside;
            n++;
        }
    }
    return n == 1 ? found : NULL;
}

/* Returns the section that has *key, which the section s of the configuration does not have. From
   the root, groups are searched before lists. */
static const struct rd_section *other_section(const struct rd_section *s, const char *key)
{
    const struct rd_section *const group = s == &rd_keys_root ? only_section(key, false) : NULL;
    return group ? group : only_section(key, true);
}

/* Returns the section that has the key of that name, or of that meaning, and the key; NULL if that
   is not clear. */
static const struct rd_section *section_with(const struct rd_section *s, const char *name,
                                             const char **key)
{
    const struct rd_section *found = other_section(s, name);
    *key = name;
    for (size_t i = 0; !found && i < sizeof key_words / sizeof *key_words; i++)
        if (has_word(key_words[i][1], name)) {
            *key = key_words[i][0];
            found = other_section(s, *key);
        }
    return found;
}

/* Reports a key that belongs to another part of the configuration; returns whether it does. */
static bool report_elsewhere(const struct rd_section *s, const char *name, const char *group,
                             const char *place, struct rd_error *e)
{
    const char *key;
    if (!is_in_configuration(s))
        return false;
    if (rd_key_find(&rd_keys_root, name)) {
        rd_fail(e, "%s: '%s' is not a key of %s; write it outside of all groups", place, name,
                group);
        return true;
    }
    const struct rd_section *const other = section_with(s, name, &key);
    if (other)
        rd_fail(e, "%s: '%s' is not a key of %s; write '%s' in %s", place, name, group, key,
                other->title);
    return other != NULL;
}

bool rd_key_unknown(const struct rd_section *s, const char *name, const char *group,
                    const char *place, struct rd_error *e)
{
    const char *const is = renamed(s, name);
    if (is)
        return rd_fail(e, "%s: %s: '%s' is now '%s'; rename it, or run tools/rename_keys.py", place,
                       group, name, is);
    const char *const key = meant(s, name);
    if (key)
        return rd_fail(e, "%s: '%s' is not a key of %s; write '%s'", place, name, group, key);
    const char *const near = rd_text_nearest(name, s->n_keys, key_name, s);
    const bool is_exact = s == &rd_keys_root && other_section(s, name);
    if ((!near || is_exact) && report_elsewhere(s, name, group, place, e))
        return false;
    if (near)
        return rd_fail(e, "%s: '%s' is not a key of %s; did you mean '%s'?", place, name, group,
                       near);
    char known[256] = "";
    for (int i = 0; i < s->n_keys; i++)
        add_words(known, sizeof known, "%s%s", i == 0 ? "" : ", ", s->key[i].name);
    return rd_fail(e, "%s: '%s' is not a key of %s; use one of %s", place, name, group, known);
}
