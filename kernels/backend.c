/* backend - chooses a machine by name. One that was asked for and is absent is an error: nothing
   falls back in silence. */
#include "backend.h"

#include <string.h>

const struct rd_backend *rd_backend_named(const char *name, struct rd_error *e)
{
    if (strcmp(name, "cpu") == 0)
        return &rd_backend_cpu;
#ifdef RD_HAS_CUDA
    if (strcmp(name, "auto") == 0)
        return rd_cuda_devices() > 0 ? &rd_backend_cuda : &rd_backend_cpu;
    if (strcmp(name, "cuda") == 0)
        return &rd_backend_cuda;
#else
    if (strcmp(name, "auto") == 0)
        return &rd_backend_cpu;
    if (strcmp(name, "cuda") == 0) {
        rd_fail(e, "the back end 'cuda' was asked for, but this program was built without CUDA; "
                   "build it where nvcc is found, or take --backend cpu");
        return NULL;
    }
#endif
    rd_fail(e, "there is no back end '%s'; there are auto, cpu and cuda", name);
    return NULL;
}
