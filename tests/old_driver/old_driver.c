/* old_driver - replaces NVIDIA's driver (libcuda.so.1) by one for CUDA 11.4 that returns its
   version; everything else fails. */
enum { CUDA_11_4 = 11040, NOT_FOUND = 500 };

int cuDriverGetVersion(int *version);
int cuInit(unsigned flags);
int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags);
int cuGetExportTable(const void **table, const void *id);

int cuDriverGetVersion(int *version)
{
    *version = CUDA_11_4;
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags)
{
    (void)symbol;
    (void)version;
    (void)flags;
    *function = 0;
    return NOT_FOUND;
}

int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = 0;
    return NOT_FOUND;
}
