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
    {"binding", 0xb04ce9e63d03e0fd, 0x3a22b1e556edf8a5},
    {"many_per_voxel", 0xbde072368ea50893, 0xad5ed3a503e5c9aa},
    {"absorbing_corners", 0x37b0da48772a686c, 0xfe017bccc6b41cb0},
    {"fast_movement", 0x4ed31c5620a1b1c2, 0x193bf6edcc437e44},
    {"regions", 0x8b5a09ad0dc7c5a8, 0xc93e74652d9f8107},
    {"expressions", 0xd6f6d9ac036abb0a, 0x5baa31c19068bfb8},
    {"missing_reactants", 0x0795811ae8f7ddf3, 0x5453a2c31aaa8243},
    {"one_voxel", 0x2ed37c3c421520e9, 0x2ed37c3c421520e9},
    {"lie_splitting", 0xcb07f61f3a2d0f9e, 0x51b4131014176b8d},
    {"slow_molecules", 0x6baaf7203bfa94fd, 0xd69d5b285e116690},
    {"borders", 0x6dd13ad9f9faa111, 0x31be1fde8d60a23d},
    {"rates_by_place", 0x892f0c29380259e4, 0x10969b2fdac69dec},
    {"changing_rates", 0x9fc84d9fda68966c, 0},
    {"individuals_and_substeps", 0xbcef2f4f064a474b, 0},
    {"alike_species", 0x46eb1ee40f643450, 0},
    {"individuals_at_borders", 0x94722432888b87b7, 0},
    {"lineage", 0xb01b4345dc2d96c3, 0},
    {"epidemics", 0x3abe2fce9b6f85bc, 0},
    {"long_steps", 0x5ca53e9db97ac755, 0},
    {"ballistic_walls", 0x7066cf024bafb208, 0},
    {"chemotaxis", 0x08043e9b9ae72c26, 0},
    {"full_lists", 0xc1859e4860d4da87, 0},
    {"many_individuals", 0x39c0303f4ad9e28b, 0},
    {"fields", 0x1661d54a29d1c27a, 0xea7e5cf442d64a5c},
    {"individuals_in_fields", 0x45eeda523ca755ce, 0},
    {"changing_fields", 0xb5e0cab019f37f4b, 0},
    {"field_and_reactions", 0xd021445699e93e71, 0},
    {"mean_places", 0xd49ab0dbd350cc77, 0},
    {"totals", 0xcb3e8484195217dd, 0x5308db283b94e019},
    {"totals_of_individuals", 0x546f94bd49c366d2, 0},
    {"events_of_counts", 0xc20fe677110c33a2, 0x05cf7ce43ad8422f},
    {"events_of_individuals", 0x59c715eec736a791, 0},
    {"conditions", 0xe2d7fee3993846b6, 0xa940c371c237ee9c},
    {"conditions_of_individuals", 0xcbd5c1403ef8f0c2, 0},
    {"stopped_runs", 0xc2307e77234fcb9f, 0xeeaa3abf2abdadac},
    {"stopped_individuals", 0x0c03401f4b7f3a0d, 0},
    {"faults_of_propensities", 0xcc8eb0125a82442e, 0},
    {"faults_of_counts", 0x21d54b266ddf8f95, 0xa860c328d4edbf5a},
    {"faults_in_a_corner", 0x7e88adb215720737, 0},
    {"faults_of_diffusion", 0x2b625e853be07228, 0},
    {"stops_and_faults", 0xf280f40d0cc7ab96, 0xded03b5d8e6b640b},
    {"faults_of_individuals", 0x5fcc00f1fad1af9a, 0},
    {"faults_of_full_lists", 0xb326c985cb7458ef, 0},
    {"faults_of_attributes", 0xb94deb2a03ca91bd, 0},
    {"faults_of_events", 0xab273641376c6788, 0},
    {"faults_of_removals", 0x120fecabe929d0b4, 0x887a75cc14b95f8d},
    {"faults_of_births", 0xfd4415c3d47693d9, 0},
    {"faults_of_weighted_births", 0x0d48e1b37671da7f, 0},
    {"faults_of_max_events", 0x017c1f601231b6ff, 0xdb96f7005658e99b},
    {"faults_of_max_events_individuals", 0x1adef9242e3e9c73, 0},
    {"faults_at_the_start", 0x06fd426d7380ec87, 0},
    {"busy_voxel", 0x2f2ed1f31909813e, 0xf79da600e8ee8346},
    {"crowded_voxels", 0xb745ce35a670f834, 0x9da84a2ddc742242},
    {"sums_above_64_bits", 0x1d2bb4bd3025d659, 0},
    {"stopped_crowded_voxels", 0x43de03d4f5857907, 0x5e51d7f71a638fbc},
    {"compartments", 0x24c7b4750674a261, 0xfe31493d530bb56e},
    {"mixing", 0x4d3c2a5f0c1d8347, 0},
    {"two_blocks", 0xecda3979929d534b, 0x938944eeeed39523},
    {"three_blocks", 0x63c22b01f580dfb8, 0xbffbccce010a3253},
};

static void fingerprints_are_as_stored(void **state)
{
    (void)state;
    const struct lab one = {.threads = 1};
    bool ok = RD_STREAM_VERSION == stream_version;
    size_t i = 0;
    for (struct sample s = {0}; sample_next(&s); i++) {
        const uint64_t split = lab_fingerprint(&one, s.text, NULL);
        const uint64_t exact =
            s.suits_exact ? lab_fingerprint(&one, s.text, SETS("solver=exact")) : 0;
        printf("    {\"%s\", 0x%016llx, 0x%016llx},\n", s.name, (unsigned long long)split,
               (unsigned long long)exact);
        ok = ok && i < sizeof known / sizeof known[0] && strcmp(known[i].name, s.name) == 0 &&
             known[i].split == split && known[i].exact == exact;
    }
    assert_true(ok && i == sizeof known / sizeof known[0]);
}

/* Runs all samples in CI, too, although other tests run a tenth of them. */
int main(void)
{
    unsetenv("RDSIM_DRAW");
    const struct CMUnitTest tests[] = {cmocka_unit_test(fingerprints_are_as_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
