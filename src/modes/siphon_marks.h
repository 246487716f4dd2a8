/* siphon_marks - which species are in a siphon and which are not, with all that follows from it;
   separate because the search in siphons.c uses it in two ways. */
#ifndef RD_SIPHON_MARKS_H
#define RD_SIPHON_MARKS_H

#include "modes/network.h"
#include "modes/number_lists.h"

enum rd_siphon_mark { RD_SIPHON_OPEN, RD_SIPHON_MEMBER, RD_SIPHON_OUTSIDE };

/* Holds the marks of all species. A way is one direction of a reaction. A zero-initialised
   struct is empty. */
struct rd_siphon_marks {
    int n_species, n_ways;
    struct rd_number_lists from, to;  /* of each way: reactants, and products; owned */
    struct rd_number_lists use, make; /* of each species: ways; owned */
    unsigned char *mark;              /* [species], owned */
    int32_t *n_free, *n_in, *n_made;  /* of each way: reactants that are not outside, reactants
                                         that are members, products that are members; owned */
    int32_t *trail, *member;          /* marked species, and members, in their order; owned */
    int n_trail, n_members;
    int n_most;   /* members that there may be */
    int n_next;   /* the least number of members that was more than that */
    int64_t work; /* numbers visited */
};

/* Puts external species outside, and all that can be made of nothing. Returns false with a message
   if there is no memory. */
bool rd_siphon_marks_open(struct rd_siphon_marks *m, const struct rd_network *n,
                          struct rd_error *e);
/* Marks a species that is open, and all species of which this decides the mark: a way whose
   reactants are all outside makes nothing but what is outside, and if a way makes a member, one of
   its reactants is a member. Returns false if there is no siphon with these marks, or if it has
   more than n_most members; rd_siphon_marks_undo is then the way back. */
bool rd_siphon_marks_put(struct rd_siphon_marks *m, int32_t species, enum rd_siphon_mark mark);
/* Opens the species that were marked when the trail was longer than this. */
void rd_siphon_marks_undo(struct rd_siphon_marks *m, int n_trail);
/* Returns a way that makes a member of species none of which is a member, one of those with the
   fewest choices; -1 if the members are a siphon. */
int32_t rd_siphon_marks_broken(struct rd_siphon_marks *m);
void rd_siphon_marks_close(struct rd_siphon_marks *m);

#endif
