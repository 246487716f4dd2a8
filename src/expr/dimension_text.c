/* dimension_text - dimensions in words, as units of a configuration, and as keys have them. */
#include "expr/dimension_text.h"

#include <stdio.h>
#include <string.h>

/* Appends length^2 or time; nothing for power 0. */
static size_t add_power(char *text, size_t bytes, const char *name, double power)
{
    if (power == 0.0 || bytes == 0)
        return 0;
    const int n = power == 1.0 ? snprintf(text, bytes, "%s", name)
                               : snprintf(text, bytes, "%s^%.4g", name, power);
    return n < 0 ? 0 : (size_t)n < bytes ? (size_t)n : bytes - 1;
}

/* Writes powers of two names as "length^2/time", "/time" or "/length^3/time". */
static void write_powers(struct rd_dimension d, const char *length, const char *time, char *text,
                         size_t bytes)
{
    const char *const name[] = {length, time};
    const double power[] = {d.length, d.time};
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < 2; i++)
        if (power[i] > 0.0) {
            used += (size_t)snprintf(text + used, bytes - used, "%s", used ? " " : "");
            used += add_power(text + used, bytes - used, name[i], power[i]);
        }
    for (int i = 0; i < 2; i++)
        if (power[i] < 0.0) {
            used += (size_t)snprintf(text + used, bytes - used, "/");
            used += add_power(text + used, bytes - used, name[i], -power[i]);
        }
}

void rd_dimension_words(struct rd_dimension d, char *text, size_t bytes)
{
    static const struct {
        struct rd_dimension d;
        const char *words;
    } common[] = {{{0, 0}, "a pure number"},
                  {{1, 0}, "a length"},
                  {{2, 0}, "an area"},
                  {{3, 0}, "a volume"},
                  {{0, 1}, "a time"},
                  {{-3, 0}, "molecules/volume"},
                  {{-2, 0}, "molecules/area"},
                  {{-1, 0}, "molecules/length"},
                  {{-3, -1}, "molecules/volume/time"},
                  {{-2, -1}, "molecules/area/time"},
                  {{3, -1}, "volume/time"}};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (rd_dimension_is_same(d, common[i].d)) {
            snprintf(text, bytes, "%s", common[i].words);
            return;
        }
    char powers[64];
    write_powers(d, "length", "time", powers, sizeof powers);
    snprintf(text, bytes, "%s%s", *powers == '/' ? "1" : "", powers);
}

void rd_dimension_units(const struct rd_units *u, struct rd_dimension d, char *text, size_t bytes)
{
    write_powers(d, u->length_name, u->time_name, text, bytes);
}

void rd_dimension_example(const struct rd_units *u, struct rd_dimension d, char *text, size_t bytes)
{
    char powers[64];
    const bool is_known = u->are_known;
    write_powers(d, is_known ? u->length_name : "um", is_known ? u->time_name : "s", powers,
                 sizeof powers);
    const bool is_concentration = rd_dimension_is_same(d, (struct rd_dimension){-3, 0});
    const bool is_binding = rd_dimension_is_same(d, (struct rd_dimension){3, -1});
    if (rd_dimension_is_same(d, (struct rd_dimension){0, 0}))
        snprintf(text, bytes, "100");
    else if (is_concentration || is_binding)
        snprintf(text, bytes, "\"%s\"", is_binding ? "1e6 /M/s" : "50 nM");
    else
        snprintf(text, bytes, "\"0.5 %s\"", powers);
}

bool rd_dimension_of_key(const char *unit, int axes, struct rd_dimension *d)
{
    const double n = axes;
    const struct {
        const char *unit;
        struct rd_dimension d;
    } table[] = {{"length", {1, 0}},
                 {"time", {0, 1}},
                 {"1/time", {0, -1}},
                 {"length/time", {1, -1}},
                 {"length^2/time", {2, -1}},
                 {"volume", {n, 0}},
                 {"area", {n - 1, 0}},
                 {"molecules", {0, 0}},
                 {"voxels", {0, 0}},
                 {"molecules/voxel", {0, 0}},
                 {"molecules per voxel", {0, 0}},
                 {"molecules/volume", {-n, 0}},
                 {"1/(volume time)", {-n, -1}},
                 {"probability", {0, 0}}};
    for (size_t i = 0; unit && i < sizeof table / sizeof *table; i++)
        if (strcmp(unit, table[i].unit) == 0) {
            *d = table[i].d;
            return true;
        }
    return false;
}
