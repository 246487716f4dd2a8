/* say_model - tests wrong models and the messages for them. */
#include "config_messages.h"
#include "quotes.h"

#include <stdio.h>
#include <string.h>

/* Holds lines 1 to 3 of each model, unless the sample replaces them; the sample begins on line
   4. */
#define LEFT "{ name = 'left'; box = { from = (0, 0); to = (2, 2); }; }"
static const char *const line[] = {
    "grid = { voxels = (8, 4); edge = 0.5; };",
    "species = ( { name = 'A'; }, { name = 'B'; in = 'left'; } );",
    "time = { end = 10; }; regions = ( " LEFT " );",
};

struct model_sample {
    const char *text;
    const char *part;                  /* part of the messages */
    const char *grid, *species, *rest; /* replace lines 1, 2, 3 */
};

#define PARAMETERS(x) .text = "parameters = { " x " };"
#define REACTIONS(x)  .text = "reactions = ( { " x " } );"
#define INITIAL(x)    .text = "initial = ( { " x " } );"
#define EVENTS(x)     .text = "events = ( { " x " } );"
#define OUTPUT(x)     .text = "output = { " x " };"
#define REGIONS(x)    .rest = "time = { end = 10; }; regions = ( " x " );"
#define AS(x)         .species = "species = ( " x " );"
#define GRID(x)       .grid = "grid = { " x " };"
#define A_AND_B       "{ name = 'A'; }, { name = 'B'; }"

static const struct model_sample names[] = {
    {.part = "m.cfg:2: species 'A' is declared twice", AS("{ name = 'A'; }, " A_AND_B)},
    {.part = "m.cfg:2: species '2A': is not a name; write a letter",
     AS("{ name = '2A'; }, " A_AND_B)},
    {.part = "m.cfg:2: species 'a b': is not a name; write a letter",
     AS("{ name = 'a b'; }, " A_AND_B)},
    {.part = "m.cfg:2: species '': is not a name; write a letter", AS("{ name = ''; }, " A_AND_B)},
    {.part = "m.cfg:2: species 'exp': the name is reserved", AS("{ name = 'exp'; }")},
    {REACTIONS("equation = 't -> 0'; rate = 't';"), .species = "species = ( { name = 't'; } );",
     .part = "column 1: 't' is a species and a name of expressions; write [t] or total(t)"},
    {.part = "m.cfg:2: there is no species", AS("")},
    {PARAMETERS("e = 1;"), .part = "m.cfg:4: parameter 'e': the name is reserved in expressions"},
    {PARAMETERS("A = 1;"), .part = "m.cfg:2: species 'A' has the name of a parameter"},
    {.part = "m.cfg:3: region 'left' is declared twice", REGIONS(LEFT ", " LEFT)},
    {.part = "2: species 'A': colour is \"#12345\"; give a word in small letters, such as \"red\"",
     AS("{ name = 'A'; colour = '#12345'; }, { name = 'B'; }")},
    {.part = "m.cfg:2: in: region 'up' is not declared",
     AS("{ name = 'A'; in = ('left', 'up'); }, { name = 'B'; }")},
    {.part = "m.cfg:2: in: names 'left' twice; name it once",
     AS("{ name = 'A'; in = ('left', 'left'); }, { name = 'B'; }")},
    {REACTIONS("name = 'a b'; equation = 'A -> 0'; rate = 1;"),
     .part = "m.cfg:4: reaction 'a b': is not a name; write a letter"},
    {.text = "reactions = ( { name = 'out'; equation = 'A -> 0'; rate = 1; },\n"
             "{ name = 'out'; equation = 'B -> 0'; rate = 1; } );",
     .part = "m.cfg:5: reaction 'out' is declared twice; rename one of them"},
    {.text = "events = ( { name = 'pulse'; time = 1; add = { species = 'A'; count = 1; }; },\n"
             "{ name = 'pulse'; time = 2; add = { species = 'A'; count = 1; }; } );",
     .part = "m.cfg:5: events[1]: event 'pulse' is declared twice; rename one of them"},
    {.part = "m.cfg:2: species 'B': region 'leff' is not declared; did you mean 'left'?",
     AS("{ name = 'A'; }, { name = 'B'; in = 'leff'; }")},
};

