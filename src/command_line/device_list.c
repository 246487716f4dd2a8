/* device_list - reads the list of GPUs that --devices names. */
#include "command_line/device_list.h"

#include "kernels/core/backend.h"

#include <stdlib.h>
#include <string.h>

/* Sets the end of the numbers of GPUs, as for --device. */
enum { NUMBER_END = 1024 };

/* Reads numbers from 0 to 1023 with commas between them; returns false if the text is another. */
static bool read_device_numbers(struct rd_device_list *d, const char *text)
{
    for (const char *at = text; d->n < RD_DEVICES_MOST; at++) {
        char *end;
        const long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : NUMBER_END;
        if (number >= NUMBER_END)
            return false;
        d->number[d->n++] = (int)number;
        at = end;
        if (*at != ',')
            return !*at;
    }
    return false;
}

bool rd_device_list_read(struct rd_device_list *d, const char *text, const char *backend,
                         struct rd_error *e)
{
    const bool is_all = strcmp(text, "all") == 0, is_cpu = strcmp(backend, "cpu") == 0;
    const int n_found = is_cpu && !is_all ? NUMBER_END : rd_backend_gpus();
    *d = (struct rd_device_list){0};
    if (!is_all && !read_device_numbers(d, text))
        return rd_fail(e,
                       "--devices %s: is not valid; give all, or at most %d numbers of GPUs from 0 "
                       "to %d, as 0,1,3",
                       text, RD_DEVICES_MOST, NUMBER_END - 1);
    if (n_found == 0)
        return rd_fail(e,
                       "--devices %s: no GPU is found; leave it out, or give numbers and --backend "
                       "cpu",
                       text);
    for (int i = 0; is_all && i < n_found && i < RD_DEVICES_MOST; i++)
        d->number[d->n++] = i;
    for (int i = 0; i < d->n; i++)
        if (d->number[i] >= n_found)
            return rd_fail(e,
                           "--devices %s: there is no GPU number %d; this machine has %d, counted "
                           "from 0",
                           text, d->number[i], n_found);
    return true;
}
