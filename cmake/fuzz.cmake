# fuzz - makes a libFuzzer program of every tests/fuzz/fuzz_*.c: it tries inputs until one causes a
# crash. Only clang has libFuzzer; tools/fuzz.sh builds and runs the programs.
if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "RDSIM_FUZZ needs clang, which has libFuzzer; take cmake --preset fuzz.")
endif()
file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${targets})
    cmake_path(GET source STEM name)
    add_executable(${name} ${source} tests/support/model_file.c)
    target_include_directories(${name} PRIVATE tests/fuzz tests/support)
    target_link_libraries(${name} PRIVATE rdsim_core)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

# Makes the program that writes checkpoints as initial inputs.
add_executable(seeds tests/fuzz/seeds.c tests/support/model_file.c)
target_include_directories(seeds PRIVATE tests/support)
target_link_libraries(seeds PRIVATE rdsim_core)
