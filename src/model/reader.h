/* reader - what the parts that read a model share: the tree, the model so far, where faults go,
   and how the numbers, vectors and words of a configuration are read. */
#ifndef RD_MODEL_READER_H
#define RD_MODEL_READER_H

#include "model/model.h"

struct rd_reader {
    struct rd_model *m;
    const rd_config *c;
    struct rd_error *e;
    bool has_values;   /* every parameter has its value */
    int *heir;         /* of each parameter: one that was computed from it, or -1; owned */
    uint64_t *overlap; /* every combination of regions that some voxel lies in; owned */
    int n_overlaps;    /* 0 while grid or regions are at fault */
    char about[96];    /* what is being read: "reaction 'A -> B'", or "" */
};

/* What a number must be; each holds the finite ones only. */
enum rd_range { RD_RANGE_ANY, RD_RANGE_NOT_NEGATIVE, RD_RANGE_POSITIVE, RD_RANGE_PROBABILITY };

/* A sentence on what stands at node; rd_reader_fail gives false. */
bool rd_reader_fail(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rd_reader_warn(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Says what is being read, for the sentences to come. */
void rd_reader_about(struct rd_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* n zeroed things (one, if n is 0), or a copy of text; NULL with a sentence. */
void *rd_reader_array(struct rd_reader *r, int64_t n, size_t size);
char *rd_reader_copy(struct rd_reader *r, const char *text);

/* Whether x is the same everywhere and at all times as long as no event sets a parameter, and can
   be valued now; then the value. */
bool rd_reader_known(const struct rd_reader *r, const struct rd_expr *x, double *value);

/* Whether the value of node, called key, lies in range. */
bool rd_reader_check(struct rd_reader *r, const rd_node *node, const char *key, double v,
                     enum rd_range range);
/* Reads the number or expression at node, called key; what is known of it must lie in range. */
bool rd_reader_expr(struct rd_reader *r, const rd_node *node, const char *key, unsigned allowed,
                    enum rd_range range, struct rd_expr *x);
/* The same with names of its own. */
bool rd_reader_within(struct rd_reader *r, const rd_node *node, const char *key,
                      const struct rd_scope *scope, enum rd_range range, struct rd_expr *x);
bool rd_reader_number(struct rd_reader *r, const rd_node *node, const char *key,
                      enum rd_range range, double *value);
/* The integer from least to 2^31 - 1, or expression of one, at node. */
bool rd_reader_whole(struct rd_reader *r, const rd_node *node, const char *key, int32_t least,
                     int32_t *value);

/* What node says for each axis of the grid: a list of as many numbers as there are dimensions.
   A lone number may stand for all axes where `lone` allows, in one dimension, and if it is 0. */
bool rd_reader_axes(struct rd_reader *r, const rd_node *node, bool lone, const rd_node *axis[3]);
/* The vector of numbers at node; 0 beyond the dimension. */
bool rd_reader_vector(struct rd_reader *r, const rd_node *node, double v[3]);

/* Which of n words the text at node is; the configuration's check saw to it that it is one. */
int rd_reader_word(const rd_node *node, int n, const char *const *word);

/* How many elements the list at node has, or 1: what may stand alone instead of in a list; and
   element number i. */
int rd_reader_many(const rd_node *node);
const rd_node *rd_reader_each(const rd_node *node, int i);

/* Which one of n keys, told apart by name, group has; -1 if it has none or several. */
int rd_reader_one_of(struct rd_reader *r, const rd_node *group, int n, const char *const *key);

#endif
