/* world - the struct of plain pointers and sizes that a pass reads and writes. It owns nothing and
   is passed to the GPU by value. Species and reactions stand in canonical order: species by name,
   reactions by text. */
#ifndef RD_CORE_WORLD_H
#define RD_CORE_WORLD_H

#include "kernels/core/entries.h"
#include "kernels/core/eval.h"
#include "kernels/core/portable.h"

/* A file that handles only simple worlds (is_simple) defines the first one as 1 before the include,
   and a file that handles only worlds without rows the second one. The compiler then omits the code
   that other worlds need. */
#ifndef RD_SIMPLE_ONLY
#define RD_SIMPLE_ONLY 0
#endif
#ifndef RD_COLUMNS_ONLY
#define RD_COLUMNS_ONLY RD_SIMPLE_ONLY
#endif

/* Gives the stream version, which identifies everything that determines the bytes of a result
   for a given configuration and seed. A change that alters results increases it and has an entry
   in the CHANGELOG. */
enum { RD_STREAM_VERSION = 3 };

/* Gives the least number of molecules of a species in a voxel that are drawn as a binomial batch;
   fewer take one random word each. It belongs to the stream version: another value assigns other
   random numbers. */
enum { RD_BATCH_LEAST = 24 };

/* Holds the values that differ in each step. All else in the world repeats, so that a back end may
   prepare work for it. */
struct rd_step_clock {
    int64_t pass;      /* number of the pass since the start */
    uint32_t step;     /* number of the step */
    double time;       /* of evaluation of expressions: middle of the pass */
    double reacted;    /* time that reactions have reached */
    int64_t order_key; /* of the reaction or movement: rises with time, alike in all runs */
};

/* Returns the order key of the begin of a step; its reactions and movements have higher keys. */
RD_FN int64_t rd_first_order_key(uint32_t step)
{
    return (int64_t)step << 16;
}

/* Holds statistics of the counts of a site and species over some runs: the sum, the sum of squares
   (low word first), and the range. */
struct rd_surveyed {
    int64_t sum;
    uint64_t square[2];
    int32_t least, most;
};

enum { RD_SURVEY_RUNS = 256 };

/* Gives the parts of the world. Each lists its arrays once, as T(part, type, name), with n_name
   entries: tables, which the plan builds and no step changes, and states, which a step changes. The
   lists generate the fields, allocation and copies. */
#define RD_TABLE_FIELD(part, type, name)                                                           \
    const type *name;                                                                              \
    int64_t n_##name;
#define RD_STATE_FIELD(part, type, name)                                                           \
    type *name;                                                                                    \
    int64_t n_##name;

/* Holds the geometry: sites, voxels, runs and regions. */
#define RD_LATTICE_TABLES(T)                                                                       \
    T(lattice, uint64_t, mask) /* [site]: bit r: it belongs to region r; or none */                \
    T(lattice, uint8_t, zone)  /* [site]: voxels of one zone lie in the same regions; or none */
struct rd_lattice {
    int32_t size[3];
    double edge[3], origin[3], volume;
    int64_t n_sites;      /* voxels of one run */
    int64_t n_voxels;     /* of all runs: voxel = run * n_sites + (z * ny + y) * nx + x */
    int64_t n_runs;       /* in this world */
    int64_t first_run;    /* number of the first one, which selects its random numbers */
    int64_t stream_shift; /* its number in the ensemble is higher by this */
    int32_t n_stripes;    /* copies of fired, lost, entered that threads add to, by site */
    int32_t stripe_shift; /* stripe = site >> stripe_shift */
    int32_t zone_count;   /* number of zones; 0: not distinguished */
    RD_LATTICE_TABLES(RD_TABLE_FIELD)
};

/* Holds the molecules in voxels, and the numbers of events. If some species are in rows, count and
   arrive have a column for each of the others only. */
#define RD_COUNTS_TABLES(T)                                                                        \
    T(counts, int32_t, surveyed_species) /* in the file's order: with statistics of voxels */
#define RD_COUNTS_STATES(T)                                                                        \
    T(counts, int32_t, count)   /* [species][voxel] */                                             \
    T(counts, int32_t, arrive)  /* [species][voxel]: in transit in this step; 0 between steps */   \
    T(counts, int64_t, fired)   /* [stripe][run][reaction] since the start */                      \
    T(counts, int64_t, lost)    /* [stripe][run][species][face] */                                 \
    T(counts, int64_t, entered) /* [stripe][run][species][face] */
