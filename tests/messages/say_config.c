/* say_config - tests wrong configurations and the message for each: text, names, numbers, keys,
   kinds, ranges and --set. Damaged configurations must not crash the program. */
#include "config/config.h"
#include "probability.h"
#include "quotes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three correct lines; the error is on line 4. In all texts, ' stands for ". */
#define RIGHT                                                                                      \
    "grid = { voxels = (4, 3); edge = 0.5; }; parameters = { k = 1; kd = 2; };\n"                  \
    "species = ( { name = 'A'; diffusion = 1; }, { name = 'Bee'; } );\n"                           \
    "time = { end = 10; };\n"

struct wrong {
    const char *text, *message;
};

static const struct wrong wrongs[] = {
    /* the text */
    {"", "m.cfg: is empty; give at least grid, species and time"},
    {" \n\t\n", "m.cfg: is empty"},
    {RIGHT "title = 'a\x01';", "m.cfg:4: the byte 0x01 is not text; write text in"},
    {RIGHT "\x7f"
           "ELF",
     "m.cfg:4: the byte 0x7f is not text"},
    {RIGHT "title = '\xc3(';", "m.cfg:4: the byte 0xc3 is not text"},
    {RIGHT "title = '\xed\xa0\x80';", "m.cfg:4: the byte 0xed is not text"},
    {RIGHT "title = '\xf4\x90\x80\x80';", "m.cfg:4: the byte 0xf4 is not text"},
    {RIGHT "\xef\xbb\xbf",
     "m.cfg:4: the character '\xef\xbb\xbf' (U+FEFF) stands outside of a text; remove it"},
    {RIGHT "parameters = { gr\xc3\xb6\xc3\x9f"
           "e = 3; };",
     "m.cfg:4: the character '\xc3\xb6' (U+00F6) stands outside of a text; remove it"},
    {RIGHT "title = 'open;\n", "m.cfg:4: a text begins here that has no closing quote on its line"},
    {RIGHT "title = 'a\\x41';", "m.cfg:4: the text has '\\x'; use \\n"},
    {RIGHT "/* never\nclosed", "m.cfg:4: the comment that begins here has no '*/'"},
    {RIGHT "@include 'b.cfg'", "m.cfg:4: @include is not supported; write include = "},
    {RIGHT "title $ 'a';", "m.cfg:4: the character '$' stands outside of a text; remove it"},
    /* brackets and signs */
    {RIGHT "run = { seed = 1;\n\n", "m.cfg:4: the '{' of this line has no closing '}'; add it"},
    {RIGHT "events = ( ", "m.cfg:4: the '(' of this line has no closing ')'; add it"},
    {RIGHT "run = { seed = 1; );", "m.cfg:4: found ')'; expected a key or '}'"},
    {RIGHT "events = ( }", "m.cfg:4: found '}'; expected a value"},
    {RIGHT "title = ",
     "m.cfg:5: the file ends here; expected a value (a number, \"text\", (list) or"},
    {RIGHT "title 'a';", "m.cfg:4: found '\"a\"'; expected '='"},
    {RIGHT "solver = exact;", "m.cfg:4: 'exact' is not a value; put a text in quotes, \"exact\""},
    {RIGHT "}", "m.cfg:4: found '}'; expected a key, such as grid = { ... },"},
    {RIGHT "output = { times = (1, 2,,); };", "m.cfg:4: found ','; expected a value"},
    {RIGHT "output = { times = [1 2]; };", "m.cfg:4: found '2'; expected ',' or ']'"},
    {RIGHT "run = { runs = 1 2; };", "m.cfg:4: found '2'; expected ';'"},
    {RIGHT "true = 1;", "m.cfg:4: found 'true'; expected a key"},
    /* names and numbers */
    {RIGHT "a-b = 1;", "m.cfg:4: 'a-b' is not a name; write a letter, then letters, digits or _"},
    {RIGHT "_a = 1;", "m.cfg:4: '_a' is not a name"},
    {RIGHT "run = { seed = 5000000000; };",
     "m.cfg:4: the integer 5000000000 does not fit 32 bits; write 5000000000L"},
    {RIGHT "run = { seed = -2147483649; };", "m.cfg:4: the integer -2147483649 does not fit"},
    {RIGHT "run = { seed = 0x80000000; };", "m.cfg:4: the integer 0x80000000 does not fit 32"},
    {RIGHT "run = { seed = 9223372036854775808L; };",
     "m.cfg:4: the integer 9223372036854775808L does not fit 64 bits; write a smaller one"},
    {RIGHT "run = { seed = 010; };", "m.cfg:4: the integer 010 begins with 0; write it without"},
    {RIGHT "time2 = 1e400;", "m.cfg:4: the number 1e400 is too large; give at most 1.7e308"},
    {RIGHT "time2 = -1e-400;", "m.cfg:4: the number -1e-400 is too close to 0"},
    {RIGHT "time2 = 1.2.3;", "m.cfg:4: '1.2.3' is not a number; write it as in 12, 0.5 or 1e-3"},
    {RIGHT "time2 = 0x;", "m.cfg:4: '0x' is not a number; put \"0 * x\" in quotes"},
    {RIGHT "time2 = 2D;", "m.cfg:4: '2D' is not a number; put \"2 * D\" in quotes"},
    {RIGHT "time2 = 2 * D;", "m.cfg:4: the character '*' stands outside of a text; put an "
                             "expression in quotes, as in \"2 * k\""},
    /* what other languages write */
    {"species = (); time = { end = 1; };\ngrid = { voxels = {8, 8}; edge = 1; };",
     "m.cfg:2: '{8, 8}' is a list in braces; write (8, 8)"},
    {RIGHT "time2 = 0,5;", "m.cfg:4: '0,5' has a comma; write 0.5"},
    {RIGHT "run = { runs = 12,25; };", "m.cfg:4: '12,25' has a comma; write 12.25"},
    {RIGHT "run = { runs = 1, 5; };", "m.cfg:4: found '5'; expected a key or '}'"},
    {RIGHT "title2 = (1,,2);", "m.cfg:4: found ','; expected a value"},
    {RIGHT "title2 = (,);", "m.cfg:4: found ','; expected a value"},
    {"species = ( { name = 'A'; D = 1; } ); time = { duration = 1; };\n"
     "grid = { size = 3; edge = 1; };",
     "m.cfg:1: 'D' is not a key of species[0]; write 'diffusion'"},
    {RIGHT "initial = ( { concentration = 1; } );",
     "m.cfg:4: 'concentration' is not a key of initial[0]; write 'density'"},
    {RIGHT "initial = ( { size = 1; } );",
     "m.cfg:4: 'size' is not a key of initial[0]; write 'count'"},
    {RIGHT "reactions = ( { kineticLaw = 1; } );",
     "m.cfg:4: 'kineticLaw' is not a key of reactions[0]; write 'rate_law'"},
    {RIGHT "reactions = ( { K = 1; } );",
     "m.cfg:4: 'K' is not a key of reactions[0]; write 'rate'"},
    {RIGHT "reactions = ( { kin = 1; } );",
     "m.cfg:4: 'kin' is not a key of reactions[0]; did you mean 'in'?"},
    {RIGHT "D = 1;",
     "m.cfg:4: 'D' is not a key of a configuration; write 'diffusion' in species[]"},
    {RIGHT "dt = 1;", "m.cfg:4: 'dt' is not a key of a configuration; write 'step' in time"},
    {RIGHT "runs = 1;", "m.cfg:4: 'runs' is not a key of a configuration; write 'runs' in run"},
    {RIGHT "walls = 'x';",
     "m.cfg:4: 'walls' is not a key of a configuration; write 'walls' in grid"},
    {RIGHT "reactions = ( { count = 1; } );",
     "m.cfg:4: 'count' is not a key of reactions[0]; write 'count' in initial[]"},
    {RIGHT "run = { solver = 'exact'; };",
     "m.cfg:4: 'solver' is not a key of run; write it outside of all groups"},
    {RIGHT "run = { replicates = 3; };", "m.cfg:4: 'replicates' is not a key of run; write 'runs'"},
    /* keys */
    {RIGHT "titel = 'a';",
     "m.cfg:4: 'titel' is not a key of a configuration; did you mean 'title'"},
    {RIGHT "run = { sed = 1; };", "m.cfg:4: 'sed' is not a key of run; did you mean 'seed'?"},
    {RIGHT "initial = ( {}, { cuont = 1; } );",
     "m.cfg:4: 'cuont' is not a key of initial[1]; did you mean 'count'?"},
    {RIGHT "run = { wavelength = 1; };",
     "m.cfg:4: 'wavelength' is not a key of run; use one of seed, runs, rows, share, first"},
    {RIGHT "solver = 'exact';\nsolver = 'split';",
     "m.cfg:5: 'solver' is given twice, first in line 4; remove one"},
    {RIGHT "title = 'a'; events = ( { time = 1;\n }, { time = 1;\n Time = 2; time = 3; } );",
     "m.cfg:6: 'time' is given twice, first in line 5; remove one"},
    {"time = { end = 1; };", "m.cfg: grid is missing; give a group { ... }"},
    {"grid = {\n}; species = (); time = { end = 1; };", "m.cfg:1: grid.voxels is missing"},
    {RIGHT "species2 = ();",
     "m.cfg:4: 'species2' is not a key of a configuration; did you mean 's"},
    {RIGHT "regions = ( { box = { from = 0; }; } );", "m.cfg:4: regions[0].box.to is missing"},
    {RIGHT "events = ( { add = ( { count = 1; } ); } );",
     "m.cfg:4: events[0].add[0].species is missing; give a \"text\""},
    /* kinds */
    {RIGHT "title = 3;", "m.cfg:4: title is 3; give a \"text\""},
    {RIGHT "run = 3;", "m.cfg:4: run is 3; give a group { ... }"},
    {RIGHT "reactions = { rate = 1; };", "m.cfg:4: reactions is a group; give a list of"},
    {RIGHT "reactions = (1);", "m.cfg:4: reactions[0] is 1; give a group { ... }"},
    {RIGHT "run = { runs = 1.5; };", "m.cfg:4: run.runs is 1.5; give an integer from 1 to 268"},
    {RIGHT "run = { runs = 'k'; };", "m.cfg:4: run.runs is \"k\"; give an integer"},
    {RIGHT "output = { times = 3; };", "m.cfg:4: output.times is 3; give a list of numbers"},
    {RIGHT "output = { times = (); };", "m.cfg:4: output.times is a list of 0; give a list"},
    {RIGHT "initial = ( { at = (1, 2, 3, 4); } );", "m.cfg:4: initial[0].at is a list of 4; give"},
    {RIGHT "parameters2 = 1; regions = ( { name = true; } );",
     "m.cfg:4: regions[0].name is true; give a \"text\""},
    {RIGHT "events = ( { time = 1; set = { k = (1); }; } );",
     "m.cfg:4: events[0].set.k is a list of 1; give a number or \"expression\""},
    {"species = (); time = { end = 1; };\n"
     "grid = { voxels = 3; edge = 1; }; parameters = { k = (1, 2); };",
     "m.cfg:2: parameters.k is a list of 2; give a number or \"expression\""},
    {RIGHT "parameters2 = 1; output = { times = (1, true); };",
     "m.cfg:4: output.times[1] is true; give a number or \"expression\" >= 0"},
    {RIGHT "initial = ( { at = true; } );", "m.cfg:4: initial[0].at is true; give a list of "
                                            "numbers or \"expressions\", one for each axis"},
    /* keywords and ranges */
    {RIGHT "output = { keep = 'first x'; };",
     "m.cfg:4: output.keep is \"first x\"; did you mean \"first N\"? Give \"all\", \"totals\", "
     "\"statistics\" or \"first N\""},
    {RIGHT "output = { keep = 'first 0'; };", "m.cfg:4: output.keep is \"first 0\"; did you"},
    {RIGHT "output = { keep = 'first 99999999999999999999'; };",
     "m.cfg:4: output.keep is \"first 99999999999999999999\"; give \"all\""},
    {RIGHT "output = { keep = 'first 5 '; };", "m.cfg:4: output.keep is \"first 5 \"; did"},
    {RIGHT "solver = 'exakt';",
     "m.cfg:4: solver is \"exakt\"; did you mean \"exact\"? Give \"split\" or \"exact\""},
    {RIGHT "splitting = 'Q';", "m.cfg:4: splitting is \"Q\"; give \"strang\" or \"lie\""},
    {"species = (); time = { end = 1; };\n"
     "grid = { voxels = 3; edge = 1; walls = { xmin = 'absorbs'; }; };",
     "m.cfg:2: grid.walls.xmin is \"absorbs\"; did you mean \"absorb\"?"},
    {"species = (); time = { end = 0; };\ngrid = { voxels = 1; edge = 1; };",
     "m.cfg:1: time.end is 0; give a number or \"expression\" > 0"},
    {"species = (); time = { end = 1; };\ngrid = { voxels = (4,\n 0); edge = 1; };",
     "m.cfg:3: grid.voxels[1] is 0; give an integer or \"expression\" from 1 to 2147483647"},
    {RIGHT "run = { seed = 281474976710656L; };", "m.cfg:4: run.seed is 281474976710656; give"},
    {RIGHT "output = { compression = 10; };", "m.cfg:4: output.compression is 10; give an i"},
    {RIGHT "initial = ( { count = -1; } );", "m.cfg:4: initial[0].count is -1; give a numb"},
};

