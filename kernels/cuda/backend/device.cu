/* device - checks whether there is a usable NVIDIA GPU. Each error message says what to do. */
#include "kernels/cuda/backend/machine.cuh"

enum { MAJOR_LEAST = 8 }; /* of the compute capability */

extern "C" int rd_cuda_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

/* Returns whether the driver is new enough for this program. Versions are encoded: CUDA 12.4 is
   12040. */
extern "C" bool rd_cuda_check_driver(struct rd_error *e)
{
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0 ||
        driver / 1000 >= CUDART_VERSION / 1000)
        return true;
    return rd_fail(e,
                   "the NVIDIA driver here is for CUDA %d.%d, but this program for CUDA %d.%d; "
                   "install a newer driver, or take --backend cpu",
                   driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                   CUDART_VERSION % 1000 / 10);
}

bool rd_cuda_check_device(const cudaDeviceProp *p, struct rd_error *e)
{
    if (p->major < MAJOR_LEAST)
        return rd_fail(e,
                       "the GPU '%s' has compute capability %d.%d; it must be %d.0 or above: take "
                       "another one by --device, or --backend cpu",
                       p->name, p->major, p->minor, MAJOR_LEAST);
    const cudaError_t error = rd_cuda_try_kernel();
    switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return rd_fail(e,
                       "this program has no code for the GPU '%s'; build it with -D "
                       "CMAKE_CUDA_ARCHITECTURES=%d%d, or take --backend cpu",
                       p->name, p->major, p->minor);
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
        return rd_fail(e,
                       "the GPU '%s' is busy: another program has it for itself; wait for that, "
                       "take another one by --device, or --backend cpu",
                       p->name);
    default:
        return rd_cuda_report(e, error, "begin");
    }
}
