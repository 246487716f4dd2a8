/* samples - small configurations that together use every feature: for twins. */
#include "samples.h"

#include <stddef.h>

const struct sample samples[] = {
    {"binding in a box with unequal sizes",
     "grid = { cells = (5, 7, 3); edge = (0.5, 0.4, 0.3); };\n"
     "species = ( { name = \"A\"; diffusion = 0.3; }, { name = \"B\"; diffusion = (0.1, 0.05, 0); "
     "},\n"
     "            { name = \"C\"; diffusion = 0.02; } );\n"
     "reactions = ( { equation = \"A + B -> C\"; rate = 0.06; }, { equation = \"C -> A + B\"; rate "
     "= 0.5; } );\n"
     "initial = ( { species = \"A\"; count = 300; }, { species = \"B\"; density = 40.0; } );\n"
     "time = { end = 3.0; }; output = { every = 1.0; }; run = { seed = 11; runs = 3; };\n"},
    {"many molecules in few cells, walls of every kind",
     "grid = { cells = (9, 11); edge = 0.5;\n"
     "         walls = { xmin = \"absorb\"; xmax = { kind = \"absorb\"; chance = 0.3; }; y = "
     "\"periodic\"; }; };\n"
     "species = ( { name = \"A\"; diffusion = 1.0; drift = (0.3, -0.2); }, { name = \"B\"; "
     "diffusion = 0.5; \n"
     "            walls = { x = \"reflect\"; ymin = { kind = \"reservoir\"; mean = 3.0; }; ymax = "
     "\"absorb\"; }; } );\n"
     "reactions = ( { equation = \"A + B -> B\"; rate = 0.01; } );\n"
     "initial = ( { species = \"A\"; count = 20000; cell = (4, 5); }, { species = \"A\"; count = "
     "77; at = (0.1, 0.1); } );\n"
     "time = { end = 2.0; step = 0.5; }; output = { every = 1.0; }; run = { seed = 12; runs = 2; "
     "};\n"},
    {"corners where two walls absorb, a step of many hops",
     "grid = { cells = (4, 3, 3); edge = 1.0; walls = { x = \"absorb\"; y = \"absorb\"; z = "
     "\"absorb\"; }; };\n"
     "species = ( { name = \"A\"; diffusion = (1.0, 2.0, 0.5); } );\n"
     "initial = ( { species = \"A\"; value = 500; } );\n"
     "time = { end = 1.0; step = 0.25; }; output = { every = 0.5; }; run = { seed = 13; runs = 2; "
     "};\n"},
    {"a line with very fast movement",
     "grid = { cells = 40; edge = 0.1; walls = { x = \"reflect\"; }; };\n"
     "species = ( { name = \"A\"; diffusion = 3.0; drift = 5.0; }, { name = \"B\"; diffusion = "
     "1e-6; },\n"
     "            { name = \"C\"; drift = -1.0; } );\n"
     "initial = ( { species = \"A\"; count = 1000; cell = 3; }, { species = \"B\"; value = 1000; "
     "},\n"
     "            { species = \"C\"; count = 100; cell = 39; } );\n"
     "time = { end = 2.0; step = 1.0; }; output = { every = 1.0; }; run = { seed = 14; };\n"},
    {"species in a ball, a box and a capsule",
     "grid = { cells = (9, 8, 7); edge = 1.0; walls = { x = \"periodic\"; zmax = \"absorb\"; }; "
     "};\n"
     "regions = ( { name = \"ball\"; sphere = { centre = (4, 4, 3.5); radius = 3.0; }; },\n"
     "            { name = \"left\"; box = { from = (0, 0, 0); to = (4, 8, 7); }; },\n"
     "            { name = \"rod\"; capsule = { from = (2, 4, 5); to = (7, 4, 6); radius = 1.6; }; "
     "} );\n"
     "species = ( { name = \"A\"; diffusion = 1.0; in = \"ball\"; }, { name = \"B\"; diffusion = "
     "1.0; in = \"left\"; },\n"
     "            { name = \"C\"; diffusion = 2.0; drift = (0.5, 0, 0.5); in = \"rod\"; }, { name "
     "= \"D\"; diffusion = 1.0; } );\n"
     "reactions = ( { equation = \"A -> D\"; rate = 0.1; in = \"ball\"; }, { equation = \"0 -> "
     "B\"; rate = 0.05; in = \"left\"; },\n"
     "              { equation = \"B + D -> D\"; rate = 0.2; }, { equation = \"0 -> C\"; rate = "
     "0.3; in = \"rod\"; } );\n"
     "initial = ( { species = \"A\"; count = 900; }, { species = \"C\"; value = 30; } );\n"
     "time = { end = 2.0; }; output = { every = 1.0; }; run = { seed = 15; runs = 2; };\n"},
    {"laws, rates in time, and events",
     "grid = { cells = (6, 5); edge = 1.5; origin = (-1, 2); };\n"
     "parameters = { k = 0.2; vmax = 3.0; km = \"10 * k\"; w = 2.0; };\n"
     "regions = ( { name = \"disc\"; sphere = { centre = (3, 5); radius = 3.0; }; } );\n"
     "species = ( { name = \"S\"; diffusion = 0.4; }, { name = \"P\"; diffusion = \"k\"; }, { name "
     "= \"E\"; } );\n"
     "reactions = ( { equation = \"S -> P\"; law = \"vmax * E * S / (km + S)\"; },\n"
     "              { equation = \"P -> 0\"; rate = \"k * (1 + sin(w * t))\"; },\n"
     "              { equation = \"2 S + P -> 3 P\"; rate = \"if(x > 3, 0.01, 0.002) * exp(-y / "
     "10)\"; },\n"
     "              { equation = \"0 -> S\"; law = \"2 + tanh([P] - 1) + log(1 + S)^0.5\"; in = "
     "\"disc\"; } );\n"
     "initial = ( { species = \"S\"; value = \"40 / (1 + exp(-x / sqrt(6)))^2\"; spread = "
     "\"poisson\"; },\n"
     "            { species = \"E\"; count = 30; spread = \"even\"; }, { species = \"E\"; count = "
     "7; in = \"disc\"; } );\n"
     "events = ( { time = 0.5; set = { k = \"2 * k + 0.1 * t\"; }; }, { every = 0.4; add = { "
     "species = \"S\"; count = 20; in = \"disc\"; }; },\n"
     "           { time = 1.0; remove = ( { species = \"E\"; count = 3; }, { species = \"P\"; all "
     "= true; in = \"disc\"; } ); } );\n"
     "time = { end = 1.5; step = 0.05; }; output = { times = (0.3, 1.0, 1.5); }; run = { seed = "
     "16; runs = 4; };\n"},
    {"an ensemble of one cell",
     "grid = { cells = 1; edge = 1.0; };\n"
     "species = ( { name = \"A\"; diffusion = 1.0; }, { name = \"B\"; } );\n"
     "reactions = ( { equation = \"2 A -> 0\"; rate = 0.001; }, { equation = \"A + B -> 0\"; rate "
     "= 0.01; },\n"
     "              { equation = \"0 -> A\"; rate = 1.2; }, { equation = \"0 -> B\"; rate = 1; },\n"
     "              { equation = \"3 A + B -> 4 B\"; rate = 1e-6; } );\n"
     "initial = ( { species = \"A\"; count = 10; }, { species = \"B\"; count = 12; } );\n"
     "time = { end = 50.0; }; output = { every = 25.0; }; run = { seed = 17; runs = 500; first = "
     "100; };\n"},
    {"Lie splitting, fast pairs",
     "grid = { cells = (1, 30, 2); edge = (2, 1, 1); walls = { z = \"periodic\"; }; };\n"
     "species = ( { name = \"A\"; diffusion = 1.0; }, { name = \"B\"; diffusion = (0, 1, 0.3); } "
     ");\n"
     "reactions = ( { equation = \"A + B -> 0\"; rate = 8.0; } );\n"
     "initial = ( { species = \"A\"; count = 500; }, { species = \"B\"; count = 400; } );\n"
     "time = { end = 1.0; }; output = { every = 0.5; }; run = { seed = 18; runs = 2; }; splitting "
     "= \"lie\";\n"},
    {"a ball with inlets, very many that hardly move",
     "grid = { cells = (5, 5, 5); edge = 1.0; walls = { y = \"periodic\"; }; };\n"
     "regions = ( { name = \"ball\"; sphere = { centre = (2.5, 2.5, 2.5); radius = 2.4; }; } );\n"
     "species = ( { name = \"B\"; diffusion = 1e-8; drift = (0, 0, 1e-8); },\n"
     "            { name = \"A\"; diffusion = 0.7; in = \"ball\";\n"
     "              walls = { xmin = { kind = \"reservoir\"; mean = 5.0; };\n"
     "                        xmax = { kind = \"absorb\"; chance = 0.4; }; }; } );\n"
     "reactions = ( { equation = \"A + B -> B\"; rate = 1e-10; } );\n"
     "initial = ( { species = \"A\"; value = 40; }, { species = \"B\"; count = 100000000000L; } "
     ");\n"
     "time = { end = 2.0; }; output = { every = 1.0; }; run = { seed = 19; runs = 2; };\n"},
    {NULL, NULL}};
