/* device_shares - the processes of an ensemble on several GPUs. The first one writes the result; it
   starts the others, and each simulates its share of the batches. */
#ifndef RD_APP_DEVICE_SHARES_H
#define RD_APP_DEVICE_SHARES_H

#include "base/process.h"
#include "command_line/options.h"
#include "model/model.h"
#include "sim/sim.h"

/* Holds what the first process tells another one: its index, the runs in a batch, its first batch,
   and a hash of the configuration that both must have read. */
struct rd_device_share {
    int index;
    int64_t size, at;
    uint64_t hash;
};

/* The option before a share in the command line of a process; it must be the first. */
#define RD_SHARE_OPTION "--share"

/* Reads a share; returns false if the text is none. */
bool rd_device_share_read(struct rd_device_share *s, const char *text);

/* Returns the number of processes for the model: at most one for each run. */
int rd_device_shares_number(const struct rd_options *o, const struct rd_model *m);
/* Sets device, threads and memory of the process with this index, of n. */
void rd_device_shares_set_machine(const struct rd_options *o, int n, int index,
                                  struct rd_machine_of *machine);

/* Holds the other processes; a zero-initialised struct has none. */
struct rd_device_shares {
    struct rd_process process[RD_DEVICES_MOST]; /* by index; id 0: it does not run */
    int device[RD_DEVICES_MOST];
    int n_running;
    double looked;       /* clock when rd_device_shares_look was last called */
    struct rd_error why; /* why processes failed */
};

/* Starts a process with this command line for the share, on this GPU. `file` is a descriptor for
   it. Returns false with a message on failure. */
bool rd_device_shares_start(struct rd_device_shares *s, char *const *argv,
                            const struct rd_device_share *share, int device, int file,
                            struct rd_error *e);
/* Waits at most so many milliseconds for a process to end. Returns false after one failed; s->why
   has the messages then. */
bool rd_device_shares_look(struct rd_device_shares *s, int milliseconds);
/* Ends all processes. */
void rd_device_shares_end(struct rd_device_shares *s);

#endif
