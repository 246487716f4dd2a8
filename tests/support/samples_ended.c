/* samples_ended - small configurations that end with a fault, and the message, for twin tests. */
#include "samples.h"

#include <stddef.h>

#define OVERFLOW_IN(line, voxel, time)                                                             \
    "lab.cfg:" line ": more than 2147483647 molecules of 'A' are in voxel " voxel                  \
    " of run 0, before t = " time                                                                  \
    "; use smaller voxels, or let each molecule of the model represent many"

const struct sample_ended samples_ended[] = {
    {"groups of 65000 meet in a corner: the sum passes 2^32",
     "grid = { voxels = (44, 44, 44); edge = 1.0; };\n"
     "species = ( { name = \"A\"; drift = (-1000, -1000, -1000); } );\n"
     "initial = ( { species = \"A\"; value = 65000; } );\n"
     "time = { end = 2.0; step = 1.0; }; output = { every = 2.0; }; run = { seed = 3; };\n",
     OVERFLOW_IN("2", "(0, 0, 0)", "0.0625")},
    {"groups above and below 65536 meet at a wall, with others on the other side",
     "grid = { voxels = 40; edge = 1.0; };\n"
     "species = ( { name = \"A\"; drift = -1000.0; }, { name = \"B\"; drift = 1000.0; } );\n"
     "initial = ( { species = \"A\"; value = \"if(x > 36, 2e9, 60000)\"; },\n"
     "            { species = \"B\"; value = \"if(x < 3, 2e9, 20)\"; } );\n"
     "time = { end = 2.0; step = 0.5; }; output = { every = 2.0; }; run = { seed = 4; };\n",
     OVERFLOW_IN("2", "0", "0.0625")},
    {"groups move by the rates of regions",
     "grid = { voxels = (4, 3); edge = 1.0; };\n"
     "regions = ( { name = \"left\"; where = \"x < 1\"; } );\n"
     "species = ( { name = \"A\"; diffusion = \"if(in(left), 0.01, 0.02)\"; drift = (-0.5, 0); } "
     ");\n"
     "initial = ( { species = \"A\"; value = 2e9; } );\n"
     "time = { end = 2.0; step = 0.2; }; output = { every = 2.0; }; run = { seed = 5; };\n",
     OVERFLOW_IN("3", "(0, 0)", "0.2")},
    {NULL, NULL, NULL}};
