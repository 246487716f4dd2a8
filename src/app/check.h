/* check - `rdsim check`: prints everything that is derived, without running. */
#ifndef RD_APP_CHECK_H
#define RD_APP_CHECK_H

#include "app/job.h"

#include <stdio.h>

/* Prints the plan in the user's terms. The plan is as rd_forecast_take left it; `batches` is the
   text of rd_batch_describe, or "". Returns false with a message if molecules cannot be placed as
   the configuration states. */
bool rd_check_print(FILE *out, const struct rd_plan *p, const struct rd_forecast *o,
                    const char *batches, struct rd_error *e);

/* Prints a report: lines of at most 100 columns, warnings last (check_page.c). */
void rd_check_page(FILE *out, const char *report);
/* Prints, as a JSON document (check_json.c), numbers, warnings and the text that rd_check_print
   wrote into `report`, which is cut in place. `more` has warnings that are not in the report. */
void rd_check_json(FILE *out, const struct rd_setup *a, const char *file, char *report,
                   const struct rd_error *more);
/* Prints the report of a plan, or with o->json the document (check_report.c). Adds to `refused` why
   a run would be refused. */
bool rd_check_report(const struct rd_options *o, struct rd_setup *a, FILE *out,
                     struct rd_error *refused, struct rd_error *e);
/* Prints the errors of the file, or of the command line (file = NULL), as {"error": ...}. */
void rd_check_json_error(FILE *out, const char *file, const struct rd_error *e);

/* Prints the files of a configuration that includes others. */
void rd_check_files(FILE *out, const rd_config *c);

/* The remaining functions are parts of rd_check_print. */

/* Prints each region: how many voxels it has, and its shape (check_regions.c). */
void rd_check_regions(FILE *out, const struct rd_model *m);
/* Prints each compartment: its volume and its species. */
void rd_check_compartments(FILE *out, const struct rd_model *m);
/* Prints each surface: its area, its voxels and its pieces, and the highest hop rate. */
void rd_check_surfaces(FILE *out, const struct rd_model *m);
void rd_check_fields(FILE *out, const struct rd_model *m);
void rd_check_borders(FILE *out, const struct rd_model *m);
/* Prints the numbers of species and reactions of each kind, if there are many (check_reactions.c).
 */
void rd_check_network(FILE *out, const struct rd_plan *p);
/* Prints each reaction: its propensity with its numbers; and each observable (check_reactions.c).
 */
void rd_check_reactions(FILE *out, const struct rd_plan *p);
/* Prints which species are in lists, and which reactions and fields visit voxels without molecules
   (check_storage.c). */
void rd_check_storage(FILE *out, const struct rd_plan *p);
/* Prints each event: when it happens, and what it does. */
void rd_check_events(FILE *out, const struct rd_model *m);
/* Warns about surfaces whose area or exchange is not exact, and about each region of several pieces
   to which a moving species is confined: hops lead across common faces of voxels, so no molecule
   goes from one piece to another. */
void rd_check_pieces(FILE *out, const struct rd_plan *p);

/* Prints the maximum number and the rules of an individual species, by its number in the file
   (check_individuals.c). */
void rd_check_individuals(FILE *out, const struct rd_plan *p, int species);
/* Prints the individuals that a reaction takes and makes; nothing if there are none. */
void rd_check_fates(FILE *out, const struct rd_plan *p, int32_t channel);
/* Returns the bytes of one snapshot of one run with the maximum numbers of individuals, without
   lineage. */
double rd_check_row_bytes(const struct rd_model *m, const struct rd_output *o);

/* Prints the amount of data, in total and per snapshot (check_recording.c). */
void rd_check_recording(FILE *out, const struct rd_plan *p, const struct rd_forecast *o);
/* Prints a warning if the run would surely wait for its recording. */
void rd_check_recording_time(FILE *out, const struct rd_plan *p, const struct rd_forecast *o);
/* Prints a number of bytes with a suitable unit: 3.1 GB. */
void rd_check_bytes(FILE *out, double bytes);

#endif
