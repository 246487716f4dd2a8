/* rdsim - the library librdsim: opens a model, checks it, runs it, and returns control between
   steps.

   A function that can fail returns 0 or more on success and -1 on failure; rdsim_message then
   returns why. No function ends the process, prints, or keeps state outside of its struct rdsim, so
   that a process can hold several. Numbers have points, whatever the locale of the process. A
   struct rdsim is for one thread at a time. Species, parameters and fields are named as in the
   configuration; arrays have the order of the result: [run][z][y][x] for voxels, so that voxel (i,
   j, k) of a run of nx, ny, nz has the number (k ny + j) nx + i. */
#ifndef RDSIM_H
#define RDSIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RDSIM_API __attribute__((visibility("default")))
#else
#define RDSIM_API
#endif

typedef struct rdsim rdsim;

/* Returns the version as "0.2.0". */
RDSIM_API const char *rdsim_version(void);

/* Opens the model in the file at `name`. If `text` is not NULL, it is the configuration, or a model
   of another program, and `name` stands for it in messages and for the result. `options` are words
   of the command `rdsim run` and end with NULL, as {"--set", "parameters.k=2", "--threads", "1",
   NULL}; or NULL. Returns NULL only if there is no memory; otherwise rdsim_message is not empty if
   the model is wrong. The caller closes it in any case. */
RDSIM_API rdsim *rdsim_open(const char *name, const char *text, const char *const *options);
/* Ends the run if it goes on, closes its result, and frees everything. Accepts NULL. */
RDSIM_API void rdsim_close(rdsim *r);
/* Returns the messages of the last call that failed, one per line; "" if the last call was right.
 */
RDSIM_API const char *rdsim_message(const rdsim *r);
/* Returns all warnings so far, one per line. */
RDSIM_API const char *rdsim_warnings(const rdsim *r);

/* Returns the report of `rdsim check --json`, before the start; NULL on failure. It is valid until
   the next call. */
RDSIM_API const char *rdsim_check(rdsim *r);
/* Returns the effective configuration: every key's value. */
RDSIM_API const char *rdsim_configuration(rdsim *r);

/* Begins the run: places the molecules and writes the outputs of time 0. With `edits` not 0 the
   caller may edit the state: the result then has a journal. With the option "--resume" and a
   checkpoint, the run continues there, and 1 is returned: then advance it to rdsim_target, where
   the caller took control next. */
RDSIM_API int rdsim_start(rdsim *r, int edits);
/* Returns the `time` of the rdsim_advance in which the checkpoint was written from which the run
   continues; or the time of the checkpoint itself, if rdsim_checkpoint wrote it. */
RDSIM_API double rdsim_target(const rdsim *r);
/* Writes a checkpoint now. The option "--checkpoint-every" says how often rdsim_advance writes one
   by itself, which has all edits of a time. */
RDSIM_API int rdsim_checkpoint(rdsim *r);
/* Runs on. Until `time` is reached: the first step that ends at `time` or later; NAN: the next
   time of `time.control`; never later than the end. Returns 1 then, or 0 if `seconds` of wall time
   are over before; it is right to call it again then. */
RDSIM_API int rdsim_advance(rdsim *r, double time, double seconds);
/* Closes the result at `name.h5`, or where the configuration says. A run that is not over is
   interrupted; if rdsim_advance has returned 0, it can be resumed here. The state can be read until
   rdsim_close. */
RDSIM_API int rdsim_finish(rdsim *r);

/* Returns the time that is reached, and the number of steps; whether the run is over. */
RDSIM_API double rdsim_time(const rdsim *r);
RDSIM_API int64_t rdsim_steps(const rdsim *r);
RDSIM_API int rdsim_is_over(const rdsim *r);
/* Returns the end time of the model. */
RDSIM_API double rdsim_end(const rdsim *r);
/* Returns the path of the result. */
RDSIM_API const char *rdsim_result(const rdsim *r);

