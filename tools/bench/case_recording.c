/* case_recording - the part of a run that is spent on recording a snapshot every hundred steps, and
   on writing its file. */
#include "bench/case_texts.h"
#include "bench/cases.h"
#include "bench/folder.h"

#include <stdio.h>
#include <string.h>

/* Returns the sum of all repeats, in seconds. */
static double sum_of(const struct rd_sample *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; i++)
        sum += s->value[i];
    return sum;
}

static bool add_keep(struct rd_bench *b, struct rd_trial t, const char *keep, struct rd_error *e)
{
    struct rd_folder folder;
    if (!rd_folder_open(&folder, e))
        return false;
    rd_settings_add(&t.set, "output.keep", "%s", keep);
    char file[RD_FOLDER_PATH];
    t.more.file = rd_folder_path(&folder, "recorded.h5", file);
    bool ok = rd_trial(b, &t, e);
    rd_folder_close(&folder);
    const double recorded = sum_of(&t.m.recording) + t.m.last_recording;
    const double ran = sum_of(&t.m.seconds) * (double)t.m.steps;
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g: %s", t.size.voxels, t.size.load,
             strcmp(keep, "all") == 0 ? "counts" : keep);
    struct rd_figure f = rd_figure_beside(
        &t, what, recorded > 0.0 ? 100.0 * recorded / (recorded + ran) : 0.0, "% of the run");
    if (strcmp(keep, "all") == 0 && t.m.has_run)
        snprintf(f.note, sizeof f.note, "%.3g MB a snapshot",
                 12e-6 * t.size.voxels * t.size.voxels * t.size.voxels);
    rd_error_free(&t.m.why);
    return ok && rd_report_add(&b->report, &f, e);
}

bool rd_case_recording(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{128, 1.0}}, cpu[] = {{32, 1.0}};
    struct rd_trial t = {.of = "recording", .text = rd_text_peer, .steps = 100};
    rd_sizes(b->of, b->is_gpu ? gpu : cpu, 1, 1, &t.size);
    return add_keep(b, t, "totals", e) && add_keep(b, t, "statistics", e) &&
           add_keep(b, t, "all", e);
}
