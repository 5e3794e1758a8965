# Errors in the C++ specialization of a backend. Whatever would have no effect is one.

# A folder of `spec` that mirrors nothing.
function(triton_check_spec_folders backend root)
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE ${root} ${root}/*)
  foreach(name IN LISTS entries)
    if(IS_DIRECTORY ${root}/${name} AND NOT name MATCHES "^(include|lib|triton|__pycache__|\\..*)$")
      _triton_nearest(${name} nearest include lib triton)
      message(FATAL_ERROR
        "Backend '${backend}' has a folder ${root}/${name}, which specializes nothing.\n"
        "  nearest name: ${nearest}\n"
        "include and lib mirror the trunk's folders of these names, triton mirrors python/triton.")
    endif()
  endforeach()
endfunction()

# A header in the backend's ordinary include folder that looks as if it replaced the trunk's: the trunk's is found first.
function(triton_check_shadowed_headers backend dir)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/include/*)
  foreach(path IN LISTS files)
    get_filename_component(name ${path} NAME)
    if(name STREQUAL "flagtree_spec.h" OR (EXISTS ${PROJECT_SOURCE_DIR}/${path} AND NOT name STREQUAL "CMakeLists.txt"))
      message(FATAL_ERROR
        "Backend '${backend}' has ${dir}/${path}, which is ambiguous: the trunk's files do not see it, the backend's might.\n"
        "Move it to ${dir}/backend/spec/${path}, where it specializes the trunk, or give it another path.")
    endif()
  endforeach()
endfunction()

# flagtree_spec.h: in one place, of one backend.
function(triton_check_top_header backend root path)
  set(file ${root}/${path})
  if(NOT path STREQUAL "include/flagtree_spec.h")
    message(FATAL_ERROR
      "Backend '${backend}' has ${file}, which nothing finds. Move it to ${root}/include/flagtree_spec.h.")
  endif()
  get_property(other GLOBAL PROPERTY TRITON_SPEC_HEADERS)
  if(other)
    message(FATAL_ERROR
      "Two backends have a flagtree_spec.h, of which the trunk would read only the first:\n  ${other}\n  ${file}\n"
      "Build one of them.")
  endif()
  _triton_check_content(${backend} "the trunk by macros" ${file})
  set_property(GLOBAL PROPERTY TRITON_SPEC_HEADERS ${file})
endfunction()

# A file that takes the place of trunk file `path`.
function(triton_check_overlay backend root path)
  set(file ${root}/${path})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${path})
    triton_nearest_trunk_file(${path} nearest)
    message(FATAL_ERROR
      "Backend '${backend}' specializes ${path}, but the trunk has no such file.\n"
      "  overlay file: ${file}\n"
      "  nearest trunk file: ${nearest}\n"
      "Move the overlay file to the path of the file it replaces, or call it ${backend}_<name> if it replaces none.")
  endif()
  if(NOT path MATCHES "\\.(h|td|cpp)$")
    message(FATAL_ERROR
      "Backend '${backend}' specializes ${path} with ${file}, but only .h, .td and .cpp files can be replaced.")
  endif()
  get_property(other GLOBAL PROPERTY TRITON_OVERLAY_${path})
  if(other)
    message(FATAL_ERROR
      "Two backends specialize ${path}, so they cannot be built together:\n  ${other}\n  ${file}\n"
      "Build one of them, or move what they share into the trunk file.")
  endif()
  _triton_check_content(${backend} ${path} ${file})
  if(path MATCHES "^lib/.*\\.h$")
    _triton_include_guard(${PROJECT_SOURCE_DIR}/${path} trunk)
    _triton_include_guard(${file} own)
    if(NOT own STREQUAL trunk)
      message(FATAL_ERROR
        "Backend '${backend}' specializes ${path} with ${file}, whose include guard is '${own}'. It must be the trunk's, "
        "'${trunk}': files that include the trunk's header would get both.")
    endif()
  endif()
endfunction()

# The name behind the first #ifndef of a header.
function(_triton_include_guard file out)
  file(STRINGS ${file} line REGEX "^[ \t]*#[ \t]*ifndef[ \t]" LIMIT_COUNT 1)
  string(REGEX REPLACE "^[ \t]*#[ \t]*ifndef[ \t]+" "" guard "${line}")
  set(${out} "${guard}" PARENT_SCOPE)
endfunction()

function(_triton_check_content backend what file)
  if(NOT EXISTS ${file}) # a link to nowhere, or no permission
    message(FATAL_ERROR "Backend '${backend}' specializes ${what} with a file that cannot be read: ${file}.")
  endif()
  file(SIZE ${file} size)
  if(size EQUAL 0)
    message(FATAL_ERROR
      "Backend '${backend}' specializes ${what} with an empty file: ${file}. Delete it or fill it.")
  endif()
endfunction()

# Macros that the trunk does not read, or does not get to see. Prints those that it reads.
function(triton_check_macros)
  set(arguments "")
  foreach(backend IN LISTS TRITON_BACKENDS)
    triton_backend_dir(${backend} dir)
    if(IS_DIRECTORY ${dir}/backend/spec/include)
      list(APPEND arguments ${backend} ${dir}/backend/spec)
    endif()
  endforeach()
  if(NOT arguments)
    return()
  endif()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../python/triton/cli/_cpp_macros.py
      ${PROJECT_SOURCE_DIR} ${arguments}
    OUTPUT_VARIABLE output ERROR_VARIABLE problems RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(result)
    message(FATAL_ERROR "${problems}")
  endif()
  string(REGEX MATCH "^([^\n]*)\n?(.*)$" _ "${output}")
  foreach(macro IN LISTS CMAKE_MATCH_1)
    message(STATUS "Specialization of ${macro}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_MATCH_2})
endfunction()

# A library FlagTree_* of `backend` that is linked into nothing.
function(triton_check_library backend library targets)
  string(REGEX REPLACE "^FlagTree_[^_]*_?" "" target ${library})
  if(library MATCHES "^FlagTree_${backend}_(.+)$" AND CMAKE_MATCH_1 IN_LIST targets)
    return()
  endif()
  list(TRANSFORM targets PREPEND FlagTree_${backend}_ OUTPUT_VARIABLE known)
  list(FILTER known EXCLUDE REGEX "^FlagTree_${backend}_FlagTree_")
  _triton_nearest(${library} nearest ${known})
  message(FATAL_ERROR
    "Backend '${backend}' defines ${library}, which belongs to no library of the trunk.\n  nearest name: ${nearest}\n"
    "Call it FlagTree_${backend}_<trunk library>.")
endfunction()

# Overlay sources that no target compiles. `sources` are those of the backends' targets.
function(triton_check_use sources)
  get_property(paths GLOBAL PROPERTY TRITON_OVERLAY_PATHS)
  get_property(used GLOBAL PROPERTY TRITON_OVERLAY_USED)
  list(FILTER paths INCLUDE REGEX "^lib/")
  foreach(path IN LISTS paths)
    if(NOT path IN_LIST used)
      get_property(file GLOBAL PROPERTY TRITON_OVERLAY_${path})
      message(FATAL_ERROR
        "No target compiles ${path}, so its specialization ${file} would have no effect. "
        "Delete it, or add the trunk file to a library made with add_triton_library.")
    endif()
  endforeach()
  get_property(own GLOBAL PROPERTY TRITON_OVERLAY_OWN)
  list(FILTER own INCLUDE REGEX "\\.cpp$")
  foreach(file IN LISTS own)
    if(NOT file IN_LIST sources)
      message(FATAL_ERROR
        "No target compiles ${file}. Add it to a library FlagTree_<backend>_<trunk library> in the backend's "
        "CMakeLists.txt, or delete it.")
    endif()
  endforeach()
endfunction()

# The trunk file whose path resembles `path` most.
function(triton_nearest_trunk_file path out)
  file(GLOB_RECURSE trunk RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/*.td ${PROJECT_SOURCE_DIR}/lib/*.h
    ${PROJECT_SOURCE_DIR}/lib/*.cpp)
  _triton_nearest(${path} nearest ${trunk})
  set(${out} ${nearest} PARENT_SCOPE)
endfunction()

function(_triton_nearest name out)
  set(nearest "(none)")
  if(ARGN)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
        "import difflib, sys; print(difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1, 0)[0])" ${name} ${ARGN}
      OUTPUT_VARIABLE nearest OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${out} ${nearest} PARENT_SCOPE)
endfunction()
