/* keys - THE TABLE: every key that a configuration may have, with its kind, range, default and
   meaning. Reading, checks, defaults, --set and docs/keys.md follow it. */
#ifndef RD_CONFIG_KEYS_H
#define RD_CONFIG_KEYS_H

#include "base/error.h"

#include <stddef.h>

enum rd_key_kind {
    RD_KEY_TEXT,
    RD_KEY_TEXTS,  /* a text, or a list of texts */
    RD_KEY_WORD,   /* one of words */
    RD_KEY_NUMBER, /* a number, or an expression in quotes */
    RD_KEY_INTEGER,
    RD_KEY_WHOLES, /* an integer, or a list of integers */
    RD_KEY_BOOL,
    RD_KEY_VECTOR,   /* a number, or a list of one to three */
    RD_KEY_INTEGERS, /* an integer, or a list of one to three */
    RD_KEY_NUMBERS,  /* a list of numbers of any length */
    RD_KEY_GROUP,    /* a group with the keys inside */
    RD_KEY_LIST,     /* a list of groups with the keys inside */
    RD_KEY_LISTABLE, /* a group with the keys inside, or a list of such groups */
    RD_KEY_CHOICE,   /* one of words, or a group with the keys inside */
    RD_KEY_NAMES,    /* a group of numbers with any names */
    RD_KEY_GROUPS,   /* a group of groups with any names, which have the keys inside */
    RD_KEY_VALUES    /* a list of any values, or a group with the keys inside */
};

struct rd_section;

struct rd_key {
    const char *name;
    enum rd_key_kind kind;
    bool required;
    bool open;            /* low itself is excluded */
    bool may_be_empty;    /* a list of it may have no element */
    bool once;            /* at most one group of a list has it: it is for all of them */
    bool each;            /* one number does not apply to all axes, except 0 */
    double low, high;     /* range of literal numbers; both 0: any */
    const char *words[6]; /* ends with NULL */
    const char *standard; /* the default as it would be written, or NULL */
    const char *absent;   /* for the documentation: what holds without the key if there is no
                             default */
    const char *unit;     /* or NULL */
    const char *meaning;
    const struct rd_section *inside; /* keys of a group */
};

/* Holds the keys of one group. */
struct rd_section {
    const char *title; /* its path: "species[]" */
    const char *about; /* for the documentation: full sentences */
    int n_keys;
    const struct rd_key *key;
};

extern const struct rd_section rd_keys_root;
/* Lists all sections in the order of reading; ends with NULL. */
extern const struct rd_section *const rd_keys_sections[];
/* Do the same for a sweep. */
extern const struct rd_section rd_keys_sweep;
extern const struct rd_section *const rd_keys_of_sweeps[];
/* Does the same for the journal of a program's edits (keys_amounts.c). */
extern const struct rd_section rd_keys_journal;

const struct rd_key *rd_key_find(const struct rd_section *s, const char *name); /* or NULL */
/* Writes what a value of the key must be, as "an integer from 1 to 9". */
void rd_key_hint(const struct rd_key *k, char *text, size_t bytes);
/* Writes the same for one element of a value that is a list or a group of any names. */
void rd_key_hint_one(const struct rd_key *k, char *text, size_t bytes);
/* Reports that the section, a group with the path `group`, has no key of that name, and suggests a
   key; returns false. */
bool rd_key_unknown(const struct rd_section *s, const char *name, const char *group,
                    const char *place, struct rd_error *e);

#endif
