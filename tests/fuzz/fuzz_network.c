/* fuzz_network - reads any text as a network. It must be refused with a message, or the fast search
   must find the modes of the reference algorithm, and each mode must be a steady state. */
#include "fuzz.h"
#include "modes/pathways.h"

enum { REACTIONS_MOST = 9 };

static void fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    abort();
}

/* Compares both searches on a network that is small. */
static void compare(const struct rd_network *n)
{
    struct rd_error e = {0}, other = {0};
    struct rd_pathways p = {0}, q = {0};
    const struct rd_engine_options o = {.n_threads = 1, .memory = 1 << 24};
    int64_t flux[REACTIONS_MOST];
    const bool is_found = rd_pathways_find(&p, n, &o, &e);
    if (is_found && !p.modes.is_partial && rd_pathways_find_plain(&q, n, NULL, &other) &&
        (p.modes.support.n != q.modes.support.n ||
         rd_supports_hash(&p.modes.support) != rd_supports_hash(&q.modes.support)))
        fail("the fast search and the reference differ");
    for (int64_t i = 0; is_found && i < p.modes.support.n; i++)
        if (!rd_elementary_value(&p.modes, i, flux, &e) && strstr(e.text, "please report"))
            fail(e.text);
    rd_pathways_free(&p);
    rd_pathways_free(&q);
    rd_error_free(&e);
    rd_error_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = fuzz_text(data, size);
    struct rd_error e = {0};
    struct rd_network n;
    const bool is_read = rd_network_parse(&n, "fuzz.net", text, NULL, &e);
    if (is_read && n.n_reactions <= REACTIONS_MOST)
        compare(&n);
    fuzz_judge(is_read, &e);
    rd_network_free(&n);
    free(text);
    return 0;
}