/* Reads a text with ' in place of ". */
static bool parse(rd_config **c, const char *text, const struct rd_set *set, int n_set,
                  struct rd_error *e)
{
    char *const quoted = with_quotes(text);
    const bool read = rd_config_parse(c, "m.cfg", quoted, set, n_set, e);
    free(quoted);
    return read;
}

/* Checks that e begins with the message, or has it as one of its lines. */
static void assert_says(const struct rd_error *e, const char *message, const char *about)
{
    const char *const found = e->text ? strstr(e->text, message) : NULL;
    if (!found || (found != e->text && found[-1] != '\n'))
        fail_msg("the message about '%s' is '%s' instead of '%s'", about, e->text ? e->text : "",
                 message);
    assert_true(e->wrong);
}

static void wrong_texts_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct rd_error e = {0};
        rd_config *c = NULL;
        assert_false(parse(&c, wrongs[i].text, NULL, 0, &e));
        assert_says(&e, wrongs[i].message, wrongs[i].text);
        rd_config_free(c);
        rd_error_free(&e);
    }
}

static const struct {
    struct rd_set set;
    const char *message;
} wrong_sets[] = {
    {{.path = "run.sed", .value = "3"},
     "--set run.sed=3: 'sed' is not a key of run; did you mean 'seed'?"},
    {{.path = "rnu.seed", .value = "3"},
     "--set rnu.seed=3: 'rnu' is not a key of a configuration; did you mean 'run'?"},
    {{.path = "parameters.kk", .value = "3"},
     "--set parameters.kk=3: the configuration has no 'kk' in parameters; "
     "did you mean 'k'?"},
    {{.path = "parameters.volume", .value = "3"},
     "--set parameters.volume=3: the configuration has no 'volume' in parameters; add it to the "
     "file, since a setting only changes values"},
    {{.path = "parameters.k.x", .value = "3"},
     "--set parameters.k.x=3: 'k' is a number; leave out '.x'"},
    {{.path = "species.Be.drift", .value = "3"},
     "--set species.Be.drift=3: the configuration has no 'Be' in species; "
     "did you mean 'Bee'?"},
    {{.path = "species.1.drift", .value = "3"},
     "--set species.1.drift=3: '1' is no name; write species[1]"},
    {{.path = "Bee.drift", .value = "3"},
     "--set Bee.drift=3: 'Bee' is one of species; write species.Bee.drift"},
    {{.path = "Bee", .value = "3"}, "--set Bee=3: 'Bee' is one of species; write species.Bee.KEY"},
    {{.path = "species[2].drift", .value = "3"},
     "--set species[2].drift=3: species has no element [2]; choose one of its 2 elements, counted "
     "from [0]"},
    {{.path = "species[x].drift", .value = "3"},
     "--set species[x].drift=3: species has no element [x]"},
    {{.path = "species[0.drift", .value = "3"},
     "--set species[0.drift=3: species[ has no ']'; write a path as in species[0]"},
    {{.path = "species[0]", .value = "3"},
     "--set species[0]=3: 'species[0]' has no key after it; add '.' and a key"},
    {{.path = "reactions[0].rate", .value = "3"},
     "--set reactions[0].rate=3: the configuration has no 'reactions'; add it to the file, since a "
     "setting only changes values"},
    {{.path = "title.x", .value = "3"}, "--set title.x=3: 'title' has no parts; set all of it"},
    {{.path = "", .value = "3"},
     "--set =3: '' does not begin with a name; write a path as in parameters.k"},
    {{.path = "grid.", .value = "3"}, "--set grid.=3: '' does not begin with a name"},
    {{.path = "run.runs", .value = "0"},
     "--set run.runs=0: run.runs is 0; give an integer from 1 to"},
    {{.path = "run.runs", .value = "1e400"}, "--set run.runs=1e400: the number 1e400 is too large"},
    {{.path = "run.runs", .value = "{ a = 1; a = 2; }"},
     "--set run.runs={ a = 1; a = 2; }: 'a' is given twice; remove one"},
    {{.path = "time.end.x", .value = "1"}, "--set time.end.x=1: 'end' has no parts"},
    {{.path = "title", .value = "a\x02"}, "--set title=a : the byte 0x02 is not text"},
    {{.path = "species", .value = "3"}, "--set species=3: species is 3; give a list of groups"},
};

