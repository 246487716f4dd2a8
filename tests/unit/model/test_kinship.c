/* test_kinship - tests of which individuals stay, die, change species or are born, in reactions
   worked out by hand. */
#include "model/equation.h"
#include "model/kinship.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The species are not sorted by name; m is a bulk species. */
static struct rd_species species[] = {{.name = (char *)"D", .is_individual = true},
                                      {.name = (char *)"B", .is_individual = true},
                                      {.name = (char *)"m"},
                                      {.name = (char *)"A", .is_individual = true},
                                      {.name = (char *)"C", .is_individual = true}};
static char *names[] = {"D", "B", "m", "A", "C"};
static const struct rd_model model = {.species = species, .species_name = names, .n_species = 5};

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsprintf(text + strlen(text), format, list);
    va_end(list);
}

/* Writes actors as "A=" (stays), "A!" (dies), "A>B" (becomes B), then children as "A<0" (of actor
   0). */
static void print(const struct rd_kinship *k, char *text)
{
    *text = 0;
    for (int i = 0; i < k->n_actors; i++) {
        const struct rd_actor *const a = &k->actor[i];
        const bool becomes = a->fate == RD_FATE_BECOMES;
        assert_int_equal(a->becomes >= 0, becomes);
        add(text, "%s%c%s ", species[a->species].name,
            a->fate == RD_FATE_STAYS  ? '='
            : a->fate == RD_FATE_DIES ? '!'
                                      : '>',
            becomes ? species[a->becomes].name : "");
    }
    for (int i = 0; i < k->n_children; i++)
        add(text, "%s<%d ", species[k->child[i].species].name, (int)k->child[i].parent);
}

static int32_t species_called(char name)
{
    for (int32_t i = 0; i < model.n_species; i++)
        if (*names[i] == name)
            return i;
    fail_msg("no species %c", name);
    return -1;
}

/* `pairs` are of the key `becomes`, in the order of the names of products: "AB BC". */
static void assert_kinship_with(const char *equation, const char *pairs, const char *kinship)
{
    struct rd_successor becomes[8];
    struct rd_reaction x = {.becomes = becomes};
    struct rd_error e = {0};
    struct rd_kinship k;
    char text[8 * (RD_ACTORS_MOST + RD_CHILDREN_MOST)];
    bool is_reversible;
    assert_true(rd_equation_read(&x, equation, &model, "m.cfg:1", &is_reversible, &e));
    for (const char *at = pairs; *at; at += at[2] ? 3 : 2)
        becomes[x.n_becomes++] =
            (struct rd_successor){species_called(at[0]), species_called(at[1])};
    rd_kinship_of(&k, &model, &x);
    print(&k, text);
    if (strcmp(text, kinship) != 0)
        fail_msg("%s, %s: '%s' instead of '%s'", equation, pairs, text, kinship);
    free(x.equation);
    free(x.reactant);
    free(x.product);
}

static void assert_kinship(const char *equation, const char *kinship)
{
    assert_kinship_with(equation, "", kinship);
}

static void test_given_pairs(void **state)
{
    (void)state;
    assert_kinship_with("A + B -> C", "BC", "A! B>C ");
    assert_kinship_with("A + B -> C + D", "BC", "A>D B>C ");
    assert_kinship_with("A + B -> A + C", "BA", "A>C B>A ");
    assert_kinship_with("A + B -> A + B", "BA AB", "A>B B>A ");
    assert_kinship_with("A -> A + B", "AB", "A>B A<0 ");
    assert_kinship_with("A -> A + B", "AA", "A= B<0 ");
    assert_kinship_with("2 A -> A + B + C", "AC", "A>C A= B<0 ");
    assert_kinship_with("2 A -> B + C", "AB AC", "A>B A>C ");
    assert_kinship_with("3 A -> B + C", "AC", "A>C A>B A! ");
    assert_kinship_with("2 A + m -> 2 B + m", "AB AB", "A>B A>B ");
    assert_kinship_with("D -> A + D + m", "DD", "D= A<0 ");
    assert_kinship_with("D -> A + B", "DB", "D>B A<0 ");
}

static void test_counted_species_have_no_kinship(void **state)
{
    (void)state;
    assert_kinship("m -> 2 m", "");
    assert_kinship("0 -> m", "");
}

static void test_births_and_deaths(void **state)
{
    (void)state;
    assert_kinship("A -> 0", "A! ");
    assert_kinship("A + m -> m", "A! ");
    assert_kinship("0 -> 2 A", "A<-1 A<-1 ");
    assert_kinship("m -> A", "A<-1 ");
    assert_kinship("A -> 2 A", "A= A<0 ");
    assert_kinship("3 A -> A", "A! A! A= ");
    assert_kinship("A -> A + B", "A= B<0 ");
}

static void test_conversions_keep_individuals(void **state)
{
    (void)state;
    assert_kinship("A -> B", "A>B ");
    assert_kinship("A + B -> 2 B", "A>B B= ");
    assert_kinship("2 A -> A + B", "A>B A= ");
    assert_kinship("3 A -> A + B", "A>B A! A= ");
    assert_kinship("C + A -> D", "A>D C! ");
    assert_kinship("C + A -> D + B", "A>B C>D ");
    assert_kinship("D -> 2 B", "D>B B<0 ");
}

static void test_parents_are_first_of_the_same_species(void **state)
{
    (void)state;
    assert_kinship("B + A -> A + 2 B", "A= B= B<1 ");
    assert_kinship("B + A -> A + B + C", "A= B= C<0 ");
    assert_kinship("2 B -> 3 B", "B= B= B<0 ");
    assert_kinship("B -> D + C + A", "B>A C<0 D<0 ");
}

static void test_order_does_not_matter(void **state)
{
    (void)state;
    assert_kinship("A + C -> 2 D + B", "A>B C>D D<0 ");
    assert_kinship("C + A -> B + D + D", "A>B C>D D<0 ");
}

static void test_largest_number(void **state)
{
    (void)state;
    char text[8 * RD_CHILDREN_MOST] = "";
    for (int i = 0; i < RD_CHILDREN_MOST; i++)
        add(text, "A<-1 ");
    assert_kinship("0 -> 256 A", text);
    assert_kinship("8 A -> 8 B", "A>B A>B A>B A>B A>B A>B A>B A>B ");
}

int test_kinship(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_pairs),
        cmocka_unit_test(test_counted_species_have_no_kinship),
        cmocka_unit_test(test_births_and_deaths),
        cmocka_unit_test(test_conversions_keep_individuals),
        cmocka_unit_test(test_parents_are_first_of_the_same_species),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
