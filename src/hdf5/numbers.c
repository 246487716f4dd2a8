/* numbers - reads the numbers of any HDF5 data set exactly, with checked conversions. */
#include "hdf5/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 8 }; /* size of a number */

enum rd_number_kind rd_numbers_kind(hid_t set)
{
    const hid_t type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    const bool is_wide = H5Tget_size(type) > BYTES;
    H5Tclose(type);
    if (class == H5T_FLOAT)
        return RD_NUMBERS_REAL;
    if ((class != H5T_INTEGER && class != H5T_ENUM) || is_wide)
        return RD_NUMBERS_NONE;
    return is_signed ? RD_NUMBERS_SIGNED : RD_NUMBERS_UNSIGNED;
}

bool rd_numbers_read(hid_t set, enum rd_number_kind kind, hid_t memory, hid_t space, void *to)
{
    const hid_t type = kind == RD_NUMBERS_SIGNED     ? H5T_NATIVE_INT64
                       : kind == RD_NUMBERS_UNSIGNED ? H5T_NATIVE_UINT64
                                                     : H5T_NATIVE_DOUBLE;
    return kind != RD_NUMBERS_NONE && H5Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0;
}

/* Holds one number in each of its forms. */
union number {
    int64_t whole;
    uint64_t large;
    double real;
};

static union number get_number(const void *number, int64_t i)
{
    union number u;
    memcpy(&u, (const char *)number + i * BYTES, BYTES);
    return u;
}

static void store_number(void *number, int64_t i, union number u)
{
    memcpy((char *)number + i * BYTES, &u, BYTES);
}

/* Converts to an integer; false if the value is not an integer, or too large. */
static bool to_whole(union number *u, enum rd_number_kind kind)
{
    if (kind == RD_NUMBERS_UNSIGNED)
        return u->large <= INT64_MAX; /* same bits as the signed integer */
    if (kind == RD_NUMBERS_SIGNED)
        return true;
    const double real = u->real, above = 9223372036854775808.0; /* 2^63 itself is too large */
    if (!(real >= -above && real < above) || real != (double)(int64_t)real)
        return false;
    u->whole = (int64_t)real;
    return true;
}

int64_t rd_numbers_whole(void *number, int64_t n, enum rd_number_kind kind, int64_t least,
                         int64_t most)
{
    for (int64_t i = 0; i < n; i++) {
        union number u = get_number(number, i);
        if (!to_whole(&u, kind) || u.whole < least || u.whole > most)
            return i;
        store_number(number, i, u);
    }
    return n;
}

/* Converts to a double; false if no double has that value. */
static bool to_real(union number *u, enum rd_number_kind kind)
{
    const union number from = *u;
    if (kind == RD_NUMBERS_REAL)
        return true;
    u->real = kind == RD_NUMBERS_SIGNED ? (double)from.whole : (double)from.large;
    if (kind == RD_NUMBERS_SIGNED)
        return u->real < 0x1p63 && (int64_t)u->real == from.whole;
    return u->real < 0x1p64 && (uint64_t)u->real == from.large;
}

int64_t rd_numbers_real(void *number, int64_t n, enum rd_number_kind kind)
{
    for (int64_t i = 0; i < n; i++) {
        union number u = get_number(number, i);
        if (!to_real(&u, kind))
            return i;
        store_number(number, i, u);
    }
    return n;
}

struct rd_number_text rd_numbers_text(const void *number, int64_t i, enum rd_number_kind kind)
{
    const union number u = get_number(number, i);
    struct rd_number_text t;
    if (kind == RD_NUMBERS_SIGNED)
        snprintf(t.text, sizeof t.text, "%" PRId64, u.whole);
    else if (kind == RD_NUMBERS_UNSIGNED)
        snprintf(t.text, sizeof t.text, "%" PRIu64, u.large);
    else
        snprintf(t.text, sizeof t.text, "%.15g", u.real);
    return t;
}
