/* store_shield - a damaged file may break the library that reads it, where nothing could be looked
   at before; then the program says which file that was, and ends as with any wrong input. */
#ifndef RD_STORE_SHIELD_H
#define RD_STORE_SHIELD_H

/* While files of others are read; each raise has its drop. */
void rd_shield_raise(const char *path);
void rd_shield_drop(void);

#endif
