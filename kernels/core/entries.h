/* entries - the structs of which the arrays of the world consist: tables of the plan, lists of
   individuals, faults. */
#ifndef RD_CORE_ENTRIES_H
#define RD_CORE_ENTRIES_H

#include "kernels/core/portable.h"

/* Numbers the faces: xmin xmax ymin ymax zmin zmax = 2 * axis + (0 low, 1 high). */
enum { RD_N_FACES = 6 };

/* Describes one jump of a molecule that leaves its place along one axis: it arrives `shift`
   voxels away, or it is lost at a wall. */
enum { RD_LOST_LOW = INT32_MIN, RD_LOST_HIGH = INT32_MAX };
struct rd_jump {
    uint32_t below; /* chosen by words below this and not below that of the jump before */
    int32_t shift;  /* voxels, or RD_LOST_LOW, RD_LOST_HIGH */
};

/* Holds the displacement distribution along one axis over a step, from one place: the probability
   of being elsewhere afterwards, and the jumps given that. Jumps have decreasing probability;
   the last one has below = 2^32 - 1 and also takes that word. */
struct rd_displacement {
    double leave;
    int32_t first, n; /* into jump[] */
    int32_t lost[2];  /* into when[], for loss at the low and high end; -1: impossible */
};

/* Holds the distribution of the time at which a molecule is lost, given that it is lost: the m-th
   jump of the uniformised walk, with thresholds as in rd_jump for m = 1, 2, ... */
struct rd_when {
    double mean;      /* of the number of jumps in the step */
    int32_t first, n; /* into when_below[] */
};

/* Holds the displacement distributions of one species along one axis, for the places lo <= i < hi
   at which it may be. Inner places share the entry first + reach. Places closer than `reach` to an
   end have their own entries. */
struct rd_axis_table {
    int32_t lo, hi;
    int32_t reach; /* 0: one entry for all (periodic, or no movement); hi - lo: one for each */
    int32_t first; /* into displacement[] */
    int32_t wraps; /* the axis is periodic for the species */
};

/* Holds thresholds for random 64-bit numbers: for leaving a voxel, and for the axes of the move,
   cumulative over x, y, z, xy, xz, yz, xyz. The low half of a number is drawn only if its high half
   equals that of a threshold. Numbers above all thresholds select the last possible entry. */
struct rd_departure {
    uint64_t leave;
    uint64_t axes[7];
    int32_t last;
    double probability; /* of leaving */
};

/* Lists the kinds of transport: none; by displacement distributions; hop by hop at constant rates;
   each individual at its own rates; hop by hop at changing rates, in substeps. */
enum { RD_MOVE_NOT, RD_MOVE_DISPLACEMENTS, RD_MOVE_WALK, RD_MOVE_OWN, RD_MOVE_SUBSTEPS };

/* Holds the hop rates at one place. */
struct rd_hop_rate {
    double rate[RD_N_FACES]; /* per time, towards each face */
    double total;            /* sum of the rates */
    double probability;      /* 1 - exp(-total dt): that a hop is attempted in a movement */
};

/* Holds the tables of the uniformised walk for one set of hop rates. Hops are attempted at one rate
   everywhere: the highest total rate of the species. Thresholds for words are cumulative over the
   faces. */
struct rd_uniformised_walk {
    uint32_t first[RD_N_FACES]; /* direction of the first hop */
    uint32_t next[RD_N_FACES];  /* direction of a later attempt; words above all: no hop */
    int32_t first_last;         /* the last face that is possible */
    int32_t next_last;          /* likewise; RD_N_FACES if an attempt may fail */
    int32_t tries; /* into displacement[]: number of attempts after the first hop, as shifts */
};

/* Lists how hop rates of a species depend on space: the same everywhere; a set for each zone or
   each site, the same in all runs; or a set for each voxel, which holds the latest rates. */
enum { RD_HOP_RATE_ALIKE, RD_HOP_RATE_BY_ZONE, RD_HOP_RATE_BY_SITE, RD_HOP_RATE_BY_VOXEL };

/* Holds the progress of a run through its movement. */
struct rd_substep {
    double left;     /* time that remains */
    double dt;       /* length of the current substep */
    int64_t fastest; /* highest hop rate along an axis: bits of the double, which rise with it */
};

