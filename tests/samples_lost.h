/* samples_lost - samples in which some runs fail and the others continue. In them counts pass a
   threshold at which a propensity, a diffusivity or a field becomes impossible, or counts become
   too large. */
#ifndef RD_SAMPLES_LOST_H
#define RD_SAMPLES_LOST_H

#define SAMPLES_LOST                                                                               \
    {"runs that fault alone, by a propensity or by what changes",                                  \
     "grid = { voxels = (4, 3); edge = 1.0; };\n"                                                  \
     "fields = ( { name = \"signal\"; value = 1.0; rate = \"if(B > 2.5, 1e308 * B, A - "           \
     "signal)\"; "                                                                                 \
     "} );\n"                                                                                      \
     "species = ( { name = \"A\"; diffusion = 0.5; }, { name = \"B\"; diffusion = 0.1; } );\n"     \
     "reactions = ( { equation = \"0 -> A\"; rate = 0.5; }, { equation = \"A -> B\"; rate = 0.3; " \
     "},\n"                                                                                        \
     "      { equation = \"B -> 0\"; propensity = \"if(A > 4.5, -1, 0.4 * B)\"; } );\n"            \
     "initial = ( { species = \"A\"; count = 3; } );\n"                                            \
     "time = { end = 4.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 40; runs = "    \
     "30; "                                                                                        \
     "first = 5; };\n"},                                                                           \
        {"counts at their limit, which some runs exceed",                                          \
         "grid = { voxels = (4, 3); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; }, { name = \"B\"; diffusion = 1.0; }, { name = \"C\"; "     \
         "diffusion "                                                                              \
         "= 1e-10; } );\n"                                                                         \
         "reactions = ( { equation = \"B -> A + B\"; rate = 3.0; } );\n"                           \
         "initial = ( { species = \"A\"; value = 2147483600; }, { species = \"B\"; value = 2; }, " \
         "{ "                                                                                      \
         "species = \"C\"; value = 2147483641; } );\n"                                             \
         "time = { end = 4.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 41; runs "  \
         "= 20; "                                                                                  \
         "};\n"},                                                                                  \
        {"groups that meet in a corner, too many in some runs",                                    \
         "grid = { voxels = (32, 32, 32); edge = 1.0; };\n"                                        \
         "species = ( { name = \"A\"; drift = (-1000, -1000, -1000); } );\n"                       \
         "initial = ( { species = \"A\"; value = 65536; spread = \"poisson\"; } );\n"              \
         "time = { end = 1.0; step = 0.5; }; output = { every = 0.5; }; run = { seed = 50; runs "  \
         "= 6; };\n"},                                                                             \
        {"molecules led by what changes, until their diffusion is impossible",                     \
         "grid = { voxels = (4, 3); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = \"0.1 * (6.5 - A)\"; } );\n"                     \
         "reactions = ( { equation = \"0 -> A\"; rate = 0.5; }, { equation = \"A -> 0\"; rate = "  \
         "0.5; } "                                                                                 \
         ");\n"                                                                                    \
         "initial = ( { species = \"A\"; count = 3; } );\n"                                        \
         "time = { end = 6.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 42; runs "  \
         "= 20; "                                                                                  \
         "};\n"},                                                                                  \
        {"runs that stop or fault after any step",                                                 \
         "grid = { voxels = (4, 3); edge = 1.0; walls = { xmin = \"absorb\"; }; };\n"              \
         "species = ( { name = \"A\"; diffusion = 0.5; }, { name = \"B\"; } );\n"                  \
         "reactions = ( { equation = \"A -> 2 A\"; propensity = \"if(A > 6.5, -1, 0.7 * A)\"; }, " \
         "{ "                                                                                      \
         "equation = "                                                                             \
         "\"A -> B\"; rate = 0.3; } );\n"                                                          \
         "initial = ( { species = \"A\"; count = 8; } );\n"                                        \
         "events = ( { time = 1.5; add = { species = \"B\"; count = 1; }; } );\n"                  \
         "time = { end = 5.0; step = 0.1; stop = \"A == 0 or B > 15\"; stop_at = \"steps\"; };\n"  \
         "output = { every = 0.5; }; run = { seed = 43; runs = 20; };\n"},                         \
        {"runs whose individuals fault: lists that are full, rules, weights, propensities, "       \
         "movement",                                                                               \
         "grid = { voxels = (4, 3); edge = 1.0; walls = { xmin = \"absorb\"; }; };\n"              \
         "species = ( { name = \"A\"; diffusion = 0.5; individuals = { max = 34; record = "        \
         "\"lineage\"; attributes = (\n"                                                           \
         "{ name = \"size\"; initial = 1; birth = \"if(A > 8.5, 1 / 0, parent.size + 0.3 * "       \
         "normal(0, 1))\"; } ); }; },\n"                                                           \
         "{ name = \"B\"; diffusion = \"0.1 * (load - 0.3)\"; individuals = { max = 60; record = " \
         "\"lineage\"; attributes = ( { name = \"load\"; initial = 1; birth = \"1 + normal(0, "    \
         "0.4)\"; } ); }; }, { name = \"C\"; diffusion = 0.2; } );\n"                              \
         "reactions = ( { equation = \"A -> 2 A\"; rate = 0.5; }, { equation = \"A -> B\"; rate "  \
         "= 0.15; weight = \"A.size + 0.1\"; },\n"                                                 \
         "{ equation = \"B -> B + C\"; propensity = \"if(C > 7.5, -1, 0.4 * B)\"; }, { equation "  \
         "= \"C "                                                                                  \
         "-> 0\"; rate = 0.2; }, { equation = \"B -> 0\"; rate = 0.2; } );\n"                      \
         "initial = ( { species = \"A\"; count = 8; } );\n"                                        \
         "time = { end = 5.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 44; runs "  \
         "= 20; first = 3; };\n"},                                                                 \
        {"full lists of individuals who wander",                                                   \
         "grid = { voxels = (5, 4); edge = 1.0; walls = { x = \"periodic\"; y = \"periodic\"; }; " \
         "};\n"                                                                                    \
         "species = ( { name = \"A\"; diffusion = 0.5; individuals = { max = 40; }; } );\n"        \
         "reactions = ( { equation = \"A -> 2 A\"; rate = 0.6; }, { equation = \"A -> 0\"; rate "  \
         "= 0.5; } );\n"                                                                           \
         "initial = ( { species = \"A\"; count = 30; } );\n"                                       \
         "time = { end = 4.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 45; runs "  \
         "= 20; };\n"},                                                                            \
        {"runs that fault by what their individuals are like",                                     \
         "grid = { voxels = 6; edge = 1.0; };\n"                                                   \
         "species = ( { name = \"A\"; diffusion = \"0.5 * exp(-age)\"; individuals = { max = 50; " \
         "record = \"lineage\"; attributes = ( { name = \"age\"; initial = 0; birth = "            \
         "\"parent.age + 0.2 * A\"; } ); }; }, { name = \"F\"; } );\n"                             \
         "reactions = ( { equation = \"A + F -> 2 A\"; rate = \"0.05\"; }, { equation = \"A -> "   \
         "0\"; rate = \"sum(0.2 * (4 - A.age))\"; }, { equation = \"0 -> F\"; rate = 2; } );\n"    \
         "initial = ( { species = \"A\"; count = 30; }, { species = \"F\"; value = 6; } );\n"      \
         "time = { end = 4.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 46; runs "  \
         "= 20; };\n"},                                                                            \
        {"events that cannot be in some runs, for want of room, of molecules, by an attribute",    \
         "grid = { voxels = (4, 3); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.4; individuals = { max = 24; record = "        \
         "\"lineage\"; attributes = ( { name = \"u\"; initial = \"if(B > 2.5 and t > 0, 1 / 0, "   \
         "x)\"; } ); }; },\n"                                                                      \
         "{ name = \"B\"; diffusion = 0.3; } );\n"                                                 \
         "reactions = ( { equation = \"A -> 2 A\"; rate = 0.3; }, { equation = \"A -> B\"; rate "  \
         "= 0.4; }, { equation = \"B -> 0\"; rate = 0.2; } );\n"                                   \
         "initial = ( { species = \"A\"; count = 12; }, { species = \"B\"; count = 6; } );\n"      \
         "events = ( { time = 0.7; add = { species = \"A\"; count = 4; }; },\n"                    \
         "{ every = 0.9; remove = ( { species = \"A\"; count = 5; }, { species = \"B\"; count = "  \
         "5; } ); add = { species = \"A\"; count = 7; }; } );\n"                                   \
         "time = { end = 3.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 47; runs "  \
         "= 20; first = 2; };\n"},                                                                 \
        {"counts of which an event takes more than some runs have",                                \
         "grid = { voxels = 6; edge = 1.0; };\n"                                                   \
         "species = ( { name = \"A\"; diffusion = 0.4; }, { name = \"B\"; diffusion = 0.3; } );\n" \
         "reactions = ( { equation = \"A -> B\"; rate = 0.5; } );\n"                               \
         "initial = ( { species = \"A\"; count = 30; } );\n"                                       \
         "events = ( { every = 0.5; remove = ( { species = \"B\"; count = 5; }, { species = "      \
         "\"A\"; count = 1; } ); } );\n"                                                           \
         "time = { end = 2.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 48; runs "  \
         "= 30; };\n"},                                                                            \
        {"numbers of individuals that explode within a step, in some runs",                        \
         "grid = { voxels = (3, 2); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.4; individuals = { max = 90; }; },\n"          \
         "{ name = \"B\"; diffusion = 0.3; individuals = { max = 200; }; }, { name = \"F\"; } "    \
         ");\n"                                                                                    \
         "reactions = ( { equation = \"A + F -> 2 A + F\"; rate = 4.0; }, { equation = \"A -> "    \
         "B\"; rate = 1.0; }, { equation = \"B -> 0\"; rate = 2.0; },\n"                           \
         "{ equation = \"0 -> F\"; rate = 0.06; } );\n"                                            \
         "initial = ( { species = \"A\"; count = 20; } );\n"                                       \
         "time = { end = 3.0; step = 0.5; }; output = { every = 0.5; }; run = { seed = 50; runs "  \
         "= 20; first = 4; };\n"},                                                                 \
        {"the same of individuals whose attributes say how fast they are born, and are chosen",    \
         "grid = { voxels = (3, 2); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.4; individuals = { max = 90; record = "        \
         "\"lineage\"; attributes = ( { name = \"u\"; initial = 1; birth = \"parent.u * "          \
         "1.02\"; } ); }; },\n"                                                                    \
         "{ name = \"B\"; diffusion = 0.3; individuals = { max = 60; }; }, { name = \"F\"; } "     \
         ");\n"                                                                                    \
         "reactions = ( { equation = \"A -> 2 A\"; rate = \"4 * F * sum(A.u)\"; },\n"              \
         "{ equation = \"A -> 0\"; rate = 0.5; weight = \"A.u\"; }, { equation = \"A -> A + B\"; " \
         "rate = \"F\"; },\n"                                                                      \
         "{ equation = \"B -> 0\"; rate = 2.0; },\n"                                               \
         "{ equation = \"0 -> F\"; rate = 0.02; } );\n"                                            \
         "initial = ( { species = \"A\"; count = 20; } );\n"                                       \
         "time = { end = 3.0; step = 0.5; }; output = { every = 0.5; }; run = { seed = 51; runs "  \
         "= 20; };\n"},                                                                            \
        {"more reactions in a voxel and step than there may be, in some runs",                     \
         "grid = { voxels = (8, 4); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.3; }, { name = \"B\"; diffusion = 0.1; } "     \
         ");\n"                                                                                    \
         "reactions = ( { equation = \"A -> 2 A\"; rate = 0.6; }, { equation = \"A -> B\"; rate "  \
         "= 0.5; }, { equation = \"B -> 0\"; rate = 0.5; } );\n"                                   \
         "initial = ( { species = \"A\"; count = 96; } );\n"                                       \
         "time = { end = 4.0; step = 0.5; max_events = 9; }; output = { every = 0.5; }; run = { "  \
         "seed = 52; runs = 20; };\n"},                                                            \
        {"more reactions of individuals in a voxel and step than there may be, in some runs",      \
         "grid = { voxels = (8, 4); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 400; }; } );\n"       \
         "reactions = ( { equation = \"A -> 2 A\"; rate = 0.5; }, { equation = \"A -> 0\"; rate "  \
         "= 0.5; } );\n"                                                                           \
         "initial = ( { species = \"A\"; count = 96; } );\n"                                       \
         "time = { end = 4.0; step = 0.5; max_events = 7; }; output = { every = 0.5; }; run = { "  \
         "seed = 53; runs = 20; };\n"},                                                            \
        {"starts that cannot be in some runs, for want of room or by an attribute",                \
         "grid = { voxels = (3, 2); edge = 1.0; };\n"                                              \
         "species = ( { name = \"A\"; diffusion = 0.4; individuals = { max = 16; record = "        \
         "\"lineage\"; attributes = ( { name = \"u\"; initial = \"if(B > 6.5, 1 / 0, x)\"; } ); "  \
         "}; }, { name = \"B\"; diffusion = 0.3; } );\n"                                           \
         "reactions = ( { equation = \"A -> B\"; rate = 0.4; } );\n"                               \
         "initial = ( { species = \"A\"; value = 2; spread = \"poisson\"; }, { species = \"B\"; "  \
         "value = 3; spread = \"poisson\"; } );\n"                                                 \
         "time = { end = 1.0; step = 0.1; }; output = { every = 0.5; }; run = { seed = 49; runs "  \
         "= 20; first = 7; };\n"},

#endif
