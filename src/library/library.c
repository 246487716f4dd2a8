/* library - the functions of rdsim.h that open, check, run and close a model; state.c has those
   that read the state. They are the functions of the command: a job with another owner. */
#define _POSIX_C_SOURCE 200809L
#include "library/library.h"

#include "app/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/threads.h"
#include "rd_version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rdsim_version(void)
{
    return RD_VERSION;
}

static void keep_warnings(void *to, const struct rd_error *messages)
{
    rdsim *const r = to;
    rd_error_add(&r->warnings, messages);
}

void rd_library_leave_c_locale(void *const *before)
{
    rd_c_locale_leave(*before);
}

bool rd_library_call(rdsim *r)
{
    rd_error_free(&r->e);
    return r->is_right || rd_fail(&r->e, "%s: has no right model; correct it and open it again",
                                  r->options.file ? r->options.file : "rdsim_open");
}

static int verdict(bool ok)
{
    return ok ? 0 : -1;
}

/* ---- open and close ---- */

__attribute__((constructor)) static void prepare_library(void)
{
    rd_threads_allow_forks();
}

/* Makes the words of the command: rdsim run OPTIONS -- NAME. */
static bool make_words(rdsim *r, const char *name, const char *const *option)
{
    int n = 0;
    while (option && option[n])
        n++;
    r->word = calloc((size_t)n + 5, sizeof *r->word);
    if (!r->word)
        return false;
    const char *const before[] = {"librdsim", "run"}, *const after[] = {"--", name};
    bool ok = true;
    for (int i = 0; ok && i < n + 4; i++) {
        const char *const from = i < 2 ? before[i] : i < n + 2 ? option[i - 2] : after[i - n - 2];
        ok = (r->word[i] = strdup(from)) != NULL;
    }
    return ok;
}

/* Reads the options and the model. */
static bool read_model(rdsim *r)
{
    int n = 0;
    while (r->word[n])
        n++;
    if (!rd_options_read(&r->options, n, r->word, &r->e))
        return false;
    if (r->options.command != RD_COMMAND_RUN)
        return rd_fail(&r->e, "options: have those of a page; run the program rdsim for it");
    r->options.progress = RD_PROGRESS_NONE;
    r->options.quiet = true;
    return rd_setup_make(&r->job.setup, &r->options, r->text, &r->e);
}

rdsim *rdsim_open(const char *name, const char *text, const char *const *options)
{
    RD_LIBRARY_HAS_C_LOCALE;
    rdsim *const r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->text = text ? strdup(text) : NULL;
    r->job = (struct rd_job){.options = &r->options,
                             .warn = keep_warnings,
                             .warn_to = r,
                             .text = r->text,
                             .is_embedded = true};
    if ((text && !r->text) || !make_words(r, name && (*name || !text) ? name : "model", options)) {
        rdsim_close(r);
        return NULL;
    }
    r->is_right = read_model(r);
    return r;
}

void rdsim_close(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!r)
        return;
    rd_job_end(&r->job, &r->e);
    if (r->async_copy)
        r->job.sim.backend->async_copy_close(r->job.sim.machine, r->async_copy);
    rd_job_close(&r->job);
    rd_options_free(&r->options);
    for (int i = 0; r->word && r->word[i]; i++)
        free(r->word[i]);
    free(r->word);
    free(r->text);
    rd_error_free(&r->e);
    rd_error_free(&r->warnings);
    free(r->report);
    free(r->effective);
    for (size_t i = 0; i < sizeof r->column / sizeof *r->column; i++)
        free(r->column[i]);
    free(r->copy);
    free(r->voxel);
    free(r);
}

const char *rdsim_message(const rdsim *r)
{
    return r->e.text ? r->e.text : "";
}

const char *rdsim_warnings(const rdsim *r)
{
    return r->warnings.text ? r->warnings.text : "";
}

/* ---- the model ---- */

/* Prints the report of the model, which has not started, into r->report. */
static bool write_report(rdsim *r)
{
    struct rd_options o = r->options;
    struct rd_error refused = {0};
    size_t length = 0;
    o.json = "-";
    FILE *const out = open_memstream(&r->report, &length);
    if (!out)
        return rd_fail(&r->e, "out of memory for the report");
    const bool ok = rd_check_report(&o, &r->job.setup, out, &refused, &r->e);
    rd_error_free(&refused);
    return fclose(out) == 0 && ok;
}

const char *rdsim_check(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!rd_library_call(r))
        return NULL;
    free(r->report);
    r->report = NULL;
    if (r->is_started) {
        rd_fail(&r->e, "%s: runs already; check it before the start", r->options.file);
        return NULL;
    }
    return write_report(r) ? r->report : NULL;
}

const char *rdsim_configuration(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!rd_library_call(r))
        return NULL;
    free(r->effective);
    r->effective = rd_config_effective(r->job.setup.config);
    if (!r->effective)
        rd_fail(&r->e, "out of memory for the configuration");
    return r->effective;
}

/* ---- the run ---- */

/* Prepares a run with a journal. */
static bool prepare_edits(rdsim *r)
{
    if (r->job.setup.model.theta.table.n_rows > 0)
        return rd_fail(&r->e,
                       "%s: a run that is edited has no rows; set the parameters of one row, and "
                       "leave out run.rows",
                       r->options.file);
    r->job.journal = rd_shared_text_open();
    return r->job.journal || rd_fail(&r->e, "out of memory for the journal");
}