struct rd_counts {
    int32_t n_species;
    RD_COUNTS_TABLES(RD_TABLE_FIELD)
    RD_COUNTS_STATES(RD_STATE_FIELD)
    struct rd_surveyed *surveyed; /* [RD_SURVEY_RUNS runs][surveyed species][site]; for recording */
    int64_t n_surveyed;
    int64_t *total;        /* [species][run]: sums over its voxels; for recording rows */
    int64_t *region_total; /* [run][summed region][species]: sums over its voxels; for recording */
    uint64_t summed;       /* bit r: region r is summed */
    int32_t n_summed;      /* number of these bits */
    int64_t n_region_items;
};

/* Holds the counts of rare species as rows of entries, and which species these are; empty if all
   species have columns. A GPU stores in offset[] which molecules leave, until they are sent. */
#define RD_ROWS_TABLES(T)                                                                          \
    T(rows, int32_t, column)          /* [species]: of count and arrive, or -1: it is in rows */   \
    T(rows, int32_t, columned)        /* species with a column, in canonical order */              \
    T(rows, int32_t, keyed_first)     /* [species + 2]: into keyed */                              \
    T(rows, struct rd_row_key, keyed) /* by one of their reactants; those without any come last */ \
    T(rows, struct rd_row_bound, bound) /* [species + 1] */
#define RD_ROWS_STATES(T)                                                                          \
    T(rows, struct rd_row, row) /* [voxel] */                                                      \
    T(rows, int32_t, offset)    /* [voxel]: its last arrival, within a movement; and the end:      \
                                   entries of a snapshot before it, while that is copied */        \
    T(rows, int32_t, n_arrived) /* [voxel]: arrivals of the movement */                            \
    T(rows, uint8_t, marked)    /* [voxel]: there was too little memory for it */                  \
    T(rows, struct rd_row_entry, entry)      /* the pool of all rows */                            \
    T(rows, struct rd_row_entry, entry_next) /* that of the next rows */                           \
    T(rows, struct rd_outbox_entry, outbox)                                                        \
    T(rows, struct rd_rows_capacity, capacity)
struct rd_rows {
    int32_t repeats;         /* the pass is for marked voxels only */
    int32_t declines;        /* steps are not fused, since that failed lately: RD_DECLINED_ */
    uint64_t source_regions; /* bit r: a reaction without reactants happens in region r; all bits:
                                one happens everywhere */
    int64_t spare;           /* entries of the pool that the next rows leave free */
    int64_t n_packed;        /* for recording: voxels, from the first on, of a snapshot */
    struct rd_outbox_entry *packed; /* likewise: their entries, in the order of voxels */
    RD_ROWS_TABLES(RD_TABLE_FIELD)
    RD_ROWS_STATES(RD_STATE_FIELD)
};

/* Describes reactions: propensities, changes of counts, individuals taken and created. */
#define RD_REACTIONS_TABLES(T)                                                                     \
    T(reactions, struct rd_channel, channel) /* [reaction] */                                      \
    T(reactions, struct rd_reactant, reactant)                                                     \
    T(reactions, struct rd_reactant, change)                                                       \
    T(reactions, struct rd_participant, participant)                                               \
    T(reactions, struct rd_birth, birth)                                                           \
    T(reactions, struct rd_total, sum)                                                             \
    T(reactions, struct rd_mass_action, product) /* [reaction] */                                  \
    /* the dependency graph: lists of the reactions whose propensities an event changes */         \
    T(reactions, int32_t, first_affected) /* [reaction], and the end: into affected[] */           \
    T(reactions, struct rd_affected, affected)                                                     \
    T(reactions, struct rd_mass_action, dependent)                                                 \
    T(reactions, double, vector_rate) /* [parameter vector][reaction]: rates of their runs */
struct rd_reactions {
    int32_t n_reactions;
    uint32_t max_events;         /* in one voxel and pass; one more is a fault */
    int32_t has_expressions;     /* some propensity is not plain mass action */
    int32_t has_attribute_rates; /* some propensity depends on attributes */
    int32_t is_simple;           /* mass action only, no rows; no attributes, weights and lineage */
    int64_t runs_per_vector;     /* if there are several parameter vectors */
    int64_t runs_before;         /* runs of the first vector that are not in this world */
    RD_REACTIONS_TABLES(RD_TABLE_FIELD)
};

