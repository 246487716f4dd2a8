/* world - all that a pass may see: plain pointers and sizes. It owns nothing, and goes to the
   GPU by value. Species and reactions stand in canonical order (by name, by text). */
#ifndef RD_CORE_WORLD_H
#define RD_CORE_WORLD_H

#include "kernels/core/eval.h"
#include "kernels/core/portable.h"

/* Defined as 1 before this by a file that is for simple worlds alone (is_simple), so that the
   compiler leaves out of the bodies what others need. */
#ifndef RD_SIMPLE_ONLY
#define RD_SIMPLE_ONLY 0
#endif

/* The number of the law: of everything that fixes which bytes come out for a configuration and a
   seed. A change that alters results makes it larger, and the CHANGELOG says so. */
enum { RD_STREAM_VERSION = 3 };

/* From this many molecules of a species in a voxel on, samplers of whole groups are used instead
   of a word per molecule. The threshold belongs to the law: another one is other random numbers. */
enum { RD_BATCH_LEAST = 24 };

/* Faces: xmin xmax ymin ymax zmin zmax = 2 * axis + (0 low, 1 high). */
enum { RD_N_FACES = 6 };

/* Where a molecule that leaves its place along one axis arrives: shift voxels away, or lost. */
enum { RD_LOST_LOW = INT32_MIN, RD_LOST_HIGH = INT32_MAX };
struct rd_jump {
    uint32_t below; /* taken by words below this, and not below the one before it */
    int32_t shift;  /* voxels, or RD_LOST_LOW, RD_LOST_HIGH */
};

/* The walk along one axis over a step, from one place: the probability of being elsewhere after it,
   and where, given that. Outcomes stand likeliest first; the last has below = 2^32 - 1 and takes
   that word too. */
struct rd_displacement {
    double leave;
    int32_t first, n; /* into outcome[] */
    int32_t lost[2];  /* into when[]: when it is lost low, high; -1 if it cannot be */
};

/* When a molecule is lost, given that it is: at the m-th jump of the uniformised walk, by
   thresholds as in rd_outcome for m = 1, 2, ... */
struct rd_when {
    double mean;      /* of the number of jumps in the step */
    int32_t first, n; /* into when_below[] */
};

/* The rows of one species along one axis, for the places lo <= i < hi where it lives: inner
   places share row first + reach; those nearer to an end than reach have their own. */
struct rd_axis_table {
    int32_t lo, hi;
    int32_t reach; /* 0: one row for all (periodic, or nothing moves); hi - lo: each its own */
    int32_t first; /* into row[] */
    int32_t wraps; /* the axis is periodic for it */
};

/* Thresholds for random 64-bit numbers, of which the low half is drawn only when the high one meets
   a threshold's: of leaving a voxel, and of which axes a leaver moves along, cumulative for
   x, y, z, xy, xz, yz, xyz. Words above all thresholds go to the last that is possible. */
struct rd_departure {
    uint64_t leave;
    uint64_t axes[7];
    int32_t last;
    double probability; /* of leaving */
};

/* By rows; hop by hop at paces that last; each individual at its own; hop by hop at paces that
   change. */
enum { RD_MOVE_NOT, RD_MOVE_DISPLACEMENTS, RD_MOVE_WALK, RD_MOVE_OWN, RD_MOVE_SUBSTEPS };

/* How often a molecule hops from where it is. */
struct rd_hop_rate {
    double rate[RD_N_FACES]; /* per time, towards each face's side */
    double total;            /* their sum */
    double probability;      /* 1 - exp(-total dt), that a hop is tried in a movement */
};

/* How those of one pace hop through a step, where hops are tried at one rate everywhere: the
   highest total of all paces of the species. Thresholds for words, cumulative over the faces. */
