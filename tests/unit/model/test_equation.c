/* test_equation - tests of reading reactions, and of messages about malformed reactions. */
#include "model/equation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rd_species species[] = {
    {.name = (char *)"A"}, {.name = (char *)"B"}, {.name = (char *)"Ca_2"}};
static char *names[] = {"A", "B", "Ca_2"};
static const struct rd_model model = {.species = species, .species_name = names, .n_species = 3};

static void free_reaction(struct rd_reaction *x)
{
    free(x->equation);
    free(x->reactant);
    free(x->product);
}

/* Writes the terms to text as "1A 2B -> " and so on. */
static void print_side(char *text, const struct rd_term *term, int n)
{
    for (int i = 0; i < n; i++)
        sprintf(text + strlen(text), "%d%s ", (int)term[i].number, species[term[i].species].name);
}

static void equations_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written, *terms;
    } sample[] = {
        {"A + B -> 2 A", "A + B -> 2 A", "1A 1B > 2A "},
        {"A+B->2A", "A + B -> 2 A", "1A 1B > 2A "},
        {"  2A\t+\n Ca_2 -> B  ", "2 A + Ca_2 -> B", "2A 1Ca_2 > 1B "},
        {"0 -> A", "0 -> A", "> 1A "},
        {"A->0", "A -> 0", "1A > "},
        {"0->0", "0 -> 0", "> "},
        {"A + A -> B", "A + A -> B", "2A > 1B "},
        {"B + 2 A + B -> A", "B + 2 A + B -> A", "2B 2A > 1A "},
        {"8 A -> 2147483647 B", "8 A -> 2147483647 B", "8A > 2147483647B "},
        {"002 A -> B", "002 A -> B", "2A > 1B "},
        {"2*A + 3 * B => 2Ca_2", "2 A + 3 B -> 2 Ca_2", "2A 3B > 2Ca_2 "},
        {"A --> null", "A -> 0", "1A > "},
        {"-> A", "0 -> A", "> 1A "},
        {"A -> ", "A -> 0", "1A > "},
        {"->", "0 -> 0", "> "},
        {"\u2205 \u2192 A", "0 -> A", "> 1A "},
        {"A \u27F6 \u00D8", "A -> 0", "1A > "},
        {"A \u21D2 B", "A -> B", "1A > 1B "},
        {"A + B <-> Ca_2", "A + B -> Ca_2", "1A 1B > 1Ca_2 both"},
        {"A <=> ", "A -> 0", "1A > both"},
        {"A<-->B", "A -> B", "1A > 1B both"},
        {"A \u21CC B", "A -> B", "1A > 1B both"},
        {"A\u21C4B", "A -> B", "1A > 1B both"},
        {"A \u2194 B", "A -> B", "1A > 1B both"},
        {"A \u21CB B", "A -> B", "1A > 1B both"},
        {"A \u21C6 B", "A -> B", "1A > 1B both"},
    };
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        struct rd_reaction x = {0};
        struct rd_error e = {0};
        char terms[200] = "";
        bool is_reversible;
        assert_true(rd_equation_read(&x, sample[i].text, &model, "m.cfg:3", &is_reversible, &e));
        assert_null(e.text);
        print_side(terms, x.reactant, x.n_reactants);
        strcat(terms, "> ");
        print_side(terms, x.product, x.n_products);
        strcat(terms, is_reversible ? "both" : "");
        assert_string_equal(x.equation, sample[i].written);
        assert_string_equal(terms, sample[i].terms);
        free_reaction(&x);
    }
}

