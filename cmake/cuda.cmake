# cuda - chooses whether and for which architectures the CUDA back end is built, and its options.
include(CheckLanguage)

if(RDSIM_CUDA)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER AND NOT RDSIM_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "RDSIM_CUDA is ON, but there is no CUDA compiler here that works; put "
            "nvcc in PATH, name it in CUDACXX, or use -D RDSIM_CUDA=AUTO or OFF.")
    endif()
endif()

# Sets the architectures of the list that this nvcc supports.
function(rdsim_choose_architectures)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known)
    foreach(architecture 80 86 89 90 100)
        if(known MATCHES "compute_${architecture}[^0-9]")
            list(APPEND chosen ${architecture})
        endif()
    endforeach()
    set(CMAKE_CUDA_ARCHITECTURES ${chosen} PARENT_SCOPE)
endfunction()

if(RDSIM_CUDA AND CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
        rdsim_choose_architectures()
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    enable_language(CUDA)
    set(RDSIM_HAS_CUDA TRUE)
    message(STATUS "CUDA back end: for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
    set(RDSIM_HAS_CUDA FALSE)
    message(STATUS "CUDA back end: none")
endif()

# Adds the CUDA back end to the target, if there is one.
function(rdsim_add_cuda target)
    if(NOT RDSIM_HAS_CUDA)
        return()
    endif()
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cuda/*.cu)
    target_sources(${target} PRIVATE ${cuda_sources})
    target_compile_definitions(${target} PUBLIC RD_HAS_CUDA)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off,-Wall>)
    if(RDSIM_WERROR)
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
    endif()
endfunction()
