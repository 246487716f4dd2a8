/* options_reading - the command line while it is read: options.c fills it in, options_settle.c
   decides what it asks for. */
#ifndef RD_COMMAND_LINE_OPTIONS_READING_H
#define RD_COMMAND_LINE_OPTIONS_READING_H

#include "command_line/options_table.h"

/* The command line on its way through. */
struct rd_reading {
    struct rd_options *o;
    int argc, at; /* next argument */
    char **argv;
    const char *word[3]; /* what is no option: a command and its files */
    int n_words;
    bool given[RD_OPTIONS_MOST];
    const char *borrowed; /* the word behind --json: its file, unless the command lacks a word */
    struct rd_error *e;
};

/* Finds the command, its files and what does not go together, when all words are read. */
void rd_options_settle(struct rd_reading *r);

#endif
