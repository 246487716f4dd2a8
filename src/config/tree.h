/* tree - what the files that check a configuration may do to its tree, beyond reading it. Kept in
   config.c, which alone knows libconfig. */
#ifndef RD_CONFIG_TREE_H
#define RD_CONFIG_TREE_H

#include "config/config.h"

#include <stddef.h>

/* As rd_config_root, rd_node_member and rd_node_at. */
rd_node *rd_tree_root(rd_config *c);
rd_node *rd_tree_member(const rd_node *group, const char *name);
rd_node *rd_tree_at(const rd_node *list, int i);

/* Makes value, in the file's syntax, the member of that name, in the place of one that was there.
   What does not have that syntax is a text. Later sentences about it name place. */
bool rd_tree_put(rd_node *group, const char *name, const char *value, const char *place,
                 struct rd_error *e);
bool rd_tree_put_text(rd_node *group, const char *name, const char *text, const char *place,
                      struct rd_error *e);

/* A node's path as in "species[0].diffusion"; the root's is "". */
void rd_tree_path(const rd_node *n, char *path, size_t bytes);

/* A text with room for the formatted one, or NULL; the caller frees. */
char *rd_tree_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts --set's values into the tree. All faults are told. */
bool rd_sets_apply(rd_config *c, const struct rd_set *set, int n_set, struct rd_error *e);
/* Holds the tree against the table of keys and puts in the defaults. All faults are told. */
struct rd_section;
bool rd_rules_check(rd_config *c, const struct rd_section *keys, struct rd_error *e);

#endif
