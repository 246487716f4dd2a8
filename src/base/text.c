/* text - formatted texts, numbers, characters of UTF-8, JSON, and the nearest of some words. */
#include "base/text.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *rd_text_format_list(const char *format, va_list list)
{
    char short_text[256];
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(short_text, sizeof short_text, format, list);
    char *const text = length < 0 ? NULL : rd_memory_guard(malloc((size_t)length + 1));
    if (text && (size_t)length < sizeof short_text)
        memcpy(text, short_text, (size_t)length + 1);
    else if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *rd_text_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *const text = rd_text_format_list(format, list);
    va_end(list);
    return text;
}

char *rd_text_join(char *const *word)
{
    size_t length = 1;
    for (int i = 0; word[i]; i++)
        length += strlen(word[i]) + 1;
    char *const text = rd_memory_guard(malloc(length)), *end = text;
    for (int i = 0; text && word[i]; i++) {
        if (i > 0)
            *end++ = ' ';
        const size_t n = strlen(word[i]);
        memcpy(end, word[i], n);
        end += n;
    }
    if (text)
        *end = 0;
    return text;
}

void rd_text_number(double v, char text[RD_NUMBER_BYTES])
{
    int digits = 15;
    do
        snprintf(text, RD_NUMBER_BYTES, "%.*g", digits, v);
    while (strtod(text, NULL) != v && digits++ < 17);
}

int rd_text_character(const char *text)
{
    const unsigned char *const c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    const int n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    const int least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    const int most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    if (c[0] < 0xc2 || c[0] > 0xf4 || c[1] < least || c[1] > most)
        return 0;
    for (int i = 2; i < n; i++)
        if (c[i] < 0x80 || c[i] > 0xbf)
            return 0;
    return n;
}

int rd_text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *rd_text_after_mark(const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    return text + (strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
}

void rd_text_quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (strchr("\"\\", *text))
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

void rd_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const int n = rd_text_character(text);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (n == 1 && *text < 32)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else if (n == 0)
            fputs("\\ufffd", out); /* the replacement character */
        else
            fwrite(text, 1, (size_t)n, out);
        text += n > 0 ? n : 1;
    }
    fputc('"', out);
}

void rd_json_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.15g", value);
    else
        fputs("null", out);
}

/* ---- the nearest word ---- */

enum { MOST_LETTERS = 64 };

static int smaller_cost(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the edit distance of a and b: the number of insertions, deletions, substitutions and
   swaps of neighbours (Damerau 1964, in its restricted form). Row i of the table holds the
   distances of a's first i letters from each beginning of b. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(b);
    int row[3][MOST_LETTERS + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= n; j++)
        now[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int *const oldest = before;
        before = last;
        last = now;
        now = oldest;
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            const int changed = last[j - 1] + !same(a[i - 1], b[j - 1]);
            now[j] = smaller_cost(changed, smaller_cost(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = smaller_cost(now[j], before[j - 2] + 1);
        }
    }
    return now[n];
}

const char *rd_text_nearest(const char *word, int n, const char *(*name)(const void *list, int i),
                            const void *list)
{
    const size_t length = strlen(word);
    int best = (int)(length + 1) / 3 + 1; /* allows one error in two letters, two errors in five */
    const char *nearest = NULL;
    for (int i = 0; i < n && length <= MOST_LETTERS; i++) {
        const char *const known = name(list, i);
        const int d = known && strlen(known) <= MOST_LETTERS ? distance(word, known) : best;
        if (d < best) {
            best = d;
            nearest = known;
        }
    }
    return nearest;
}

size_t rd_text_number_length(const char *s)
{
    static const char digits[] = "0123456789";
    const size_t whole = strspn(s, digits);
    const size_t part = s[whole] == '.' ? strspn(s + whole + 1, digits) : 0;
    if (whole + part == 0)
        return 0;
    const size_t mantissa = whole + (s[whole] == '.') + part;
    if (s[mantissa] != 'e' && s[mantissa] != 'E')
        return mantissa;
    const size_t sign = s[mantissa + 1] == '+' || s[mantissa + 1] == '-';
    const size_t exponent = strspn(s + mantissa + 1 + sign, digits);
    return exponent ? mantissa + 1 + sign + exponent : mantissa;
}

double rd_text_round_up(double x)
{
    char text[32]; /* such as 1.1e-01 */
    snprintf(text, sizeof text, "%.1e", x);
    const int digits = 10 * (text[0] - '0') + text[2] - '0', exponent = atoi(strchr(text, 'e') + 1);
    const double rounded = strtod(text, NULL);
    if (rounded >= x)
        return rounded;
    snprintf(text, sizeof text, "%de%d", digits + 1, exponent - 1);
    return strtod(text, NULL);
}

const char *rd_text_of(const void *texts, int i)
{
    return ((const char *const *)texts)[i];
}