static const struct model_sample parameters[] = {
    {PARAMETERS("a = 'b'; b = 'c + 1'; c = '2 * a';"),
     .part =
         "m.cfg:4: parameter 'a': depends on itself (a -> b -> c -> a); give one of them a number"},
    {PARAMETERS("a = 'a';"), .part = "parameter 'a': depends on itself (a -> a)"},
    {PARAMETERS("z1 = 'b'; b = 'c'; c = 'b';"), .part = "(b -> c -> b)"},
    {PARAMETERS("a = '1 / 0';"),
     .part = "m.cfg:4: parameter 'a': value is inf, since it divides by 0; give a finite number"},
    {PARAMETERS("n0 = 0; n1 = 1; a = '1 / n1 + 1 / n0 + 2/(1 - 1)';"),
     .part = "'a': value is inf, since it divides by n0, which is 0; give a finite number"},
    {PARAMETERS("a = 'log(-1)';"), .part = "m.cfg:4: parameter 'a': value is not a number"},
    {PARAMETERS("rate = 1; a = '2 * rat';"), .part = "did you mean 'rate'?"},
    {PARAMETERS("a = 'x + 1';"), .part = "m.cfg:4: parameter 'a', value"},
};

static const struct model_sample grids[] = {
    {.part = "m.cfg:1: grid: edge has 3 numbers, but the grid has 2 dimensions; give one for each",
     GRID("voxels = (8, 4); edge = (1, 1, 1);")},
    {.part = "m.cfg:1: grid: edge has 1 number, but the grid has 2 dimensions; give one for each",
     GRID("voxels = (8, 4); edge = (1);")},
    {.part = "m.cfg:1: grid: origin has 1 number, but the grid has 2 dimensions; give one for each",
     GRID("voxels = (8, 4); edge = 1; origin = 3;")},
    {.part = "m.cfg:1: grid: edge is 0; give a finite number > 0",
     GRID("voxels = (8, 4); edge = '1 - 1';")},
    {.part = "m.cfg:1: grid: the grid has 4.29497e+12 voxels; use at most 2^36",
     GRID("voxels = (2097152, 2048000); edge = 1;")},
    {.part = "cannot be resolved in voxels of 1e-20",
     GRID("voxels = (8, 4); edge = 1e-20; origin = "
          "(1, 0);")},
    {.part = "the volume of a voxel is out of range", GRID("voxels = (8, 4); edge = 1e-200;")},
    {.part = "m.cfg:1: grid: has a wall 'z', but the grid has 2 dimensions; remove it",
     GRID("voxels = (8, 4); edge = 1; walls = { z = 'absorb'; };")},
    {.part = "m.cfg:1: grid: walls.xmin is periodic, but walls.xmax is not",
     GRID("voxels = (8, 4); edge = 1; walls = { xmin = 'periodic'; };")},
};

#define WALLED(x) AS("{ name = 'A'; walls = { " x " }; }, { name = 'B'; }")
static const struct model_sample walls[] = {
    {.part = "m.cfg:2: species 'A': walls.ymax is periodic, but walls.ymin is not",
     WALLED("ymax = 'periodic';")},
    {.part = "m.cfg:2: species 'A': has a wall 'zmin', but the grid has 2 dimensions",
     WALLED("zmin = 'absorb';")},
    {.part = "m.cfg:2: species 'A', walls.x: has none of mean or density; give exactly one",
     WALLED("x = { kind = 'reservoir'; };")},
    {.part = "m.cfg:2: species 'A', walls.x: has several of mean or density; give exactly one",
     WALLED("x = { kind = 'reservoir'; mean = 1; density = 2; };")},
    {.part = "species 'A', walls.x: the wall has a mean or a density, but is no reservoir; leave "
             "it out",
     WALLED("x = { kind = 'absorb'; mean = 1; };")},
    {.part = "species 'A', walls.x: the wall has a probability, but does not absorb; leave it out",
     WALLED("x = { kind = 'reflect'; probability = 0.5; };")},
    {.part = "species 'A', walls.x: probability is 1.5; give a probability from 0 to 1",
     WALLED("x = { kind = 'absorb'; probability = '3 / 2'; };")},
    {.part = "species 'A', walls.x: density is -1; give a finite number >= 0",
     WALLED("x = { kind = 'reservoir'; density = '-1'; };")},
};

static const struct model_sample species[] = {
    {.part = "m.cfg:2: species 'A': diffusion is -1; give a finite number >= 0",
     AS("{ name = 'A'; diffusion = '-1'; }, { name = 'B'; }")},
    {.part =
         "species 'A': diffusion has 3 numbers, but the grid has 2 dimensions; give one for each",
     AS("{ name = 'A'; diffusion = (1, 1, 1); }")},
    {.part = "species 'A': drift has 1 number, but the grid has 2 dimensions; give one for each",
     AS("{ name = 'A'; drift = 0.5; }")},
    {.part = "m.cfg:2: species 'A', diffusion",
     AS("{ name = 'A'; diffusion = '2 * speed'; }, { name = 'B'; }")},
};