struct rd_uniformised_walk {
    uint32_t first[RD_N_FACES]; /* towards which face's side the first hop goes */
    uint32_t next[RD_N_FACES];  /* likewise of one tried from here; above all: it is none */
    int32_t first_last;         /* the last face that is possible */
    int32_t next_last;          /* likewise; RD_N_FACES where it may be none */
    int32_t tries;              /* into row[]: how many are tried after the first hop, as shifts */
};

/* Where a species has which pace: the same one everywhere, one in each zone or site of any run, or
   in each voxel the one that was found there last. */
enum { RD_HOP_RATE_ALIKE, RD_HOP_RATE_BY_ZONE, RD_HOP_RATE_BY_SITE, RD_HOP_RATE_BY_VOXEL };

/* How far a run is in its movement. */
struct rd_substep {
    double left;     /* time */
    double dt;       /* of the stride at hand */
    int64_t fastest; /* the most hops per time along an axis: its bits, which rise as it does */
};

/* How one species moves. */
struct rd_transport {
    int32_t kind;                /* RD_MOVE_ */
    int32_t is_listed;           /* of individuals; else bulk */
    int32_t list;                /* of individuals: into list[] */
    int32_t region;              /* bit of the region it is confined to, or -1 */
    int32_t borders;             /* into border[]; -1: it passes everywhere in its region */
    int32_t paced;               /* RD_PACE_ */
    int32_t uniformised_walks;   /* RD_MOVE_WALK: into tour[], the first zone's; or -1 */
    int64_t hop_rates;           /* unless alike: into pace[], the first zone's or site's; by voxel:
                                into pace_now[] */
    struct rd_hop_rate hop_rate; /* alike: that; else the highest rates of all; by voxel: with
                            counts as at the start */
    int32_t motion;              /* RD_MOVE_ROAM: into rule[]: D along x, y, z, then the drift */
    int32_t is_by_counts;        /* RD_MOVE_ROAM: by counts, which change with every hop */
    struct rd_axis_table axis_table[3]; /* RD_MOVE_ROWS */
    struct rd_departure inner;          /* RD_MOVE_ROWS: of a voxel with three inner rows */
    double pass[RD_N_FACES]; /* the probability that a hop across the box's face is let out: 0
                                reflecting, 1 absorbing or reservoir, < 1 partial; -1 wraps */
    double mean[RD_N_FACES]; /* reservoir: molecules in a voxel beyond the face, which hop in as
                                often as those in the voxel at the face hop that way; else 0 */
};

struct rd_reactant {
    int32_t species, number;
};

/* A program in law[]. */
struct rd_rule {
    int32_t program, n_program;
};

/* One individual species: where its things stand in the arrays of all. */
struct rd_list {
    int32_t species;
    int32_t n_traits;  /* attributes */
    uint64_t integers; /* bit k: attribute k is one */
    int64_t max;       /* individuals of a run */
    int64_t most;      /* of all runs: entries of its list, and slots */
    int64_t base;      /* its first entry, and its first slot */
    int64_t voxels;    /* its first entry in what is kept for n_voxels + 1 voxels */
    int64_t trait;     /* its first entry in trait[]: [attribute][slot] */
    int32_t portion;   /* neighbouring voxels that are summed up together */
    int64_t portions;  /* its first entry in portion[] */
    int32_t has_lineage;
    int32_t motion;               /* RD_MOVE_OWN: into rule[]: D along x, y, z, then the drift */
    int32_t is_by_position;       /* how it moves depends on the place, not on attributes alone */
    int32_t has_sight;            /* RD_MOVE_OWN: they look at the voxels beside */
    int32_t reversed[RD_N_FACES]; /* the attribute that the face turns round, or -1 */
};

/* What happens to a list in a portion of its voxels, or in a run; then in all before it. */
enum { RD_PORTION_MOST = 1024 };
struct rd_portion {
    int32_t first; /* entry of its first individual before */
    int32_t net;   /* more individuals than before */
    int32_t births, named;
};

/* At most so many individuals does a reaction take. */
enum { RD_PARTICIPANTS_MOST = 8 };