/* Describes the transport of one species. */
struct rd_transport {
    int32_t kind;              /* RD_MOVE_ */
    int32_t is_listed;         /* 1: individuals; 0: a counted species */
    int32_t list;              /* individuals: into list[] */
    int32_t region;            /* bit of the region that confines it, or -1 */
    int32_t borders;           /* into border[]; -1: all hops within its region pass */
    int32_t hop_rate_kind;     /* RD_HOP_RATE_ */
    int32_t uniformised_walks; /* RD_MOVE_WALK: into uniformised_walk[], first zone; or -1 */
    int64_t hop_rates;         /* unless alike: into hop_rate[], first zone or site; by voxel: into
                                  hop_rate_now[] */
    struct rd_hop_rate hop_rate; /* alike: the rates; else the highest of all; by voxel: rates at
                                    the initial counts */
    int32_t motion;       /* RD_MOVE_SUBSTEPS: into rule[]: D along x, y, z, then the drift */
    int32_t is_by_counts; /* RD_MOVE_SUBSTEPS: rates depend on counts, which change with each hop */
    struct rd_axis_table axis_table[3]; /* RD_MOVE_DISPLACEMENTS */
    struct rd_departure inner; /* RD_MOVE_DISPLACEMENTS: for a voxel that is inner on all axes */
    double pass[RD_N_FACES];   /* probability that a hop across the face leaves the lattice: 0
                                  reflecting, 1 absorbing or reservoir, < 1 partial; -1 periodic */
    double mean[RD_N_FACES]; /* reservoir: molecules in a voxel beyond the face, which hop in at the
                                inward rate of the voxel at the face; else 0 */
    int32_t is_mixed;        /* it lives in a compartment */
};

struct rd_reactant {
    int32_t species, number;
};

/* Holds one compiled expression: a range of operations in program[]. */
struct rd_rule {
    int32_t program, n_program;
};

/* Describes one individual species: the offsets of its entries in the arrays of all lists. */
struct rd_list {
    int32_t species;
    int32_t column;    /* of its counts */
    int32_t n_traits;  /* attributes */
    uint64_t integers; /* bit k: attribute k is an integer */
    int64_t max;       /* individuals of a run */
    int64_t most;      /* over all runs: entries of the list, and slots */
    int64_t base;      /* of its entries, and of its slots */
    int64_t voxels;    /* in arrays that have n_voxels + 1 entries for each list */
    int64_t trait;     /* in trait[]: [attribute][slot] */
    int32_t portion;   /* number of neighbouring voxels in a portion */
    int64_t portions;  /* in portion[] */
    int32_t has_lineage;
    int32_t motion;               /* RD_MOVE_OWN: into rule[]: D along x, y, z, then the drift */
    int32_t is_by_position;       /* its motion depends on the position, not only on attributes */
    int32_t uses_neighbours;      /* RD_MOVE_OWN: its motion depends on neighbouring voxels */
    int32_t moves_alike;          /* its displacement distributions are the same everywhere */
    int32_t moves_by_rates;       /* RD_MOVE_OWN: a rate that is invalid is a fault */
    int32_t reversed[RD_N_FACES]; /* attribute that changes its sign at the face, or -1 */
};

/* Holds the changes of a list in a portion of its voxels, or in a run; after the scan, the sums
   over all earlier portions. RD_PORTION_MOST: most voxels in a portion. */
enum { RD_PORTION_MOST = 1024 };
struct rd_portion {
    int32_t first; /* its first entry before the changes */
    int32_t net;   /* increase of the number of individuals */
    int32_t births, named;
};

/* Limits the individuals that a reaction takes. */
enum { RD_PARTICIPANTS_MOST = 8 };

/* Describes an individual that a reaction takes. Among participants of one list, those that leave
   the list come first. */
enum { RD_FATE_STAY, RD_FATE_DIE, RD_FATE_BECOME };
struct rd_participant {
    int32_t list, fate;
    int32_t becomes;       /* list, or -1 */
    int32_t rules;         /* into rule[]: its attributes in that list */
    struct rd_rule weight; /* the draw is in proportion to it; n_program 0: uniform */
};

