/* options_conflicts - refuses options that exclude each other, and reads what they mean together.
 */
#include "command_line/options_table.h"

#include <string.h>

/* Checks that --mem, if given, is a memory size as queueing systems write it, 500M or 4G; for modes
   also bytes. */
static void check_size(const char *text, bool is_modes, struct rd_error *e)
{
    const size_t digits = text && *text != '0' ? strspn(text, "0123456789") : 0;
    const bool has_unit = digits > 0 && text[digits] && strchr("KMGT", text[digits]);
    if (text && (digits == 0 || digits > (has_unit ? 9U : 18U) || text[digits + has_unit] ||
                 (!has_unit && !is_modes)))
        rd_fail(e, "--mem %s: is not valid; give %sa whole number with K, M, G or T, as 500M", text,
                is_modes ? "bytes, or " : "");
}

/* Refuses options about scripts without a script, and --partial without --collect, and so --force:
   a sweep replaces only the file that --collect names. */
static void refuse_scripts(const struct rd_options *all, struct rd_error *e)
{
    const struct rd_sweep_options *const o = &all->sweep;
    const bool has_script = o->slurm || o->pbs || o->sge;
    if (o->memory && !has_script)
        rd_fail(e, "--mem has no effect without a script; add --slurm, --pbs or --sge");
    else
        check_size(o->memory, false, e);
    if (o->per_job > 0 && !has_script)
        rd_fail(e, "--per-job has no effect without a script; add --slurm, --pbs or --sge");
    if (o->partial && !o->collect)
        rd_fail(e, "--partial has no effect without --collect; add --collect FILE");
    if (all->force && !o->collect)
        rd_fail(e, "--force has no effect without --collect, since a sweep replaces no results; "
                   "move a result away to run its task again");
}

/* Refuses options of `rdsim modes` that contradict each other. */
static void refuse_modes(const struct rd_modes_options *o, struct rd_error *e)
{
    const int n_pages = o->report + o->laws + o->semiflows;
    check_size(o->memory, true, e);
    if (n_pages > 1)
        rd_fail(e, "--report, --laws and --semiflows print different pages; give one of them");
    if (o->steps && !o->plain)
        rd_fail(e, "--steps has no effect without the reference algorithm; add --plain");
    if (o->plain && o->memory)
        rd_fail(e, "--mem has no effect on the reference algorithm; leave out --plain");
    if (o->csv && o->net)
        rd_fail(e, "--net applies to text, not to a table; leave out --csv");
    if (n_pages > 0 && (o->plain || o->csv || o->hdf5 || o->net || o->count))
        rd_fail(e, "--report, --laws and --semiflows print no modes; leave out --plain, --csv, "
                   "--hdf5, --net and --count");
    if (n_pages > 0 && (o->through || o->without || o->longest || o->most))
        rd_fail(e, "--report, --laws and --semiflows are about the whole network; leave out "
                   "--through, --without, --longest and --most");
}

/* Reads the list of GPUs, which neither --device nor a queueing system may choose as well. */
static void read_devices(struct rd_options *o, bool has_device, struct rd_error *e)
{
    const struct rd_sweep_options *const s = &o->sweep;
    if (!o->devices)
        return;
    if (has_device)
        rd_fail(e, "--device names one GPU and --devices several; give one of them");
    else if (s->slurm || s->pbs || s->sge || s->task)
        rd_fail(e, "--devices has no effect in a job array, since a job has the device of its "
                   "queue; leave it out");
    else
        rd_device_list_read(&o->device_list, o->devices, o->backend, e);
}

void rd_options_refuse_conflicts(struct rd_options *o, enum rd_command command, bool has_device,
                                 struct rd_error *e)
{
    if (command == RD_COMMAND_SWEEP)
        refuse_scripts(o, e);
    if (command == RD_COMMAND_MODES)
        refuse_modes(&o->modes, e);
    read_devices(o, has_device, e);
    if (o->force && o->resume)
        rd_fail(e, "--force begins again and --resume continues; give one of them");
}