static const struct model_sample regions[] = {
    {.part =
         "m.cfg:3: region 'q': has none of box, sphere, cylinder, capsule, half_space, ellipsoid, "
         "where, labels, union, intersection, difference, complement or touching; give exactly one",
     REGIONS(LEFT ", { name = 'q'; }")},
    {.part = "region 'q': the box runs from 2 to 1 along x; give a smaller from",
     REGIONS(LEFT ", { name = 'q'; box = { from = (2, 0); to = (1, 2); }; }")},
    {.part = "region 'q': from and to are the same point",
     REGIONS(LEFT ", { name = 'q'; capsule = { from = (1, 1); to = (1, 1); radius = 1; }; }")},
    {.part = "region 'q': radius is 0; give a finite number > 0",
     REGIONS(LEFT ", { name = 'q'; sphere = { centre = (1, 1); radius = '0'; }; }")},
    {.part = "region 'q': centre has 3 numbers, but the grid has 2 dimensions; give one for each",
     REGIONS(LEFT ", { name = 'q'; sphere = { centre = (1, 1, 1); radius = 1; }; }")},
    {.part = "m.cfg:3: region 'q' contains no voxel's centre (a sphere at (1, 1), radius 0.1; "
             "voxels measure (0.5, 0.5))",
     REGIONS(LEFT ", { name = 'q'; sphere = { centre = (1, 1); radius = 0.1; }; }")},
    {.part = "m.cfg:3: region 'q' contains no voxel's centre (a box at (5, 0) to (6, 2);",
     REGIONS(LEFT ", { name = 'q'; box = { from = (5, 0); to = (6, 2); }; }")},
};

#define Q(x) REGIONS(LEFT ", { name = 'q'; " x " }")

static const struct model_sample shapes[] = {
    {.part =
         "m.cfg:3: region 'q': towards is 0 along every axis; give a vector into the half-space",
     Q("half_space = { at = (1, 1); towards = (0, 0); };")},
    {.part = "region 'q' contains no voxel's centre (a half-space at (9, 0) towards (1, 0)",
     Q("half_space = { at = (9, 0); towards = (1, 0); };")},
    {.part = "region 'q': radii is 0; give a finite number > 0",
     Q("ellipsoid = { centre = (1, 1); radii = (1, '0'); };")},
    {.part = "region 'q' contains no voxel's centre (an ellipsoid at (-3, 1), radii (1, 2); voxels",
     Q("ellipsoid = { centre = (-3, 1); radii = (1, 2); };")},
    {.part = "region 'q' contains no voxel's centre (where x > 100; voxels measure (0.5, 0.5))",
     Q("where = 'x > 100';")},
    {.part = "m.cfg:3: region 'q': 'if(x > 1.5, 0 / 0, 1)' is not finite in voxel (3, 0); avoid "
             "division by 0 there",
     Q("where = 'if(x > 1.5, 0 / 0, 1)';")},
    {.part = "m.cfg:3: region 'q': '1 / 0 * x > 1' is not finite", Q("where = '1 / 0 * x > 1';")},
    {.part = "'sqrt(x - 2) < 5' is not finite in voxel (0, 0)", Q("where = 'sqrt(x - 2) < 5';")},
    {.part = "'t' is not allowed here; use only parameters, x, y, z, volume",
     Q("where = 'x < t';")},
    {.part = "'A' is not allowed here", Q("where = 'A > 3';")},
    {.part = "m.cfg:3: region 'q': region 'lefd' is not declared; did you mean 'left'?",
     Q("union = ('left', 'lefd');")},
    {.part = "region 'q': names 'left' twice", Q("union = ('left', 'left');")},
    {.part = "region 'q': names 'left' twice", Q("difference = ('left', 'left');")},
    {.part = "region 'q': union names one region; name two or more", Q("union = 'left';")},
    {.part = "m.cfg:3: region 'q' is made of itself (q -> q); give one of them a shape",
     Q("union = ('left', 'q');")},
    {.part = "is made of itself (q -> p -> r -> q); give one of them a shape",
     Q("complement = 'p'; }, { name = 'p'; touching = ('left', 'r'); },"
       "{ name = 'r'; difference = ('q', 'left');")},
    {.part = "m.cfg:3: region 'q' contains no voxel (the intersection of 'left', 'far'); change "
             "its parts",
     Q("intersection = ('left', 'far'); }, { name = 'far'; where = 'x > 3';")},
    {.part = "region 'q' contains no voxel (the voxels of 'left' touching 'far'); change its parts",
     Q("touching = ('left', 'far'); }, { name = 'far'; where = 'x > 3';")},
    {.part = "m.cfg:3: region 'q': none.h5 cannot be read as HDF5",
     Q("labels = { file = 'none.h5'; dataset = 'a'; equals = 1; };")},
    {.part = "m.cfg:3: region 'q': . cannot be read as HDF5: it is a folder",
     Q("labels = { file = '.'; dataset = 'a'; equals = 1; };")},
    {.part = "regions[1].labels.equals is 0.5; give an integer",
     Q("labels = { file = 'none.h5'; dataset = 'a'; equals = 0.5; };")},
    {.part = "regions[1].union is 7; give a \"text\", or a list of texts", Q("union = 7;")},
    {.part = "regions[1].union[1] is 7; give a \"text\"", Q("union = ('left', 7);")},
    {.part = "m.cfg:3: 'unoin' is not a key of", Q("unoin = ('left', 'q');")},
};

