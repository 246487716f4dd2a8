/* test_token - tests of splitting texts into tokens, and of the place that a message shows. */
#include "expr/token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Writes the tokens of text, each as the letter of its kind and its spelling: "1.5*k" is "n:1.5 s:*
   w:k ". */
static void cut(const char *text, char *tokens, size_t size)
{
    static const char kind[] = {
        [RD_TOKEN_NUMBER] = 'n', [RD_TOKEN_NAME] = 'w', [RD_TOKEN_SIGN] = 's'};
    size_t length = 0;
    tokens[0] = 0;
    for (struct rd_token t = rd_token_at(text); t.kind != RD_TOKEN_END;
         t = rd_token_at(t.start + t.length))
        length += (size_t)snprintf(tokens + length, size - length, "%c:%.*s ", kind[t.kind],
                                   t.length, t.start);
}

static void test_texts_are_cut_into_tokens(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {" \t\r\n", ""},
        {"1.5*k", "n:1.5 s:* w:k "},
        {".5 5. 5 1e3 1E-3 1.e+03", "n:.5 n:5. n:5 n:1e3 n:1E-3 n:1.e+03 "},
        {"1e 1e+ 1.2.3 . 1..2", "n:1 w:e n:1 w:e s:+ n:1.2 n:.3 s:. n:1. n:.2 "},
        {"0x1p3 -1 2A", "n:0 w:x1p3 s:- n:1 n:2 w:A "},
        {"A_1b _a a'b", "w:A_1b s:_ w:a w:a s:' w:b "},
        {"<=>= ==!=&&||", "s:<= s:>= s:== s:!= s:&& s:|| "},
        {"<>=!= & | ===", "s:< s:>= s:!= s:& s:| s:== s:= "},
        {"min(a,[B])", "w:min s:( w:a s:, s:[ w:B s:] s:) "},
        {"walker.speed a.2 3.e", "w:walker s:. w:speed w:a n:.2 n:3. w:e "},
        {"\xc2\xb5+\xe2\x82\xac", "s:\xc2\xb5 s:+ s:\xe2\x82\xac "},
        {"\xff\x80\x01", "s:\xff\x80 s:\x01 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char tokens[256];
        cut(cases[i][0], tokens, sizeof tokens);
        assert_string_equal(tokens, cases[i][1]);
    }
}

static void test_tokens_are_complete(void **state)
{
    (void)state;
    const struct rd_token t = rd_token_at(" kmax*2");
    assert_true(rd_token_is(&t, "kmax"));
    assert_false(rd_token_is(&t, "k"));
    assert_false(rd_token_is(&t, "kmax*"));
    assert_false(rd_token_is(&t, ""));
}

/* Checks the message about the token at text + offset. */
static void assert_message(const char *text, size_t offset, const char *message)
{
    struct rd_error e = {0};
    const struct rd_expr_source s = {text, "a.cfg:1", &e};
    const struct rd_token t = rd_token_at(text + offset);
    assert_false(rd_token_expected(&s, &t, "more"));
    assert_string_equal(e.text, message);
    rd_error_free(&e);
}

static void test_messages_contain_the_token(void **state)
{
    (void)state;
    assert_message("k + ", 3, "a.cfg:1: 'k + ', column 5: the expression ends here; expected more");
    assert_message("k\n+ *", 4, "a.cfg:1: 'k + *', column 5: found '*'; expected more");
    assert_message("\xc2\xb5 ^", 2, "a.cfg:1: '\xc2\xb5 ^', column 3: found '^'; expected more");
    assert_message("1\x02", 1, "a.cfg:1: '1 ', column 2: found character number 2; expected more");
}

/* Writes n micro signs of two bytes each; returns their length in bytes. */
static int put_micros(char *to, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(to + 2 * i, "\xc2\xb5", 3);
    return 2 * n;
}

/* Checks the message about the last of the signs, which stand between 100 micro signs on either
   side. The message keeps `before` and `after` whole micro signs. */
static void check_shortened(const char *signs, int before, int after)
{
    char text[512], message[256], left[64], right[64];
    put_micros(left, before);
    put_micros(right, after);
    const int length = put_micros(text, 100);
    const int n_signs = (int)strlen(signs);
    strcpy(text + length, signs);
    put_micros(text + length + n_signs, 100);
    snprintf(message, sizeof message,
             "a.cfg:1: '...%s%s%s...', column %d: found '%s'; expected more", left, signs, right,
             100 + n_signs, signs + n_signs - 1);
    assert_message(text, (size_t)(length + n_signs - 1), message);
}

static void test_long_texts_are_shortened_between_characters(void **state)
{
    (void)state;
    check_shortened("*", 18, 17);
    check_shortened("+*", 17, 17);
}

int test_token(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_cut_into_tokens),
        cmocka_unit_test(test_tokens_are_complete),
        cmocka_unit_test(test_messages_contain_the_token),
        cmocka_unit_test(test_long_texts_are_shortened_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
