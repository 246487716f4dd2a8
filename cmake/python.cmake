# python - the Python package: in the build folder, where tests and `rdsim plot` use it, and in a wheel.
#
# build/PRESET/python/rdsim has links to the modules of python/rdsim, and the library beside them.
if(IS_SYMLINK ${PROJECT_BINARY_DIR}/python) # of an earlier version, to the sources
    file(REMOVE ${PROJECT_BINARY_DIR}/python)
endif()
set(RDSIM_PACKAGE ${PROJECT_BINARY_DIR}/python/rdsim)
file(MAKE_DIRECTORY ${RDSIM_PACKAGE})
file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/rdsim/*)
list(FILTER modules EXCLUDE REGEX __pycache__)
foreach(module ${modules} ${PROJECT_SOURCE_DIR}/src/library/rdsim.h)
    cmake_path(GET module FILENAME name)
    file(CREATE_LINK ${module} ${RDSIM_PACKAGE}/${name} SYMBOLIC)
endforeach()
add_custom_command(TARGET rdsim_library POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:rdsim_library>
        ${RDSIM_PACKAGE}/librdsim.so)

# A wheel has the program, the modules and the library with its header, and nothing else.
if(SKBUILD)
    install(TARGETS rdsim RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
    install(PROGRAMS $<TARGET_FILE:rdsim_library> DESTINATION rdsim RENAME librdsim.so
        COMPONENT wheel)
    install(FILES src/library/rdsim.h DESTINATION rdsim COMPONENT wheel)
endif()
