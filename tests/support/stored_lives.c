/* stored_lives - individuals with births and deaths in which every number is given by a formula. */
#define _POSIX_C_SOURCE 200809L
#include "stored_lives.h"

#include "stored_file.h"

enum { PERIOD = 8, LIVES_MOST = 4 };

struct stored_lives *stored_lives_make(const struct rd_model *m, int64_t scale)
{
    struct stored_lives *const l = calloc(1, sizeof *l);
    const size_t runs = (size_t)m->n_runs, n = (size_t)scale * (PERIOD + runs) * runs;
    l->scale = scale;
    l->attribute[0] = (struct rd_attribute){.name = "speed", .place = "a.cfg:3"};
    l->attribute[1] = (struct rd_attribute){.name = "age", .place = "a.cfg:4", .is_integer = true};
    l->row_count = calloc(2 * runs, sizeof *l->row_count);
    l->id = calloc(n, sizeof *l->id);
    l->parent = calloc(n, sizeof *l->parent);
    l->site = calloc(n, sizeof *l->site);
    l->born = calloc(n, sizeof *l->born);
    l->speed = calloc(n, sizeof *l->speed);
    l->age = calloc(n, sizeof *l->age);
    l->life = calloc(LIVES_MOST * runs, sizeof *l->life);
    l->column[0] = l->speed;
    l->column[1] = l->age;
    for (int k = 0; k < LIVES_SPECIES; k++)
        l->of[k] = (struct rd_individuals){.species = k,
                                           .row_count = l->row_count + (size_t)k * runs,
                                           .id = l->id,
                                           .parent = l->parent,
                                           .born = l->born,
                                           .site = l->site,
                                           .attribute = l->column};
    return l;
}

void stored_lives_join(struct stored_lives *l, struct rd_species *species)
{
    for (int i = 0; i < 3; i++)
        species[i].is_individual = true;
    species[0].attribute = l->attribute;
    species[0].n_attributes = LIVES_ATTRIBUTES;
    species[0].record = RD_KEEPS_LINEAGE;
    species[2].record = RD_KEEPS_NOTHING;
}

void stored_lives_free(struct stored_lives *l)
{
    if (!l)
        return;
    free(l->row_count);
    free(l->id);
    free(l->parent);
    free(l->site);
    free(l->born);
    free(l->speed);
    free(l->age);
    free(l->life);
    free(l);
}

int64_t stored_lives_n(const struct stored_lives *l, int64_t t, int64_t r)
{
    const int64_t phase = t % PERIOD;
    return phase == 0 || phase == PERIOD - 1 ? 0 : l->scale * (phase + r);
}

/* Sets one individual of A. */
static void set_row(struct stored_lives *l, int64_t row, int64_t t, int64_t r, int64_t i,
                    int64_t n_sites)
{
    l->id[row] = (t << 33) + 3 * i + r;
    l->parent[row] = i % 3 == 0 ? -1 : l->id[row] - 1;
    l->born[row] = 0.01 * (double)(t + i);
    l->site[row] = (7 * i + t) % n_sites;
    l->speed[row] = 0.5 * (double)(i - t);
    l->age[row] = (double)(i % 4 - 2); /* -1 is a valid value */
}

/* Sets two births and a death of A in most runs, and in every run a birth of a species without
   lineage. */
static void set_lives(struct stored_lives *l, const struct rd_model *m, int64_t t)
{
    l->n_lives = 0;
    for (int64_t r = 0; r < m->n_runs; r++)
        for (int k = 0; k < LIVES_MOST; k++) {
            if (k > 0 && (t + r) % 5 == 4)
                continue;
            l->life[l->n_lives++] = (struct rd_life){.time = stored_time(t) - 0.01 * (3 - k),
                                                     .run = r,
                                                     .site = (t + k) % m->grid.n_sites,
                                                     .id = (t << 33) + 10 * r + k,
                                                     .parent = k == 1 ? -1 : (t << 33) + 1,
                                                     .species = k == 0 ? 2 : 0,
                                                     .is_birth = k != 2};
        }
}

void stored_lives_at(struct stored_lives *l, const struct rd_model *m, int64_t t)
{
    int64_t row = 0;
    for (int64_t r = 0; r < m->n_runs; r++) {
        l->row_count[r] = stored_lives_n(l, t, r);
        for (int64_t i = 0; i < l->row_count[r]; i++)
            set_row(l, row++, t, r, i, m->grid.n_sites);
    }
    l->of[0].n = row;
    set_lives(l, m, t);
}

/* Holds the columns of a group, and the number of rows that have been compared. */
struct life_columns {
    hid_t group;
    int64_t row;
};

