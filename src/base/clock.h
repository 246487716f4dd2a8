/* clock - a clock in seconds that only goes forward; separate because all folders use it.
   Its values never reach the results. */
#ifndef RD_BASE_CLOCK_H
#define RD_BASE_CLOCK_H

double rd_clock(void);

#endif
