# C++ specialization: a backend keeps only the files that differ from the trunk.
#
# third_party/<b>/backend/spec/{include,lib} mirrors {include,lib} of the trunk:
#  * a .cpp of the same path takes the trunk file's place in the same target, with the same dependencies;
#  * a .h or .td of include is found first, because spec/include comes first on every include path;
#  * a .h of lib is included before everything else by the sources of its folder, which would look beside themselves first;
#  * flagtree_spec.h and files called <b>_* are the backend's own, they replace nothing;
#  * the library FlagTree_<b>_<Target>, where the backend defines one, is linked into the trunk's <Target>.
#
# What would have no effect stops the configuration. Adding or removing a file re-runs it. docs/specialization-cpp.md is
# the manual, SpecializationChecks.cmake has the errors.
include(SpecializationChecks)
include(TritonDocs)

# Reads the overlays of all backends. Sets TRITON_SPEC_INCLUDE_DIRS, and the global properties
# TRITON_OVERLAY_<path> (the replacement of trunk file <path>) and TRITON_OVERLAY_PATHS (all those paths).
function(triton_read_overlays)
  set(include_dirs "")
  foreach(backend IN LISTS TRITON_BACKENDS)
    triton_backend_dir(${backend} dir)
    set(root ${dir}/backend/spec)
    triton_check_spec_folders(${backend} ${root})
    triton_check_shadowed_headers(${backend} ${dir})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${root} ${root}/include/* ${root}/lib/*)
    list(SORT files)
    foreach(path IN LISTS files)
      get_filename_component(name ${path} NAME)
      if(name STREQUAL "flagtree_spec.h")
        triton_check_top_header(${backend} ${root} ${path})
      elseif(name MATCHES "^${backend}_")
        set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_OWN ${root}/${path})
      elseif(NOT name MATCHES "^\\.|~$|\\.md$|\\.txt$|\\.cmake$")
        _triton_add_overlay(${backend} ${root} ${path})
      endif()
    endforeach()
    if(IS_DIRECTORY ${root}/include)
      list(APPEND include_dirs ${root}/include)
    endif()
  endforeach()
  set(TRITON_SPEC_INCLUDE_DIRS ${include_dirs} PARENT_SCOPE)
  triton_check_macros()
  _triton_name_headers()
endfunction()

function(_triton_add_overlay backend root path)
  triton_check_overlay(${backend} ${root} ${path})
  set_property(GLOBAL PROPERTY TRITON_OVERLAY_${path} ${root}/${path})
  set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_PATHS ${path})
  if(path MATCHES "^lib/.*\\.h$")
    get_filename_component(folder ${path} DIRECTORY)
    set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_HEADERS_${folder} ${path})
  endif()
  message(STATUS "Specialization of '${backend}': ${path}")
endfunction()

# Which headers are found first depends on which exist, and neither ninja nor a compiler cache notices a new one. So
# their names are part of every command.
function(_triton_name_headers)
  get_property(paths GLOBAL PROPERTY TRITON_OVERLAY_PATHS)
  get_property(tops GLOBAL PROPERTY TRITON_SPEC_HEADERS)
  list(FILTER paths INCLUDE REGEX "^include/")
  if(paths OR tops)
    list(TRANSFORM tops REPLACE "^.*/" "") # so that a build elsewhere has the same commands
    string(SHA256 hash "${paths};${tops}")
    string(SUBSTRING ${hash} 0 12 hash)
    set_property(DIRECTORY APPEND PROPERTY COMPILE_DEFINITIONS TRITON_SPECIALIZED_HEADERS=0x${hash})
    set_property(GLOBAL PROPERTY TRITON_OVERLAY_HASH ${hash})
  endif()
endfunction()

