/* sbml_library - loads libSBML when the first SBML model is read. */
#define _POSIX_C_SOURCE 200809L
#define RD_SBML_LIBRARY_C
#include "formats/sbml_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Holds the functions of the library, which a process loads once and keeps, and the lock for this,
   since several threads may read models. */
static struct rd_sbml_library library;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

const struct rd_sbml_library *rd_sbml_library(void)
{
    return &library;
}

/* Finds one function. POSIX requires that a void pointer holds its address. */
static bool load_symbol(void *handle, const char *name, void *address, const char *path,
                        struct rd_error *e)
{
    void *const found = dlsym(handle, name);
    memcpy(address, &found, sizeof found);
    return found || rd_fail(e,
                            "%s: is an SBML model, and libSBML has no function %s; install the "
                            "package libsbml5, version 5.18 or later",
                            path, name);
}

static bool load_functions(const char *path, struct rd_error *e)
{
    if (library.readSBMLFromString)
        return true;
    void *const handle = dlopen(RD_SBML_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return rd_fail(e,
                       "%s: is an SBML model, and libSBML cannot be loaded (%s); install the "
                       "package libsbml5",
                       path, dlerror());
    bool ok = true;
#define RD_SBML_FIND(name) ok = ok && load_symbol(handle, #name, &library.name, path, e);
    RD_SBML_FUNCTIONS(RD_SBML_FIND)
#undef RD_SBML_FIND
    if (!ok)
        library = (struct rd_sbml_library){0};
    return ok;
}

bool rd_sbml_library_load(const char *path, struct rd_error *e)
{
    pthread_mutex_lock(&loading);
    const bool ok = load_functions(path, e);
    pthread_mutex_unlock(&loading);
    return ok;
}