#define RIGHT      "{ name = 'right'; complement = 'left'; }"
#define FAR        "{ name = 'far'; where = 'x > 3'; }"
#define BORDERS(x) REGIONS(LEFT ", " RIGHT ", " FAR), .text = "borders = ( " x " );"
#define BOTH       "{ between = ('left', 'right'); "
#define LEFT_TO    "{ from = 'left'; to = "

static const struct model_sample borders[] = {
    {BORDERS(BOTH "pass = 1.5; }"), .part = "m.cfg:4: borders[0].pass is 1.5; give"},
    {BORDERS(BOTH "pass = '3 / 2'; }"),
     .part = "m.cfg:4: borders[0]: pass is 1.5; give a probability from 0 to 1"},
    {BORDERS(BOTH "pass = 'x'; }"), .part = "'x' is not allowed here; use only parameters"},
    {BORDERS(BOTH "}"), .part = "borders[0]: has neither pass nor permeability"},
    {BORDERS("{ from = 'left'; pass = 0; }"),
     .part = "m.cfg:4: borders[0]: has neither between nor both from and to; give between for both "
             "ways, or from and to for one"},
    {BORDERS(BOTH "to = 'far'; pass = 0; }"), .part = "borders[0]: has between together"},
    {BORDERS("{ between = 'left'; pass = 0; }"), .part = "m.cfg:4: borders[0]: between names"},
    {BORDERS("{ between = ('left', 'right', 'far'); pass = 0; }"), .part = "between names"},
    {BORDERS(LEFT_TO "'left'; pass = 0; }"),
     .part = "m.cfg:4: borders[0]: 'left' has no border with itself; name two regions"},
    {BORDERS(LEFT_TO "'rihgt'; pass = 0; }"),
     .part = "m.cfg:4: borders[0]: region 'rihgt' is not declared; did you mean 'right'?"},
    {BORDERS(BOTH "species = ('A', 'C'); pass = 0; }"),
     .part = "m.cfg:4: borders[0]: species 'C' is not declared"},
    {BORDERS(BOTH "species = ('A', 'A'); pass = 0; }"),
     .part = "m.cfg:4: borders[0]: names 'A' twice"},
    {BORDERS(BOTH "pass = 0; }, " LEFT_TO "'right'; species = 'B'; pass = 1; }"),
     .part = "m.cfg:4: borders[1]: repeats borders[0] for 'left' and 'right'"},
    {BORDERS("{ from = 'right'; to = 'left'; pass = 0; }, " BOTH "pass = 1; }"),
     .part = "m.cfg:4: borders[1]: repeats borders[0] for 'left' and 'right'"},
    {.part = "column 10: unknown region 'lefd'; did you mean 'left'?",
     AS("{ name = 'A'; diffusion = '1 + 3*in(lefd)'; }, { name = 'B'; }")},
    {.part = "m.cfg:2: species 'A', diffusion",
     AS("{ name = 'A'; diffusion = 'in(x > 3)'; }, { name = 'B'; }")},
    {PARAMETERS("a = 'in(left)';"), .part = "'in' is not allowed here; use only parameters"},
    {PARAMETERS("in = 3;"), .part = "m.cfg:4: parameter 'in': the name is reserved in expressions"},
};

#define FIELDS(x) .text = "fields = ( { name = 'f'; value = 1; }, { " x " } );"

