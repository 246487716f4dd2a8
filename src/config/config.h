/* config - reads a configuration file; alone knows libconfig. ONE table of keys gives reading,
   range checks, defaults, `rdsim keys` and docs/keys.md. */
#ifndef RD_CONFIG_CONFIG_H
#define RD_CONFIG_CONFIG_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

typedef struct rd_config rd_config;

/* One setting of the tree: opaque, owned by its rd_config. */
typedef struct config_setting_t rd_node;

/* One `--set path=value` of the command line: path as in the file (parameters.k, run.runs,
   species.A.diffusion or species[0].diffusion for an element of a list by name or number). */
struct rd_set {
    const char *path, *value;
    const char *place; /* of it, for sentences; NULL: "--set path=value" */
};

/* Reads and checks path: syntax, number tokens, unknown keys (nearest known one named), kinds,
   ranges of literal numbers, missing required keys - all faults at once - and puts in every
   default. The caller frees with rd_config_free, also after a failure. */
bool rd_config_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                    struct rd_error *e);
/* The same from standard input, which has this name. */
#define RD_CONFIG_STDIN "<stdin>"
bool rd_config_read_stdin(rd_config **c, const struct rd_set *set, int n_set, struct rd_error *e);
/* The same from text; name stands for the file in messages. */
bool rd_config_parse(rd_config **c, const char *name, const char *text, const struct rd_set *set,
                     int n_set, struct rd_error *e);
/* Likewise a sweep. */
bool rd_config_read_sweep(rd_config **c, const char *path, struct rd_error *e);
void rd_config_free(rd_config *c);

const char *rd_config_name(const rd_config *c); /* the file's name */
const char *rd_config_text(const rd_config *c); /* as it was read, before --set */
/* The configuration after --set and with every default that is a value; keys without one (`in`,
   walls, spread) stay out where they were left out. The caller frees. */
char *rd_config_effective(const rd_config *c);
/* The same but for the result's name: runs that agree in it have the same data. */
char *rd_config_identity(const rd_config *c);
/* Whether that is the text of this configuration, but for where the result stands. */
bool rd_config_is(const rd_config *c, const char *effective);

/* Walking the checked tree. */
const rd_node *rd_config_root(const rd_config *c);
const rd_node *rd_node_member(const rd_node *group, const char *name); /* NULL if absent */
const rd_node *rd_node_at(const rd_node *list, int i);
int rd_node_length(const rd_node *n);       /* members of a group, elements of a list, else 0 */
const char *rd_node_name(const rd_node *n); /* NULL for elements of lists */
bool rd_node_is_group(const rd_node *n);
bool rd_node_is_list(const rd_node *n);   /* a list or an array */
bool rd_node_is_text(const rd_node *n);   /* a string: a word or an expression */
bool rd_node_is_number(const rd_node *n); /* integer or float */
double rd_node_number(const rd_node *n);
int64_t rd_node_integer(const rd_node *n);
bool rd_node_bool(const rd_node *n);
const char *rd_node_text(const rd_node *n); /* NULL if not a text */
/* As it would be written in a file; the caller frees. NULL: no memory. */
char *rd_node_written(const rd_node *n);
/* The shortest form of a number that reads back to the same one. */
enum { RD_NUMBER_BYTES = 40 };
void rd_number_write(double v, char text[RD_NUMBER_BYTES]);
/* "file.cfg:12", or "--set run.runs=3"; lives as long as the configuration. */
const char *rd_node_place(const rd_config *c, const rd_node *n);

/* The table of keys as a Markdown page (docs/keys.md), or as plain text for a terminal. */
void rd_config_keys(FILE *out, bool markdown);
/* Prints the entries of one key or group: by its path (species.diffusion, grid.voxels) or the end
   of one (diffusion). An unknown name is wrong. */
bool rd_config_key(FILE *out, const char *name, struct rd_error *e);

/* Whether text is the word. "first N" stands for that with any whole number above 0, which is given
   then. */
bool rd_word_is(const char *word, const char *text, int64_t *number);
/* The one of n words nearest to word by edit distance, or NULL if none is near; name(list, i) gives
   the i-th, which may be NULL. For "did you mean ...?". */
const char *rd_nearest(const char *word, int n, const char *(*name)(const void *list, int i),
                       const void *list);

#endif
