# The backends of this build: TRITON_BACKENDS, each a folder of third_party or one named by TRITON_BACKEND_DIR_<name>.

# Sets `out` to the folder of `backend`.
function(triton_backend_dir backend out)
  if(TRITON_BACKEND_DIR_${backend})
    set(${out} ${TRITON_BACKEND_DIR_${backend}} PARENT_SCOPE)
  else()
    set(${out} ${PROJECT_SOURCE_DIR}/third_party/${backend} PARENT_SCOPE)
  endif()
endfunction()

foreach(backend IN LISTS TRITON_BACKENDS)
  triton_backend_dir(${backend} dir)
  if(NOT IS_DIRECTORY ${dir})
    file(GLOB known RELATIVE ${PROJECT_SOURCE_DIR}/third_party ${PROJECT_SOURCE_DIR}/third_party/*/backend.toml)
    string(REPLACE "/backend.toml" "" known "${known}")
    message(FATAL_ERROR "TRITON_BACKENDS names '${backend}', but ${dir} does not exist. Backends here: ${known}.")
  endif()
endforeach()

# triton/Backends.def lists the backends that are part of libtriton: those with a triton_<b>.cc.
set(_backends_def "")
foreach(backend IN LISTS TRITON_BACKENDS)
  triton_backend_dir(${backend} dir)
  file(GLOB _binding CONFIGURE_DEPENDS ${dir}/triton_${backend}.cc)
  if(_binding)
    string(APPEND _backends_def "TRITON_BACKEND(${backend})\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT include/triton/Backends.def CONTENT "${_backends_def}" @ONLY)
