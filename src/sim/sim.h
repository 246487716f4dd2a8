/* sim - state of a simulation: the plan's arrays on a back end, and the passes over them. */
#ifndef RD_SIM_SIM_H
#define RD_SIM_SIM_H

#include "exact/exact.h"
#include "kernels/core/backend.h"
#include "plan/plan.h"
#include "plan/timeline.h"
#include "result/format/snapshot.h"
#include "sim/host_counts.h"

/* Holds the options of the machine that runs the passes. */
struct rd_machine_of {
    const char *backend; /* auto, cpu, cuda */
    int threads;         /* 0: all */
    int device;
    bool timing;    /* wait after each pass, to measure its time on a GPU too */
    bool verify;    /* check the lists of individuals after every step */
    bool strict;    /* a fault of one run ends all runs */
    double n_steps; /* that the run will take; 0: not known. For a short one `auto` takes the CPU */
    double recording_memory; /* bytes of host memory that recording takes */
    double aboard; /* bytes of the machine's memory that recording takes, if that is separate */
    int n_sharing; /* processes that divide the free memory among them (0: one) */
};

/* Lists the items of measured time besides the passes. */
enum { RD_TIME_EXACT = RD_N_PASSES, RD_TIME_PLACE, RD_N_TIMES };

/* Holds the state of the host between passes at its last synchronisation. After a pause it repeats
   the passes from there. */
struct rd_mark {
    struct rd_step_clock step_clock;
    uint32_t *key, *slot, *key_next, *slot_next;
    int64_t n_landings;
};

/* Holds the numbers of substeps that are reserved for a movement, each from a pass on, in the order
   of the passes. */
enum { RD_RESERVED_MOST = 16 };
struct rd_reserved_substeps {
    int n;
    int64_t from[RD_RESERVED_MOST];
    int substeps[RD_RESERVED_MOST];
};

struct rd_sim {
    const struct rd_backend *backend;
    rd_machine *machine;
    rd_exact *exact; /* solver = "exact", else NULL */
    const struct rd_plan *plan;
    struct rd_world world;           /* pointers are the back end's, as passes need them */
    struct rd_step_clock step_clock; /* world.step_clock points to it */
    bool is_timed;
    double seconds[RD_N_TIMES]; /* wall time of each pass and other item */
    double step_seconds;        /* wall time of a step, as last measured; 0: not yet */

    struct rd_need need; /* copy of the last check */
    int64_t *reach;      /* [list]: see rd_world; owned */
    struct rd_mark mark;
    struct rd_reserved_substeps reserved; /* empty: one substep */
    int64_t n_landings; /* times that the pools of rows were exchanged, since their last start */
    int64_t short_pass; /* the pass that paused since rows lack memory; 0: none */
    int32_t declined;   /* why passes paused, if steps of rows could not be fused */
    int64_t declines, declines_left; /* checks until they are fused again, after the last time that
                                        they could not be; those that are left */
    struct {
#define RD_TABLE_CAPACITY(part, type, name) size_t name;
        RD_TABLES(RD_TABLE_CAPACITY)
#undef RD_TABLE_CAPACITY
    } capacity;             /* allocated bytes of each table */
    struct rd_error remark; /* why `auto` did not choose a GPU that is present */
    int64_t done; /* passes up to this number were done before a pause, and are only counted */
    struct rd_life *life; /* lineage that is not stored yet; owned */
    int64_t n_lives, lives_capacity;
    /* [run][species in the file's order]: molecules that the start and events placed, less those
       that events removed; NULL if the reactions have no conservation law */
    int64_t *placed;
    int64_t *firings;           /* owned, [run][condition]: how often its event has fired */
    struct rd_faulted *faulted; /* runs that faulted separately; owned */
    int64_t n_faulted;
    int64_t n_fit;          /* if the runs need too much memory, about so many of them fit */
    bool is_begun;          /* `placed` contains the molecules of the start */
    int threads;            /* of the host, for placing; 0: all */
    bool is_verified;       /* the lists are checked after each step */
    struct rd_error broken; /* why the machine failed between passes, for the next check */
};

