/* model_file - reads models of tests/models/, and applies settings as --set does, for tests. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>

static void give_up(const char *problem, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, problem);
    abort();
}

char *model_text(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, RDSIM_TEST_MODELS "/%s", name);
    FILE *const in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        give_up("cannot be read", path);
    const long size = ftell(in);
    rewind(in);
    char *const text = calloc((size_t)size + 1, 1);
    if (!text || fread(text, 1, (size_t)size, in) != (size_t)size)
        give_up("cannot be read", path);
    fclose(in);
    return text;
}

/* Splits each "path=value"; both halves point into *text. The caller frees both. */
static struct rd_set *split(const char *const *sets, char **text, int *n)
{
    *n = 0;
    size_t length = 1;
    for (; sets && sets[*n]; ++*n)
        length += strlen(sets[*n]) + 1;
    struct rd_set *const set = calloc((size_t)*n + 1, sizeof *set);
    char *at = *text = malloc(length);
    for (int i = 0; i < *n; i++) {
        strcpy(at, sets[i]);
        set[i].path = at;
        char *const equals = strchr(at, '=');
        if (!equals)
            give_up("is not a setting: path=value", sets[i]);
        *equals = 0;
        set[i].value = equals + 1;
        at += strlen(sets[i]) + 1;
    }
    return set;
}

bool model_parse(rd_config **c, const char *name, const char *text, const char *const *sets,
                 struct rd_error *e)
{
    char *set_text;
    int n_set;
    struct rd_set *const set = split(sets, &set_text, &n_set);
    const bool is_read = rd_config_parse(c, name, text, set, n_set, e);
    free(set);
    free(set_text);
    return is_read;
}

bool model_read(rd_config **c, const char *name, const char *const *sets, struct rd_error *e)
{
    char *const text = model_text(name);
    const bool is_read = model_parse(c, name, text, sets, e);
    free(text);
    return is_read;
}

bool model_read_merged(rd_config **c, const char *name, const char *const *sets, struct rd_error *e)
{
    char path[4096];
    snprintf(path, sizeof path, RDSIM_TEST_MODELS "/%s", name);
    char *const text = model_text(name);
    const bool is_read = model_parse(c, path, text, sets, e);
    free(text);
    return is_read;
}
