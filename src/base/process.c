/* process - starts this program as another process, which ends with this one, and reads what it
   prints. */
#define _POSIX_C_SOURCE 200809L
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const int rd_passed_on[RD_PASSED_ON] = {SIGUSR1, SIGINT, SIGTERM, SIGHUP};

void rd_arguments_add(struct rd_arguments *w, char *word)
{
    char **const more = realloc(w->word, (w->n + 2) * sizeof *more);
    w->failed = w->failed || !word || !more;
    if (more)
        w->word = more;
    if (w->failed) {
        free(word);
        return;
    }
    w->word[w->n++] = word;
    w->word[w->n] = NULL;
}

void rd_arguments_free(struct rd_arguments *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->word[i]);
    free(w->word);
    *w = (struct rd_arguments){0};
}

/* Blocks the forwarded signals, so that none is lost in a new process that still has the handlers
   of this one; returns the previous mask. */
static sigset_t hold_signals(void)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (int i = 0; i < RD_PASSED_ON; i++)
        sigaddset(&held, rd_passed_on[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

/* Gives the new process its descriptors: stdin and stdout lead nowhere, stderr is the pipe. */
static bool take_descriptors(int pipe_end, int kept)
{
    const int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(pipe_end, 2) < 0)
        return false;
    return kept < 0 || (kept == RD_PROCESS_KEPT ? fcntl(kept, F_SETFD, 0) == 0
                                                : dup2(kept, RD_PROCESS_KEPT) >= 0);
}

/* Executes the program in the new process, unless `parent` has ended already. */
static void exec_program(char **word, int last_signal, pid_t parent, const int *descriptor,
                         const sigset_t *mask)
{
    for (int i = 0; i < RD_PASSED_ON; i++)
        signal(rd_passed_on[i], SIG_DFL);
    sigset_t held = *mask;
    sigaddset(&held, SIGUSR1); /* until the program handles it; by default it would end the
                                  program */
    sigprocmask(SIG_SETMASK, &held, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, last_signal);
    signal(SIGPIPE, SIG_IGN);
    if (getppid() != parent || !take_descriptors(descriptor[0], descriptor[1]))
        _exit(1);
    execv("/proc/self/exe", word);
    _exit(1);
}

bool rd_process_start(struct rd_process *p, char **word, int last_signal, int kept,
                      const char *noun, struct rd_error *e)
{
    int ends[2];
    *p = (struct rd_process){.output_pipe = -1};
    if (pipe(ends) != 0)
        return rd_fail(e, "%s cannot be started: %s", noun, strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const sigset_t mask = hold_signals();
    const pid_t parent = getpid();
    p->id = fork();
    if (p->id == 0)
        exec_program(word, last_signal, parent, (const int[]){ends[1], kept}, &mask);
    const int fault = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    p->output_pipe = ends[0];
    if (p->id > 0)
        return true;
    rd_process_close(p);
    return rd_fail(e, "%s cannot be started: %s", noun, strerror(fault));
}

bool rd_process_read(struct rd_process *p, bool is_shown)
{
    char text[4096];
    const ssize_t n = read(p->output_pipe, text, sizeof text);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    if (is_shown)
        (void)!write(2, text, (size_t)n);
    char *const more = realloc(p->output, p->n_output + (size_t)n + 1);
    if (more) {
        memcpy(more + p->n_output, text, (size_t)n);
        p->n_output += (size_t)n;
        more[p->n_output] = 0;
        p->output = more;
    }
    return true;
}

int rd_process_wait(struct rd_process *p, bool is_shown)
{
    int status = 0;
    while (rd_process_read(p, is_shown))
        ;
    while (waitpid(p->id, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void rd_process_close(struct rd_process *p)
{
    if (p->output_pipe >= 0)
        close(p->output_pipe);
    free(p->output);
    *p = (struct rd_process){.output_pipe = -1};
}
