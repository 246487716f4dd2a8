/* options_table - THE TABLES of commands and of options: reading and help follow them. */
#ifndef RD_OPTIONS_TABLE_H
#define RD_OPTIONS_TABLE_H

#include "options.h"

#include <stddef.h>

struct rd_command_row {
    enum rd_command command;
    const char *name, *argument, *meaning;
    int n_least, n_most; /* words that follow it */
};
/* The first one is meant where no command is named; ends with a NULL name. */
extern const struct rd_command_row rd_commands[];

/* What the argument of an option is, and what it becomes: a member of rd_options of that type. */
enum rd_option_kind {
    RD_OPTION_FLAG,    /* bool: there is no argument */
    RD_OPTION_TEXT,    /* const char * */
    RD_OPTION_MAYBE,   /* const char *: the argument may be left out, and is "-" then */
    RD_OPTION_WORD,    /* const char *, one of words */
    RD_OPTION_CHOICE,  /* int: the number of one of words */
    RD_OPTION_INTEGER, /* int */
    RD_OPTION_LONG,    /* int64_t */
    RD_OPTION_REAL,    /* double, above least */
    RD_OPTION_SECONDS, /* double: a duration as in 200ms, 30s, 10min, 2h */
    RD_OPTION_SET,     /* a --set: the path, or with path NULL path=value */
    RD_OPTION_CASE     /* one more name for rdsim bench */
};

struct rd_option_row {
    const char *name, *argument;
    unsigned commands; /* that it belongs to, as bits 1 << RD_COMMAND_ */
    enum rd_option_kind kind;
    size_t at;               /* the member */
    long long least, most;   /* of a number */
    const char *words[4];    /* ends with NULL */
    const char *path, *tail; /* of a --set: the path, and what follows its value */
    bool acts;               /* says what a sweep is to do: only one such can be given */
    bool idles;              /* and that is not to run tasks, */
    bool works;              /* with which this one makes no sense */
    const char *letters;     /* short names of one letter each; or NULL */
    const char *meaning;
};
/* Ends with a NULL name. */
extern const struct rd_option_row rd_options_table[];
enum { RD_OPTIONS_MOST = 80 };

/* Returns the row of a command, or NULL. */
const struct rd_command_row *rd_command_find(const char *word);
/* Returns the name of the command that is nearest to a word, or NULL. */
const char *rd_command_near(const char *word);

#endif
