/* device_shares - the processes of an ensemble on several GPUs. */
#define _POSIX_C_SOURCE 200809L
#include "app/device_shares.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/threads.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool rd_device_share_read(struct rd_device_share *s, const char *text)
{
    long long size, at;
    unsigned long long hash;
    const bool ok = sscanf(text, "%d:%lld:%lld:%llx", &s->index, &size, &at, &hash) == 4;
    if (ok) {
        s->size = size;
        s->at = at;
        s->hash = hash;
    }
    return ok && s->index > 0 && s->index < RD_DEVICES_MOST && size > 0 && at > 0;
}

int rd_device_shares_number(const struct rd_options *o, const struct rd_model *m)
{
    const int n = o->device_list.n > 1 ? o->device_list.n : 1;
    return n < m->n_runs ? n : (int)m->n_runs;
}

void rd_device_shares_set_machine(const struct rd_options *o, int n, int index,
                                  struct rd_machine_of *machine)
{
    const struct rd_device_list *const list = &o->device_list;
    const bool is_cpu = strcmp(o->backend, "cpu") == 0;
    if (list->n > 0)
        machine->device = list->number[index];
    if (n <= 1)
        return;
    const int threads = rd_threads_number(o->threads) / n;
    machine->threads = threads > 0 ? threads : 1;
    /* the others open their share after the first one, which knows the free memory */
    for (int i = 0; index == 0 && i < n; i++)
        machine->n_sharing += is_cpu || list->number[i] == list->number[0];
}

/* Writes the command line of the process: the share, then the words of this one. */
static void write_share_command(struct rd_arguments *w, char *const *argv,
                                const struct rd_device_share *share)
{
    rd_arguments_add(w, strdup(argv[0]));
    rd_arguments_add(w, strdup(RD_SHARE_OPTION));
    rd_arguments_add(w, rd_text_format("%d:%lld:%lld:%llx", share->index, (long long)share->size,
                                       (long long)share->at, (unsigned long long)share->hash));
    for (int i = 1; argv[i]; i++)
        rd_arguments_add(w, strdup(argv[i]));
}

bool rd_device_shares_start(struct rd_device_shares *s, char *const *argv,
                            const struct rd_device_share *share, int device, int file,
                            struct rd_error *e)
{
    const int i = share->index;
    struct rd_arguments w = {0};
    write_share_command(&w, argv, share);
    s->device[i] = device;
    const bool ok =
        (!w.failed || rd_fail(e, "--devices: out of memory for a process")) &&
        rd_process_start(&s->process[i], w.word, SIGKILL, file, "--devices: a process", e);
    s->n_running += ok;
    rd_arguments_free(&w);
    return ok;
}

/* Adds what the process printed to s->why, without the name of the program. */
static void add_output(struct rd_device_shares *s, const char *text)
{
    static const char name[] = "rdsim: ";
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *const from =
            strncmp(line, name, strlen(name)) == 0 ? line + strlen(name) : line;
        rd_fail(&s->why, "%.*s", (int)(line + length - from), from);
        line += length + (line[length] != 0);
    }
}

/* Waits for the end of the process, and records why it failed. */
static void reap_process(struct rd_device_shares *s, int i)
{
    struct rd_process *const p = &s->process[i];
    const int status = rd_process_wait(p, false);
    add_output(s, p->output);
    if (WIFSIGNALED(status))
        rd_fail(&s->why,
                "--devices: the process of GPU %d, entry %d of the list, was killed by signal %d; "
                "see whether the memory of the machine is enough",
                s->device[i], i + 1, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 && s->why.n == 0)
        rd_fail(&s->why,
                "--devices: the process of GPU %d, entry %d of the list, ended with status %d",
                s->device[i], i + 1, WEXITSTATUS(status));
    rd_process_close(p);
    s->n_running--;
}

bool rd_device_shares_look(struct rd_device_shares *s, int milliseconds)
{
    struct pollfd output[RD_DEVICES_MOST];
    int index[RD_DEVICES_MOST], n = 0;
    s->looked = rd_clock();
    for (int i = 0; i < RD_DEVICES_MOST; i++)
        if (s->process[i].id > 0) {
            index[n] = i;
            output[n++] = (struct pollfd){.fd = s->process[i].output_pipe, .events = POLLIN};
        }
    if (n > 0 && poll(output, (nfds_t)n, milliseconds) > 0)
        for (int k = 0; k < n; k++)
            if (output[k].revents != 0 && !rd_process_read(&s->process[index[k]], false))
                reap_process(s, index[k]);
    return s->why.n == 0;
}

void rd_device_shares_end(struct rd_device_shares *s)
{
    for (int i = 0; i < RD_DEVICES_MOST; i++)
        if (s->process[i].id > 0)
            kill(s->process[i].id, SIGKILL);
    for (int i = 0; i < RD_DEVICES_MOST; i++)
        if (s->process[i].id > 0) {
            rd_process_wait(&s->process[i], false);
            rd_process_close(&s->process[i]);
        }
    s->n_running = 0;
    rd_error_free(&s->why);
}
