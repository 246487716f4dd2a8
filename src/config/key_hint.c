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
    const bool is_group = k->kind == RD_KEY_LIST || k->kind == RD_KEY_LISTABLE;
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

/* Returns the key of the section for a word that other programs, or papers, use for it; NULL
   if there is none. Blanks separate the words. */
static const char *meant(const struct rd_section *s, const char *name)
{
    static const char *const key_words[][2] = {
        {"diffusion", "D diffusion_coefficient diffusivity diff diffusion_constant difc dcst"},
        {"drift", "v velocity advection drift_velocity flow"},
        {"in", "region compartment location domain volume_region"},
        {"on", "surface membrane"},
        {"walls", "boundary boundaries boundary_conditions bc bcs"},
        {"edge",
         "h dx spacing resolution voxel_size cell_size lattice_spacing subvolume size_of_voxel"},
        {"voxels", "n nx size shape dims dimensions cells lattice_size mesh"},
        {"end", "duration t_end tend tstop t_stop stop_time final_time t_final tmax t_max length"},
        {"step", "dt timestep time_step tau delta_t"},
        {"equation", "reaction reactants products formula stoichiometry"},
        {"rate", "k kf kon k_on rate_constant constant kcst kinetic_constant"},
        {"back", "kr kb koff k_off reverse_rate backward_rate"},
        {"rate_law", "kinetic_law law kinetics rate_expression"},
        {"count", "amount number molecules copies initial_amount copy_number n"},
        {"density", "concentration conc initial_concentration c"},
        {"at", "position location point"},
        {"species", "molecule molecules name particles specie"},
        {"every", "interval dt period step save_interval write_interval sampling output_interval"},
        {"times", "save_times time_points saveat timepoints"},
        {"file", "filename path name out"},
        {"keep", "save store record"},
        {"runs", "n_runs replicates repeats trajectories n_trajectories realizations samples"},
        {"seed", "random_seed rng_seed rngseed"},
        {"grid", "geometry lattice mesh domain space box"},
        {"time", "simulation sim duration end t_end dt"},
        {"initial", "initial_conditions init initial_condition ic initial_state"},
        {"reactions", "rules reaction processes"},
        {"parameters", "params constants parameter variables"},
        {"regions", "compartments_of_space subdomains domains subvolumes"},
        {"output", "outputs results save"},
        {"run", "ensemble"},
    };
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof key_words / sizeof *key_words; i++) {
        if (!rd_key_find(s, key_words[i][0]))
            continue;
        for (const char *at = strstr(key_words[i][1], name); at; at = strstr(at + 1, name)) {
            const bool begins = at == key_words[i][1] || at[-1] == ' ';
            if (begins && (at[length] == ' ' || !at[length]))
                return key_words[i][0];
        }
    }
    return NULL;
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
    if (near)
        return rd_fail(e, "%s: '%s' is not a key of %s; did you mean '%s'?", place, name, group,
                       near);
    char known[256] = "";
    for (int i = 0; i < s->n_keys; i++)
        add_words(known, sizeof known, "%s%s", i == 0 ? "" : ", ", s->key[i].name);
    return rd_fail(e, "%s: '%s' is not a key of %s; use one of %s", place, name, group, known);
}
