/* modes_output - modes as text, as CSV and as HDF5. */
#ifndef RD_MODES_OUTPUT_H
#define RD_MODES_OUTPUT_H

#include "modes/pathways.h"

struct rd_modes_format {
    int n_threads; /* 0: all */
    bool has_net;  /* the overall conversion is added */
    bool has_more; /* there are more modes than these */
};

/* Prints a line for each mode, "2 PFK - PGI", after comments on the whole set. */
bool rd_modes_output_text(const struct rd_pathways *p, const struct rd_modes_format *f, FILE *out,
                          struct rd_error *e);
/* Prints a line of integers for each mode, after one of reactions. */
bool rd_modes_output_csv(const struct rd_pathways *p, const struct rd_modes_format *f, FILE *out,
                         struct rd_error *e);
/* Writes the modes to a new HDF5 file (modes_file.h). */
bool rd_modes_output_hdf5(const struct rd_pathways *p, const struct rd_modes_format *f,
                          const char *path, struct rd_error *e);
/* Prints the reason why a reaction is in no column of the core. */
void rd_modes_output_reason(const struct rd_pathways *p, int reaction, FILE *out);

#endif
