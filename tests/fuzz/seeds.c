/* seeds - writes each of the samples of the twins into a file of a folder, for the fuzzer. */
#include "samples.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return 2;
    }
    for (const struct sample *s = samples; s->name; s++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.cfg", argv[1], s->name);
        FILE *const out = fopen(path, "w");
        if (!out || fputs(s->text, out) < 0 || fclose(out) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}