/* Describes an individual that a reaction creates. */
struct rd_birth {
    int32_t list;
    int32_t parent; /* index among the participants, or -1 */
    int32_t rules;  /* into rule[]: one for each attribute */
};

/* Describes a field that changes: its rate and its region. */
struct rd_field_rate {
    struct rd_rule rate;
    int32_t region; /* bit of the region that contains it, or -1 */
    int32_t wraps;  /* bit of an axis: periodic */
};

/* Limits the fields that change. */
enum { RD_FIELD_RATES_MOST = 16 };

/* Describes a gradient of a changing field. */
struct rd_field_gradient {
    int32_t field_rate, axis;
};

/* Describes a sum over the individuals of a list in a voxel. */
struct rd_total {
    int32_t list;
    struct rd_rule of;
};

/* Describes a total: the molecules of a species in all voxels of a run, or in a region. */
struct rd_total_of {
    int32_t species;
    int32_t region; /* bit of the region, or -1 */
};

/* Describes a variable of an ODE. */
struct rd_ode_rate {
    struct rd_rule rate; /* its change per time */
    int32_t parameter;   /* it is this parameter of each run */
};

/* Describes a condition of an event. */
struct rd_condition {
    struct rd_rule rule;
    int32_t repeats; /* the event fires each time that the condition becomes true */
};

/* Holds the state of a condition in a run, as bits: it was true when last evaluated; its event has
   fired; its event fires now. */
enum { RD_CONDITION_TRUE = 1, RD_CONDITION_FIRED = 2, RD_CONDITION_DUE = 4 };

/* Gives the key of a slot in the pool; top bit of the number of a member that is born in the
 * current step. */
#define RD_KEY_NONE UINT32_MAX
#define RD_NEWBORN  UINT32_C(0x80000000)

/* Holds an individual that is born in the current step, or joins from another list. An id is final,
   or a rank among the births of its voxel into the list id_of. */
struct rd_newborn {
    int64_t id, parent;
    double born;
    int32_t id_of, parent_of; /* -1: the id is final */
    uint32_t voxel;
    int32_t list;
    int32_t place; /* among living newborn of its voxel and list; -1: not alive */
};

/* Holds one entry of the lineage in the current step. */
struct rd_note {
    int64_t id, parent;
    double time;
    int32_t id_of, parent_of;
    uint32_t voxel;
    int32_t order; /* among the entries of the voxel */
    int32_t list;  /* -1: void, since the run faulted */
    int32_t is_birth;
    int64_t order_key; /* of the reaction or movement that contains the event */
};

/* Holds the memory that the events of a step need: counted first, then used. If there is too
   little, a pause follows: passes do nothing until the host has provided more. */
struct rd_need {
    int64_t newborn, notes;      /* entries that are required */
    int64_t guessed;             /* entries of newborn[] used while events are only counted */
    int64_t n_newborn;           /* entries used */
    int64_t n_notes, n_reported; /* used since the last synchronisation; of these, with final ids */
    int64_t touched;             /* voxels with events */
    int64_t lacks;               /* 1: there is too little */
    int64_t from;                /* the pass that begins the count */
};

/* Describes one reaction: propensity = rate * product of falling factorials of its reactants,
   multiplied or replaced by an expression. It is 0, and the expression is not evaluated, if a
   reactant is missing. */
struct rd_channel {
    double rate;                         /* k V^(1 - order); 1 with RD_EXPRESSION_PROPENSITY */
    int32_t reactant, n_reactants;       /* into reactant[] */
    int32_t required, n_required;        /* after these: reactants that must be there, but do not
                                            multiply the rate */
    int32_t change, n_changes;           /* into change[]: net change, may be negative, never 0 */
    int32_t program, n_program;          /* into program[]; n_program 0: no expression */
    int32_t expression_kind;             /* RD_EXPRESSION_ */
    int32_t region;                      /* bit of the region in which it occurs, or -1 */
    int32_t sum, n_sums;                 /* into sum[]: sums in its expression */
    int32_t participant, n_participants; /* into participant[]: individuals that it takes */
    int32_t birth, n_births;             /* into birth[]: individuals that it creates */
};
enum { RD_EXPRESSION_NONE, RD_EXPRESSION_FACTOR, RD_EXPRESSION_PROPENSITY };

