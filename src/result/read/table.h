/* table - prints the totals of a result: `rdsim table RESULT`. */
#ifndef RD_RESULT_READ_TABLE_H
#define RD_RESULT_READ_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct rd_table_print_options {
    bool csv;           /* comma-separated values, not aligned columns */
    bool mean;          /* means and standard deviations over the runs, not single runs */
    const char *group;  /* group of the output; NULL: the one with most totals */
    const char *region; /* totals in this region or surface; NULL: in all voxels */
    const char *by;     /* individuals by an attribute, this entry of output.by; NULL: totals */
};

/* Prints a row for each run and time with the totals of species and observables, or a row for each
   time with their means and standard deviations (also if the result has no totals of single runs).
   Returns false with a message on failure. */
bool rd_store_table(const char *path, const struct rd_table_print_options *o, FILE *out,
                    struct rd_error *e);

#endif
