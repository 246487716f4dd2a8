/* library - the struct of rdsim.h, which library.c and state.c share. */
#ifndef RD_LIBRARY_LIBRARY_H
#define RD_LIBRARY_LIBRARY_H

#include "app/job.h"
#include "base/c_locale.h"
#include "library/rdsim.h"

struct rdsim {
    char **word; /* owned: command line, ends with NULL; the texts after the first are owned */
    char *text;  /* owned: configuration, or NULL */
    struct rd_options options;
    struct rd_job job;
    bool is_right;   /* the model is right */
    bool is_started; /* rdsim_start was called */
    bool is_resumed; /* the run continues from a checkpoint */
    struct rd_error e, warnings;
    char *report;    /* owned: of rdsim_check */
    char *effective; /* owned: of rdsim_configuration */
    struct rdsim_individuals individuals;
    void *column[6];           /* owned: the arrays of `individuals` */
    void *copy;                /* owned: counts or field of a device */
    rd_async_copy *async_copy; /* owned: counts of a species on the way from a device; or NULL */
    int64_t *voxel;            /* owned: numbers of marked voxels, with room for all; or NULL */
};

/* Gives the thread the C locale until the function that begins with this line returns. */
#define RD_LIBRARY_HAS_C_LOCALE                                                                    \
    void *const locale_before __attribute__((unused, cleanup(rd_library_leave_c_locale))) =        \
        rd_c_locale_enter()
void rd_library_leave_c_locale(void *const *before);

/* Clears the messages of the last call. Returns false with a new one if the model is wrong. */
bool rd_library_call(rdsim *r);
/* Does the same. Also returns false if no run has started, or if not all runs are in memory. */
bool rd_library_read(rdsim *r);

#endif