static const struct model_sample fields[] = {
    {FIELDS("name = 'g';"),
     .part = "m.cfg:4: field 'g': has none of value or file; give exactly one"},
    {FIELDS("name = 'g'; value = 1; file = 'a.h5'; dataset = 'a';"), .part = "has several of"},
    {FIELDS("name = 'g'; file = 'a.h5';"),
     .part = "m.cfg:4: field 'g': has a file without dataset; name a data set of the file"},
    {FIELDS("name = 'g'; value = 1; dataset = 'a';"),
     .part = "has dataset without file; leave it out"},
    {FIELDS("name = 'g'; file = 'none.h5'; dataset = 'a';"),
     .part = "m.cfg:4: field 'g': none.h5 cannot be read as HDF5"},
    {FIELDS("name = 'g'; value = 1; data = 'a';"), .part = "'data' is not a key of"},
    {FIELDS("name = 'f'; value = 2;"), .part = "m.cfg:4: field 'f' is declared twice"},
    {FIELDS("name = 'A'; value = 2;"), .part = "field 'A' has the name of a species"},
    {FIELDS("name = 'in'; value = 2;"), .part = "field 'in': the name is reserved in expressions"},
    {FIELDS("name = 'a b'; value = 2;"), .part = "field 'a b': is not a name; write a letter"},
    {FIELDS("name = 'g'; value = 'f + g';"),
     .part = "m.cfg:4: field 'g', value: 'f + g', column 5: the field 'g' has no values yet"},
    {FIELDS("name = 'g'; value = 'h'; }, { name = 'h'; value = 2;"),
     .part = "the field 'h' has no values yet; use only fields that stand before it"},
    {FIELDS("name = 'g'; value = 'A';"),
     .part = "'A' is not allowed here; use only parameters, x, y, z, volume, in(), fields"},
    {FIELDS("name = 'g'; value = 'gradient(f)';"), .part = "gradient() is a vector"},
    {FIELDS("name = 'g'; in = 'leff'; value = 1;"),
     .part = "m.cfg:4: field 'g': region 'leff' is not declared; did you mean 'left'?"},
    {FIELDS("name = 'g'; value = '1 / (x - 1.25) / (y == 0.75)';"),
     .part = "m.cfg:4: field 'g': is -inf in voxel (0, 0); give a finite number everywhere"},
    {FIELDS("name = 'g'; value = 'log(2 - x)'; in = 'left'; }, { name = 'h'; value = "
            "'log(1.75 - x)'; in = 'left';"),
     .part =
         "m.cfg:4: field 'h': is -inf in voxel (3, 0); give a finite number wherever the field is"},
    {FIELDS("name = 'g'; value = 'log(x - 2)';"), .part = "nan in voxel (0, 0)"},
    {FIELDS("name = 'g'; value = 0; rate = 'k * A';"),
     .part = "m.cfg:4: field 'g', rate: 'k * A', column 1: unknown name 'k'"},
    {FIELDS("name = 'g'; value = 0; rate = 'uniform(0, 1)';"), .part = "'uniform' is not allowed"},
    {FIELDS("name = 'g'; value = 0; rate = '1 / 0';"),
     .part = "m.cfg:4: field 'g': rate is inf, since it divides by 0; give a finite number"},
    {FIELDS("name = 'g'; rate = 1;"), .part = "has none of value or file; give exactly one"},
    {FIELDS("name = 'g'; value = 0; rate = 1; }, { name = 'h'; value = 'g';"),
     .part = "field 'h', value: 'g', column 1: 'g' is not allowed here; use only parameters, x, y, "
             "z, volume, in(), fields without rate"},
    {FIELDS("name = 'g'; value = 0; rate = 1; } ); initial = ( { species = 'A'; value = 'g';"),
     .part = "'g' is not allowed here; use only parameters, x, y, z, volume, in(), fields without "
             "rate"},
    {FIELDS("name = 'g'; value = 0; rate = 1;"),
     .part =
         "m.cfg:3: solver: \"exact\" changes no fields, and field 'g' has a rate; use \"split\"",
     .rest = "solver = 'exact'; time = { end = 10; }; regions = ( " LEFT " );"},
    {REACTIONS("equation = '0 -> A'; rate = 'mean_x(A)';"),
     .part = "\"exact\" computes no mean places, and an expression uses that of A; use \"split\"",
     .rest = "solver = 'exact'; time = { end = 10; }; regions = ( " LEFT " );"},
    {PARAMETERS("a = 'f'; }; fields = ( { name = 'f'; value = 1; } ); units = {"),
     .part = "'f' is not allowed here; use only parameters"},
    {FIELDS("name = 'g'; value = 1;"), .part = "'f' is not allowed here; use only parameters, x, y",
     REGIONS(LEFT ", { name = 'q'; where = 'f > 0'; }")},
    {FIELDS("name = 'g'; value = 1;"),
     .part = "m.cfg:2: species 'A': drift has 1 number, but the grid has 2 dimensions; give one "
             "for each",
     AS("{ name = 'A'; drift = '2 * x'; individuals = { max = 1; }; }")},
    {FIELDS("name = 'g'; value = 1;"), .part = "m.cfg:2: species 'A', drift: 'gradient(f)'",
     AS("{ name = 'A'; drift = ('gradient(f)', 0); individuals = { max = 1; }; }")},
    {FIELDS("name = 'g'; value = 1;"), .part = "attribute 'f' has the name of a field",
     AS("{ name = 'A'; individuals = { max = 1; attributes = ( { name = 'f'; initial = 1; } ); "
        "}; }")},
};

