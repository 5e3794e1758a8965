# TRITON_SANITIZE=address compiles everything with AddressSanitizer.
#
# Its runtime must be in the process before libtriton is. A file beside libtriton, <libtriton>.asan, holds what
# LD_PRELOAD needs for that, and triton/_C/__init__.py says so where it was forgotten. The runtime's C++ library goes
# with it: AddressSanitizer looks for the functions that throw exceptions when it starts.

set(TRITON_SANITIZE "" CACHE STRING "Sanitizer to compile with: address, or empty")
set_property(CACHE TRITON_SANITIZE PROPERTY STRINGS "" address)

if(NOT TRITON_SANITIZE)
  return()
endif()
if(NOT TRITON_SANITIZE STREQUAL "address")
  message(FATAL_ERROR "TRITON_SANITIZE=${TRITON_SANITIZE} is not known. It is address, or empty for none.")
endif()

# -O1: half the compile time of -O2, and reports show more of the functions that were called.
add_compile_options(-fsanitize=address -fno-omit-frame-pointer -g1 -O1)
add_link_options(-fsanitize=address)
set(_runtime libasan.so)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized) # what the sanitizer adds leads it astray, and -Werror is on
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-shared-libasan)
  set(_runtime libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
endif()
set(_preload "")
foreach(_library ${_runtime} libstdc++.so.6)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${_library}
    OUTPUT_VARIABLE _path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${_path}")
    message(FATAL_ERROR
      "TRITON_SANITIZE=address: ${CMAKE_CXX_COMPILER} has no ${_library}. Install the sanitizer runtime of that compiler.")
  endif()
  file(REAL_PATH "${_path}" _path)
  list(APPEND _preload ${_path})
endforeach()
list(JOIN _preload ":" _preload)

# Called when all targets are there. A tree of the core alone has no extension module.
function(triton_install_sanitizer_note)
  if(TARGET libtriton)
    set(note ${CMAKE_CURRENT_BINARY_DIR}/$<TARGET_FILE_NAME:libtriton>.asan)
    file(GENERATE OUTPUT ${note} CONTENT "${_preload}\n")
    install(FILES ${note} DESTINATION _C COMPONENT python)
  endif()
endfunction()
cmake_language(DEFER CALL triton_install_sanitizer_note)