/* Lists the kinds of names of a model. */
enum rdsim_kind { RDSIM_SPECIES, RDSIM_PARAMETERS, RDSIM_REGIONS, RDSIM_FIELDS, RDSIM_REACTIONS };
/* Returns how many there are, and the name of number i; NULL if there is none. */
RDSIM_API int rdsim_count_of(const rdsim *r, enum rdsim_kind kind);
RDSIM_API const char *rdsim_name_of(const rdsim *r, enum rdsim_kind kind, int i);
/* Returns the name of attribute i of an individual species; NULL after the last. */
RDSIM_API const char *rdsim_attribute_of(const rdsim *r, const char *species, int i);
/* Sets the numbers of voxels, their edges and the low corner along x, y and z. Returns the number
   of dimensions. */
RDSIM_API int rdsim_grid(const rdsim *r, int32_t voxels[3], double edge[3], double origin[3]);
/* Returns the number of runs. */
RDSIM_API int64_t rdsim_runs(const rdsim *r);
/* Sets *value to that of a parameter, at present or before the start. Parameters that an event
   sets in each run by itself are those of the start. */
RDSIM_API int rdsim_parameter(rdsim *r, const char *name, double *value);

/* Read the present state, also after rdsim_finish. Arrays belong to the library. */

/* Writes total[run][species], the number of molecules in all voxels. */
RDSIM_API int rdsim_totals(rdsim *r, int64_t *total);
/* Returns 1 if rdsim_counts and rdsim_field give the state itself, which is valid until rdsim_close
   and changes with the run; 0 if they give copies, valid until the next call: on a GPU, and if
   species are stored in rows. */
RDSIM_API int rdsim_is_shared(const rdsim *r);
/* Sets *count to the counts of a species, [run][z][y][x]. */
RDSIM_API int rdsim_counts(rdsim *r, const char *species, const int32_t **count);
/* Sets *address to the counts of a species on a CUDA device, [run][z][y][x], and *device to its
   number; the counts are valid until the run goes on or is edited. Returns 1; or 0 if they are not
   on a device, or not stored like this: then use rdsim_counts. */
RDSIM_API int rdsim_device_counts(rdsim *r, const char *species, const int32_t **address,
                                  int *device);
/* Sets mark[i] to 1 where a voxel has `low` to `high` molecules of a species, else to 0:
   [run][z][y][x]. On a device the counts are compared there. */
RDSIM_API int rdsim_where(rdsim *r, const char *species, int32_t low, int32_t high, uint8_t *mark);
/* Sets *value to a field, [run][z][y][x] if it changes, and else [z][y][x]; returns 1 if it
   changes, else 0. */
RDSIM_API int rdsim_field(rdsim *r, const char *name, const double **value);

/* Holds the individuals of a species, sorted by run and voxel. All arrays have n entries. */
struct rdsim_individuals {
    int64_t n;
    const int64_t *run, *voxel, *id;
    const int64_t *parent; /* an id, or -1 */
    const double *born;
    int n_attributes;
    const double *attribute; /* [attribute][n] */
};
/* Sets *x to copies, which are valid until the next call with this struct rdsim. */
RDSIM_API int rdsim_individuals(rdsim *r, const char *species, struct rdsim_individuals *x);

/* Applies an edit now. The text has the keys of an event except those of times, as in
   "set = { k = 0.2; }" or "add = { species = \"A\"; voxels = (3, 5); value = 1; }"; and
   "run = 7" for one run only. Random places come from a stream of their own. Returns -1 if the edit
   is impossible; the state is as before then. */
RDSIM_API int rdsim_edit(rdsim *r, const char *text);
/* Does the same. All entries that name no place are for these n voxels, whose numbers rise. */
RDSIM_API int rdsim_edit_voxels(rdsim *r, const char *text, const int64_t *voxel, int64_t n);
/* Does the same for the voxels, [z][y][x], whose mark is not 0; nothing if there are none. */
RDSIM_API int rdsim_edit_where(rdsim *r, const char *text, const uint8_t *mark);

#ifdef __cplusplus
}
#endif

#endif
