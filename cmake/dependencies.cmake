# dependencies - finds the libraries of rdsim; reports all that are missing in one message, with
# Debian's packages.
set(missing "")

# Makes the target rdsim::NAME for a library without files for CMake.
function(rdsim_find_library name header library package)
    find_path(RDSIM_${name}_INCLUDE ${header})
    find_library(RDSIM_${name}_LIBRARY ${library})
    mark_as_advanced(RDSIM_${name}_INCLUDE RDSIM_${name}_LIBRARY)
    if(RDSIM_${name}_INCLUDE AND RDSIM_${name}_LIBRARY)
        add_library(rdsim::${name} UNKNOWN IMPORTED)
        set_target_properties(rdsim::${name} PROPERTIES
            IMPORTED_LOCATION ${RDSIM_${name}_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${RDSIM_${name}_INCLUDE})
    else()
        set(missing ${missing} "${header} and lib${library} are not here: package ${package}"
            PARENT_SCOPE)
    endif()
endfunction()

find_package(HDF5 COMPONENTS C HL)
if(NOT HDF5_FOUND)
    list(APPEND missing "HDF5 with its HL library is not here: package libhdf5-dev")
endif()
set(RDSIM_HDF5 hdf5::hdf5 hdf5::hdf5_hl)
# The static library, for wheels: other modules of the process may load another HDF5.
option(RDSIM_STATIC_HDF5 "Link HDF5 statically, with hidden symbols" OFF)
if(RDSIM_STATIC_HDF5)
    find_library(RDSIM_hdf5_hl_STATIC libhdf5_hl.a PATH_SUFFIXES hdf5/serial)
    find_library(RDSIM_hdf5_STATIC libhdf5.a PATH_SUFFIXES hdf5/serial)
    set(RDSIM_HDF5 ${RDSIM_hdf5_hl_STATIC} ${RDSIM_hdf5_STATIC})
    if(NOT RDSIM_hdf5_STATIC OR NOT RDSIM_hdf5_hl_STATIC)
        list(APPEND missing "the static HDF5 is not here: package libhdf5-dev")
    endif()
    # What it may need: compression, and access to remote files, which the linker drops.
    foreach(name libsz.a libaec.a curl crypto)
        find_library(RDSIM_${name}_FILE ${name})
        mark_as_advanced(RDSIM_${name}_FILE)
        if(RDSIM_${name}_FILE)
            list(APPEND RDSIM_HDF5 ${RDSIM_${name}_FILE})
        endif()
    endforeach()
    list(APPEND RDSIM_HDF5 ${CMAKE_DL_LIBS})
endif()
find_package(ZLIB)
if(NOT ZLIB_FOUND)
    list(APPEND missing "zlib is not here: package zlib1g-dev")
endif()
find_package(OpenMP COMPONENTS C)
if(NOT OpenMP_C_FOUND)
    list(APPEND missing "${CMAKE_C_COMPILER_ID}'s OpenMP is not here: package \
libgomp1 for gcc, libomp-dev for clang")
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
rdsim_find_library(config libconfig.h config libconfig-dev)
rdsim_find_library(png png.h png libpng-dev)
if(RDSIM_TESTS)
    rdsim_find_library(cmocka cmocka.h cmocka "libcmocka-dev (or leave out the tests with \
-D RDSIM_TESTS=OFF)")
endif()

# libSBML is optional: without it the program refuses SBML models, and names the package. The program
# loads the library, by the name that its linker symlink leads to, when it reads such a model.
find_path(RDSIM_sbml_INCLUDE sbml/SBMLTypes.h)
find_library(RDSIM_sbml_LIBRARY sbml)
mark_as_advanced(RDSIM_sbml_INCLUDE RDSIM_sbml_LIBRARY)
if(RDSIM_SBML AND RDSIM_sbml_INCLUDE AND RDSIM_sbml_LIBRARY)
    set(RDSIM_HAS_SBML TRUE)
    file(REAL_PATH ${RDSIM_sbml_LIBRARY} file)
    cmake_path(GET file FILENAME file)
    string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" RDSIM_SBML_FILE ${file})
else()
    set(RDSIM_HAS_SBML FALSE)
    message(STATUS "SBML models: none can be read (package libsbml5-dev)")
endif()

if(missing)
    list(JOIN missing "\n  " messages)
    message(FATAL_ERROR "rdsim cannot be built yet:\n  ${messages}\n"
        "tools/install.sh installs all that is needed on Debian and Ubuntu.")
endif()