/* Describes the propensity of a reaction as a product: rate * value[factor[0]] * value[factor[1]].
   Value 0 is 1, value 1 + s the count n of species s, and value 1 + n_species + s is n - 1. A
   factor of -1 means that the propensity is no such product in every voxel. */
enum { RD_PRODUCT_FACTORS = 2 };
struct rd_mass_action {
    double rate;
    int32_t factor[RD_PRODUCT_FACTORS];
    int32_t reaction;
    int32_t place; /* of the propensity: rd_direct_place(reaction) */
};

/* Holds a reaction in the list of one of its reactants. Its propensity is the rate times the counts
   of at most two molecules that it takes, in their order; the second count is less by 1 if both are
   of one species. Other reactions have RD_NO_PRODUCT and are read from their channel. */
enum { RD_KEYED_MOST = 2, RD_NO_REACTANT = -1, RD_NO_PRODUCT = -2 };
struct rd_row_key {
    double rate;
    int32_t reaction;
    int32_t region;                 /* bit of the region in which it occurs, or -1 */
    int32_t species[RD_KEYED_MOST]; /* RD_NO_REACTANT: no such molecule */
};

/* Bounds the propensities of the reactions in the list of one species: they are at most n (alone +
   together (N - 1)) in a voxel with n molecules of it and N in all. */
struct rd_row_bound {
    double alone, together;
};

/* Lists reactions whose propensities an event changes: dependent[begin] to dependent[end - 1]. */
struct rd_affected {
    int32_t begin, end;
};

/* Gives the site at which the numbers of compartments stand, in the rows of their species. */
enum { RD_MIXED_SITE = 0 };

/* Describes a reaction between voxels and compartments. Its channel has the rate 0, so that it does
   not happen among the reactions of a voxel. */
struct rd_exchange {
    double rate;         /* in the place of the channel's */
    int32_t reaction;    /* its number */
    int32_t is_released; /* its reactants are in compartments; its products appear in a voxel that
                            is drawn */
    int32_t mixed, n_mixed; /* unless is_released: into reactant[]: its reactants in compartments;
                               those of its channel are in voxels */
    int32_t n_placed;       /* of its changes, the first ones are in the voxel; others in
                               compartments */
    int64_t landing, n_landing; /* is_released: into landing[]: the voxels of its products */
};

/* Describes a voxel in which products may appear. */
struct rd_landing {
    double upto; /* sum of the volumes or areas of the voxels up to this one */
    int64_t site;
};

/* Describes a species in voxels and one in a compartment that are mixed in each step. */
struct rd_mixing {
    double share;               /* of each molecule: probability to be in the compartment */
    int32_t placed, mixed;      /* the species in voxels, and the one in the compartment */
    int32_t reaction, back;     /* numbers of the reactions into the compartment, and out of it */
    int64_t landing, n_landing; /* into landing[]: the voxels */
};

/* Lists the kinds of faults within a step. Each kind is counted; the place and the subject of its
   first fault are kept. */
enum rd_fault_kind {
    RD_FAULT_OVERFLOW,   /* a count would exceed 2^31 - 1 */
    RD_FAULT_NEGATIVE,   /* an expression let a reaction fire without its reactants */
    RD_FAULT_PROPENSITY, /* a propensity is negative or not finite */
    RD_FAULT_STUCK,      /* more draws in one voxel and step than its stream provides */
    RD_FAULT_FULL,       /* more individuals of a run than max; subject: list */
    RD_FAULT_TRAIT,      /* a rule gives no number, or no integer; subject: list * 64 + attribute */
    RD_FAULT_WEIGHT,     /* a weight is negative or not a number, or all are 0; subject: reaction */
    RD_FAULT_MOTION,     /* diffusion or drift of an individual is invalid; subject: list */
    RD_FAULT_FIELD,      /* a field becomes infinite or not a number; subject: field_rate */
    RD_FAULT_ODE,        /* a variable of an ODE becomes infinite or not a number; subject: ode */
    RD_FAULT_NAMES,      /* more births in a run than ids */
    RD_FAULT_HOP_RATE,   /* diffusion or drift of a species is invalid */
    RD_FAULT_SUBSTEPS,   /* a run needs more substeps in a step than allowed */
    RD_FAULT_EVENTS,     /* more events in one voxel and pass than max_events; subject: reaction */
    RD_FAULT_MEMORY,     /* no memory for more molecules in the exact solver */
    RD_N_FAULTS
};
struct rd_fault {
    int64_t number;
    int64_t first; /* the lowest, encoded by rd_fault_first; INT64_MAX while number is 0 */
};

