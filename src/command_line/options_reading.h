/* options_reading - the state that options.c fills in and options_settle.c checks. */
#ifndef RD_COMMAND_LINE_OPTIONS_READING_H
#define RD_COMMAND_LINE_OPTIONS_READING_H

#include "command_line/options_table.h"

/* Holds the command line while it is read. */
struct rd_reading {
    struct rd_options *o;
    int argc, at; /* index of the next argument */
    char **argv;
    const char *word[3]; /* arguments that are no options: a command and its files */
    int n_words;
    bool given[RD_OPTIONS_MOST];
    const char *borrowed; /* the argument after --json: its file, or the command's file if that is
                             missing otherwise */
    struct rd_error *e;
};

/* Determines the command and its files, and refuses wrong combinations, after all words are
   read. */
void rd_options_settle(struct rd_reading *r);

#endif