static const struct model_sample huge_grids[] = {
    {.part = "m.cfg:3: regions: the grid has 4294967360 voxels; use at most 2^32",
     GRID("voxels = (67108865, 64); edge = 1;")},
};

static const struct model_sample reactions[] = {
    {REACTIONS("equation = 'A -> C'; rate = 1;"),
     .part = "m.cfg:4: equation 'A -> C', column 6: species 'C' is not declared"},
    {REACTIONS("equation = 'A <-> B'; rate = 1;"),
     .part = "leads both ways, and back is missing; give the speed of the reverse reaction"},
    {REACTIONS("equation = 'A => 0'; rate = 1; back = 2;"),
     .part = "has back, but its arrow leads one way; write '<->', or leave back out"},
    {REACTIONS("equation = 'A <=> 0'; rate = 1; back = -2;"), .part = "reactions[0].back is -2"},
    {REACTIONS("equation = 'A <=> 0'; rate = 1; back = 'Q';"), .part = "unknown name 'Q'"},
    {REACTIONS("equation = 'A <=> 0'; rate = 1; back = 1; reverse = '0 -> A';"),
     .part = "leads both ways and has reverse, which is for one direction; leave it out, or write "
             "two reactions"},
    {REACTIONS("equation = 'B <-> A'; propensity = 1; back = 2;"),
     .part = "reaction 'B <-> A': may make B outside of its region 'left'; add in = \"left\""},
    {REACTIONS("equation = 'A = B'; rate = 1;"), .part = "column 3: '=' is no arrow"},
    {REACTIONS("equation = '101 A -> 0'; rate = 1;"),
     .part = "101 molecules react together; write a propensity, or at most 100 molecules"},
    {REACTIONS("equation = 'A -> 0';"),
     .part =
         "m.cfg:4: reaction 'A -> 0': has none of rate, propensity or rate_law; give exactly one"},
    {REACTIONS("equation = 'A -> 0'; rate = 1; propensity = 'A';"), .part = "has several of"},
    {REACTIONS("equation = 'A -> 0'; rate_law = 1; propensity = 'A';"),
     .part = "has several of rate, propensity or rate_law"},
    {REACTIONS("equation = 'A -> 0'; rate_law = '-1';"),
     .part = "m.cfg:4: reaction 'A -> 0': rate_law is -1; give a finite number >= 0"},
    {REACTIONS("equation = 'A -> 0'; rate_law = 'k * [A]';"),
     .part = "m.cfg:4: reaction 'A -> 0', rate_law: 'k * [A]', column 1: unknown name 'k'"},
    {REACTIONS("equation = 'A -> 0'; rate = '2 - 3';"),
     .part = "m.cfg:4: reaction 'A -> 0': rate is -1; give a finite number >= 0"},
    {REACTIONS("equation = 'A -> 0'; propensity = '1 / 0';"),
     .part = "reaction 'A -> 0': propensity is inf"},
    {REACTIONS("equation = 'A -> 0'; rate = '2 * (t';"),
     .part = "m.cfg:4: reaction 'A -> 0', rate"},
    {REACTIONS("equation = 'A -> 0'; rate = 1; in = 'right';"),
     .part = "m.cfg:4: reaction 'A -> 0': region 'right' is not declared"},
    {REACTIONS("equation = 'A -> B'; rate = 1;"),
     .part =
         "m.cfg:4: reaction 'A -> B': may make B outside of its region 'left'; add in = \"left\""},
    {REACTIONS("equation = 'A -> B'; rate = 1; in = 'wide';"),
     .part = "may make B outside of its region 'left'; use in = \"left\"",
     REGIONS(LEFT ", { name = 'wide'; box = { from = (0, 0); to = (3, 2); }; }")},
    {REACTIONS("equation = 'A -> B'; rate = 1;"), .part = "may make B outside of its region 'left'",
     .rest = "time = { end = 10; }; regions = ( { name = 'left'; "
             "box = { from = (2, 1); to = (4, 2); }; } );"},
};

