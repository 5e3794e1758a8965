# add_triton_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libs...])
#
# A static library of the compiler. All of them are collected in the global
# property TRITON_LIBS, which libtriton and triton-opt link. Sources that a
# backend specializes are replaced, see TritonSpecialization.cmake.
function(add_triton_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  triton_specialize_sources(sources ${ARG_UNPARSED_ARGUMENTS})
  add_library(${name} STATIC ${sources})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  triton_compile_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  # For the library of a backend that is linked into this one.
  set_target_properties(${name} PROPERTIES TRITON_DEPENDS "${ARG_DEPENDS}" TRITON_LINK_LIBS "${ARG_LINK_LIBS}")
  set_property(GLOBAL APPEND PROPERTY TRITON_LIBS ${name})
endfunction()

function(triton_compile_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-unused-parameter
    -ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden)
endfunction()

# Adds every folder of `dirs` (relative to the calling one) that has a
# CMakeLists.txt; one that appears later re-runs the configuration.
macro(triton_add_existing)
  foreach(_dir ${ARGN})
    file(GLOB _lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${_dir}/CMakeLists.txt)
    if(_lists)
      add_subdirectory(${_dir})
    endif()
  endforeach()
endmacro()
