/* json - writes texts and numbers in JSON. */
#include "base/json.h"

#include <math.h>

/* Returns the bytes of the UTF-8 character that begins here, or 0 if it is none (Unicode 15, table
   3-7). */
static int character_bytes(const unsigned char *c)
{
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

void rd_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int n = character_bytes(c);
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 32)
            fprintf(out, "\\u%04x", *c);
        else if (n == 0)
            fputs("\\ufffd", out); /* the replacement character */
        else
            fwrite(c, 1, (size_t)n, out);
        c += n > 0 ? n : 1;
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
