/* crash_guard - reports crashes and endless loops inside HDF5.
   A damaged file, or a lack of memory, may crash the library in ways that no check can prevent. The
   guard then prints the name of the file and ends the program as with any wrong input. */
#ifndef RD_HDF5_CRASH_GUARD_H
#define RD_HDF5_CRASH_GUARD_H

#include <stdint.h>

/* Enables the guards. They end the process, so that only the program does this, and no library. */
void rd_crash_guard_enable(void);
/* Guards the reading of a foreign file; each raise needs a drop in the same thread. */
void rd_crash_guard_raise(const char *path);
/* Guards the writing of a file: HDF5 crashes if memory runs out. The program then prints a message
   and exits with status 1; what was written before stays. */
void rd_crash_guard_raise_writing(const char *path);
void rd_crash_guard_drop(void);

/* Begins and ends the reading of texts. If it takes seconds of the thread's time, HDF5 is in an
   endless loop, which the guard reports. */
void rd_crash_guard_begin_limit(int64_t n_texts);
void rd_crash_guard_end_limit(void);

#endif
