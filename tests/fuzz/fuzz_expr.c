/* fuzz_expr - reads any text as an expression. It must be refused with a message, or have a value
   that does not change when parameters are bound. */
#include "expr/expr.h"
#include "fuzz.h"

static char *const parameter[] = {"k", "vmax", "w"};
static char *const species[] = {"A", "B", "walker"};
static char *const attribute[] = {"age", "speed"};
static char *const field[] = {"food", "light"};

static const int32_t count[] = {3, 0, 2};
static const bool varies[] = {false, true};
static const double field_components[2 * RD_FIELD_COMPONENTS] = {1.5, -0.5, 0, 1e300};
static const int64_t total[] = {7, 0, 12};
static const double mean[] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8};
static const double value[] = {0.5, 2.0, -1e300}, own[] = {1.0, -2.5};

static struct rd_eval_context eval_context_of(struct rd_stream *stream,
                                              const struct rd_sight *sight, const double *sum)
{
    return (struct rd_eval_context){.x = 1.5,
                                    .y = -2.0,
                                    .z = 4.0,
                                    .t = 10.0,
                                    .volume = 0.5,
                                    .parameter = value,
                                    .count = count,
                                    .stride = 1,
                                    .field = field_components,
                                    .field_stride = 1,
                                    .varying = field_components,
                                    .varying_stride = 1,
                                    .mean = mean,
                                    .total = total,
                                    .own = own,
                                    .parent = own,
                                    .own_stride = 1,
                                    .parent_stride = 1,
                                    .sum = sum,
                                    .sight = sight,
                                    .stream = stream};
}

/* Returns the value. Each sum is that of one individual plus its species number, so that it is the
   same after binding leaves out sums and renumbers the others. */
static double value_of(const struct rd_expr *x)
{
    static const struct rd_sight sight = {.per_length = {1.0, 0.5, 2.0}};
    double sum[RD_SUMS_MOST] = {0};
    struct rd_stream stream = rd_stream_of(1, 0, 0, RD_FOR_TRAIT, 0, 0);
    const struct rd_eval_context eval_context = eval_context_of(&stream, &sight, sum);
    const struct rd_op *op;
    for (int32_t k = 0, of, n; rd_expr_sums(x, k, &of, &op, &n); k++)
        sum[k] = rd_eval(op, n, &eval_context) + of;
    return rd_expr_value(x, &eval_context);
}

/* Makes each total that of its species in the run, as the model does with all its totals. */
static void number_totals(struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_TOTAL)
            x->op[i].index %= RD_TOTALS_SPAN;
}

static void bind(const struct rd_expr *x)
{
    struct rd_expr bound = {0};
    struct rd_error e = {0};
    const bool ok = rd_expr_bind(&bound, x, value, NULL, &e);
    fuzz_judge(ok, &e);
    const double a = value_of(x), b = value_of(&bound);
    if (memcmp(&a, &b, sizeof a) != 0 && (a == a || b == b))
        abort();
    for (int32_t k = 0, of, n; k <= RD_SUMS_MOST; k++) {
        const struct rd_op *op;
        if (rd_expr_sums(&bound, k, &of, &op, &n) && (of < 0 || of > 2 || n < 1))
            abort();
    }
    rd_expr_free(&bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rd_names attributes[] = {{0}, {0}, {2, attribute}};
    char *const text = fuzz_text(data, size);
    struct rd_expr x = {0};
    struct rd_error e = {0};
    const struct rd_scope scope = {.n_parameters = 3,
                                   .parameter = parameter,
                                   .n_species = 3,
                                   .species = species,
                                   .n_fields = 2,
                                   .n_fields_here = 2,
                                   .field = field,
                                   .field_varies = varies,
                                   .axis = size % 5 == 0 ? 0 : (int)(size % 3) + 1,
                                   .allowed = ~0u,
                                   .attributes = attributes,
                                   .self = size % 4 == 3 ? 3 : 0,
                                   .parents = {2, attribute}};
    const bool ok = rd_expr_compile(&x, text, &scope, "f.cfg:1", &e);
    fuzz_judge(ok, &e);
    if (ok) {
        number_totals(&x);
        bind(&x);
    }
    rd_expr_free(&x);
    free(text);
    return 0;
}
