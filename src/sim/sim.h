/* sim - the plan's arrays on a back end; alone allocates there. */
#ifndef RD_SIM_SIM_H
#define RD_SIM_SIM_H

#include "exact/exact.h"
#include "kernels/core/backend.h"
#include "plan/plan.h"
#include "plan/timeline.h"
#include "result/format/snapshot.h"

/* Which machine. */
struct rd_machine_of {
    const char *backend; /* auto, cpu, cuda */
    int threads;         /* 0: all */
    int device;
    bool timing;   /* wait after each pass, so that its time is known on a GPU too */
    bool verify;   /* check the lists of individuals after every step */
    bool strict;   /* a fault of one run ends all */
    double beside; /* bytes that others will take of the host's memory */
    double aboard; /* and of the machine's, where that is another */
};

/* What takes time beside the passes. */
enum { RD_TIME_EXACT = RD_N_PASSES, RD_TIME_SCAN, RD_TIME_SORT, RD_N_TIMES };

/* Where the host stood between passes when it last looked at the machine. After a pause it goes
   through the same again. */
struct rd_mark {
    struct rd_step_clock step_clock;
    uint32_t *key, *slot, *key_next, *slot_next;
};

/* How many strides a movement is granted from which pass on, in their order. */
enum { RD_GRANTS_MOST = 16 };
struct rd_grants {
    int n;
    int64_t from[RD_GRANTS_MOST];
    int substeps[RD_GRANTS_MOST];
};

struct rd_sim {
    const struct rd_backend *backend;
    rd_machine *machine;
    rd_exact *exact; /* solver = "exact", else NULL */
    const struct rd_plan *plan;
    struct rd_world world;           /* as the passes see it: the back end's pointers */
    struct rd_step_clock step_clock; /* the world's */
    bool is_timed;
    double seconds[RD_N_TIMES]; /* wall time per pass, and of what is none */
    double step_seconds;        /* wall time of a step, as last measured; 0: not yet */

    struct rd_need need; /* as last looked at */
    int64_t *reach;      /* of each list: see rd_world; owned */
    struct rd_mark mark;
    struct rd_grants grants; /* none: one stride */
    struct {
#define RD_TABLE_CAPACITY(type, name) size_t name;
        RD_TABLES(RD_TABLE_CAPACITY)
#undef RD_TABLE_CAPACITY
    } capacity;             /* of the tables, in bytes */
    struct rd_error remark; /* why `auto` did not take a GPU that is here */
    int64_t done; /* passes up to this number happened before a pause: they are but counted */
    struct rd_life *life; /* lineage that is not yet stored; owned */
    int64_t n_lives, lives_capacity;
    /* [run][species in the file's order]: molecules that the start and events put there, less those
       that events took; NULL if the reactions conserve nothing */
    int64_t *placed;
    struct rd_faulted *faulted; /* runs that faulted alone, as they were found; owned */
    int64_t n_faulted;
    int64_t n_fit;          /* of the runs, which need too much memory, about so many do not */
    bool is_begun;          /* the start was one of them: the run was not taken up on its way */
    bool is_verified;       /* lists are checked after each step */
    struct rd_error broken; /* why the machine failed between passes, for the next check */
};

/* Bytes by which tables may grow, which are others for steps of other lengths. */
enum { RD_TABLES_GROW = 1 << 20 };

/* So many births and deaths are stored at once. */
enum { RD_LIVES_WAITING = 1 << 18 };

/* How many entries each array of the state has. */
void rd_sim_size(const struct rd_plan *p, struct rd_world *w);
/* Memory that a run of the plan takes on the machine, in bytes. */
double rd_sim_memory(const struct rd_plan *p, int threads);

/* Bytes: what runs need of a machine, of these its arrays, and what it has free (below 0: unknown);
   and how many of the runs fit, about. */
struct rd_fit {
    double need, arrays, has;
    int64_t runs;
};
/* False with a sentence if there is no such machine. */
bool rd_sim_fits(const struct rd_plan *p, const struct rd_machine_of *machine, struct rd_fit *fit,
                 struct rd_error *e);

/* Allocates; more than the machine has free is refused before that. Frees with rd_sim_close in
   any case. */
bool rd_sim_open(struct rd_sim *s, const struct rd_plan *p, const struct rd_machine_of *machine,
                 struct rd_error *e);
void rd_sim_close(struct rd_sim *s);

/* The plan's tables as they are now, to the machine. */
bool rd_sim_take(struct rd_sim *s, struct rd_error *e);
/* All counts, [species][voxel] in canonical order, from and to host memory. */
bool rd_sim_put_counts(struct rd_sim *s, const int32_t *count, struct rd_error *e);
bool rd_sim_get_counts(struct rd_sim *s, int32_t *count, struct rd_error *e);
/* Which runs stand still, [run]; the caller frees. NULL where none can. */
bool rd_sim_frozen(struct rd_sim *s, uint8_t **frozen, struct rd_error *e);

/* These counts are placed, or with sign -1 no longer. */
void rd_sim_placed(struct rd_sim *s, const int32_t *count, int sign);

/* The passes to come last dt, with laws at the middle time. */
void rd_sim_aim(struct rd_sim *s, uint32_t part, double from, double dt);
/* One pass over all. */
void rd_sim_run(struct rd_sim *s, enum rd_pass pass);
/* In place of a pass that another does as well: it is counted, since after a pause, when lists have
   other bounds, it may be this one that is asked. */
void rd_sim_skip(struct rd_sim *s);
/* What is to come, and a pass. */
void rd_sim_pass(struct rd_sim *s, enum rd_pass pass, uint32_t part, double from, double dt);
/* One step of the exact solver. */
void rd_sim_exact(struct rd_sim *s, double from, double dt);
/* Where it is now is where it goes back to after a pause. */
void rd_sim_mark(struct rd_sim *s);
/* Whether the passes and verbs at hand happened before a pause already. */
bool rd_sim_is_done(const struct rd_sim *s);
/* Waits; false with a sentence for each kind of fault that ends the simulation; those of runs alone
   are in s->faulted. After a pause the simulation
   is where it was marked, beat and all, and its steps are to be gone through again; else this is
   the new mark. */
bool rd_sim_check(struct rd_sim *s, struct rd_error *e);

#endif
