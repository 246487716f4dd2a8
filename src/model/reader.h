/* reader - the state that all parts of the model reader share, and functions that read numbers,
   vectors and words of a configuration. */
#ifndef RD_MODEL_READER_H
#define RD_MODEL_READER_H

#include "model/model.h"

struct rd_reader {
    struct rd_model *m;
    const rd_config *c;
    struct rd_error *e;
    bool has_values;   /* every parameter has its value */
    int *heir;         /* [parameter]: a parameter that was computed from it, or -1; owned */
    uint64_t *overlap; /* every combination of regions that occurs in a voxel; owned */
    int n_overlaps;    /* 0 while grid or regions are wrong */
    char about[96];    /* subject of messages: "reaction 'A -> B'", or "" */
};

/* Ranges of numbers; each holds finite numbers only. */
enum rd_range { RD_RANGE_ANY, RD_RANGE_NOT_NEGATIVE, RD_RANGE_POSITIVE, RD_RANGE_PROBABILITY };

/* Reports a message about the value at node, as an error or as a warning. rd_reader_fail returns
   false. */
bool rd_reader_fail(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rd_reader_warn(struct rd_reader *r, const rd_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the subject of the messages that follow. */
void rd_reader_about(struct rd_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns n zeroed elements (one, if n is 0), or a copy of text; NULL with a message. The caller
   frees it. */
void *rd_reader_array(struct rd_reader *r, int64_t n, size_t size);
char *rd_reader_copy(struct rd_reader *r, const char *text);

/* Returns whether x is constant in space and time while no event sets a parameter, and can be
   evaluated now. If so, sets *value. */
bool rd_reader_known(const struct rd_reader *r, const struct rd_expr *x, double *value);

/* Checks that v, the value of node, called key, lies in range. */
bool rd_reader_check(struct rd_reader *r, const rd_node *node, const char *key, double v,
                     enum rd_range range);
/* Reads the number or expression at node, called key. If its value is known already, it must lie in
   range. */
bool rd_reader_expr(struct rd_reader *r, const rd_node *node, const char *key, unsigned allowed,
                    enum rd_range range, struct rd_expr *x);
/* Reads the number or expression at node likewise, with the names of scope. */
bool rd_reader_within(struct rd_reader *r, const rd_node *node, const char *key,
                      const struct rd_scope *scope, enum rd_range range, struct rd_expr *x);
bool rd_reader_number(struct rd_reader *r, const rd_node *node, const char *key,
                      enum rd_range range, double *value);
/* Reads an integer from least to 2^31 - 1, or an expression of one, at node. */
bool rd_reader_whole(struct rd_reader *r, const rd_node *node, const char *key, int32_t least,
                     int32_t *value);

/* Finds the node for each axis of the grid in a list with one number per dimension. One number may
   stand for all axes if `lone`, in one dimension, or if it is 0. */
bool rd_reader_axes(struct rd_reader *r, const rd_node *node, bool lone, const rd_node *axis[3]);
/* Reads the vector of numbers at node; components beyond the dimension stay unchanged. */
bool rd_reader_vector(struct rd_reader *r, const rd_node *node, double v[3]);

/* Returns the index of the text at node among n words. The check of the configuration guarantees
   that it is one of them. */
int rd_reader_word(const rd_node *node, int n, const char *const *word);

/* Returns the number of elements of the list at node, and element number i. A value that is no list
   counts as a list of one. */
int rd_reader_many(const rd_node *node);
const rd_node *rd_reader_each(const rd_node *node, int i);

/* Returns the index of the only one of n keys that group has. Returns -1 with a message if it has
   none or several. */
int rd_reader_one_of(struct rd_reader *r, const rd_node *group, int n, const char *const *key);

#endif