static const struct model_sample initial[] = {
    {INITIAL("species = 'A';"),
     .part = "m.cfg:4: initial[0]: has none of count, density, value or from; give exactly one"},
    {INITIAL("species = 'A'; count = 1; value = 2;"), .part = "has several of"},
    {INITIAL("count = 1;"), .part = "m.cfg:4: initial[0]: has no species"},
    {INITIAL("species = 'AA'; count = 1;"),
     .part = "species 'AA' is not declared; did you mean 'A'?"},
    {INITIAL("species = 'A'; count = '5 / 2';"), .part = "count is 2.5; give a whole number"},
    {INITIAL("species = 'A'; count = '-1';"), .part = "count is -1; give a finite number >= 0"},
    {INITIAL("species = 'A'; count = 3e9; at = (0, 0);"),
     .part = "count is 3000000000; give a whole number, at most 2147483647 in one voxel"},
    {INITIAL("species = 'A'; value = '0 / 0';"), .part = "not a number, since it divides by 0"},
    {INITIAL("species = 'A'; density = 't';"), .part = "m.cfg:4: initial[0], density"},
    {INITIAL("species = 'A'; count = 1; at = (5, 0);"),
     .part =
         "m.cfg:4: initial[0]: at is 5 along x, outside of the grid; give a position from 0 to 4"},
    {INITIAL("species = 'A'; count = 1; at = (1, -0.1);"),
     .part = "at is -0.1 along y, outside of the grid"},
    {INITIAL("species = 'A'; count = 1; at = (1, 1, 1);"), .part = "at has 3 numbers"},
    {INITIAL("species = 'A'; count = 1; voxel = (8, 0);"),
     .part = "voxel is 8 along x, outside of the grid; give at most 7"},
    {INITIAL("species = 'A'; count = 1; voxel = (1, 1); in = 'left';"),
     .part = "has several of in, at, voxel and voxels; give one of them"},
    {INITIAL("species = 'A'; count = 1; voxel = (1, 1); at = (1, 1);"),
     .part = "initial[0]: has several of in, at, voxel and voxels; give one of them",
     .species = "species = ( " A_AND_B " );", .rest = "time = { end = 10; };"},
    {INITIAL("species = 'B'; count = 1; at = (3, 1);"),
     .part = "B stays in 'left', and no voxel of it is named here; name a place in it"},
    {INITIAL("species = 'B'; count = 1; in = 'right';"), .part = "B stays in 'left'",
     REGIONS(LEFT ", { name = 'right'; box = { from = (2, 0); to = (4, 2); }; }")},
    {INITIAL("species = 'A'; count = 1; spread = 'poisson';"),
     .part = "a count is spread \"random\" or \"even\""},
    {INITIAL("species = 'A'; value = 1; spread = 'random';"),
     .part = "a density or value is spread \"even\" or \"poisson\""},
    {INITIAL("from = 'o.h5'; at = (0, 0);"), .part = "a snapshot fills all voxels"},
    {INITIAL("from = 'o.h5'; spread = 'even';"), .part = "a snapshot has its own places"},
    {INITIAL("species = 'A'; count = 1; at_time = 2;"),
     .part = "has at_time without from; leave it out"},
};

static const struct model_sample events[] = {
    {EVENTS("set = { };"),
     .part = "m.cfg:4: events[0]: has neither time, every nor when; give one of them"},
    {EVENTS("time = 1;"),
     .part = "m.cfg:4: events[0]: does nothing; give it set, remove, divide, convert or add"},
    {EVENTS("time = 1; set = { q = 1; };"), .part = "parameter 'q' is not declared"},
    {EVENTS("time = '-1'; add = { species = 'A'; count = 1; };"),
     .part = "events[0]: time is -1; give a finite number >= 0"},
    {EVENTS("time = 1; until = 2; add = { species = 'A'; count = 1; };"),
     .part = "has until without every; leave it out"},
    {EVENTS("every = 2; until = 1; add = { species = 'A'; count = 1; };"),
     .part = "until is 1, before the first time, 2; give a later one"},
    {EVENTS("every = 1e-9; add = { species = 'A'; count = 1; };"),
     .part = "more than 10000000 occurrences"},
    {EVENTS("time = 1; remove = { species = 'A'; };"),
     .part = "has none of count, all, fraction, probability or each; give exactly one"},
    {EVENTS("time = 1; remove = { species = 'A'; all = false; };"),
     .part = "all = false takes nothing"},
    {EVENTS("time = 1; add = { species = 'C'; count = 1; };"),
     .part = "species 'C' is not declared"},
};