# Sets `out` to `sources` with every trunk file replaced by its overlay file.
function(triton_specialize_sources out)
  set(result "")
  foreach(source IN LISTS ARGN)
    get_filename_component(absolute ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${absolute})
    get_filename_component(folder ${path} DIRECTORY)
    get_property(overlay GLOBAL PROPERTY TRITON_OVERLAY_${path})
    if(overlay)
      set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_USED ${path})
      set(source ${overlay})
      # What the trunk file includes from its own folder must still be found.
      set_property(SOURCE ${source} APPEND PROPERTY INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/${folder})
    endif()
    # The include guard, which is the trunk's, then hides the trunk's file.
    get_property(headers GLOBAL PROPERTY TRITON_OVERLAY_HEADERS_${folder})
    foreach(header IN LISTS headers)
      get_property(file GLOBAL PROPERTY TRITON_OVERLAY_${header})
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -include ${file})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY TRITON_OVERLAY_USED ${headers})
    list(APPEND result ${source})
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# TableGen reads the overlay's .td where there is one, and the documentation is made from the same file. A macro, because
# the command it wraps reports to its caller.
macro(mlir_tablegen)
  get_filename_component(_td ${LLVM_TARGET_DEFINITIONS} ABSOLUTE)
  file(RELATIVE_PATH _td ${PROJECT_SOURCE_DIR} ${_td})
  get_property(_td_overlay GLOBAL PROPERTY TRITON_OVERLAY_${_td})
  if(_td_overlay)
    set(LLVM_TARGET_DEFINITIONS ${_td_overlay})
  endif()
  get_property(_td_hash GLOBAL PROPERTY TRITON_OVERLAY_HASH)
  if(_td_hash)
    _mlir_tablegen(${ARGV} -DTRITON_SPECIALIZED_HEADERS_${_td_hash})
  else()
    _mlir_tablegen(${ARGV})
  endif()
  triton_document(${ARGV})
endmacro()

# To be called after all targets exist: links FlagTree_<b>_<Target> and checks that every overlay source was compiled.
function(triton_finish_specialization)
  get_property(targets GLOBAL PROPERTY TRITON_LIBS)
  set(sources "")
  foreach(backend IN LISTS TRITON_BACKENDS)
    triton_backend_dir(${backend} dir)
    _triton_targets_below(${dir} own)
    foreach(library IN LISTS own)
      if(library MATCHES "^FlagTree_")
        triton_check_library(${backend} ${library} "${targets}")
        _triton_link_library(${library} ${backend})
      endif()
      get_target_property(folder ${library} SOURCE_DIR)
      get_target_property(files ${library} SOURCES)
      if(files)
        list(TRANSFORM files PREPEND ${folder}/ REGEX "^[^/]")
        list(APPEND sources ${files})
      endif()
    endforeach()
  endforeach()
  triton_check_use("${sources}")
endfunction()

# Links a backend's library into the trunk target that it is named after. It is compiled as that target is: with its
# private headers, after what it depends on.
function(_triton_link_library library backend)
  string(REGEX REPLACE "^FlagTree_${backend}_" "" target ${library})
  target_link_libraries(${target} PUBLIC ${library})
  triton_backend_dir(${backend} dir)
  get_target_property(folder ${target} SOURCE_DIR)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${folder})
  target_include_directories(${library} PRIVATE ${dir}/backend/spec/${path} ${folder})
  get_target_property(depends ${target} TRITON_DEPENDS)
  if(depends)
    add_dependencies(${library} ${depends})
  endif()
  get_target_property(links ${target} TRITON_LINK_LIBS)
  if(links)
    target_link_libraries(${library} PUBLIC ${links})
  endif()
  get_property(known GLOBAL PROPERTY TRITON_LIBS)
  if(NOT library IN_LIST known)
    triton_compile_options(${library})
    set_property(GLOBAL APPEND PROPERTY TRITON_LIBS ${library})
  endif()
  message(STATUS "Specialization of '${backend}': library ${library}")
endfunction()

# All targets with sources that folders below `dir` define.
function(_triton_targets_below dir out)
  set(result "")
  if(EXISTS ${dir}/CMakeLists.txt)
    set(todo ${dir})
    while(todo)
      list(POP_FRONT todo folder)
      get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
      get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
      list(APPEND result ${targets})
      list(APPEND todo ${below})
    endwhile()
  endif()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# The functions that other FlagTree trees call for each library and .td. Here nothing has to be called.
function(get_flagtree_backend_lib target)
  message(FATAL_ERROR
    "get_flagtree_backend_lib(${target}) is not needed here: a library called FlagTree_<backend>_${target} is linked into "
    "${target} wherever it exists. Delete the call, and the variable it sets from LINK_LIBS.")
endfunction()

function(set_flagtree_backend_td)
  message(FATAL_ERROR
    "set_flagtree_backend_td(${ARGV}) is not needed here: a .td below backend/spec/include is read in the place of the "
    "trunk's file of the same path. Delete the call, and give LLVM_TARGET_DEFINITIONS the trunk's file.")
endfunction()
