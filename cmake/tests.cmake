# tests - makes a ctest of every tests/{unit/*,identical,physics,messages}/{test,twin,law,say}_*.c, and
# one, run by RDSIM_PYTHON, of every such *.py. The prefix is the ctest label. Each folder of
# tests/unit/ is one program, whose argument names the file to run; each other file is a program.
set(limit_test 900) # seconds: ends a test that hangs, but not a sanitizer's build on a busy machine
set(limit_say 900)
set(limit_twin 1800)
set(limit_law 1800)

# The library of all tests.
file(GLOB shared_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(rdsim_lab STATIC ${shared_sources})
target_link_libraries(rdsim_lab PUBLIC rdsim_bench rdsim::cmocka m)
target_include_directories(rdsim_lab PUBLIC tests/support)

# A library that makes writes fail as on a bad disk, for scripts that run the program with it.
add_library(failing MODULE tests/support/failing/failing.c)
target_link_libraries(failing PRIVATE ${CMAKE_DL_LIBS})

# A library that lets allocations of the program fail.
add_library(little_memory MODULE tests/support/failing/little_memory.c)

# A CUDA driver that is too old: the loader finds it in place of the machine's driver.
add_library(old_driver MODULE tests/support/old_driver/old_driver.c)
set_target_properties(old_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX ".so.1"
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/old_driver)

# A test runs in a folder of its own. Threads that wait must sleep, since several tests share the
# cores. Freed memory is kept for the next run of a test: fetching its pages again took a quarter of
# the time of the physics tests. tools/nightly.sh also overwrites freed memory to detect later
# reads, in libraries too; that takes two thirds of the time of tests that write results.
set(memory "MALLOC_TRIM_THRESHOLD_=268435456;MALLOC_MMAP_THRESHOLD_=268435456;MALLOC_TOP_PAD_=16777216")
# Python's modules are compiled once for all tests.
set(python "PYTHONDONTWRITEBYTECODE=;PYTHONPYCACHEPREFIX=${PROJECT_BINARY_DIR}/pycache")
function(rdsim_add_test name label)
    set(folder ${PROJECT_BINARY_DIR}/scratch/${name})
    file(MAKE_DIRECTORY ${folder})
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${folder})
    set_tests_properties(${name} PROPERTIES
        LABELS ${label}
        TIMEOUT ${limit_${label}}
        SKIP_RETURN_CODE 77
        ENVIRONMENT "${python};OMP_WAIT_POLICY=passive;${memory};RDSIM_PROGRAM=$<TARGET_FILE:rdsim>;\
RDSIM_SOURCE=${PROJECT_SOURCE_DIR};RDSIM_FAILING=$<TARGET_FILE:failing>;RDSIM_LITTLE_MEMORY=$<TARGET_FILE:little_memory>;RDSIM_OLD_DRIVER=$<TARGET_FILE:old_driver>;TSAN_OPTIONS=ignore_noninstrumented_modules=1")
endfunction()

# Adds an executable; it is compiled with -O1, in half the time, while the program has -O3.
function(rdsim_add_test_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE rdsim_lab)
    target_compile_options(${name} PRIVATE -O1)
endfunction()

# The target that builds all tests of a label has the label's name with an s. A test of a function
# has a target of its own name, too.
set(folder_test unit)
set(folder_twin identical)
set(folder_law physics)
set(folder_say messages)
foreach(label test twin law say)
    set(place ${PROJECT_SOURCE_DIR}/tests/${folder_${label}})
    add_custom_target(${label}s DEPENDS rdsim rdsim_library rdsim-bench failing little_memory old_driver)
    file(GLOB programs CONFIGURE_DEPENDS ${place}/${label}_*.c)
    foreach(source ${programs})
        cmake_path(GET source STEM name)
        rdsim_add_test_program(${name} ${source})
        rdsim_add_test(${name} ${label} ${name})
        add_dependencies(${label}s ${name})
    endforeach()
    file(GLOB scripts CONFIGURE_DEPENDS ${place}/${label}_*.py)
    foreach(source ${scripts})
        if(RDSIM_PYTHON)
            cmake_path(GET source FILENAME name)
            rdsim_add_test(${name} ${label} ${RDSIM_PYTHON}
                ${PROJECT_SOURCE_DIR}/tests/support/run_script.py ${source})
        endif()
    endforeach()
endforeach()

# Makes the program unit_FOLDER of the files of tests/unit/FOLDER, and a ctest of each file.
function(rdsim_add_unit_tests folder)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${folder}/test_*.c)
    set(RD_TESTS "")
    foreach(source ${sources})
        cmake_path(GET source STEM name)
        string(APPEND RD_TESTS "    T(${name}) \\\n")
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/tests/unit/unit.c.in
        ${PROJECT_BINARY_DIR}/generated/unit_${folder}.c @ONLY)
    rdsim_add_test_program(unit_${folder} ${sources} ${PROJECT_BINARY_DIR}/generated/unit_${folder}.c)
    add_dependencies(tests unit_${folder})
    foreach(source ${sources})
        cmake_path(GET source STEM name)
        rdsim_add_test(${name} test unit_${folder} ${name})
        add_custom_target(${name} DEPENDS unit_${folder})
    endforeach()
endfunction()

file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/tests/unit CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/tests/unit/*)
foreach(folder ${folders})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/unit/${folder})
        rdsim_add_unit_tests(${folder})
    endif()
endforeach()

# This test replaces rd_backend_open by a function of its own.
target_link_options(twin_fenced PRIVATE -Wl,--wrap=rd_backend_open)

# Tests that open results with readers of other programs; tools/nightly.sh uses the newest versions.
foreach(name test_read_result.py say_lost.py twin_sweep.py)
    if(TEST ${name})
        set_property(TEST ${name} APPEND PROPERTY LABELS readers)
    endif()
endforeach()

# The longest tests begin first, so that no core is idle at the end.
set_tests_properties(law_splitting law_sources law_configs law_configs_of_individuals PROPERTIES COST 1)
if(TEST twin_slurm.py)
    set_tests_properties(twin_slurm.py twin_killed.py PROPERTIES COST 2)
endif()

# The free memory of a device depends on all programs that run there.
set_tests_properties(test_reserve PROPERTIES RUN_SERIAL TRUE)
