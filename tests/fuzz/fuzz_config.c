/* fuzz_config - reads any text as a configuration. It must be refused with messages, or make a
   model, and if it is small also a plan. */
#include "fuzz.h"
#include "plan/step_limit.h"

/* Sets the maximum number of sites; larger models cost time and find no more. */
enum { SITES_MOST = 4096 };

static bool is_small(const struct rd_model *m)
{
    return m->grid.n_sites <= SITES_MOST && m->n_runs <= SITES_MOST / m->grid.n_sites;
}

static void plan(const struct rd_model *m)
{
    struct rd_plan p = {0};
    struct rd_forecast forecast;
    struct rd_error e = {0};
    fuzz_judge(rd_plan_open(&p, m, &e) && rd_forecast_take(&forecast, &p, &e), &e);
    rd_plan_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = fuzz_text(data, size);
    rd_config *c = NULL;
    struct rd_model m = {0};
    struct rd_error e = {0};
    const bool is_read = rd_config_parse(&c, "f.cfg", text, NULL, 0, &e);
    if (is_read)
        free(rd_config_effective(c));
    const bool is_made = is_read && rd_model_make(&m, c, &e);
    fuzz_judge(is_made, &e);
    if (is_made && is_small(&m))
        plan(&m);
    rd_model_free(&m);
    rd_config_free(c);
    free(text);
    return 0;
}
