/* edits - changes that a program makes between two steps, as the journal of a result has them. A
   header of its own, since it is no part of the configured model. */
#ifndef RD_MODEL_EDITS_H
#define RD_MODEL_EDITS_H

#include "model/model.h"

struct rd_edit {
    uint32_t step; /* number of steps before the edit */
    int64_t run;   /* the only run that is changed; -1: all runs */
    struct rd_event event;
};

struct rd_edits {
    struct rd_edit *edit; /* owned */
    int n;
};

/* Reads the edits of a journal (rd_config_parse_journal) of this model. `here` has the voxels of
   the entries that name no place, or is NULL: then the journal may have them. The caller calls
   rd_edits_free in any case. Returns false with messages on failure. */
bool rd_edits_read(struct rd_edits *x, const struct rd_model *m, const rd_config *journal,
                   const struct rd_voxel_list *here, struct rd_error *e);
void rd_edits_free(struct rd_edits *x, const struct rd_model *m);

#endif
