/* stepping - an example of librdsim: keeps the number of molecules near a target, step by step.
   Build: cc stepping.c $(pkg-config --cflags --libs rdsim) */
#include <math.h>
#include <rdsim.h>
#include <stdio.h>

static const char model[] = "grid = { voxels = (8, 8); edge = 1.0; };"
                            "parameters = { death = 0.5; };"
                            "species = ( { name = \"A\"; diffusion = 1.0; } );"
                            "reactions = ( { equation = \"A -> 0\"; rate = \"death\"; } );"
                            "initial = ( { species = \"A\"; count = 100; } );"
                            "time = { end = 10.0; control = 1.0; };"
                            "output = { every = 5.0; };";

/* Adds molecules at random places if fewer than 100 are left. Returns -1 on failure. */
static int refill(rdsim *r)
{
    char edit[64];
    int64_t total;
    if (rdsim_totals(r, &total) < 0)
        return -1;
    printf("t = %g: %lld molecules\n", rdsim_time(r), (long long)total);
    if (total >= 100)
        return 0;
    snprintf(edit, sizeof edit, "add = { species = \"A\"; count = %lld; }", 100 - (long long)total);
    return rdsim_edit(r, edit);
}

/* Runs the model to its end; control returns at each time of time.control. */
static int run(rdsim *r)
{
    if (rdsim_start(r, 1) < 0)
        return -1;
    while (!rdsim_is_over(r))
        if (refill(r) < 0 || rdsim_advance(r, NAN, INFINITY) < 0)
            return -1;
    return rdsim_finish(r);
}

int main(void)
{
    const char *const options[] = {"--output", "stepping.h5", "--force",
                                   "--set",    "run.seed=7",  NULL};
    rdsim *const r = rdsim_open("stepping", model, options);
    const int verdict = r ? run(r) : -1;
    if (verdict < 0)
        fprintf(stderr, "stepping: %s\n", r ? rdsim_message(r) : "out of memory");
    else
        printf("%s is written\n", rdsim_result(r));
    rdsim_close(r);
    return verdict < 0;
}
