/* case_texts - the configurations of the cases. */
#include "bench/cases.h"

#define BOX                                                                                        \
    "grid = { voxels = (8, 8, 8); edge = 1.0;"                                                     \
    "         walls = { x = \"periodic\"; y = \"periodic\"; z = \"periodic\"; }; };"
#define ROUNDS                                                                                     \
    "time = { end = \"steps * rounds * tau\"; };"                                                  \
    "output = { every = \"steps * tau\"; keep = \"totals\"; };"

/* Sets h = tau = 1. q is the probability of a hop to each side along each axis; pair and back are
   probabilities per step, of a pair A, B and of a C. */
#define STEPS_OF_ONE                                                                               \
    "parameters = { load = 1; steps = 1; rounds = 1; q = 0.1; pair = 0.02;"                        \
    "               back = 0.001; };"                                                              \
    "species = ( { name = \"A\"; diffusion = \"q\"; }, { name = \"B\"; diffusion = \"q\"; },"      \
    "            { name = \"C\"; diffusion = \"q\"; } );"                                          \
    "initial = ( { species = \"A\"; value = \"0.45 * load\"; spread = \"poisson\"; },"             \
    "            { species = \"B\"; value = \"0.45 * load\"; spread = \"poisson\"; },"             \
    "            { species = \"C\"; value = \"0.1 * load\"; spread = \"poisson\"; } );"            \
    "time = { end = \"steps * rounds\"; step = 1.0; };"                                            \
    "output = { every = \"steps\"; keep = \"totals\"; };"                                          \
    "splitting = \"lie\";"
const char rd_text_movement[] = BOX STEPS_OF_ONE;
const char rd_text_peer[] =
    BOX STEPS_OF_ONE "reactions = ( { equation = \"A + B -> C\"; rate = \"-log (1 - pair)\"; },"
                     "              { equation = \"C -> A + B\"; rate = \"-log (1 - back)\"; } );";

#define IN_EQUILIBRIUM                                                                             \
    "initial = ( { species = \"A\"; value = \"load / 3\"; spread = \"poisson\"; },"                \
    "            { species = \"B\"; value = \"load / 3\"; spread = \"poisson\"; },"                \
    "            { species = \"C\"; value = \"load / 3\"; spread = \"poisson\"; } );"              \
    "reactions = ( { equation = \"A + B -> C\"; rate = \"3 / load\"; },"                           \
    "              { equation = \"C -> A + B\"; rate = 1.0; } );"

/* Sets D = h = 1, with a third of the molecules of each species. A step of 1/6 has D tau / h^2 =
   1/6. */
const char rd_text_equilibrium[] =
    BOX ROUNDS "parameters = { load = 10; steps = 6; rounds = 1; tau = \"1 / 6\"; };"
               "species = ( { name = \"A\"; diffusion = 1.0; }, { name = \"B\"; diffusion = 1.0; },"
               "            { name = \"C\"; diffusion = 1.0; } );" IN_EQUILIBRIUM;

/* Puts the same molecules into a round cell with a nucleus. The nuclear envelope transmits hops
   inwards with probability `enter` and outwards with `leave`. C is slower inside the nucleus; no
   molecule crosses the border of the cell itself. */
const char rd_text_regions[] = BOX ROUNDS
    "parameters = { load = 1; steps = 6; rounds = 1; tau = \"1 / 6\"; n = 8;"
    "               enter = 0.2; leave = 0.05; shut = 0; d = 0.5; };"
    "regions = ("
    "  { name = \"cell\"; where = \"(x - n/2)^2 + (y - n/2)^2 + (z - n/2)^2"
    "                              < (0.47 * n)^2\"; },"
    "  { name = \"nucleus\"; where = \"(x - n/2)^2 + (y - n/2)^2 + (z - n/2)^2"
    "                                 < (0.2 * n)^2\"; },"
    "  { name = \"cytosol\"; difference = (\"cell\", \"nucleus\"); },"
    "  { name = \"outside\"; complement = \"cell\"; } );"
    "borders = ( { from = \"cytosol\"; to = \"nucleus\"; pass = \"enter\"; },"
    "            { from = \"nucleus\"; to = \"cytosol\"; pass = \"leave\"; },"
    "            { between = (\"cell\", \"outside\"); pass = \"shut\"; } );"
    "species = ( { name = \"A\"; diffusion = 1.0; }, { name = \"B\"; diffusion = 1.0; },"
    "            { name = \"C\"; diffusion = \"if(in(nucleus), d, 1)\"; } );" IN_EQUILIBRIUM;

/* Defines individuals with D tau / h^2 = 1/6; in each step one in 200 dies, and as many are
   born. */
#define WALKERS                                                                                    \
    BOX "parameters = { load = 4; steps = 1; rounds = 1; };"                                       \
        "species = ( { name = \"W\"; diffusion = 0.16666667;"                                      \
        "              individuals = { max = 1000; record = \"none\"; }; } );"                     \
        "initial = ( { species = \"W\"; value = \"load\"; spread = \"poisson\"; } );"              \
        "time = { end = \"steps * rounds\"; step = 1.0; };"                                        \
        "output = { every = \"steps\"; keep = \"totals\"; };"
const char rd_text_walkers[] = WALKERS;
const char rd_text_turnover[] = WALKERS "reactions = ( { equation = \"W -> 2 W\"; rate = 0.005; },"
                                        "              { equation = \"W -> 0\"; rate = 0.005; } );";

/* Models messengers, proteins and their dimers in one voxel: load is the mean number of messengers.
   plain_direct_method.c has the same model. */
const char rd_text_expression[] =
    "grid = { voxels = (1, 1, 1); edge = 1.0; };"
    "parameters = { load = 10; steps = 1; rounds = 1; };"
    "species = ( { name = \"M\"; }, { name = \"P\"; }, { name = \"D\"; } );"
    "reactions = ( { equation = \"0 -> M\"; rate = \"load / 2\"; },"
    "              { equation = \"M -> 0\"; rate = 0.5; },"
    "              { equation = \"M -> M + P\"; rate = 2.0; },"
    "              { equation = \"P -> 0\"; rate = 0.2; },"
    "              { equation = \"2 P -> D\"; rate = 0.01; } );"
    "time = { end = \"steps * rounds\"; step = 1.0; };"
    "output = { every = \"steps\"; keep = \"statistics\"; };";

/* Models a substrate with hardly any events; its Michaelis-Menten propensity is evaluated in each
   voxel and step. */
const char rd_text_expressions[] =
    BOX "parameters = { load = 10; steps = 1; rounds = 1; fastest = 1e-4; half = 5; };"
        "species = ( { name = \"S\"; } );"
        "initial = ( { species = \"S\"; value = \"load\"; spread = \"poisson\"; } );"
        "reactions = ( { equation = \"S -> 0\"; propensity = \"fastest * S / (half + S)\"; } );"
        "time = { end = \"steps * rounds\"; step = 1.0; };"
        "output = { every = \"steps\"; keep = \"totals\"; };"
        "splitting = \"lie\";";
