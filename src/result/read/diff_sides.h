/* diff_sides - opens two results for a comparison: what each holds, and whether they can be
   compared. */
#ifndef RD_RESULT_READ_DIFF_SIDES_H
#define RD_RESULT_READ_DIFF_SIDES_H

#include "result/files/open_result.h"

/* Holds one of two results, or a group of its output; all that it points to but the path is owned.
 */
struct rd_side {
    const char *path;
    hid_t file, at;          /* at: the group, or the file */
    struct rd_groups groups; /* of the file */
    double *time;
    int64_t *run;
    char **species, **reaction, **face, **region, **observable, **value; /* names */
    bool is_sparse;                                                      /* it has counts as rows */
    char **set; /* data sets, sorted: "counts", "individuals/A/id" */
    int64_t n_times, n_runs, n_species, n_reactions, n_faces, n_regions, n_observables, n_values,
        n_sets;
};

/* Opens both results: what is at their roots, outside of named groups of the output. Returns false
   with messages if one is no result, or if they differ in voxels, species, reactions, faces or
   runs. rd_sides_close closes them in any case. */
bool rd_sides_open(struct rd_side s[2], const char *a, const char *b, struct rd_error *e);
void rd_sides_close(struct rd_side s[2]);
/* Opens a named group that both results have, likewise; rd_sides_leave closes it in any case. */
bool rd_sides_enter(struct rd_side s[2], const struct rd_side root[2], const char *name,
                    struct rd_error *e);
void rd_sides_leave(struct rd_side s[2]);

/* Returns whether each row of the table has its own time and run. */
bool rd_sides_is_log(const char *path);
/* Returns the description of a data set by its path; NULL if it is unknown. In a table, any other
   name is an attribute. */
const struct rd_variable *rd_sides_variable(const char *path, hid_t set);
/* Returns whether individuals are counted by the same values of an attribute; path is of a data set
   of these counts. */
bool rd_sides_have_same_range(const struct rd_side s[2], const char *path);

#endif
