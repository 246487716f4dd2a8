/* check_recording - the part of `rdsim check` about recording. */
#include "app/check.h"

/* Bytes that one core compresses, or only writes, in a second; and the seconds that one core takes
   for a voxel and species in a step with few events. These are rough: docs/output.md has
   measurements. */
static const double compressed = 100e6, plain = 1e9, step_of_voxel = 5e-9;

/* Bytes of a snapshot below which the time to write it is negligible. */
static const double small = 1e6;

void rd_check_bytes(FILE *out, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    for (; bytes >= 1000.0 && i < 5; i++)
        bytes /= 1000.0;
    fprintf(out, "%.3g %s", bytes, unit[i]);
}

/* Returns the bytes of one snapshot without individuals: counts or totals, statistics of voxels,
   and fields. */
static double snapshot_bytes(const struct rd_model *m)
{
    const double species = m->n_species, sites = (double)m->grid.n_sites;
    const double runs = (double)rd_model_kept(m) * species;
    const double counts = rd_model_keeps_voxels(m) ? 4.0 * runs * sites : 0.0;
    const double voxels = m->keep != RD_KEEP_TOTALS && m->n_runs > 1 ? 24.0 * species * sites : 0.0;
    const double fields =
        rd_model_keeps_voxels(m) ? 8.0 * (double)rd_model_kept(m) * m->n_field_rates * sites : 0.0;
    const double places = 1.0 + rd_model_totalled(m); /* with totals */
    return counts + voxels + fields +
           8.0 * places * (m->keep == RD_KEEP_STATISTICS ? 4.0 * species : runs);
}

static double row_bytes(const struct rd_model *m)
{
    return rd_check_row_bytes(m) * (double)rd_model_kept(m);
}

static double steps_between(const struct rd_model *m, const struct rd_forecast *o)
{
    return (double)o->n_steps / (m->n_outputs > 1 ? (double)(m->n_outputs - 1) : 1.0);
}

static double seconds_of(const struct rd_model *m)
{
    return (snapshot_bytes(m) + row_bytes(m)) / (m->compression > 0 ? compressed : plain);
}

void rd_check_recording(FILE *out, const struct rd_plan *p, const struct rd_forecast *o)
{
    const struct rd_model *const m = p->model;
    const double n = (double)m->n_outputs, bytes = snapshot_bytes(m), rows = row_bytes(m);
    fprintf(out, "output      %s, data of about ", m->file);
    rd_check_bytes(out, n * bytes);
    if (rows > 0.0) {
        fprintf(out, ", and of individuals at most ");
        rd_check_bytes(out, n * rows);
    }
    fprintf(out, " before compression\n");
    if (bytes + rows < small)
        return;
    fprintf(out, "recording   ");
    rd_check_bytes(out, bytes + rows);
    fprintf(out,
            " every %.3g steps, which a thread %swrites in about %.2g s; the run waits if these "
            "steps take less\n",
            steps_between(m, o), m->compression > 0 ? "compresses and " : "", seconds_of(m));
}

void rd_check_recording_time(FILE *out, const struct rd_plan *p, const struct rd_forecast *o)
{
    const struct rd_model *const m = p->model;
    const double voxels = (double)p->world.lattice.n_voxels * m->n_species;
    if (snapshot_bytes(m) + row_bytes(m) < small ||
        seconds_of(m) <= steps_between(m, o) * voxels * step_of_voxel)
        return;
    fprintf(out,
            "warning     %s: writing a snapshot takes longer than the %.3g steps between two "
            "outputs, and the run waits for it; set fewer outputs, output.keep = \"totals\" or "
            "\"statistics\"%s\n",
            m->file, steps_between(m, o), m->compression > 0 ? ", or output.compression = 0" : "");
}