/* An individual that a reaction takes. Of one list, those who leave it stand first. */
enum { RD_FATE_STAY, RD_FATE_DIE, RD_FATE_BECOME };
struct rd_participant {
    int32_t list, fate;
    int32_t becomes;       /* list, or -1 */
    int32_t rules;         /* into rule[]: then its attributes there */
    struct rd_rule weight; /* of the individual: it is drawn in proportion; n_law 0: uniformly */
};

/* An individual that a reaction makes. */
struct rd_birth {
    int32_t list;
    int32_t parent; /* which of the reaction's roles, or -1 */
    int32_t rules;  /* into rule[]: one for each of its attributes */
};

/* A field that changes: how fast, and where. */
struct rd_field_rate {
    struct rd_rule rate;
    int32_t region; /* bit of the region it is in, or -1 */
    int32_t wraps;  /* bit of an axis: it is periodic */
};

/* At most so many of them. */
enum { RD_FIELD_RATES_MOST = 16 };

/* The slope of a field that changes. */
struct rd_field_gradient {
    int32_t field_rate, axis;
};

/* A sum over the individuals of a list in a voxel. */
struct rd_total {
    int32_t list;
    struct rd_rule of;
};

/* The key of a slot in the pool, and the top bit of those born in the step at hand. */
#define RD_KEY_NONE UINT32_MAX
#define RD_NEWBORN  UINT32_C(0x80000000)

/* One that was born, or came from another list, in the step at hand. An id is known, or is a rank
   among the births of its voxel into the list id_of. */
struct rd_newborn {
    int64_t id, parent;
    double born;
    int32_t id_of, parent_of; /* -1: the id is known */
    uint32_t voxel;
    int32_t list;
    int32_t place; /* among the newborn of its voxel and list who are alive; -1: it is not */
};

/* A line of the lineage, of the step at hand. */
struct rd_note {
    int64_t id, parent;
    double time;
    int32_t id_of, parent_of;
    uint32_t voxel;
    int32_t order; /* among the voxel's */
    int32_t list;  /* -1: it did not happen, since its run faulted */
    int32_t is_birth;
    int64_t order_key; /* of the reaction or movement in which the event was */
};

/* What the events of a step take: counted beforehand, then taken. Where there is too little room
   that is a pause: nothing happens any more until the host has made room. */
struct rd_need {
    int64_t newborn, notes;      /* room that must be there */
    int64_t guessed;             /* newborn[] used while it is only counted */
    int64_t n_newborn;           /* used */
    int64_t n_notes, n_reported; /* used since the host looked, and those whose ids are known */
    int64_t touched;             /* voxels in which something happens */
    int64_t lacks;               /* there was too little */
    int64_t from;                /* the pass that begins to count them */
};

/* One reaction: propensity = rate * product of falling factorials of its reactants, times or by
   an expression. */
struct rd_channel {
    double rate;                         /* k V^(1 - order); 1 with RD_LAW_PROPENSITY */
    int32_t reactant, n_reactants;       /* into reactant[] */
    int32_t change, n_changes;           /* into change[]: net, number may be negative, never 0 */
    int32_t program, n_program;          /* into law[]; n_law 0: no expression */
    int32_t expression_kind;             /* RD_LAW_ */
    int32_t region;                      /* bit of the region it happens in, or -1 */
    int32_t sum, n_sums;                 /* into sum[]: those its law asks for */
    int32_t participant, n_participants; /* into role[]: individuals it takes */
    int32_t birth, n_births;             /* into birth[]: individuals it makes */
};
enum { RD_EXPRESSION_NONE, RD_EXPRESSION_FACTOR, RD_EXPRESSION_PROPENSITY };

