/* keys - THE TABLE: every key that a configuration may have, with its kind, range, default and
   meaning. Reading, checks, defaults, --set and docs/keys.md all follow it. */
#ifndef RD_CONFIG_KEYS_H
#define RD_CONFIG_KEYS_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

enum rd_key_kind {
    RD_KEY_TEXT,
    RD_KEY_TEXTS,  /* or a list of such */
    RD_KEY_WORD,   /* one of words */
    RD_KEY_NUMBER, /* or an expression in quotes */
    RD_KEY_INTEGER,
    RD_KEY_WHOLES, /* an integer, or a list of such */
    RD_KEY_BOOL,
    RD_KEY_VECTOR,   /* a number, or a list of one to three */
    RD_KEY_INTEGERS, /* likewise of integers */
    RD_KEY_NUMBERS,  /* a list of numbers, however long */
    RD_KEY_GROUP,    /* of the keys inside */
    RD_KEY_LIST,     /* of groups of the keys inside */
    RD_KEY_LISTABLE, /* a group of the keys inside, or a list of such */
    RD_KEY_CHOICE,   /* one of words, or a group of the keys inside */
    RD_KEY_NAMES,    /* a group of any names, each a number */
    RD_KEY_VALUES    /* a list of anything, or a group of the keys inside */
};

struct rd_section;

struct rd_key {
    const char *name;
    enum rd_key_kind kind;
    bool required;
    bool open;            /* low itself is not allowed */
    bool each;            /* one number does not stand for all axes, but 0 */
    double low, high;     /* of literal numbers; both 0: any */
    const char *words[6]; /* ends with NULL */
    const char *standard; /* the default as it would be written, or NULL */
    const char *absent;   /* for the reader: what holds without the key, where no default tells */
    const char *unit;     /* or NULL */
    const char *meaning;
    const struct rd_section *inside; /* of groups */
};

/* The keys of one group. */
struct rd_section {
    const char *title; /* where it stands: "species[]" */
    const char *about; /* for the reader: sentences */
    int n_keys;
    const struct rd_key *key;
};

extern const struct rd_section rd_keys_root;
/* All of them, in the order of reading; ends with NULL. */
extern const struct rd_section *const rd_keys_sections[];
/* The same of a sweep. */
extern const struct rd_section rd_keys_sweep;
extern const struct rd_section *const rd_keys_of_sweeps[];

const struct rd_key *rd_key_find(const struct rd_section *s, const char *name); /* or NULL */
/* The name of key i of a section, for rd_nearest. */
const char *rd_key_name(const void *section, int i);

/* What a value of the key must be, as "an integer from 1 to 9". */
void rd_key_hint(const struct rd_key *k, char *text, size_t bytes);
/* The same of one element, where the value is a list or a group of any names. */
void rd_key_hint_one(const struct rd_key *k, char *text, size_t bytes);
/* Prints one key, and a section with all its keys: as plain text, or in Markdown. */
void rd_key_print(FILE *out, const struct rd_key *k);
void rd_key_print_section(FILE *out, const struct rd_section *s, bool markdown);
/* Says that the section, a group whose path is group, has no key of that name, and which one may
   be meant; gives false. */
bool rd_key_unknown(const struct rd_section *s, const char *name, const char *group,
                    const char *place, struct rd_error *e);

#endif