static const struct model_sample schedule[] = {
    {OUTPUT("every = 1; times = (1, 2);"), .part = "m.cfg:4: output: has both every and times"},
    {.part = "m.cfg:3: time: stop is \"1 + 1\", which is the same at all times; use the number of "
             "a species, or t, as in \"A >= 1000\"",
     .rest = "time = { end = 10; stop = '1 + 1'; };"},
    {.part = "m.cfg:3: time, stop: 'x > 1', column 1: 'x' is not allowed here; use only "
             "parameters, t, species",
     .rest = "time = { end = 10; stop = 'x > 1'; };"},
    {.part = "m.cfg:3: time: stop is \"[A] > 1\", but it is for all voxels together, which have no "
             "concentrations; write A instead of [A]",
     .rest = "time = { end = 10; stop = '[A] > 1'; };"},
    {.part = "m.cfg:3: time, stop: 'D > 1', column 1: unknown name 'D'",
     .rest = "time = { end = 10; stop = 'D > 1'; };"},
    {OUTPUT("quantiles = (0.5, 0.5);"),
     .part = "m.cfg:4: output: quantile 0.5 stands after 0.5; give rising quantiles"},
    {OUTPUT("quantiles = ('1 + 1');"),
     .part = "m.cfg:4: output: quantiles is 2; give a probability from 0 to 1"},
    {OUTPUT("times = (1, 3, 3);"),
     .part = "m.cfg:4: output: time 3 stands after 3; give rising times"},
    {OUTPUT("times = (1, 11);"), .part = "output: time 11 is after the end, 10; leave it out"},
    {OUTPUT("every = 1e-7;"), .part = "every 1e-07 up to 10 makes more than 10000000 outputs"},
    {OUTPUT("every = '0';"), .part = "output: every is 0; give a finite number > 0"},
    {OUTPUT("file = '';"), .part = "m.cfg:4: output: file is empty"},
    {.text = "",
     .part = "m.cfg:3: time: end is -1; give a finite number > 0",
     .species = "species = ( " A_AND_B " );",
     .rest = "time = { end = '0 - 1'; };"},
    {.text = "",
     .part = "m.cfg:3: time: step is 0",
     .species = "species = ( " A_AND_B " );",
     .rest = "time = { end = 1; step = '0'; };"},
    {.text = "run = { runs = 2; first = 268435455; };",
     .part = "m.cfg:4: run: first + runs is 268435457"},
};

static void expect(const struct model_sample *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s\n%s\n%s\n%s\n", s[i].grid ? s[i].grid : line[0],
                 s[i].species ? s[i].species : line[1], s[i].rest ? s[i].rest : line[2],
                 s[i].text ? s[i].text : "");
        put_quotes(text);
        messages_have(text, s[i].part);
    }
}

#define SAYS(samples)                                                                              \
    static void say_##samples(void **state)                                                        \
    {                                                                                              \
        (void)state;                                                                               \
        expect(samples, sizeof samples / sizeof *samples);                                         \
    }
SAYS(names)
SAYS(parameters)
SAYS(grids)
SAYS(walls)
SAYS(species)
SAYS(regions)
SAYS(shapes)
SAYS(borders)
SAYS(fields)
SAYS(huge_grids)
SAYS(reactions)
SAYS(initial)
SAYS(events)
SAYS(schedule)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(say_names),     cmocka_unit_test(say_parameters),
        cmocka_unit_test(say_grids),     cmocka_unit_test(say_walls),
        cmocka_unit_test(say_species),   cmocka_unit_test(say_regions),
        cmocka_unit_test(say_shapes),    cmocka_unit_test(say_borders),
        cmocka_unit_test(say_fields),    cmocka_unit_test(say_huge_grids),
        cmocka_unit_test(say_reactions), cmocka_unit_test(say_initial),
        cmocka_unit_test(say_events),    cmocka_unit_test(say_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
