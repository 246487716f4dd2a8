/* rows - the memory of rows, and their passes, which repeat where memory was missing; copies of
   rows between the machine and the host.

   If the machine has its own memory, the host does not wait for each pass. A pass that lacks memory
   pauses: the passes after it do nothing until the host synchronises and goes back to the last
   mark. When it comes to that pass again, it makes memory and completes the pass. */
#ifndef RD_SIM_ROWS_H
#define RD_SIM_ROWS_H

#include "exact/exact.h"
#include "sim/host_counts.h"
#include "sim/sim.h"

/* Gives the bytes that rows take for each voxel, besides their entries. */
enum { RD_ROWS_VOXEL_BYTES = sizeof(struct rd_row) + 2 * sizeof(int32_t) + sizeof(uint8_t) };

/* Sets the numbers of entries of rows. */
void rd_rows_size(const struct rd_plan *p, struct rd_world *w);

/* Returns whether some species are in rows. */
bool rd_rows_exist(const struct rd_sim *s);
/* Does the reactions in each voxel; the interval is set. A failure is kept for the next check. */
void rd_rows_react(struct rd_sim *s);
/* Does one movement of counted species; the interval is set. A failure is kept likewise. */
void rd_rows_move(struct rd_sim *s);

/* Sets *pass to the pass that paused for lack of memory, or to INT64_MAX if none did, after a
   synchronisation; and s->declined. Returns false with a message on failure. */
bool rd_rows_short(struct rd_sim *s, int64_t *pass, struct rd_error *e);
/* Goes back to the mark after such a pause. */
void rd_rows_return(struct rd_sim *s);

/* Counts the entries of the first n_voxels voxels. rd_rows_pack then writes them to `to`, in the
   memory of the machine, or if that is NULL to memory that later passes use; it returns where they
   are. Both return false or NULL with a message on failure. */
bool rd_rows_count_packed(struct rd_sim *s, int64_t n_voxels, int64_t *n, struct rd_error *e);
struct rd_outbox_entry *rd_rows_pack(struct rd_sim *s, int64_t n_voxels, int64_t n,
                                     struct rd_outbox_entry *to, struct rd_error *e);

/* Makes all rows on the machine from the lists of the species, [species]. Returns false with a
   message on failure. */
bool rd_rows_put(struct rd_sim *s, const struct rd_host_list *list, struct rd_error *e);
/* Makes all rows from those that the exact solver has packed, [run]; on the CPU. */
bool rd_rows_put_packed(struct rd_sim *s, const struct rd_packed_run *of, struct rd_error *e);
/* Makes the lists of the species, [species], from the rows of the runs begin ... end - 1. */
bool rd_rows_get(struct rd_sim *s, struct rd_host_list *list, int64_t begin, int64_t end,
                 struct rd_error *e);
/* Removes all molecules of the run. */
bool rd_rows_clear(struct rd_sim *s, int64_t run, struct rd_error *e);

#endif
