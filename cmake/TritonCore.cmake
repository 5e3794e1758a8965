# One core for several Pythons. Nothing but libtriton depends on the version of Python, so a wheel for each of them costs
# one compilation of python/src when everything else is in a tree of its own:
#  * the core's tree has TRITON_MODULE=OFF and leaves TritonCore.cmake behind;
#  * each Python's tree names it in TRITON_CORE_TREE and builds libtriton alone.
# A tree without either setting holds both.

# Where the headers lie that TableGen and the configuration make.
if(TRITON_CORE_TREE)
  set(TRITON_GENERATED_DIR ${TRITON_CORE_TREE})
else()
  set(TRITON_GENERATED_DIR ${CMAKE_BINARY_DIR})
endif()

# Describes the libraries of this tree in TritonCore.cmake, for triton_import_core.
function(triton_export_core)
  if(TRITON_MODULE)
    return()
  endif()
  get_property(libs GLOBAL PROPERTY TRITON_LIBS)
  _triton_own_targets(targets ${libs})
  add_dependencies(python ${targets})
  export(TARGETS ${targets} FILE ${CMAKE_BINARY_DIR}/TritonCoreTargets.cmake)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/TritonCore.cmake @ONLY CONTENT
"# Written by the configuration of this tree.
set(CORE_TRITON_BACKENDS \"@TRITON_BACKENDS@\")
set(CORE_CMAKE_BUILD_TYPE \"@CMAKE_BUILD_TYPE@\")
include(\"\${CMAKE_CURRENT_LIST_DIR}/TritonCoreTargets.cmake\")
set_property(GLOBAL PROPERTY TRITON_LIBS \"@libs@\")
")
endfunction()

# Sets `out` to the given targets and all that they link, as far as this project builds them.
function(_triton_own_targets out)
  set(found "")
  set(todo ${ARGN})
  while(todo)
    list(POP_FRONT todo target)
    if(TARGET ${target} AND NOT target IN_LIST found)
      get_target_property(imported ${target} IMPORTED)
      if(NOT imported)
        list(APPEND found ${target})
        get_target_property(links ${target} LINK_LIBRARIES)
        if(links)
          list(APPEND todo ${links})
        endif()
      endif()
    endif()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Makes the libraries of TRITON_CORE_TREE linkable by name, as if this tree had built them.
function(triton_import_core)
  set(description ${TRITON_CORE_TREE}/TritonCore.cmake)
  if(NOT EXISTS ${description})
    message(FATAL_ERROR
      "TRITON_CORE_TREE=${TRITON_CORE_TREE} is no core: ${description} is missing. "
      "Configure it with TRITON_MODULE=OFF and build it first, or leave TRITON_CORE_TREE empty.")
  endif()
  include(${description})
  foreach(setting TRITON_BACKENDS CMAKE_BUILD_TYPE)
    if(NOT "${${setting}}" STREQUAL "${CORE_${setting}}")
      message(FATAL_ERROR
        "The core in ${TRITON_CORE_TREE} was built with ${setting}='${CORE_${setting}}', this tree has "
        "'${${setting}}'. Use a core with the same settings.")
    endif()
  endforeach()
endfunction()