/* Faults inside a step: counted, and where and in what the first of each kind was. */
enum rd_fault_kind {
    RD_FAULT_OVERFLOW,   /* a count would exceed 2^31 - 1 */
    RD_FAULT_NEGATIVE,   /* a law let a reaction fire without its reactants */
    RD_FAULT_PROPENSITY, /* a law gave a negative or not a finite number */
    RD_FAULT_STUCK,      /* more draws in one voxel and step than are set aside for it */
    RD_FAULT_FULL,       /* more individuals of a run than max; of which list */
    RD_FAULT_TRAIT,  /* an attribute's rule gave no number, or no integer; list * 64 + attribute */
    RD_FAULT_WEIGHT, /* a weight was negative or not a number, or all were 0; of which reaction */
    RD_FAULT_MOTION, /* an individual's diffusion or drift is not possible; of which list */
    RD_FAULT_FIELD,  /* a field became infinite or no number; of which flow */
    RD_FAULT_NAMES,  /* more births in a run than there are ids */
    RD_FAULT_HOP_RATE, /* a species' diffusion or drift is not possible */
    RD_FAULT_HASTE,    /* a run would need more strides in a step than there can be */
    RD_FAULT_EVENTS,   /* more events in one voxel and pass than max_events; of which reaction */
    RD_N_FAULTS
};
struct rd_fault {
    int64_t number;
    int64_t first; /* the lowest, as rd_fault_first makes it; INT64_MAX while number is 0 */
};

/* The first fault of a run. Where runs fault alone nothing of such a run is used any more, so that
   the others need not wait until the host has seen it. */
struct rd_run_fault {
    int64_t since; /* the pass it was in; INT64_MAX: there was none */
    int64_t until; /* the bits of the time, never below 0, to which that pass goes */
    int64_t first; /* the lowest, as rd_trouble_at has it */
};

/* Whether a run goes on. */
enum { RD_FROZEN_NOT, RD_FROZEN_STOPPED, RD_FROZEN_FAULTED };

/* The constant tables a plan makes: T(type, name), with n_name entries. */
#define RD_TABLES(T)                                                                               \
    T(struct rd_transport, transport) /* one a species */                                          \
    T(struct rd_hop_rate, hop_rate)   /* those that are not alike: [zone] or [site] */             \
    T(struct rd_uniformised_walk,                                                                  \
      uniformised_walk) /* likewise, alike or [zone]: of those that last */                        \
    T(struct rd_displacement, displacement)                                                        \
    T(struct rd_jump, jump)                                                                        \
    T(struct rd_when, when)                                                                        \
    T(uint32_t, when_below)                                                                        \
    T(struct rd_channel, channel) /* one a reaction */                                             \
    T(struct rd_reactant, reactant)                                                                \
    T(struct rd_reactant, change)                                                                  \
    T(struct rd_op, program)                                                                       \
    T(uint64_t, mask) /* one a site: bit r = belongs to region r; or none */                       \
    T(uint8_t, zone)  /* one a site: voxels of one zone lie in the same regions; or none */        \
    T(double, border) /* [from zone][to zone]: the probability that a hop passes */                \
    T(double, field)  /* [facet][site]: fields, and their slopes that somebody asks for */         \
    T(struct rd_field_rate, field_rate) /* one a field that changes */                             \
    T(struct rd_field_gradient, field_gradient)                                                    \
    T(int32_t, followed)    /* species whose mean places are asked for */                          \
    T(struct rd_list, list) /* one an individual species */                                        \
    T(struct rd_participant, participant)                                                          \
    T(struct rd_birth, birth)                                                                      \
    T(struct rd_rule, rule)                                                                        \
    T(struct rd_total, sum)

