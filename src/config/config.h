/* config - reads a configuration file; no other header gives access to libconfig's tree. One table
   of keys defines reading, range checks, defaults, `rdsim keys` and docs/keys.md. */
#ifndef RD_CONFIG_CONFIG_H
#define RD_CONFIG_CONFIG_H

#include "base/error.h"
#include "base/text.h"
#include "expr/units.h"

#include <stdint.h>
#include <stdio.h>

typedef struct rd_config rd_config;

/* Is a node of the tree: opaque, owned by its rd_config. */
typedef struct config_setting_t rd_node;

/* Holds one `--set path=value` of the command line. The path is written as in the file
   (parameters.k, run.runs); an element of a list is given by name (species.A.diffusion) or number
   (species[0].diffusion). */
struct rd_set {
    const char *path, *value;
    const char *place; /* its place in messages; NULL: "--set path=value" */
};

/* Reads and checks the file at path: syntax, number tokens, unknown keys (suggests the nearest
   known one), kinds, ranges of literal numbers and missing required keys. Reports all errors and
   puts in every default. The caller calls rd_config_free, also after a failure. */
bool rd_config_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                    struct rd_error *e);
/* Does the same for standard input, which has this name in messages. */
#define RD_CONFIG_STDIN "<stdin>"
bool rd_config_read_stdin(rd_config **c, const struct rd_set *set, int n_set, struct rd_error *e);
/* Does the same for a text; messages use name in place of the file. */
bool rd_config_parse(rd_config **c, const char *name, const char *text, const struct rd_set *set,
                     int n_set, struct rd_error *e);
/* Does the same for the journal of a program's edits: `edits = ( ... )`. */
bool rd_config_parse_journal(rd_config **c, const char *name, const char *text, struct rd_error *e);
/* Does the same for a sweep. */
bool rd_config_read_sweep(rd_config **c, const char *path, struct rd_error *e);
/* Returns the configuration to which the model of another program in the file (RD_CONFIG_STDIN:
   standard input) is converted; the caller frees it. Adds notes on the conversion. */
char *rd_config_converted(const char *path, struct rd_error *notes, struct rd_error *e);
/* Returns the notes on the conversion of the files. */
const struct rd_error *rd_config_notes(const rd_config *c);
void rd_config_free(rd_config *c);
/* Returns the units of the configuration. */
struct rd_units rd_config_units(const rd_config *c);

const char *rd_config_name(const rd_config *c); /* the file's name */
const char *rd_config_text(const rd_config *c); /* the text as it was read, before --set */
/* Holds one of the files that a configuration consists of. */
struct rd_config_file {
    const char *name, *text; /* as it was read */
};
/* Returns the number of files: those that are included, each after those that it includes, and last
   the configuration itself. */
int rd_config_files(const rd_config *c, const struct rd_config_file **file);
/* Returns the configuration after --set and with every default that is a value. Keys without a
   default (`in`, walls, spread) stay absent. The caller frees the text. */
char *rd_config_effective(const rd_config *c);
/* Returns the same without the result's name and the storage of species: runs with equal texts have
   the same data. */
char *rd_config_identity(const rd_config *c);
/* Returns whether `effective` has the same identity as this configuration. */
bool rd_config_is(const rd_config *c, const char *effective);

/* These functions read the checked tree. */
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
const char *rd_node_text(const rd_node *n); /* NULL if it is not a text */
/* Returns the unit of the node's key as docs/keys.md has it, "length^2/time", or NULL. */
const char *rd_node_unit(const rd_node *n);
/* Returns the node as it would be written in a file; the caller frees it. NULL: no memory. */
char *rd_node_written(const rd_node *n);
/* Writes the shortest form of a number that reads back to the same number in a file. */
void rd_number_write(double v, char text[RD_NUMBER_BYTES]);
/* Returns "file.cfg:12", or "--set run.runs=3"; valid until the configuration is freed. */
const char *rd_node_place(const rd_config *c, const rd_node *n);

/* Prints the table of keys as a Markdown page (docs/keys.md), or as plain text for a terminal. */
void rd_config_keys(FILE *out, bool markdown);
/* Prints the entries of one key or group, given by its path (species.diffusion, grid.voxels) or the
   end of one (diffusion). Reports an unknown name. */
bool rd_config_key(FILE *out, const char *name, struct rd_error *e);

/* Returns whether text matches the word. In a word "first N", N matches any integer above 0, which
   is stored in *number. */
bool rd_word_is(const char *word, const char *text, int64_t *number);

#endif