static void faults_contain_their_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } sample[] = {
        {"", "column 1: the equation ends without '->'; write it"},
        {"A + ", "column 5: the equation ends without a species; write one, or 0 for nothing"},
        {"A", "column 2: the equation ends without '->'; write it"},
        {"A + -> B", "column 5: there is no species here; write one"},
        {"A B -> B", "column 3: there is neither '+' nor '->' here; write one of them"},
        {"A - B", "column 3: there is neither '+' nor '->' here; write one of them"},
        {"A = B", "column 3: '=' is no arrow; write '->', or '<->' for both directions"},
        {"A <- B", "column 3: this arrow leads to the left; write the reactants first, then '->'"},
        {"A \u2190 B", "column 3: this arrow leads to the left"},
        {"A -> Null", "column 6: this is no species; write 0"},
        {"EmptySet -> A", "column 1: this is no species; write 0"},
        {"nullA -> B", "column 1: species 'nullA' is not declared"},
        {"A -> 9 B <-> A", "column 10: there is no '+' here"},
        {"A <-> 101 B", "101 molecules react together; write a propensity, or at most 100"},
        {"A -> B -> A", "column 8: there is no '+' here; write it, or end the equation"},
        {"0 A -> B", "column 3: there is neither '+' nor '->' here; write one of them"},
        {"A + 0 -> B", "column 5: the number of molecules is 0"},
        {"00 A -> B", "column 1: the number of molecules is 0"},
        {"1.5 A -> B", "column 2: the number of molecules is not whole; write a whole number"},
        {"2 -> B", "column 3: there is no species here; write one"},
        {"A -> 2147483648 B",
         "column 6: the number of molecules is above 2147483647; write a smaller one"},
        {"A -> 99999999999999999999 B",
         "column 6: the number of molecules is above 2147483647; write a smaller one"},
        {"A -> 2147483647 B + B",
         "the number of molecules is above 2147483647; write a smaller one"},
        {"A -> b", "column 6: species 'b' is not declared"},
        {"Ca_3 -> B", "column 1: species 'Ca_3' is not declared; did you mean 'Ca_2'?"},
        {"101 A -> B", "101 molecules react together; write a propensity, or at most 100"},
        {"40 A + 61 B -> 0", "101 molecules react together; write a propensity, or at most 100"},
        {"A -> B;", "column 7: there is no '+' here; write it, or end the equation"},
    };
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        struct rd_reaction x = {0};
        struct rd_error e = {0};
        bool both;
        assert_false(rd_equation_read(&x, sample[i].text, &model, "m.cfg:3", &both, &e));
        if (!e.text || !strstr(e.text, sample[i].part))
            fail_msg("'%s' gives: %s", sample[i].text, e.text ? e.text : "nothing");
        assert_memory_equal(e.text, "m.cfg:3: equation '", 19);
        rd_error_free(&e);
        free_reaction(&x);
    }
}

/* Checks that the reverse of a reaction is read as it would be if it were written. */
static void a_reverse_has_the_sides_exchanged(void **state)
{
    (void)state;
    struct rd_reaction x = {0}, back = {0}, written = {0};
    struct rd_error e = {0};
    bool both;
    assert_true(rd_equation_read(&x, "A + 2 B <-> 3 Ca_2 + A", &model, "m", &both, &e));
    assert_true(rd_equation_read(&written, "3 Ca_2 + A -> A + 2 B", &model, "m", &both, &e));
    assert_true(rd_equation_turn(&back, &x));
    assert_string_equal(back.equation, written.equation);
    assert_int_equal(back.n_reactants, 2);
    assert_int_equal(back.n_products, 2);
    assert_memory_equal(back.reactant, written.reactant, 2 * sizeof *back.reactant);
    assert_memory_equal(back.product, written.product, 2 * sizeof *back.product);
    free_reaction(&x);
    free_reaction(&back);
    free_reaction(&written);
}

static void all_unknown_species_are_reported(void **state)
{
    (void)state;
    struct rd_reaction x = {0};
    struct rd_error e = {0};
    bool both;
    assert_false(rd_equation_read(&x, "P + A -> Q + R", &model, "m.cfg:3", &both, &e));
    assert_int_equal(e.n, 3);
    rd_error_free(&e);
    free_reaction(&x);
}

/* Tests all texts of up to four of these pieces: each is read, or gives a message. */
static void any_text_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const piece[] = {"A", "Q", "0", "2", "+", "->", "<", " ", ".", "\xff"};
    enum { N = sizeof piece / sizeof *piece };
    for (int i = 0; i < N * N * N * N; i++) {
        char text[32] = "";
        for (int rest = i, p = 0; p < 4; p++, rest /= N)
            strcat(text, piece[rest % N]);
        struct rd_reaction x = {0};
        struct rd_error e = {0};
        bool both = false;
        const bool read = rd_equation_read(&x, text, &model, "m", &both, &e);
        assert_int_equal(read, e.n == 0);
        rd_error_free(&e);
        free_reaction(&x);
    }
}

int test_equation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_read),
        cmocka_unit_test(faults_contain_their_column),
        cmocka_unit_test(a_reverse_has_the_sides_exchanged),
        cmocka_unit_test(all_unknown_species_are_reported),
        cmocka_unit_test(any_text_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
