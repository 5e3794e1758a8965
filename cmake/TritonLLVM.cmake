# Finds LLVM and MLIR and prepares them for static linking.
#
# Distribution packages of MLIR export targets that carry the shared libLLVM in
# INTERFACE_LINK_LIBRARIES. libtriton must not depend on it, so that entry is
# dropped and every library names the LLVM components it needs instead.

set(TRITON_LLVM_VERSION_MAJOR 22)
set(LLVM_SYSPATH "$ENV{LLVM_SYSPATH}" CACHE PATH "Root of an LLVM ${TRITON_LLVM_VERSION_MAJOR} installation with MLIR")

if(LLVM_SYSPATH)
  if(NOT EXISTS "${LLVM_SYSPATH}/lib/cmake/mlir/MLIRConfig.cmake")
    message(FATAL_ERROR
      "LLVM_SYSPATH=${LLVM_SYSPATH} holds no MLIR: lib/cmake/mlir/MLIRConfig.cmake is missing. "
      "Point LLVM_SYSPATH at an LLVM ${TRITON_LLVM_VERSION_MAJOR} installation with MLIR, "
      "or install the packages llvm-${TRITON_LLVM_VERSION_MAJOR}-dev and libmlir-${TRITON_LLVM_VERSION_MAJOR}-dev.")
  endif()
  # The cache may hold what an earlier LLVM_SYSPATH led to.
  unset(MLIR_DIR CACHE)
  unset(LLVM_DIR CACHE)
  find_package(MLIR QUIET CONFIG PATHS "${LLVM_SYSPATH}" NO_DEFAULT_PATH)
else()
  find_package(MLIR QUIET CONFIG HINTS "/usr/lib/llvm-${TRITON_LLVM_VERSION_MAJOR}")
endif()
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "LLVM/MLIR ${TRITON_LLVM_VERSION_MAJOR} was not found. Install llvm-${TRITON_LLVM_VERSION_MAJOR}-dev "
    "libmlir-${TRITON_LLVM_VERSION_MAJOR}-dev mlir-${TRITON_LLVM_VERSION_MAJOR}-tools, or set LLVM_SYSPATH to an installation.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL TRITON_LLVM_VERSION_MAJOR)
  message(FATAL_ERROR
    "LLVM ${LLVM_PACKAGE_VERSION} was found in ${LLVM_DIR}, but version ${TRITON_LLVM_VERSION_MAJOR} is needed. "
    "Set LLVM_SYSPATH to an LLVM ${TRITON_LLVM_VERSION_MAJOR} installation.")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

get_property(_mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(_lib IN LISTS _mlir_libs)
  if(TARGET ${_lib})
    get_target_property(_links ${_lib} INTERFACE_LINK_LIBRARIES)
    if(_links)
      list(REMOVE_ITEM _links LLVM)
      set_target_properties(${_lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${_links}")
    endif()
  endif()
endforeach()

# LLVM's libraries use zlib and zstd through imported targets that name shared libraries. The package must not need them
# on the user's machine, so the archive beside each is linked where there is one.
foreach(_target ZLIB::ZLIB zstd::libzstd_shared)
  if(TARGET ${_target})
    foreach(_property IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE)
      get_target_property(_location ${_target} ${_property})
      if(_location)
        string(REGEX REPLACE "\\.so[.0-9]*$" ".a" _archive ${_location})
        if(EXISTS ${_archive})
          set_target_properties(${_target} PROPERTIES ${_property} ${_archive})
        endif()
      endif()
    endforeach()
  endif()
endforeach()
