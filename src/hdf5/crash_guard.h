/* crash_guard - a damaged file, or a lack of memory, may break the library that reads or writes
   it, where nothing could be looked at before; then the program says which file that was, and ends
   as with any wrong input. */
#ifndef RD_HDF5_CRASH_GUARD_H
#define RD_HDF5_CRASH_GUARD_H

/* While files of others are read; each raise has its drop, in the same thread. */
void rd_crash_guard_raise(const char *path);
/* While a file is written: without memory HDF5 breaks down. The program says so, and ends with
   status 1; what was written before stays. */
void rd_crash_guard_raise_writing(const char *path);
void rd_crash_guard_drop(void);

#endif
