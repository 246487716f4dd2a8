/* samples_busy - samples with many events in each voxel, so that SIMD code processes many of them
   together. */
#ifndef RD_SAMPLES_BUSY_H
#define RD_SAMPLES_BUSY_H

#define SAMPLES_BUSY                                                                               \
    {"an ensemble in whose voxel much happens, by propensities too",                               \
     "grid = { voxels = 1; edge = 2.0; };\n"                                                       \
     "parameters = { v = 40.0; K = 3.0; n = 3; };\n"                                               \
     "species = ( { name = \"M\"; }, { name = \"P\"; }, { name = \"D\"; } );\n"                    \
     "reactions = ( { equation = \"0 -> M\"; propensity = \"v / (1 + ([D] / K)^n)\"; },\n"         \
     "      { equation = \"M -> 0\"; rate = 1.5; }, { equation = \"M -> M + P\"; rate = 2.0; },\n" \
     "      { equation = \"2 P -> D\"; rate = 0.1; }, { equation = \"D -> 2 P\"; rate = 0.3; },\n" \
     "      { equation = \"P -> 0\"; propensity = \"9 * P / (K + P) + max(0, log(P) - t)\"; },\n"  \
     "      { equation = \"D -> 0\"; rate = \"exp(-D / 40)\"; } );\n"                              \
     "initial = ( { species = \"P\"; value = 20; spread = \"poisson\"; } );\n"                     \
     "time = { end = 2.0; }; output = { every = 0.5; }; run = { seed = 41; runs = 150; };\n"},     \
        {"few and many of four kinds in each voxel, between walls",                                \
         "grid = { voxels = (7, 6, 5); edge = (1.0, 0.9, 1.1);\n"                                  \
         "         walls = { x = \"periodic\"; ymin = \"absorb\"; zmax = { kind = \"reservoir\"; " \
         "mean = 20.0; }; }; };\n"                                                                 \
         "species = ( { name = \"A\"; diffusion = 0.3; }, { name = \"B\"; diffusion = 0.05; "      \
         "drift = (0.4, 0, -0.2); },\n"                                                            \
         "            { name = \"C\"; diffusion = 1.5; }, { name = \"D\"; } );\n"                  \
         "reactions = ( { equation = \"A + B -> C + D\"; rate = 0.001; }, { equation = \"C -> "    \
         "A\"; rate = 0.1; } );\n"                                                                 \
         "initial = ( { species = \"A\"; density = 22; }, { species = \"B\"; density = 27; },\n"   \
         "            { species = \"C\"; density = 60; }, { species = \"D\"; density = 30; } "     \
         ");\n"                                                                                    \
         "time = { end = 1.5; step = 0.25; }; output = { every = 0.5; }; run = { seed = 43; runs " \
         "= 2; };\n"},                                                                             \
        {"mean places of more molecules than a sum of 64 bits can tell",                           \
         "grid = { voxels = 120000; edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; }, { name = \"B\"; } );\n"                                   \
         "reactions = ( { equation = \"0 -> B\"; rate = \"1e-8 * mean_x(A)\"; } );\n"              \
         "initial = ( { species = \"A\"; value = 2147483647; } );\n"                               \
         "time = { end = 1.0; step = 0.5; }; output = { every = 1.0; };\n"                         \
         "run = { seed = 27; runs = 2; };\n"},                                                     \
        {"crowds and few beside them, of which some runs stop",                                    \
         "grid = { voxels = (6, 5, 4); edge = 1.0; walls = { x = \"periodic\"; y = "               \
         "\"periodic\"; z = \"periodic\"; }; };\n"                                                 \
         "species = ( { name = \"A\"; diffusion = 0.4; }, { name = \"B\"; diffusion = 0.05; }, { " \
         "name = \"C\"; diffusion = 1.0; drift = (0, 1.0, 0); } );\n"                              \
         "reactions = ( { equation = \"B -> A\"; rate = 0.1; } );\n"                               \
         "initial = ( { species = \"A\"; density = 21; }, { species = \"B\"; density = 30; }, { "  \
         "species = \"C\"; density = 60; } );\n"                                                   \
         "time = { end = 1.5; step = 0.25; stop = \"A >= 2862\"; }; output = { every = 0.5; }; "   \
         "run = { seed = 44; runs = 4; };\n"},
#endif
