/* keeper - sees to it that a run can go on: when its state is saved (now and then, and when a
   signal asks for it), where, and how it comes back. Alone knows signals. */
#ifndef RD_KEEPER_H
#define RD_KEEPER_H

#include "batch.h"
#include "config.h"
#include "record.h"
#include "run.h"

/* What is told while the run goes on. */
typedef void rd_warn(const struct rd_error *sentences);

struct rd_keeper {
    double every; /* seconds of the wall clock between two checkpoints */
    rd_warn *warn;
    struct rd_recorder *recorder;
    struct rd_batch *batch; /* at hand; on resuming, that of the checkpoint */
    double seconds;         /* that the simulation stood still for checkpoints */
    double saved;           /* when, the last time, or the beginning */
    bool is_first_told;     /* that a checkpoint could not be written is told once */
    bool is_saved;          /* the last one could; */
    bool can_resume;        /* one of them could, and is there */
    int64_t n_steps;        /* that were done when this process took the run up */
    char *identity;         /* owned */
    bool loads;             /* the run goes on from */
    struct rd_tape tape;
};

/* Whether the program was begun by nohup, or the like: then it goes on when its terminal goes. */
bool rd_keeper_outlives_terminals(void);
/* From now on SIGUSR1 asks for a checkpoint. */
void rd_keeper_heed(void);
/* From now on SIGINT, SIGTERM and, when the terminal goes, SIGHUP ask for a checkpoint and the end;
   a second one ends the program at once. */
void rd_keeper_listen(void);

/* What there is to do about an earlier run's result at path with --resume. Where it is whole, or
   has only begun, it must be of this configuration. */
enum rd_past rd_keeper_past(const rd_config *c, const char *path, struct rd_error *e);
/* Opens the recorder's store: a new one, or, resuming, the one that was left. record must live as
   long; what it points to, and the identity, are the keeper's to complete. */
bool rd_keeper_open(struct rd_keeper *k, const rd_config *c, struct rd_record_of *record,
                    bool is_resuming, bool force, struct rd_error *e);
void rd_keeper_close(struct rd_keeper *k);

/* Whether it is time to save, or to stop. */
enum rd_wish rd_keeper_wish(const struct rd_keeper *k);
/* What a run needs of it: k is the watch's save_to. */
void rd_keeper_join(struct rd_keeper *k, struct rd_watch *watch);

#endif
