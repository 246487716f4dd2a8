/* peers - what other programs took for the same cases, as measured or published. */
#ifndef RD_BENCH_PEERS_H
#define RD_BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct rd_peer {
    const char *of;      /* the case */
    int32_t voxels;      /* along each edge */
    double load;         /* molecules in a voxel */
    double seconds;      /* of what is timed in that case; or 0, and */
    double rate;         /* how much of it a second */
    const char *program; /* who, and its version */
    const char *device;  /* a word of the device's name: ratios are for the same one alone */
    const char *source;
};

/* The best one of a case at that size and load, or NULL. */
const struct rd_peer *rd_peer_of(const char *of, int32_t voxels, double load);
bool rd_peer_is_on(const struct rd_peer *peer, const char *device);

#endif