/* Describes the reactions between voxels and compartments. */
#define RD_EXCHANGES_TABLES(T)                                                                     \
    T(exchanges, struct rd_exchange, exchange)                                                     \
    T(exchanges, struct rd_landing, landing)                                                       \
    T(exchanges, struct rd_mixing, mixing)
#define RD_EXCHANGES_STATES(T)                                                                     \
    T(exchanges, double, exchange_sum)  /* [run][exchange][node]: valid within a pass */           \
    T(exchanges, int64_t, mixed_number) /* [run][mixing][block]: molecules; within a movement */
struct rd_exchanges {
    RD_EXCHANGES_TABLES(RD_TABLE_FIELD)
    RD_EXCHANGES_STATES(RD_STATE_FIELD)
};

/* Holds the compiled expressions of all other parts. */
#define RD_EXPRESSIONS_TABLES(T)                                                                   \
    T(expressions, struct rd_op, program)                                                          \
    T(expressions, struct rd_rule, rule)
struct rd_expressions {
    RD_EXPRESSIONS_TABLES(RD_TABLE_FIELD)
};

/* Describes the movement of counted species and of individuals. */
#define RD_MOVEMENT_TABLES(T)                                                                      \
    T(movement, struct rd_transport, transport) /* [species] */                                    \
    T(movement, struct rd_hop_rate, hop_rate)   /* rates that are not alike: [zone] or [site] */   \
    T(movement, struct rd_uniformised_walk,                                                        \
      uniformised_walk) /* likewise, or one if alike; for constant rates */                        \
    T(movement, struct rd_displacement, displacement)                                              \
    T(movement, struct rd_jump, jump)                                                              \
    T(movement, struct rd_when, when)                                                              \
    T(movement, uint32_t, when_below)                                                              \
    T(movement, double, border) /* [from zone][to zone]: transmission probability of a hop */
#define RD_MOVEMENT_STATES(T)                                                                      \
    T(movement, struct rd_hop_rate, hop_rate_now) /* [species with substeps][voxel] */             \
    T(movement, struct rd_substep, substep)       /* [run], if a species moves in substeps */
struct rd_movement {
    int32_t inner[3][2]; /* places lo <= i < hi along each axis that are inner in all axis tables */
    int64_t inlet[RD_N_FACES];     /* voxels of one run on each face that is a reservoir */
    int32_t is_placed;             /* a counted species may have own hop rates in each voxel */
    int32_t has_uniformised_walks; /* some counted species moves by uniformised walks */
    RD_MOVEMENT_TABLES(RD_TABLE_FIELD)
    RD_MOVEMENT_STATES(RD_STATE_FIELD)
};

/* Holds the fields that expressions use, constant and changing ones. */
#define RD_FIELDS_TABLES(T)                                                                        \
    T(fields, double, field) /* [field component][site]: fields, and the gradients in use */       \
    T(fields, struct rd_field_rate, field_rate) /* [changing field] */                             \
    T(fields, struct rd_field_gradient, field_gradient)
#define RD_FIELDS_STATES(T) T(fields, double, varying) /* [changing field or gradient][voxel] */
struct rd_fields {
    RD_FIELDS_TABLES(RD_TABLE_FIELD)
    RD_FIELDS_STATES(RD_STATE_FIELD)
};

/* Holds the mean positions of species that expressions use. */
#define RD_POSITIONS_TABLES(T) T(positions, int32_t, followed) /* species with mean positions */
#define RD_POSITIONS_STATES(T)                                                                     \
    T(positions, struct rd_wide,                                                                   \
      first_moments) /* [run][followed][1, x, y, z]: sums over its molecules; 0 between passes */  \
    T(positions, double, mean) /* [run][species][axis]: mean position of followed species */
struct rd_mean_positions {
    RD_POSITIONS_TABLES(RD_TABLE_FIELD)
    RD_POSITIONS_STATES(RD_STATE_FIELD)
};