int rdsim_start(rdsim *r, int edits)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!rd_library_call(r))
        return -1;
    if (r->is_started)
        return verdict(
            rd_fail(&r->e, "%s: runs already; open it again for another run", r->options.file));
    r->is_started = true;
    r->job.command = rd_text_join(r->word);
    if ((edits && !prepare_edits(r)) || !rd_job_begin(&r->job, &r->e))
        return -1;
    r->is_resumed = r->job.past == RD_PAST_PARTS;
    return r->is_resumed;
}

double rdsim_target(const rdsim *r)
{
    return r->is_resumed ? r->job.checkpoints.target : NAN;
}

static bool is_going_on(rdsim *r)
{
    if (rd_library_call(r) && r->job.past == RD_PAST_WHOLE)
        return rd_fail(&r->e, "%s: is complete, and its run is over; open the result",
                       r->job.setup.model.file);
    return rd_library_call(r) &&
           (r->job.is_open || rd_fail(&r->e, "%s: does not run; start it first, and finish it last",
                                      r->options.file));
}

/* Returns whether control has returned at the target of an advance. */
static bool has_arrived(const rdsim *r, double time)
{
    const struct rd_running *const run = &r->job.running;
    if (r->job.is_over)
        return true;
    if (isnan(time))
        return !run->is_within && rd_timeline_control(&run->now.t);
    return rd_run_time(run) >= time - 1e-12 * r->job.setup.model.end;
}

int rdsim_advance(rdsim *r, double time, double seconds)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!is_going_on(r))
        return -1;
    const double begun = rd_clock();
    r->job.pause.has_time = !isnan(time);
    r->job.pause.time = time;
    r->job.pause.clock = seconds < 1e9 ? begun + seconds : 0.0;
    r->job.checkpoints.target = time;
    r->job.is_midway = true;
    do {
        if (!rd_job_advance(&r->job, &r->e))
            return -1;
        if (has_arrived(r, time)) {
            r->job.is_midway = false;
            return 1;
        }
    } while (r->job.pause.clock <= 0.0 || rd_clock() < r->job.pause.clock);
    return 0;
}

int rdsim_checkpoint(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    if (!is_going_on(r))
        return -1;
    if (!r->job.is_midway)
        r->job.checkpoints.target = rd_run_time(&r->job.running);
    return verdict(rd_job_save(&r->job, &r->e));
}

int rdsim_finish(rdsim *r)
{
    RD_LIBRARY_HAS_C_LOCALE;
    return verdict(rd_library_call(r) && rd_job_end(&r->job, &r->e));
}

int rdsim_edit(rdsim *r, const char *text)
{
    return rdsim_edit_voxels(r, text, NULL, 0);
}

int rdsim_edit_voxels(rdsim *r, const char *text, const int64_t *voxel, int64_t n)
{
    RD_LIBRARY_HAS_C_LOCALE;
    const struct rd_voxel_list here = {voxel, n};
    return verdict(is_going_on(r) &&
                   (r->job.journal ||
                    rd_fail(&r->e, "edit: the run began without edits; start it with them")) &&
                   rd_job_edit(&r->job, text, voxel ? &here : NULL, &r->e));
}

/* Appends the numbers of the marked voxels from begin to end - 1. Returns the new number of them.
 */
static int64_t append_marked(const uint8_t *mark, int64_t begin, int64_t end, int64_t *voxel,
                             int64_t n_marked)
{
    for (int64_t i = begin; i < end; i++) {
        voxel[n_marked] = i;
        n_marked += mark[i] != 0;
    }
    return n_marked;
}

/* Writes the numbers of the marked voxels to voxel[], which has room for one more than all. Returns
   how many there are. Few are marked: eight words without a mark are left out at once. */
static int64_t list_marked(const uint8_t *mark, int64_t n, int64_t *voxel)
{
    enum { WORDS = 8, SIZE = sizeof(uint64_t), BLOCK = WORDS * SIZE };
    int64_t n_marked = 0, i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        uint64_t word[WORDS], any = 0;
        memcpy(word, mark + i, BLOCK);
        for (int k = 0; k < WORDS; k++)
            any |= word[k];
        for (int k = 0; any != 0 && k < WORDS; k++)
            if (word[k] != 0)
                n_marked = append_marked(mark, i + k * SIZE, i + (k + 1) * SIZE, voxel, n_marked);
    }
    return append_marked(mark, i, n, voxel, n_marked);
}

int rdsim_edit_where(rdsim *r, const char *text, const uint8_t *mark)
{
    const int64_t n_sites = r->job.setup.model.grid.n_sites;
    if (!is_going_on(r))
        return -1;
    if (!r->voxel && !(r->voxel = malloc(((size_t)n_sites + 1) * sizeof *r->voxel)))
        return verdict(rd_fail(&r->e, "out of memory for the voxels of an edit"));
    const int64_t n = list_marked(mark, n_sites, r->voxel);
    return n == 0 ? 0 : rdsim_edit_voxels(r, text, r->voxel, n);
}
