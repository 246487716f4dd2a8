/* recording - runs a configuration into a result file, with chosen options of the recorder and the
   result, and with callbacks on the way. */
#include "recording.h"

#include "run/run.h"
#include "stage.h"

#include <math.h>

struct running {
    struct recording *recording;
    struct rd_recorder recorder;
};

static bool record(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    struct running *const r = to;
    if (r->recording->before_snapshot)
        r->recording->before_snapshot(r->recording->to, r->recorder.n_written);
    return (!r->recording->lives_apart || rd_recorder_live(&r->recorder, s, e)) &&
           rd_recorder_take(&r->recorder, s, time, e);
}

static bool live(void *to, struct rd_sim *s, struct rd_error *e)
{
    struct running *const r = to;
    return rd_recorder_live(&r->recorder, s, e);
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    (void)time;
    const struct running *const r = to;
    if (r->recording->steps)
        r->recording->steps(r->recording->to, n_steps);
    return n_steps != r->recording->stops_at && rd_recorder_is_well(&r->recorder) ? RD_GO_ON
                                                                                  : RD_STOP;
}

static bool run_stage(struct running *r, struct stage *s, struct rd_error *e)
{
    const struct rd_watch watch = {
        .record = record, .live = live, .record_to = r, .go_on = go_on, .go_on_to = r};
    bool ok = rd_run(&s->plan, &s->sim, &watch, &r->recording->stopped, e);
    ok = rd_recorder_end(&r->recorder, e) && ok;
    const bool is_whole = isnan(r->recording->stopped);
    return rd_store_close(r->recorder.store,
                          !ok        ? "failed"
                          : is_whole ? "complete"
                                     : "interrupted",
                          NULL, 0, e) &&
           ok;
}

bool recording_run(struct recording *recording, const char *text, struct rd_error *e)
{
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    struct stage s;
    stage_plan_text(&s, text);
    struct running r = {.recording = recording,
                        .recorder = {.n_snapshot_buffers = recording->n_snapshot_buffers}};
    const struct rd_record_of of = {
        .model = &s.model,
        .config_name = "recording.cfg",
        .config_text = text,
        .effective = text,
        .has_entered = s.plan.has_entered,
        .has_counts = rd_model_recorded(&s.model, RD_ALL_DUE, false).has_voxels,
        .has_individuals = rd_model_recorded(&s.model, RD_ALL_DUE, false).keeps_voxels,
        .segment_seconds = recording->segment_seconds,
        .segment_bytes = recording->segment_bytes};
    const bool ok = rd_sim_open(&s.sim, &s.plan, &cpu, e) &&
                    rd_recorder_open(&r.recorder, &s.sim,
                                     recording->has_counts ? s.model.n_runs : RD_AS_DUE, e) &&
                    rd_store_open(&r.recorder.store, recording->path, true, &of, e) &&
                    run_stage(&r, &s, e);
    recording->n_taken = r.recorder.n_written;
    recording->times = r.recorder.times;
    rd_recorder_close(&r.recorder, &s.sim);
    stage_close(&s);
    return ok;
}
