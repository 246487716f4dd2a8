/* device_list - the list of GPUs that --devices names. */
#ifndef RD_COMMAND_LINE_DEVICE_LIST_H
#define RD_COMMAND_LINE_DEVICE_LIST_H

#include "base/error.h"

enum { RD_DEVICES_MOST = 64 };

/* Holds numbers of GPUs; one number may occur several times. */
struct rd_device_list {
    int n; /* 0: --devices is not given */
    int number[RD_DEVICES_MOST];
};

/* Reads "all", or numbers with commas between them. The GPUs must exist, except with the back end
   "cpu". Returns false with a message. */
bool rd_device_list_read(struct rd_device_list *d, const char *text, const char *backend,
                         struct rd_error *e);

#endif
