/* clock - seconds of a clock that only goes forward. What it tells never reaches the results. */
#ifndef RD_BASE_CLOCK_H
#define RD_BASE_CLOCK_H

double rd_clock(void);

#endif
