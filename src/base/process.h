/* process - starts this program as another process, which ends with this one, and reads what it
   prints. */
#ifndef RD_BASE_PROCESS_H
#define RD_BASE_PROCESS_H

#include "base/error.h"

#include <stddef.h>
#include <sys/types.h>

/* Lists the signals that are forwarded to processes. */
enum { RD_PASSED_ON = 4 };
extern const int rd_passed_on[RD_PASSED_ON];

/* The process has this descriptor open if `kept` was given. */
enum { RD_PROCESS_KEPT = 3 };

/* Holds the words of a command line, all owned. */
struct rd_arguments {
    char **word; /* ends with NULL */
    size_t n;
    bool failed; /* a word is missing, for lack of memory */
};

/* Adds a word, and takes ownership of it; NULL counts as a failure. */
void rd_arguments_add(struct rd_arguments *w, char *word);
void rd_arguments_free(struct rd_arguments *w);

struct rd_process {
    pid_t id;
    int output_pipe; /* read end of the pipe from the stderr of the process */
    char *output;    /* owned: what it printed; NULL: nothing */
    size_t n_output;
};

/* Starts this program with these words, of which the first is its name. When this process ends, the
   other receives `last_signal`. It receives the terminal's signals only if they are forwarded.
   kept: a descriptor for it; -1: none. Returns false with a message about `noun`. */
bool rd_process_start(struct rd_process *p, char **word, int last_signal, int kept,
                      const char *noun, struct rd_error *e);
/* Reads what it printed, and waits for that; returns false at the end of its output. is_shown:
   prints it on stderr, too. */
bool rd_process_read(struct rd_process *p, bool is_shown);
/* Reads the rest of what it prints, waits for its end, and returns its status, as waitpid. */
int rd_process_wait(struct rd_process *p, bool is_shown);
/* Closes the pipe and frees the output. */
void rd_process_close(struct rd_process *p);

#endif