/* Holds the first fault of a run. If faults_are_separate is set, nothing of such a run is used any
   more, so that the other runs continue before the host has read the fault. */
struct rd_run_fault {
    int64_t since; /* pass of the fault; INT64_MAX: none */
    int64_t until; /* bits of the time at which that pass ends, never below 0 */
    int64_t first; /* the lowest, encoded by rd_run_fault_first */
};

/* Lists the states of a run: it continues, has met its stop condition, or has faulted. */
enum { RD_FROZEN_NOT, RD_FROZEN_STOPPED, RD_FROZEN_FAULTED };

/* Holds the number of molecules of one species in a voxel, as an entry of its row. */
struct rd_row_entry {
    int32_t species, count;
};

/* Describes the row of a voxel: its entries, in canonical order of their species. */
struct rd_row {
    int32_t begin; /* into entry[] */
    int32_t n, capacity;
};

/* Holds molecules that arrive in a voxel in the current movement; or those in a voxel, for a
   snapshot. Arrivals of a voxel become a linked list. */
struct rd_outbox_entry {
    uint32_t voxel; /* or, in a linked list, the entry before this one */
    int32_t species;
    int32_t count; /* a GPU: -1 - number of a molecule that leaves the voxel, until it is sent */
};

/* Numbers the reasons why steps of rows could not be fused: a part of the lattice is not suited, or
   the rows would exceed their pool. */
enum { RD_DECLINED_NOT, RD_DECLINED_STATE, RD_DECLINED_POOL };

/* Counts the memory of rows. A voxel for which there is too little is marked and stays as it is,
   and the later passes do nothing; the host provides more, and the pass is repeated for the marked
   voxels. */
struct rd_rows_capacity {
    int64_t top;            /* entries of the pool in use */
    int64_t lacks;          /* entries that marked voxels lack */
    int64_t arrivals;       /* arrivals of the movement */
    int64_t claimed;        /* arrivals, with those that voxels at work may still add */
    int64_t lacks_arrivals; /* that marked voxels may add */
    int64_t staying;        /* entries that the leavers leave behind */
    int64_t next;           /* entries of the next rows that are claimed */
    int64_t needed;         /* entries that stayed or arrived in the last movement */
    int64_t is_short;       /* the last movement lacked memory, so that no rows were made */
    int64_t n_landings;     /* times that all rows were made, since the host counted */
    int64_t n_ended;        /* a GPU: blocks that have ended, within a kernel */
    int64_t declined;       /* a GPU: why steps could not be fused, so that the passes paused */
};

/* Gives the length up to which a row is searched entry by entry. */
enum { RD_ROW_SHORT = 8 };

/* Returns the index of the first of n entries whose species is not below the given one. */
RD_FN int32_t rd_entry_at(const struct rd_row_entry *entry, int32_t n, int32_t species)
{
    int32_t low = 0, high = n;
    while (high - low > RD_ROW_SHORT) {
        const int32_t middle = low + (high - low) / 2;
        if (entry[middle].species < species)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < high && entry[low].species < species)
        low++;
    return low;
}

/* Adds to the count of the species in a row of *n entries, which has room for one more. */
RD_FN void rd_add_to_entries(struct rd_row_entry *entry, int32_t *n, int32_t species,
                             int32_t number)
{
    const int32_t at = rd_entry_at(entry, *n, species);
    if (at == *n || entry[at].species != species) {
        for (int32_t k = (*n)++; k > at; k--)
            entry[k] = entry[k - 1];
        entry[at].species = species;
        entry[at].count = 0;
    }
    entry[at].count += number;
}

/* Returns the count of the species in a row of n entries. */
RD_FN int32_t rd_entry_count(const struct rd_row_entry *entry, int32_t n, int32_t species)
{
    const int32_t i = rd_entry_at(entry, n, species);
    return i < n && entry[i].species == species ? entry[i].count : 0;
}

#endif