/* Sets the bytes by which the tables may grow, since their sizes depend on the length of the
   step. */
enum { RD_TABLES_GROW = 1 << 20 };

/* Gives the number of births and deaths from which on they are stored before the next snapshot. */
enum { RD_LIVES_WAITING = 1 << 18 };

/* Sets the number of entries of each array of the state. */
void rd_sim_size(const struct rd_plan *p, struct rd_world *w);
/* Returns the memory that a run of the plan takes on the machine, in bytes. */
double rd_sim_memory(const struct rd_plan *p, int threads);
/* Returns the memory of one individual of the list: its entry, and the data in its slot. */
size_t rd_sim_individual_bytes(const struct rd_world *w, const struct rd_list *l);
/* Returns about how many seconds one core takes for so many steps: 25 ns for each count of an
   array, 20 ns for each voxel with rows, and 60 ns for each molecule, which may move and react, or
   150 ns in a row (measured with A + B <-> C in 256^3 voxels, and 3,000 species in 128^3). */
double rd_sim_core_seconds(const struct rd_plan *p, double n_steps);

/* Holds memory in bytes: what the runs need, the part of it for arrays on the machine, and what is
   free there (has < 0: unknown); and about how many of the runs fit. */
struct rd_fit {
    double need, arrays, has;
    int64_t runs;
};
/* Sets *fit for the plan on this machine. Returns false with a message if there is no such
   machine. */
bool rd_sim_fits(const struct rd_plan *p, const struct rd_machine_of *machine, struct rd_fit *fit,
                 struct rd_error *e);

/* Allocates the state; fails before that if it needs more memory than is free. rd_sim_close must be
   called in any case. Returns false with a message on failure. */
bool rd_sim_open(struct rd_sim *s, const struct rd_plan *p, const struct rd_machine_of *machine,
                 struct rd_error *e);
void rd_sim_close(struct rd_sim *s);

/* Returns the number of counts of all species, however they are stored. */
static inline int64_t rd_n_counts(const struct rd_world *w)
{
    return w->counts.n_species * w->lattice.n_voxels;
}

/* Copies the plan's present tables to the machine. */
bool rd_sim_take(struct rd_sim *s, struct rd_error *e);
/* Copies the marks of frozen runs, [run], to *frozen, which the caller frees; NULL if no run can be
   frozen. */
bool rd_sim_frozen(struct rd_sim *s, uint8_t **frozen, struct rd_error *e);

/* Adds these counts to the placed molecules, or subtracts them with sign -1. Fails if memory is
   short. */
bool rd_sim_placed(struct rd_sim *s, struct rd_host_counts *counts, int sign, struct rd_error *e);

/* Sets the interval of the next passes, from `from` on for dt. Expressions take the middle of it as
   time. */
void rd_sim_aim(struct rd_sim *s, uint32_t part, double from, double dt);
/* Runs one pass over all its items. */
void rd_sim_run(struct rd_sim *s, enum rd_pass pass);
/* Sets the fields that change, and their gradients, to their initial values in all runs. Returns
   false with a message on failure. */
bool rd_sim_begin_fields(struct rd_sim *s, struct rd_error *e);
/* Runs one step of the exact solver, or the rest of it in the runs that an event interrupted. */
void rd_sim_exact(struct rd_sim *s, double from, double dt, bool goes_on);
/* Makes the present state the mark, to which a pause goes back. */
void rd_sim_mark(struct rd_sim *s);
/* Returns whether the last pass was done before a pause. */
bool rd_sim_is_done(const struct rd_sim *s);
/* Synchronises. Returns false with a message for each kind of fault that ends the simulation;
   faults that end only their own runs are added to s->faulted. After a pause the simulation is back
   at its mark, with its step clock, and its steps must be repeated; else the present state becomes
   the mark. */
bool rd_sim_check(struct rd_sim *s, struct rd_error *e);

#endif
