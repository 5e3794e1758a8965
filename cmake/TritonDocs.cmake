# The target triton-doc: documentation of the dialects and passes of this build, in <build>/docs. It is made from the very
# .td files that the code is made from, so it shows what a backend has specialized, and backends' own dialects.

add_custom_target(triton-doc COMMENT "Documentation of dialects and passes")

# Called with the arguments of each mlir_tablegen: documents a dialect with its declaration, passes with theirs.
function(triton_document)
  if("-gen-dialect-decls" IN_LIST ARGV)
    string(REGEX MATCH "-dialect=([a-z_0-9]+)" _ "${ARGV}")
    _triton_add_document(${CMAKE_MATCH_1} -gen-dialect-doc -dialect=${CMAKE_MATCH_1})
  elseif("-gen-pass-decls" IN_LIST ARGV)
    list(FIND ARGV -name index)
    math(EXPR index "${index} + 1")
    list(GET ARGV ${index} name)
    _triton_add_document(${name}Passes -gen-pass-doc)
  endif()
endfunction()

function(_triton_add_document name)
  get_filename_component(source ${LLVM_TARGET_DEFINITIONS} ABSOLUTE)
  get_directory_property(includes INCLUDE_DIRECTORIES)
  list(TRANSFORM includes PREPEND -I)
  set(output ${PROJECT_BINARY_DIR}/docs/${name}.md)
  set(depfile ${CMAKE_CURRENT_BINARY_DIR}/${name}.md.d)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/docs
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${includes} ${source} -o ${output} -d ${depfile}
    DEPENDS ${MLIR_TABLEGEN_EXE} ${source}
    DEPFILE ${depfile})
  add_custom_target(triton-doc-${name} DEPENDS ${output})
  add_dependencies(triton-doc triton-doc-${name})
endfunction()
