/* backend - selects a machine by name. If a requested machine is absent, that is an error: there is
   no silent fallback. */
#include "kernels/core/backend.h"

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
        rd_fail(
            e,
            "back end 'cuda': this program was built without CUDA; build it where nvcc is found, "
            "or take --backend cpu");
        return NULL;
    }
#endif
    rd_fail(e, "there is no back end '%s'; there are auto, cpu and cuda", name);
    return NULL;
}

int rd_backend_gpus(void)
{
#ifdef RD_HAS_CUDA
    return rd_cuda_devices();
#else
    return 0;
#endif
}

bool rd_backend_has_gpu(int device, int n, struct rd_error *e)
{
    return (device >= 0 && device < n) ||
           rd_fail(e,
                   "--device %d: there is no GPU number %d; this machine has %d, counted from 0; "
                   "choose another, or leave --device out",
                   device, device, n);
}

/* Returns the GPU's back end if it can be used. A GPU that is requested by its number must
   exist. */
static const struct rd_backend *open_gpu(rd_machine **m, int threads, int device,
                                         struct rd_error *why_not, struct rd_error *e)
{
#ifdef RD_HAS_CUDA
    const int n = rd_cuda_devices();
    if (device > 0 && !rd_backend_has_gpu(device, n, e))
        return NULL;
    const bool is_seen = n > 0 || !rd_cuda_check_driver(why_not);
    if (n > 0 && rd_backend_cuda.open(m, threads, device, why_not))
        return &rd_backend_cuda;
    if (is_seen)
        rd_fail(why_not, "so the CPU is taken, not the GPU");
    if (*m)
        rd_backend_cuda.close(*m);
    *m = NULL;
#else
    (void)m;
    (void)threads;
    (void)why_not;
    if (device > 0)
        rd_fail(e,
                "--device %d: there is no GPU number %d for this program, which was built without "
                "CUDA; leave --device out, or build it where nvcc is found",
                device, device);
#endif
    return NULL;
}

const struct rd_backend *rd_backend_open(const char *name, rd_machine **m, int threads, int device,
                                         struct rd_error *why_not, struct rd_error *e)
{
    const int n = e->n;
    const struct rd_backend *backend = NULL;
    if (strcmp(name, "auto") == 0)
        backend = open_gpu(m, threads, device, why_not, e);
    if (backend || e->n > n)
        return backend;
    backend = strcmp(name, "auto") == 0 ? &rd_backend_cpu : rd_backend_named(name, e);
    if (!backend || backend->open(m, threads, device, e))
        return backend;
    if (*m)
        backend->close(*m);
    *m = NULL;
    return NULL;
}
