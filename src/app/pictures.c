/* pictures - starts the Python package that draws results. */
#define _POSIX_C_SOURCE 200809L
#include "app/pictures.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives the places of the package, and of Python, relative to the program's folder: in a build, and
   after an installation, which may be in a virtual environment. */
static const char *const PACKAGES[] = {"python", "../share/rdsim/python"};
static const char *const PYTHONS[] = {"../venv/bin/python", "python3"};

/* Runs the command. The folder of the user is no place of modules, since a file random.py there
   would replace Python's own. */
static const char SCRIPT[] =
    "import sys\n"
    "sys.path[:] = [place for place in sys.path if place]\n"
    "try:\n"
    "    from rdsim.pictures.command import main\n"
    "except ModuleNotFoundError as missing:\n"
    "    print(f'rdsim {sys.argv[1]}: the Python package {missing.name} is missing for '\n"
    "          f'{sys.executable}; install it, or name another Python in RDSIM_PYTHON',\n"
    "          file=sys.stderr)\n"
    "    raise SystemExit(2)\n"
    "raise SystemExit(main(sys.argv[1:]))\n";

/* Returns FOLDER/NAME, FOLDER being that of the program; NULL if there is no memory. The caller
   frees it. */
static char *path_by_program(const char *name)
{
    char path[4096] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return NULL;
    char *const slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    return rd_text_format("%s/%s", path, name);
}

/* Adds the package beside the program to the places of Python's modules. Without it, Python uses
   one that is installed for it. */
static void find_package(void)
{
    const char *const before = getenv("PYTHONPATH");
    for (size_t i = 0; i < sizeof PACKAGES / sizeof *PACKAGES; i++) {
        char *const folder = path_by_program(PACKAGES[i]);
        char *const file = folder ? rd_text_format("%s/rdsim/pictures/command.py", folder) : NULL;
        const bool is_there = file && access(file, R_OK) == 0;
        char *const places =
            is_there && before && *before ? rd_text_format("%s:%s", folder, before) : NULL;
        if (is_there)
            setenv("PYTHONPATH", places ? places : folder, 1);
        free(places);
        free(file);
        free(folder);
        if (is_there)
            return;
    }
}

/* Returns the interpreter: RDSIM_PYTHON, or one beside the program, or the machine's. The caller
   frees it. */
static char *find_python(void)
{
    const char *const wanted = getenv("RDSIM_PYTHON");
    if (wanted && *wanted)
        return rd_text_format("%s", wanted);
    for (size_t i = 0; i < sizeof PYTHONS / sizeof *PYTHONS; i++) {
        char *const there = path_by_program(PYTHONS[i]);
        if (there && access(there, X_OK) == 0)
            return there;
        free(there);
    }
    return rd_text_format("python3");
}

void rd_pictures_run(char *const *argv, struct rd_error *e)
{
    enum { OWN = 3 }; /* words before those of the command */
    size_t n = 0;
    while (argv[n])
        n++;
    char *const python = find_python();
    char **const words = calloc(n + OWN + 1, sizeof *words);
    char *const script = rd_text_format("%s", SCRIPT);
    if (python && words && script) {
        words[0] = python;
        words[1] = "-c";
        words[2] = script;
        memcpy(words + OWN, argv + 1, n * sizeof *words); /* with the last NULL */
        find_package();
        execvp(python, words);
        rd_fail(e,
                "%s: Python cannot be started as '%s': %s; install Python 3, or name one in "
                "RDSIM_PYTHON",
                argv[1], python, strerror(errno));
    } else
        rd_fail(e, "out of memory for the command line");
    free(script);
    free((void *)words);
    free(python);
}