/* Holds the lists of individuals, their attributes, and the births and deaths of a step. */
#define RD_LISTS_TABLES(T) T(lists, struct rd_list, list) /* [individual species] */
#define RD_LISTS_STATES(T)                                                                         \
    /* living individuals by voxel, then the pool: */                                              \
    T(lists, uint32_t, key)                                                                        \
    T(lists, uint32_t, slot)                                                                       \
    T(lists, uint32_t, key_next) /* the updated list; slots of the pool stand in both */           \
    T(lists, uint32_t, slot_next)                                                                  \
    T(lists, int32_t, offset) /* [entry]: -1 for the dead; then the shift of the living */         \
    T(lists, int64_t, id)     /* [slot] */                                                         \
    T(lists, int64_t, parent) /* [slot]: an id, or -1 */                                           \
    T(lists, double, born)    /* [slot] */                                                         \
    T(lists, double, trait)   /* [attribute][slot] */                                              \
    /* for each list and voxel, and one more: */                                                   \
    T(lists, int32_t, first)    /* entry of the first individual of this or a later voxel */       \
    T(lists, int32_t, births)   /* living newborn of the step; then those of all earlier voxels */ \
    T(lists, int32_t, named)    /* all births of the step; then those of all earlier voxels */     \
    T(lists, int32_t, capacity) /* offset in newborn[]; then newborn before the first entry */     \
    T(lists, uint8_t, flag)     /* the voxel before is occupied */                                 \
    T(lists, uint8_t, touched)  /* [voxel]: it has events */                                       \
    /* for each list: */                                                                           \
    T(lists, int64_t, live)                                                                        \
    T(lists, int64_t, coming)    /* `live` after the current update */                             \
    T(lists, int64_t, taken)     /* slots of the pool that its newborn take */                     \
    T(lists, int64_t, rank_base) /* newborn of earlier lists */                                    \
    T(lists, int64_t, id_base)   /* [list][run]: id of rank 0; after the last list: the next id */ \
    T(lists, struct rd_portion, portion) /* [list][portion] */                                     \
    T(lists, struct rd_portion, before)  /* [list][portion], and the end: sums of earlier ones */  \
    T(lists, struct rd_portion, of_run)  /* [list][run], if there are several, or were */          \
    T(lists, struct rd_newborn, newborn)                                                           \
    T(lists, double, newborn_trait) /* [newborn][attribute] */                                     \
    T(lists, uint32_t, members)     /* [newborn]: members of a voxel beyond its old entries */     \
    T(lists, int32_t, standing)     /* [rank of newborn]: its entry in the updated list */         \
    T(lists, struct rd_note, note)                                                                 \
    T(lists, struct rd_need, need)
struct rd_lists {
    int32_t most_traits; /* largest number of attributes of a list */
    int32_t at_list;     /* list that the pass is for */
    struct rd_list now;  /* copy of list[at_list] */
    int64_t reach;       /* bound of its living individuals until the next synchronisation */
    RD_LISTS_TABLES(RD_TABLE_FIELD)
    RD_LISTS_STATES(RD_STATE_FIELD)
};

/* Holds the faults, the stop condition, which runs are stopped, and totals of runs. */
#define RD_RUNS_TABLES(T)                                                                          \
    T(runs, struct rd_total_of, total_of)   /* [total] */                                          \
    T(runs, struct rd_condition, condition) /* [condition] */                                      \
    T(runs, struct rd_ode_rate, ode)        /* [variable] */
#define RD_RUNS_STATES(T)                                                                          \
    T(runs, struct rd_fault, fault)         /* [kind] */                                           \
    T(runs, struct rd_run_fault, run_fault) /* [run] */                                            \
    T(runs, int64_t, first_faulting_pass)   /* first pass with a fault of all runs, or a pause:    \
                                               later ones do nothing */                            \
    T(runs, uint8_t, frozen)                /* [run]: RD_FROZEN_; absent if no run can freeze */   \
    T(runs, int64_t, total)                 /* [run][total], as last computed */                   \
    T(runs, double, stopped) /* [run]: time of the stop; absent if no run can stop */              \
    /* for events on conditions: */                                                                \
    T(runs, double, value)          /* [run][parameter]: those that such events set */             \
    T(runs, uint8_t, condition_is)  /* [run][condition]: RD_CONDITION_ bits */                     \
    T(runs, int64_t, n_due)         /* events that fire now, over all runs */                      \
    T(runs, struct rd_pause, pause) /* [run], in the exact solver */
