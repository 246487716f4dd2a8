/* nearest - finds the known word nearest to a misspelt one.
   The edit distance counts insertions, deletions, substitutions and swaps of neighbours (Damerau
   1964, in its restricted form). */
#include "config/config.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LETTERS = 64 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the edit distance of a and b. Row i of the table holds the distances of a's first i
   letters from each beginning of b. */
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
            now[j] = least(changed, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return now[n];
}

const char *rd_nearest(const char *word, int n, const char *(*name)(const void *list, int i),
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
