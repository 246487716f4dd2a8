/* source - the files of a configuration: the file itself and those that it includes. Each has its
   text and its tree; merge.c makes one tree of them. */
#ifndef RD_CONFIG_SOURCE_H
#define RD_CONFIG_SOURCE_H

#include "config/config.h"
#include "config/syntax.h"

#include <libconfig.h>

struct rd_source {
    struct rd_config_file file; /* its texts are owned */
    config_t tree;              /* the hook of each setting is its place, owned */
    bool *below;                /* [number of an earlier source]: includes it, perhaps by others */
};

/* Describes the sources in the order of merging: a file comes after all files that it includes. */
struct rd_sources {
    struct rd_source **source;
    struct rd_config_file *file; /* the same, without trees */
    int n;
    struct rd_error notes; /* on models of other programs that were converted */
};

/* Makes a source of a text; takes ownership of the text, which may be NULL (no memory). Returns
   NULL with a message only if there is no memory. */
struct rd_source *rd_source_make(const char *name, char *text, struct rd_error *e);
void rd_source_free(struct rd_source *s);
/* Reads the tree of the source's text. */
bool rd_source_parse(struct rd_source *s, struct rd_error *e);
/* Returns whether the text has nothing but blanks. */
bool rd_source_is_empty(const struct rd_source *s);

/* Returns the bytes of the file at path, or of an open stream, and a zero byte; NULL with a
   message, which begins with `place`. noun: what the file should be. The caller frees them. A model
   of another program is converted, with notes, if notes is not NULL. */
char *rd_source_load(const char *path, const char *place, const char *noun, struct rd_error *notes,
                     struct rd_error *e);
char *rd_source_load_stream(FILE *file, const char *path, const char *place, const char *noun,
                            struct rd_error *notes, struct rd_error *e);
/* Returns whether the text is that of a converted model. */
bool rd_source_is_converted(const struct rd_source *s);

/* Appends a source, which the list owns then; also after a failure. */
bool rd_sources_add(struct rd_sources *all, struct rd_source *s, struct rd_error *e);
void rd_sources_free(struct rd_sources *all);
/* Reads the files that the source includes, and those that they include, and appends them and the
   source itself. Takes ownership of the source. */
bool rd_sources_include(struct rd_sources *all, struct rd_source *s, struct rd_error *e);

/* Merges the trees of all sources; keys: those of the last one. Reports values on which two files
   differ if no file that includes both decides. */
struct rd_section;
bool rd_sources_merge(const struct rd_sources *all, const struct rd_section *keys, config_t *to,
                      struct rd_error *e);

/* Reads the tree of a text after its syntax is checked and its brackets are replaced. */
enum rd_syntax rd_source_tree(config_t *tree, char *text, const char *name, bool lines,
                              struct rd_error *e);
/* Sets the place of a setting and takes ownership of it; reports that it is NULL. */
bool rd_source_mark(rd_node *n, char *place, struct rd_error *e);
/* Adds a copy of `from`, with all its members, to parent under that name. place: that of all
   copies; NULL: each has the place of its original. */
bool rd_source_copy(rd_node *parent, const char *name, const rd_node *from, const char *place,
                    struct rd_error *e);
bool rd_source_no_memory(struct rd_error *e);

#endif
