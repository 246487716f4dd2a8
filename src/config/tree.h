/* tree - changes the tree of a configuration; separate because only src/config/ may change it.
   The functions are in config.c, the only file that includes libconfig. */
#ifndef RD_CONFIG_TREE_H
#define RD_CONFIG_TREE_H

#include "config/config.h"

#include <stddef.h>

/* Return what rd_config_root, rd_node_member and rd_node_at return, but not const. */
rd_node *rd_tree_root(rd_config *c);
rd_node *rd_tree_member(const rd_node *group, const char *name);
rd_node *rd_tree_at(const rd_node *list, int i);

/* Returns the group of a list that has the key, or its first group; a group counts as a list of
   one. Returns NULL for an empty list. (rules.c) */
rd_node *rd_tree_holder(rd_node *list, const char *key);

/* Makes value, in the file's syntax, the member of that name; replaces an existing one. A value
   that does not have that syntax becomes a text. Later messages about the member give place. */
bool rd_tree_put(rd_node *group, const char *name, const char *value, const char *place,
                 struct rd_error *e);
bool rd_tree_put_text(rd_node *group, const char *name, const char *text, const char *place,
                      struct rd_error *e);

/* Writes a node's path as "species[0].diffusion"; the root's is "". */
void rd_tree_path(const rd_node *n, char *path, size_t bytes);

/* Puts the values of --set into the tree and reports all errors. */
bool rd_sets_apply(rd_config *c, const struct rd_set *set, int n_set, struct rd_error *e);
/* Checks the tree against the table of keys, puts in the defaults and reports all errors. */
struct rd_section;
bool rd_rules_check(rd_config *c, const struct rd_section *keys, struct rd_error *e);

#endif
