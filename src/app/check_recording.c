/* check_recording - the part of `rdsim check` about recording. */
#include "app/check.h"

#include <math.h>

/* Sets the bytes that one core compresses, or only writes, in a second; and the seconds that one
   core takes for a voxel and species in a step with few events. These are rough: docs/output.md has
   measurements. */
static const double compressed = 100e6, plain = 1e9, step_of_voxel = 5e-9;

/* Sets the bytes of a snapshot below which the time to write it is negligible. */
static const double small = 1e6;

void rd_check_bytes(FILE *out, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    for (; bytes >= 1000.0 && i < 5; i++)
        bytes /= 1000.0;
    fprintf(out, "%.3g %s", bytes, unit[i]);
}

/* Returns the number of counts of a run that are not 0 at the start, at most. */
static double rows_at_start(const struct rd_plan *p, const struct rd_output *o)
{
    double rows = 0.0;
    for (int i = 0; i < o->n_species; i++)
        rows += fmin(1.0, p->mean[p->species_at[o->species[i]]]) * (double)p->model->grid.n_sites;
    return rows;
}

/* Returns the bytes of one snapshot of the individuals that the group counts by attributes. */
static double bytes_by(const struct rd_model *m, const struct rd_output *o)
{
    double values = 0.0;
    for (int i = 0; i < m->n_by; i++)
        if (&m->output[m->by[i].output] == o)
            values += (double)m->by[i].most - m->by[i].least + 1.0;
    return 8.0 * values *
           ((o->keep == RD_KEEP_STATISTICS ? 0.0 : (double)rd_output_kept(m, o)) +
            (m->n_runs > 1 ? 4.0 : 0.0));
}

/* Returns the bytes of one snapshot of a group without individuals: counts or totals, statistics of
   voxels, and fields. Counts that are rows have the number of the start. */
static double snapshot_bytes(const struct rd_plan *p, const struct rd_output *o)
{
    const struct rd_model *const m = p->model;
    const double species = o->n_species, sites = (double)m->grid.n_sites;
    const double kept = (double)rd_output_kept(m, o), runs = kept * species;
    const double counts = !rd_output_keeps_voxels(o) ? 0.0
                          : o->is_sparse             ? kept * (16.0 + 16.0 * rows_at_start(p, o))
                                                     : 4.0 * runs * sites;
    const double voxels = rd_output_has_statistics(m, o) ? 24.0 * species * sites : 0.0;
    const double fields = rd_output_keeps_voxels(o) ? 8.0 * kept * m->n_field_rates * sites : 0.0;
    const double places = 1.0 + rd_regions_number(o->regions); /* with totals */
    return counts + voxels + fields + bytes_by(m, o) +
           8.0 * places * (o->keep == RD_KEEP_STATISTICS ? 4.0 * species : runs);
}

static double row_bytes(const struct rd_model *m, const struct rd_output *o)
{
    return rd_check_row_bytes(m, o) * (double)rd_output_kept(m, o);
}

/* Returns the mean number of steps between two times of the group. */
static double steps_between(const struct rd_output *o, const struct rd_forecast *f)
{
    return (double)f->n_steps / (o->n_times > 1 ? (double)(o->n_times - 1) : 1.0);
}

static double seconds_of(const struct rd_plan *p, const struct rd_output *o)
{
    return (snapshot_bytes(p, o) + row_bytes(p->model, o)) /
           (o->compression > 0 ? compressed : plain);
}

/* Prints the bytes of all snapshots of the groups from number i to end - 1. */
static void print_bytes(FILE *out, const struct rd_plan *p, int i, int end)
{
    const struct rd_model *const m = p->model;
    double bytes = 0.0, rows = 0.0;
    bool is_sparse = false;
    for (; i < end; i++) {
        const struct rd_output *const o = &m->output[i];
        bytes += (double)o->n_times * snapshot_bytes(p, o);
        rows += (double)o->n_times * row_bytes(m, o);
        is_sparse = is_sparse || o->is_sparse;
    }
    fprintf(out, "data of about ");
    rd_check_bytes(out, bytes);
    if (rows > 0.0) {
        fprintf(out, ", and of individuals at most ");
        rd_check_bytes(out, rows);
    }
    fprintf(out, " before compression%s\n",
            is_sparse ? "; sparse counts, if they stay as many" : "");
}

/* Prints times and contents of a group. */
static void print_group(FILE *out, const struct rd_plan *p, int i)
{
    const struct rd_model *const m = p->model;
    static const char *const keep[] = {"all", "totals", "statistics", "first"};
    const struct rd_output *const o = &m->output[i];
    fprintf(out, "            %s: %lld times, %s", *o->name ? o->name : "the root",
            (long long)o->n_times, keep[o->keep]);
    if (o->keep == RD_KEEP_FIRST)
        fprintf(out, " %lld", (long long)o->keep_first);
    fprintf(out, " of %d species, ", o->n_species);
    print_bytes(out, p, i, i + 1);
}

void rd_check_recording(FILE *out, const struct rd_plan *p, const struct rd_forecast *f)
{
    const struct rd_model *const m = p->model;
    fprintf(out, "output      %s, ", m->file);
    print_bytes(out, p, 0, m->n_outputs);
    for (int i = 0; i < m->n_outputs; i++) {
        const struct rd_output *const o = &m->output[i];
        const double bytes = snapshot_bytes(p, o) + row_bytes(m, o);
        if (m->n_outputs > 1 || *o->name)
            print_group(out, p, i);
        if (bytes < small)
            continue;
        fprintf(out, "recording   ");
        rd_check_bytes(out, bytes);
        fprintf(
            out,
            " every %.3g steps, which a thread %swrites in about %.2g s; the run waits if these "
            "steps take less\n",
            steps_between(o, f), o->compression > 0 ? "compresses and " : "", seconds_of(p, o));
    }
}

void rd_check_recording_time(FILE *out, const struct rd_plan *p, const struct rd_forecast *f)
{
    const struct rd_model *const m = p->model;
    const double voxels = (double)p->world.lattice.n_voxels * m->n_species;
    for (int i = 0; i < m->n_outputs; i++) {
        const struct rd_output *const o = &m->output[i];
        if (snapshot_bytes(p, o) + row_bytes(m, o) < small ||
            seconds_of(p, o) <= steps_between(o, f) * voxels * step_of_voxel)
            continue;
        fprintf(out,
                "warning     %s%s%s: writing a snapshot takes longer than the %.3g steps between "
                "two outputs, and the run waits for it; set fewer outputs, output.keep = "
                "\"totals\" or \"statistics\"%s\n",
                m->file, *o->name ? ": " : "", o->name, steps_between(o, f),
                o->compression > 0 ? ", or output.compression = 0" : "");
    }
}
