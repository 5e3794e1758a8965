# C++ specialization: a backend keeps only the files that differ from the trunk.
#
# third_party/<b>/backend/spec/{include,lib} mirrors {include,lib} of the trunk:
#  * a .cpp of the same path takes the trunk file's place in the same target, with the same dependencies;
#  * a .h or .td of the same path is found first, because spec/include comes first on every include path;
#  * files called <b>_* and flagtree_spec.h are the backend's own, they replace nothing;
#  * the library FlagTree_<b>_<Target>, where the backend defines one, is linked into the trunk's <Target>.
#
# An overlay file without a trunk file of that path, one that no target compiles, and two backends that replace the same
# file stop the configuration. Adding or removing an overlay file re-runs it.

# Reads the overlays of all backends. Sets the global properties
# TRITON_OVERLAY_<path> (the replacement of trunk file <path>) and TRITON_OVERLAY_PATHS (all those paths).
function(triton_read_overlays)
  foreach(backend IN LISTS TRITON_BACKENDS)
    triton_backend_dir(${backend} dir)
    set(root ${dir}/backend/spec)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${root}
      ${root}/include/*.h ${root}/include/*.td ${root}/lib/*.h ${root}/lib/*.cpp)
    list(SORT files)
    foreach(path IN LISTS files)
      get_filename_component(name ${path} NAME)
      if(NOT name STREQUAL "flagtree_spec.h" AND NOT name MATCHES "^${backend}_")
        _triton_add_overlay(${backend} ${root} ${path})
      endif()
    endforeach()
    if(IS_DIRECTORY ${root}/include)
      set(_include_dirs ${_include_dirs} ${root}/include)
    endif()
  endforeach()
  set(TRITON_SPEC_INCLUDE_DIRS ${_include_dirs} PARENT_SCOPE)
endfunction()

function(_triton_add_overlay backend root path)
  set(file ${root}/${path})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${path})
    _triton_nearest_trunk_file(${path} nearest)
    message(FATAL_ERROR
      "Backend '${backend}' specializes ${path}, but the trunk has no such file.\n"
      "  overlay file: ${file}\n"
      "  nearest trunk file: ${nearest}\n"
      "Move the overlay file to the path of the file it replaces, or call it ${backend}_<name> if it replaces none.")
  endif()
  get_property(other GLOBAL PROPERTY TRITON_OVERLAY_${path})
  if(other)
    message(FATAL_ERROR
      "Two backends specialize ${path}, so they cannot be built together:\n  ${other}\n  ${file}\n"
      "Build one of them, or move what they share into the trunk file.")
  endif()
  file(SIZE ${file} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "Backend '${backend}' specializes ${path} with an empty file: ${file}. Delete it or fill it.")
  endif()
  set_property(GLOBAL PROPERTY TRITON_OVERLAY_${path} ${file})
  set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_PATHS ${path})
  message(STATUS "Specialization of '${backend}': ${path}")
endfunction()

# The trunk file whose path resembles `path` most.
function(_triton_nearest_trunk_file path out)
  file(GLOB_RECURSE trunk RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/*.td ${PROJECT_SOURCE_DIR}/lib/*.h
    ${PROJECT_SOURCE_DIR}/lib/*.cpp)
  set(nearest "(none)")
  if(trunk)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
        "import difflib, sys; print(difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1, 0)[0])" ${path} ${trunk}
      OUTPUT_VARIABLE nearest OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${out} ${nearest} PARENT_SCOPE)
endfunction()

# Sets `out` to `sources` with every trunk file replaced by its overlay file.
function(triton_specialize_sources out)
  set(result "")
  foreach(source IN LISTS ARGN)
    get_filename_component(absolute ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${absolute})
    get_property(overlay GLOBAL PROPERTY TRITON_OVERLAY_${path})
    if(overlay)
      set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_USED ${path})
      # What the trunk file includes from its own folder must still be found.
      get_filename_component(folder ${absolute} DIRECTORY)
      set_property(SOURCE ${overlay} APPEND PROPERTY INCLUDE_DIRECTORIES ${folder})
      list(APPEND result ${overlay})
    else()
      list(APPEND result ${source})
    endif()
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# TableGen reads the overlay's .td where there is one. A macro, because the command it wraps reports to its caller.
macro(mlir_tablegen)
  get_filename_component(_td ${LLVM_TARGET_DEFINITIONS} ABSOLUTE)
  file(RELATIVE_PATH _td ${PROJECT_SOURCE_DIR} ${_td})
  get_property(_td_overlay GLOBAL PROPERTY TRITON_OVERLAY_${_td})
  if(_td_overlay)
    set(LLVM_TARGET_DEFINITIONS ${_td_overlay})
  endif()
  _mlir_tablegen(${ARGV})
endmacro()

# To be called after all targets exist: links FlagTree_<b>_<Target> and checks that every overlay source was compiled.
function(triton_finish_specialization)
  get_property(targets GLOBAL PROPERTY TRITON_LIBS)
  foreach(backend IN LISTS TRITON_BACKENDS)
    foreach(target IN LISTS targets)
      if(TARGET FlagTree_${backend}_${target})
        target_link_libraries(${target} PUBLIC FlagTree_${backend}_${target})
        message(STATUS "Specialization of '${backend}': library FlagTree_${backend}_${target}")
      endif()
    endforeach()
  endforeach()
  get_property(paths GLOBAL PROPERTY TRITON_OVERLAY_PATHS)
  get_property(used GLOBAL PROPERTY TRITON_OVERLAY_USED)
  foreach(path IN LISTS paths)
    if(path MATCHES "\\.cpp$" AND NOT path IN_LIST used)
      get_property(file GLOBAL PROPERTY TRITON_OVERLAY_${path})
      message(FATAL_ERROR
        "No target compiles ${path}, so its specialization ${file} would have no effect. "
        "Delete it, or add the trunk file to a library made with add_triton_library.")
    endif()
  endforeach()
endfunction()