/* Fails unless the column has these values from c->row on, and no more if is_end. */
static void assert_column(const struct life_columns *c, const char *name, hid_t type,
                          const void *values, int64_t n, bool is_end)
{
    const hid_t set = H5Dopen2(c->group, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const hsize_t first = (hsize_t)c->row, count = (hsize_t)n;
    if (is_end)
        assert_int_equal(H5Sget_simple_extent_npoints(space), c->row + n);
    void *const seen = malloc((size_t)n * 8 + 1);
    const hid_t memory = H5Screate_simple(1, &count, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0);
    assert_true(H5Dread(set, type, memory, space, H5P_DEFAULT, seen) >= 0);
    if (memcmp(seen, values, (size_t)n * 8) != 0)
        fail_msg("'%s' has other values in the %d rows from %d on", name, (int)n, (int)c->row);
    free(seen);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

static void assert_state(const struct life_columns *c, const struct stored_lives *l,
                         const struct rd_grid *g, bool is_end)
{
    const int64_t n = l->of[0].n;
    double *const centre = malloc((size_t)n * sizeof *centre + 1);
    assert_column(c, "id", H5T_NATIVE_INT64, l->id, n, is_end);
    assert_column(c, "parent", H5T_NATIVE_INT64, l->parent, n, is_end);
    assert_column(c, "born", H5T_NATIVE_DOUBLE, l->born, n, is_end);
    assert_column(c, "voxel", H5T_NATIVE_INT64, l->site, n, is_end);
    assert_column(c, "speed", H5T_NATIVE_DOUBLE, l->speed, n, is_end);
    assert_column(c, "age", H5T_NATIVE_DOUBLE, l->age, n, is_end);
    for (int a = 0; a < 3; a++) {
        const int64_t below = a == 0 ? 1 : a == 1 ? g->size[0] : g->size[0] * g->size[1];
        for (int64_t i = 0; i < n; i++)
            centre[i] =
                g->origin[a] + ((double)(l->site[i] / below % g->size[a]) + 0.5) * g->edge[a];
        assert_column(c, (const char *[]){"x", "y", "z"}[a], H5T_NATIVE_DOUBLE, centre, n, is_end);
    }
    free(centre);
}

void stored_lives_assert(const struct stored_lives *l, const struct rd_model *m, hid_t file,
                         int64_t n_times)
{
    size_t size;
    int64_t *const start = values_of(file, "/individuals/A/row_start", H5T_NATIVE_INT64, &size);
    int64_t *const count = values_of(file, "/individuals/A/row_count", H5T_NATIVE_INT64, &size);
    assert_int_equal(size, n_times * m->n_runs * 8);
    struct stored_lives *const expected = stored_lives_make(m, l->scale);
    struct life_columns c = {.group = H5Gopen2(file, "/individuals/A", H5P_DEFAULT)};
    for (int64_t t = 0; t < n_times; t++) {
        int64_t row = c.row;
        stored_lives_at(expected, m, t);
        assert_state(&c, expected, &m->grid, t == n_times - 1);
        for (int64_t r = 0; r < m->n_runs; r++) {
            assert_int_equal(start[t * m->n_runs + r], row);
            assert_int_equal(count[t * m->n_runs + r], stored_lives_n(l, t, r));
            row += stored_lives_n(l, t, r);
        }
        c.row = row;
    }
    H5Gclose(c.group);
    stored_lives_free(expected);
    free(start);
    free(count);
}

/* Compares one row of births or deaths. */
static void assert_life(const struct life_columns *c, const struct rd_model *m,
                        const struct rd_life *life)
{
    const int64_t run = m->first_run + life->run;
    assert_column(c, "id", H5T_NATIVE_INT64, &life->id, 1, false);
    assert_column(c, "time", H5T_NATIVE_DOUBLE, &life->time, 1, false);
    assert_column(c, "run", H5T_NATIVE_INT64, &run, 1, false);
    assert_column(c, "voxel", H5T_NATIVE_INT64, &life->site, 1, false);
    if (life->is_birth)
        assert_column(c, "parent", H5T_NATIVE_INT64, &life->parent, 1, false);
}

void stored_lineage_assert(struct stored_lives *l, const struct rd_model *m, hid_t file,
                           int64_t n_times)
{
    struct life_columns births = {.group = H5Gopen2(file, "/lineage/A/births", H5P_DEFAULT)};
    struct life_columns deaths = {.group = H5Gopen2(file, "/lineage/A/deaths", H5P_DEFAULT)};
    for (int64_t t = 0; t < n_times; t++) {
        set_lives(l, m, t);
        for (int64_t i = 0; i < l->n_lives; i++) {
            struct life_columns *const c = l->life[i].is_birth ? &births : &deaths;
            if (l->life[i].species != 0)
                continue;
            assert_life(c, m, &l->life[i]);
            c->row++;
        }
    }
    assert_column(&births, "id", H5T_NATIVE_INT64, "", 0, true);
    assert_column(&deaths, "id", H5T_NATIVE_INT64, "", 0, true);
    H5Gclose(births.group);
    H5Gclose(deaths.group);
}
