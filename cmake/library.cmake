# library - the shared library librdsim, its header and its file for pkg-config.
file(GLOB library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/library/*.c)
add_library(rdsim_library SHARED ${library_sources})
set_target_properties(rdsim_library PROPERTIES
    OUTPUT_NAME rdsim
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    C_VISIBILITY_PRESET hidden
    PUBLIC_HEADER src/library/rdsim.h)
target_link_libraries(rdsim_library PRIVATE rdsim_core)
target_include_directories(rdsim_library INTERFACE src/library)
# Only the functions of rdsim.h are visible, and what no function uses is dropped.
target_link_options(rdsim_library PRIVATE
    -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--gc-sections -Wl,--as-needed)
if(RDSIM_STATIC_HDF5)
    target_sources(rdsim_library PRIVATE cmake/streams.c)
endif()
# The file finds the prefix from its own place, so that an installation may move.
file(RELATIVE_PATH RDSIM_PREFIX_OF_PC /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/rdsim.pc.in ${PROJECT_BINARY_DIR}/rdsim.pc @ONLY)
