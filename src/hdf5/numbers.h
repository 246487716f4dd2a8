/* numbers - reads numbers of any HDF5 data set exactly as the file has them. HDF5's own conversion
   clamps integers that are too large, and cuts fractions, without an error. */
#ifndef RD_HDF5_NUMBERS_H
#define RD_HDF5_NUMBERS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Names the type of numbers in memory, 8 bytes each: int64_t, uint64_t or double. */
enum rd_number_kind {
    RD_NUMBERS_SIGNED,
    RD_NUMBERS_UNSIGNED,
    RD_NUMBERS_REAL,
    RD_NUMBERS_NONE /* the data set has no numbers, or some that 8 bytes cannot hold */
};

/* Returns the kind of the data set's numbers; an enumeration counts as integers. */
enum rd_number_kind rd_numbers_kind(hid_t set);
/* Reads the selection `space` of the data set (H5S_ALL: all of it) into 8 bytes each. */
bool rd_numbers_read(hid_t set, enum rd_number_kind kind, hid_t memory, hid_t space, void *to);

/* Convert n numbers in place and return n; or return the index of the first one that has no such
   value, which stays unchanged. rd_numbers_whole also requires integers from least to most. */
int64_t rd_numbers_whole(void *number, int64_t n, enum rd_number_kind kind, int64_t least,
                         int64_t most);
int64_t rd_numbers_real(void *number, int64_t n, enum rd_number_kind kind);

struct rd_number_text {
    char text[32];
};
/* Returns number i, which was not converted, as text. */
struct rd_number_text rd_numbers_text(const void *number, int64_t i, enum rd_number_kind kind);

#endif
