# add_triton_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libs...])
#
# A static library of the compiler. All of them are collected in the global
# property TRITON_LIBS, which libtriton and triton-opt link.
function(add_triton_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  triton_compile_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY TRITON_LIBS ${name})
endfunction()

function(triton_compile_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-unused-parameter
    -ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden)
endfunction()