/* The state a step changes: S(type, name), with n_name entries. */
#define RD_STATES(S)                                                                               \
    S(int32_t, count)   /* [species][voxel] */                                                     \
    S(int32_t, arrive)  /* [species][voxel]: on their way in this step; 0 between steps */         \
    S(int64_t, fired)   /* [stripe][run][reaction] since the start */                              \
    S(int64_t, lost)    /* [stripe][run][species][face] */                                         \
    S(int64_t, entered) /* [stripe][run][species][face] */                                         \
    S(struct rd_hop_rate, hop_rate_now) /* [roaming species][voxel] */                             \
    S(struct rd_substep, substep)       /* [run], if something roams */                            \
    S(struct rd_fault, fault)           /* [kind] */                                               \
    S(struct rd_run_fault, run_fault)   /* [run] */                                                \
    S(int64_t, first_faulting_pass) /* the first pass with a fault of all, or a pause: later ones  \
                                       do nothing */                                               \
    S(double, varying) /* [flow, then incline][voxel]: fields that change, and their slopes */     \
    S(struct rd_wide,                                                                              \
      first_moments)   /* [run][followed][1, x, y, z]: sums over its molecules; 0 between */       \
    S(double, mean)    /* [run][species][axis]: the mean place of those followed */                \
    S(uint8_t, frozen) /* [run]: RD_STILL_; none while no run can stand still */                   \
    /* of runs that may stop */                                                                    \
    S(int64_t, total)  /* [species][run], when it was last asked for */                            \
    S(double, stopped) /* [run]: since when */                                                     \
    /* the lists: living individuals by voxel, then the pool */                                    \
    S(uint32_t, key)                                                                               \
    S(uint32_t, slot)                                                                              \
    S(uint32_t, key_next) /* the list as it will be; the slots of the pool stand in both */        \
    S(uint32_t, slot_next)                                                                         \
    S(int32_t, offset) /* [entry]: -1 for the dead; then how far the living move on */             \
    S(int64_t, id)     /* [slot] */                                                                \
    S(int64_t, parent) /* [slot]: an id, or -1 */                                                  \
    S(double, born)    /* [slot] */                                                                \
    S(double, trait)   /* [attribute][slot] */                                                     \
    /* for each list and voxel, and one voxel more */                                              \
    S(int32_t, first)  /* entry of the first individual of this voxel, or of those after it */     \
    S(int32_t, births) /* who came in the step and lives; then in all voxels before */             \
    S(int32_t, named)  /* who was born in the step; then in all voxels before */                   \
    S(int32_t,                                                                                     \
      capacity)      /* begin of the voxel's newborn[]; then entries for them before its first */  \
    S(uint8_t, flag) /* the voxel before is occupied */                                            \
    S(uint8_t, touched) /* [voxel]: something happens in it */                                     \
    /* for each list */                                                                            \
    S(int64_t, live)                                                                               \
    S(int64_t, coming)    /* live, after the stages at hand */                                     \
    S(int64_t, taken)     /* slots of the pool that its newborn take */                            \
    S(int64_t, rank_base) /* newborn of the lists before */                                        \
    S(int64_t, id_base)   /* [list][run]: the id of rank 0; behind the last list the next id */    \
    S(struct rd_portion, portion) /* [list][portion] */                                            \
    S(struct rd_portion, before)  /* [list][portion], and the end: the sums over those before */   \
    S(struct rd_portion, of_run)  /* [list][run], if there are several, or were */                 \
    S(struct rd_newborn, newborn)                                                                  \
    S(double, newborn_trait) /* [newborn][attribute] */                                            \
    S(uint32_t, members) /* [newborn]: more of those alive in a voxel than its old entries hold */ \
    S(int32_t, standing) /* [newborn, by rank]: the entry where it will stand */                   \
    S(struct rd_note, note)                                                                        \
    S(struct rd_need, need)

/* What is another one in each step, so that it stands apart: all else in the world comes again and
   again, and a machine may have prepared for it. */
struct rd_step_clock {
    int64_t pass;      /* number of the pass since the start */
    uint32_t step;     /* number of the step */
    double time;       /* when laws are evaluated: the middle of the pass' stretch */
    double reacted;    /* the time that reactions have come to */
    int64_t order_key; /* of the reaction or movement: rises with the time, alike in all runs */
};