/* Holds the rest of a step that the exact solver interrupted for an event; left is 0 if there is
   none. */
struct rd_pause {
    double left;
    struct rd_stream stream;
};
struct rd_run_status {
    struct rd_rule stop; /* stop condition of runs, by totals and time */
    int32_t stops_at_steps;
    int32_t n_parameters;
    double longest;              /* longest step of the exact solver's integration */
    int32_t faults_are_separate; /* a fault in one run does not stop the others */
    RD_RUNS_TABLES(RD_TABLE_FIELD)
    RD_RUNS_STATES(RD_STATE_FIELD)
};

/* Holds the numbers of items of passes: all voxels, portions or runs, or 0 if there is no work. */
struct rd_items {
    int64_t n_reacting;        /* voxels with reactions */
    int64_t n_moving;          /* voxels with movement */
    int64_t n_exchange_groups; /* groups of voxels, if reactions with compartments happen there */
    int64_t n_exchanging;      /* runs, if voxels and compartments exchange molecules */
    int64_t n_mixing;          /* mixings, over all runs */
    int64_t n_mixing_blocks;   /* blocks of voxels, for each of these */
    int64_t n_substepped;      /* voxels with substeps */
    int64_t n_maintained;      /* voxels in which reactions involve individuals */
    int64_t n_tallied;         /* voxels whose counts come from lists, if a list moves */
    int64_t n_changing;        /* voxels with a changing field */
    int64_t n_field_gradients; /* gradients of changing fields, over all voxels */
    int64_t n_gathered;        /* portions of voxels, if mean positions are used */
    int64_t n_averaged;        /* runs, if mean positions are used */
    int64_t n_tested;          /* runs, if events have conditions */
    int64_t n_summed;          /* portions of voxels, if totals are used */
    int64_t n_inlets; /* voxels on faces that are a reservoir for a species, over all runs */
};

/* Holds the parameters of the pass, which the host sets before it. */
struct rd_pass_parameters {
    uint64_t seed;
    const struct rd_step_clock *step_clock;
    const struct rd_step_clock *fused_step; /* clock of the first pass of a fused step; else NULL */
    int32_t fused_step_place;               /* of the pass within it */
    uint32_t part;                          /* distinguishes passes of one kind within a step */
    double dt;                              /* length of the pass */
};
#undef RD_TABLE_FIELD
#undef RD_STATE_FIELD

/* Lists all tables and all states of the world. */
#define RD_TABLES(T)                                                                               \
    RD_LATTICE_TABLES(T)                                                                           \
    RD_COUNTS_TABLES(T)                                                                            \
    RD_ROWS_TABLES(T)                                                                              \
    RD_REACTIONS_TABLES(T)                                                                         \
    RD_EXCHANGES_TABLES(T)                                                                         \
    RD_EXPRESSIONS_TABLES(T)                                                                       \
    RD_MOVEMENT_TABLES(T)                                                                          \
    RD_FIELDS_TABLES(T) RD_POSITIONS_TABLES(T) RD_LISTS_TABLES(T) RD_RUNS_TABLES(T)
#define RD_STATES(T)                                                                               \
    RD_COUNTS_STATES(T)                                                                            \
    RD_ROWS_STATES(T)                                                                              \
    RD_EXCHANGES_STATES(T)                                                                         \
    RD_MOVEMENT_STATES(T)                                                                          \
    RD_FIELDS_STATES(T) RD_POSITIONS_STATES(T) RD_LISTS_STATES(T) RD_RUNS_STATES(T)

/* Holds all parts. A function that uses only one part takes a pointer to this part. */
struct rd_world {
    struct rd_lattice lattice;
    struct rd_counts counts;
    struct rd_rows rows;
    struct rd_reactions reactions;
    struct rd_exchanges exchanges;
    struct rd_expressions expressions;
    struct rd_movement movement;
    struct rd_fields fields;
    struct rd_mean_positions positions;
    struct rd_lists lists;
    struct rd_run_status runs;
    struct rd_items items;
    struct rd_pass_parameters pass;
};
static_assert(sizeof(struct rd_world) <= 4096, "a kernel receives the world by value");

#endif
