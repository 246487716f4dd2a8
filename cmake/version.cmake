# version - writes rd_version.h with the version and the git commit. When included, this file adds
# the target that updates the header; when run as a script (cmake -P), it does the update.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(RDSIM_VERSION_FOLDER ${PROJECT_BINARY_DIR}/generated)
    add_custom_target(rdsim_version
        COMMAND ${CMAKE_COMMAND} -D RD_VERSION=${PROJECT_VERSION} -D SOURCE=${PROJECT_SOURCE_DIR}
            -D FOLDER=${RDSIM_VERSION_FOLDER} -P ${CMAKE_CURRENT_LIST_FILE}
        BYPRODUCTS ${RDSIM_VERSION_FOLDER}/rd_version.h
        COMMENT "Version and commit" VERBATIM)
    return()
endif()

# Sets `answer` to git's output in the source tree; empty without git or outside a checkout of
# rdsim.
function(run_git answer)
    set(${answer} "" PARENT_SCOPE)
    if(EXISTS ${SOURCE}/.git)
        execute_process(COMMAND git --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE}
            OUTPUT_VARIABLE out ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        set(${answer} "${out}" PARENT_SCOPE)
    endif()
endfunction()

run_git(RD_COMMIT rev-parse --short=12 HEAD)
run_git(changes status --porcelain --untracked-files=no)
if(NOT RD_COMMIT)
    set(RD_COMMIT "unknown")
elseif(changes)
    string(APPEND RD_COMMIT "-modified")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/rd_version.h.in ${FOLDER}/rd_version.h @ONLY)
