/* c_locale - gives a thread the C locale; those of other threads stay as they are. */
#define _POSIX_C_SOURCE 200809L
#include "base/c_locale.h"

#include <locale.h>

void *rd_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void rd_c_locale_leave(void *before)
{
    const locale_t c = uselocale(before);
    if (c != before)
        freelocale(c);
}
