/* peers - the table of other programs' figures, with their sources. */
#include "bench/peers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Lists times of Lattice Microbes' own loop: the best of its builds, the same 100 steps from the
   same start in one call (2026-11-22). */
#define LATTICE_MICROBES(voxels, load, seconds)                                                    \
    {                                                                                              \
        "peer", voxels, load, seconds, 0.0, "Lattice Microbes 2.5 (MPD-RDME)", "H200",             \
            "measured on an NVIDIA H200, 2026-11-22: 100 steps from the same start"                \
    }
#define XEON(of, load, voxels, seconds, rate)                                                      \
    {                                                                                              \
        of, voxels, load, seconds, rate, "URDME (next subvolume)", "Xeon, 2.x GHz",                \
            "measured on one core of a Xeon at 2.x GHz: for scale only"                            \
    }

static const struct rd_peer peers[] = {
    LATTICE_MICROBES(64, 0.1, 55.5e-6),    LATTICE_MICROBES(64, 0.5, 216e-6),
    LATTICE_MICROBES(64, 1.0, 1028e-6),    LATTICE_MICROBES(64, 2.0, 3165e-6),
    LATTICE_MICROBES(128, 0.1, 221e-6),    LATTICE_MICROBES(128, 0.5, 3.529e-3),
    LATTICE_MICROBES(128, 1.0, 4.201e-3),  LATTICE_MICROBES(128, 2.0, 4.063e-3),
    LATTICE_MICROBES(256, 0.1, 1.84e-3),   LATTICE_MICROBES(256, 0.5, 5.98e-3),
    LATTICE_MICROBES(256, 1.0, 8.73e-3),   LATTICE_MICROBES(256, 2.0, 16.0e-3),
    XEON("split", 10.0, 32, 0.70, 0.0),    XEON("exact", 10.0, 32, 0.0, 2.8e6),
    XEON("exact", 10.0, 128, 0.0, 0.74e6),
};

const struct rd_peer *rd_peer_of(const char *of, int32_t voxels, double load)
{
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        const struct rd_peer *const p = &peers[i];
        if (strcmp(p->of, of) == 0 && p->voxels == voxels && fabs(p->load - load) < 1e-9)
            return p;
    }
    return NULL;
}

bool rd_peer_is_on(const struct rd_peer *peer, const char *device)
{
    return strstr(device, peer->device) != NULL;
}
