/* peers - times of other programs for the same cases, measured or published. */
#ifndef RD_BENCH_PEERS_H
#define RD_BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct rd_peer {
    const char *of;      /* the case */
    int32_t voxels;      /* along each edge */
    double load;         /* molecules in a voxel */
    double seconds;      /* of what the case times; 0: only the rate is known */
    double rate;         /* amount per second */
    const char *program; /* name and version */
    const char *device;  /* part of a device name: ratios hold for that device only */
    const char *source;
};

/* Returns the peer of the case at that size and load, or NULL. rd_peer_is_on returns whether its
   device is the same. */
const struct rd_peer *rd_peer_of(const char *of, int32_t voxels, double load);
bool rd_peer_is_on(const struct rd_peer *peer, const char *device);

#endif