static void wrong_sets_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_sets / sizeof wrong_sets[0]; i++) {
        struct rd_error e = {0};
        rd_config *c = NULL;
        assert_false(parse(&c, RIGHT, &wrong_sets[i].set, 1, &e));
        assert_says(&e, wrong_sets[i].message, wrong_sets[i].set.path);
        rd_config_free(c);
        rd_error_free(&e);
    }
}

static void all_faults_are_reported_at_once(void **state)
{
    (void)state;
    const char *const text = "grid = { voxels = 0; edge = -1; };\nspecies = ( { nam = 'A'; } );\n"
                             "time = { end = 'T'; halt = 3; }; solver = 3;\n";
    const struct rd_set set = {.path = "run.sed", .value = "1"};
    struct rd_error e = {0};
    rd_config *c = NULL;
    assert_false(parse(&c, text, &set, 1, &e));
    assert_int_equal(e.n, 7);
    assert_says(&e, "--set run.sed=1: ", text);
    assert_says(&e, "m.cfg:1: grid.voxels is 0", text);
    assert_says(&e, "m.cfg:1: grid.edge is -1", text);
    assert_says(&e, "m.cfg:2: 'nam' is not a key of species[0]", text);
    assert_says(&e, "m.cfg:2: species[0].name is missing", text);
    assert_says(&e, "m.cfg:3: 'halt' is not a key of time", text);
    assert_says(&e, "m.cfg:3: solver is 3", text);
    rd_config_free(c);
    rd_error_free(&e);
}

