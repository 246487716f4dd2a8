/* options_table - THE TABLES of commands and options, which reading and help follow. */
#ifndef RD_COMMAND_LINE_OPTIONS_TABLE_H
#define RD_COMMAND_LINE_OPTIONS_TABLE_H

#include "command_line/options.h"

#include <stddef.h>

enum { RD_FOREIGN = -1 };
struct rd_command_row {
    enum rd_command command;
    const char *name, *argument, *meaning;
    int n_least, n_most; /* number of words after it, least and most; n_least = RD_FOREIGN: another
                            program reads them */
};
/* Lists the commands; ends with a NULL name. The first is the default if none is named. */
extern const struct rd_command_row rd_commands[];

/* Names the type of an option's argument, and of the member of rd_options that receives it. */
enum rd_option_kind {
    RD_OPTION_FLAG,    /* bool: there is no argument */
    RD_OPTION_TEXT,    /* const char * */
    RD_OPTION_MAYBE,   /* const char *: the argument may be left out, and is "-" then */
    RD_OPTION_WORD,    /* const char *, one of words */
    RD_OPTION_CHOICE,  /* int: the number of one of words */
    RD_OPTION_INTEGER, /* int */
    RD_OPTION_LONG,    /* int64_t */
    RD_OPTION_SECONDS, /* double: a duration as in 200ms, 30s, 10min, 2h */
    RD_OPTION_SET      /* a --set: the path, or with path NULL path=value */
};

struct rd_option_row {
    const char *name, *argument;
    unsigned commands; /* commands that accept it, as bits 1 << RD_COMMAND_ */
    enum rd_option_kind kind;
    size_t at;               /* offset of the member in rd_options */
    long long least, most;   /* range, for a number */
    const char *words[4];    /* ends with NULL */
    const char *path, *tail; /* for a --set: the path, and a suffix of its value */
    bool takes_stdout;       /* for a FILE: it may be -, standard output */
    bool acts;               /* selects what a sweep does: at most one such option can be given */
    bool idles;              /* such a selection that runs no tasks */
    bool works;              /* an option for running tasks; refused together with such a
                                selection */
    const char *letters;     /* short names of one letter each; or NULL */
    const char *meaning;
};
/* Lists the options; ends with a NULL name. */
extern const struct rd_option_row rd_options_table[];
enum { RD_OPTIONS_MOST = 88 };

/* Returns the row of a command, or NULL. */
const struct rd_command_row *rd_command_find(const char *word);
/* Returns the name of the command that is nearest to a word, or NULL. */
const char *rd_command_near(const char *word);

/* Refuses options that exclude each other, besides actions of a sweep; reads the list of GPUs.
   has_device: --device is given. */
void rd_options_refuse_conflicts(struct rd_options *o, enum rd_command command, bool has_device,
                                 struct rd_error *e);

#endif
