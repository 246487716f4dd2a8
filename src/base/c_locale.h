/* c_locale - gives a thread the C locale; separate because threads of several folders need it.
   A process that uses the library may have a locale in which 0.5 is written "0,5". Configurations,
   messages and results have points. */
#ifndef RD_BASE_C_LOCALE_H
#define RD_BASE_C_LOCALE_H

/* Gives the calling thread the C locale. Returns what rd_c_locale_leave takes. */
void *rd_c_locale_enter(void);
/* Gives the calling thread the locale that it had before. */
void rd_c_locale_leave(void *before);

#endif