static void unreadable_files_are_reported(void **state)
{
    (void)state;
    static const struct wrong files[] = {
        {"not/there.cfg", "not/there.cfg: cannot be opened: No such file or directory"},
        {".", ".: is a folder, not a configuration; name a file in it"},
        {"/dev/zero", "/dev/zero: cannot be opened: it is a device, not a regular file"},
        {"/dev/null", "/dev/null: cannot be opened: it is a device, not a regular file"},
        {"/proc/self/cmdline", "/proc/self/cmdline: has a zero byte"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct rd_error e = {0};
        rd_config *c = NULL;
        assert_false(rd_config_read(&c, files[i].text, NULL, 0, &e));
        assert_says(&e, files[i].message, files[i].text);
        rd_config_free(c);
        rd_error_free(&e);
    }
}

/* Returns whether the text makes a configuration; otherwise checks that the message has the file's
   name. */
static bool read_or_report(const char *text)
{
    struct rd_error e = {0};
    rd_config *c = NULL;
    const bool read = rd_config_parse(&c, "m.cfg", text, NULL, 0, &e);
    assert_int_equal(read, e.n == 0);
    if (!read)
        assert_memory_equal(e.text, "m.cfg:", 6);
    rd_config_free(c);
    rd_error_free(&e);
    return read;
}

static const char *const whole =
    "/* a */ title = 'a\\'b' 'c'; # b\n"
    "grid = { voxels = [4, 3]; edge : 0.5, walls = { x = { kind = 'absorb'; probability = .5 } "
    "}; };\n"
    "species = ( { name = 'A'; diffusion = 'k'; }, { name = 'B'; } ); // c\n"
    "parameters = { k = 1e-3; q = -5L; h = 0x1F; };\n"
    "events = ( { time = 1; remove = ( { species = 'A'; all = true; } ); } );\n"
    "time = { end = 10; };";

static void every_truncation_is_read_or_reported(void **state)
{
    (void)state;
    char text[1024];
    for (size_t n = 0; n <= strlen(whole); n++) {
        snprintf(text, sizeof text, "%.*s", (int)n, whole);
        put_quotes(text);
        const bool read = read_or_report(text);
        assert_true(read || n < strlen(whole));
    }
}

static void mutations_are_read_or_reported(void **state)
{
    (void)state;
    static const char signs[] = "{}()[]=;,:\"\\#/*.-+eLx0\n \x80";
    struct rd_stream s = stream_of("mutations_are_read_or_reported", 0);
    char text[1024];
    for (int i = 0; i < 5000; i++) {
        put_quotes(strcpy(text, whole));
        for (uint32_t k = 1 + rd_word(&s) % 4; k > 0; k--)
            text[rd_word(&s) % strlen(text)] = signs[rd_word(&s) % (sizeof signs - 1)];
        read_or_report(text);
    }
}

/* Returns RIGHT followed by n copies of part. */
static char *repeated(const char *part, size_t n)
{
    const size_t length = strlen(part), before = strlen(RIGHT);
    char *const text = malloc(before + n * length + 1);
    assert_non_null(text);
    memcpy(text, RIGHT, before);
    for (size_t i = 0; i < n; i++)
        memcpy(text + before + i * length, part, length);
    text[before + n * length] = 0;
    put_quotes(text);
    return text;
}

static void depth_and_length_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *part;
        size_t n;
    } huge[] = {{"(", 1000000},   {"a={", 1000000},       {"a", 10000000}, {"1", 10000000},
                {"a=1;", 100000}, {"#", 10000000},        {" ", 10000000}, {"/*", 5000000},
                {"title=''", 3},  {"'; add it", 1000001}, {"a=(", 100},    {"run={runs=0;};", 2}};
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        char *const text = repeated(huge[i].part, huge[i].n);
        const bool blank = *huge[i].part == '#' || *huge[i].part == ' ';
        assert_int_equal(read_or_report(text), blank);
        free(text);
    }
}

static void too_many_values_are_reported(void **state)
{
    (void)state;
    char *const text = repeated("1,", 8100000);
    memcpy(text + strlen(RIGHT), "a=( 1,", 6);
    struct rd_error e = {0};
    rd_config *c = NULL;
    assert_false(rd_config_parse(&c, "m.cfg", text, NULL, 0, &e));
    assert_says(&e, "m.cfg:4: the configuration has more than 8000000 values; remove some",
                "a long list");
    rd_config_free(c);
    rd_error_free(&e);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_texts_are_reported),
        cmocka_unit_test(wrong_sets_are_reported),
        cmocka_unit_test(all_faults_are_reported_at_once),
        cmocka_unit_test(unreadable_files_are_reported),
        cmocka_unit_test(every_truncation_is_read_or_reported),
        cmocka_unit_test(mutations_are_read_or_reported),
        cmocka_unit_test(depth_and_length_are_reported),
        cmocka_unit_test(too_many_values_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
