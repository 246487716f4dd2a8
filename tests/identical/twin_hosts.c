/* twin_hosts - tests that every sample has the fingerprint in this file, on any machine, with
   any compiler, with or without optimisation. If results change on purpose, RD_STREAM_VERSION
   in kernels/core/world.h increases, and the fingerprints are replaced by those that this test
   prints. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int stream_version = 3; /* stream version of the fingerprints */

static const struct {
    const char *name;
    uint64_t split, exact;
} known[] = {
    {"binding in a box with unequal sizes", 0xb04ce9e63d03e0fd, 0x3a22b1e556edf8a5},
    {"many molecules in few voxels, walls of every kind", 0xbde072368ea50893, 0xad5ed3a503e5c9aa},
    {"corners where two walls absorb, a step of many hops", 0x37b0da48772a686c, 0xfe017bccc6b41cb0},
    {"a line with very fast movement", 0x4ed31c5620a1b1c2, 0x193bf6edcc437e44},
    {"species in a ball, a box and a capsule", 0x8b5a09ad0dc7c5a8, 0xc93e74652d9f8107},
    {"propensities, rates in time, and events", 0xd6f6d9ac036abb0a, 0x5baa31c19068bfb8},
    {"an ensemble of one voxel", 0x2ed37c3c421520e9, 0xcd0d7e1b5c84f08f},
    {"Lie splitting, fast pairs", 0xcb07f61f3a2d0f9e, 0x51b4131014176b8d},
    {"a ball with inlets, very many that hardly move", 0x6baaf7203bfa94fd, 0xd69d5b285e116690},
    {"borders of every kind, and movement by region", 0x6dd13ad9f9faa111, 0x31be1fde8d60a23d},
    {"molecules that move as the place has it, inlets, drift alone", 0x892f0c29380259e4,
     0x10969b2fdac69dec},
    {"molecules led by what changes: substeps, inlets, absent at first", 0x9fc84d9fda68966c, 0},
    {"individuals among molecules led by what changes", 0xbcef2f4f064a474b, 0},
    {"individuals that meet borders, by rates of their own and of the region", 0x94722432888b87b7,
     0},
    {"individuals that breed, meet and become others, with lineage", 0xb01b4345dc2d96c3, 0},
    {"an ensemble of epidemics, infectious by attribute", 0x3abe2fce9b6f85bc, 0},
    {"individuals by rows in long steps, walls that take them", 0x5ca53e9db97ac755, 0},
    {"runners of their own diffusivity between walls that turn them", 0x7066cf024bafb208, 0},
    {"searchers in a ball that follow their food", 0x08043e9b9ae72c26, 0},
    {"lists that are full, and pairs that never move", 0xc1859e4860d4da87, 0},
    {"very many individuals in very many voxels", 0x39c0303f4ad9e28b, 0},
    {"what begins and reacts by fields", 0x1661d54a29d1c27a, 0xea7e5cf442d64a5c},
    {"individuals that go up fields", 0x45eeda523ca755ce, 0},
    {"fields that change, and groups that follow them and their own mean", 0xb5e0cab019f37f4b, 0},
    {"a field that nothing moves by, in turn with reactions", 0xd021445699e93e71, 0},
    {"a group that breeds, and is led by where it is on average", 0xd49ab0dbd350cc77, 0},
    {"runs that stop at outputs, events and reservoirs", 0xc2307e77234fcb9f, 0xeeaa3abf2abdadac},
    {"individuals whose runs stop after any step", 0x0c03401f4b7f3a0d, 0},
    {"runs that fault alone, by a propensity or by what changes", 0xcdc142f277dfb616, 0},
    {"counts at their limit, which some runs exceed", 0x6497fcc1555a75d3, 0xe549d5959ba3da9b},
    {"groups that meet in a corner, too many in some runs", 0xb56ac8401f9508c7, 0},
    {"molecules led by what changes, until their diffusion is impossible", 0x2b625e853be07228, 0},
    {"runs that stop or fault after any step", 0xf280f40d0cc7ab96, 0xded03b5d8e6b640b},
    {"runs whose individuals fault: lists that are full, rules, weights, propensities, movement",
     0x5fcc00f1fad1af9a, 0},
    {"full lists of individuals who wander", 0xb326c985cb7458ef, 0},
    {"runs that fault by what their individuals are like", 0xb94deb2a03ca91bd, 0},
    {"events that cannot be in some runs, for want of room, of molecules, by an attribute",
     0xab273641376c6788, 0},
    {"counts of which an event takes more than some runs have", 0x120fecabe929d0b4,
     0x887a75cc14b95f8d},
    {"numbers of individuals that explode within a step, in some runs", 0xfd4415c3d47693d9, 0},
    {"the same of individuals whose attributes say how fast they are born, and are chosen",
     0x0d48e1b37671da7f, 0},
    {"more reactions in a voxel and step than there may be, in some runs", 0x017c1f601231b6ff,
     0xdb96f7005658e99b},
    {"more reactions of individuals in a voxel and step than there may be, in some runs",
     0x1adef9242e3e9c73, 0},
    {"starts that cannot be in some runs, for want of room or by an attribute", 0x06fd426d7380ec87,
     0},
    {"an ensemble in whose voxel much happens, by propensities too", 0x2f2ed1f31909813e,
     0x037aa5708f6967b5},
    {"few and many of four kinds in each voxel, between walls", 0xb745ce35a670f834,
     0x9da84a2ddc742242},
    {"mean places of more molecules than a sum of 64 bits can tell", 0x1d2bb4bd3025d659, 0},
    {"crowds and few beside them, of which some runs stop", 0x43de03d4f5857907, 0x5e51d7f71a638fbc},
};

static void samples_have_their_known_bytes(void **state)
{
    (void)state;
    const struct lab one = {.threads = 1};
    bool ok = RD_STREAM_VERSION == stream_version;
    const struct sample *const samples = drawn_samples();
    for (int i = 0; samples[i].name; i++) {
        const char *const text = samples[i].text;
        const uint64_t split = lab_fingerprint(&one, text, NULL);
        const uint64_t exact =
            sample_suits_exact(&samples[i])
                ? lab_fingerprint(&one, text, (const char *const[]){"solver=exact", NULL})
                : 0;
        printf("    {\"%s\", 0x%016llx, 0x%016llx},\n", samples[i].name, (unsigned long long)split,
               (unsigned long long)exact);
        ok = ok && (size_t)i < sizeof known / sizeof known[0] &&
             strcmp(known[i].name, samples[i].name) == 0 && known[i].split == split &&
             known[i].exact == exact;
    }
    assert_true(ok);
}

/* Runs all samples in CI, too, although other tests run the drawn ones. */
int main(void)
{
    unsetenv("RDSIM_DRAW");
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_have_their_known_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