/* The turn at which a step begins; those of its reactions and movements come after it. */
RD_FN int64_t rd_first_order_key(uint32_t step)
{
    return (int64_t)step << 16;
}

/* The counts of a site and species over some runs: their sum, that of their squares (the low word
   first), their range. */
struct rd_surveyed {
    int64_t sum;
    uint64_t square[2];
    int32_t least, most;
};

enum { RD_SURVEY_RUNS = 256 };

struct rd_world {
    int32_t size[3];
    double edge[3], origin[3], volume;
    int64_t n_sites;   /* voxels of one run */
    int64_t n_voxels;  /* of all runs: voxel = run * n_sites + (z * ny + y) * nx + x */
    int64_t n_runs;    /* here */
    int64_t first_run; /* the number of the first */
    int32_t n_species, n_reactions;
    int32_t zone_count;   /* different zones; 0: none are told apart */
    int32_t is_placed;    /* some bulk species may have a pace of its own in each voxel */
    int32_t n_stripes;    /* copies of fired, lost, entered that threads add to, by site */
    int32_t stripe_shift; /* stripe = site >> stripe_shift */
    int64_t n_reacting;   /* voxels in which there are reactions: all or none */
    int32_t inner[3][2];  /* places lo <= i < hi along each axis from which all that moves by rows
                             takes the rows of inner places */
    int64_t n_moving;     /* voxels in which something moves: all or none */
    int64_t n_substepped; /* voxels in which something roams: likewise */
    int64_t n_maintained; /* voxels in which reactions concern individuals: all or none */
    int64_t n_tallied;  /* voxels, if some list moves, so that counts are taken from it; or none */
    int64_t n_changing; /* voxels in which a field changes: all or none */
    int64_t n_field_gradients; /* slopes of those fields, over all voxels */
    int64_t n_gathered;        /* portions of the voxels, if mean places are asked for */
    int64_t n_averaged;        /* runs, likewise */
    int64_t n_inlets; /* voxels on faces that are a reservoir for some species, over all runs */
    int64_t inlet[RD_N_FACES]; /* how many of one run's lie on each face */

    struct rd_rule stop; /* of runs that may stop: when they do, by totals and the time */
    int32_t stops_at_steps;
    int32_t faults_alone;          /* a run that faults does not keep the others from going on */
    int32_t has_expressions;       /* some propensity is more than mass action */
    int32_t has_uniformised_walks; /* some bulk species goes on tours */
    int32_t has_attribute_rates;   /* how fast something happens depends on attributes */
    int32_t is_simple;   /* all is mass action, and individuals are without attributes, weights and
                            lineage */
    int32_t most_traits; /* attributes of the list that has most */
    int32_t at_list;     /* the list that the pass is for, */
    struct rd_list now;  /* and itself; */
    int64_t reach;       /* at most so many of it live, until the host looks again */

    struct rd_surveyed *surveyed; /* [runs][species][site], of so many runs; where recording asks */
    int64_t n_surveyed;

    uint64_t seed;
    const struct rd_step_clock *step_clock;
    const struct rd_step_clock
        *fused_step;          /* of passes that happen at once: the first one's; else NULL */
    int32_t fused_step_place; /* of the pass among them */
    uint32_t part;            /* tells passes of the same kind within a step apart */
    uint32_t max_events;      /* reactions in one voxel and pass; one more is a fault */
    double dt;                /* how long the pass lasts */

#define RD_TABLE_FIELD(type, name)                                                                 \
    const type *name;                                                                              \
    int64_t n_##name;
#define RD_STATE_FIELD(type, name)                                                                 \
    type *name;                                                                                    \
    int64_t n_##name;
    RD_TABLES(RD_TABLE_FIELD)
    RD_STATES(RD_STATE_FIELD)
#undef RD_TABLE_FIELD
#undef RD_STATE_FIELD
};

#endif
