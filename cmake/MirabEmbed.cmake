# mirab_embed(<target> <symbol> <file>): the bytes of a file as part of a program. A generated source file defines
#   extern const unsigned char <symbol>[]; extern const std::size_t <symbol>_size;   (both in namespace mirab::embedded)
# Run as a script (cmake -DSYMBOL= -DINPUT= -DOUTPUT= -P), this file writes that source file.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE ${OUTPUT} "#include <cstddef>\n\nnamespace mirab::embedded {\n"
    "extern const unsigned char ${SYMBOL}[];\nextern const std::size_t ${SYMBOL}_size;\n"
    "const unsigned char ${SYMBOL}[] = {\n${bytes}};\nconst std::size_t ${SYMBOL}_size = sizeof ${SYMBOL};\n}\n")
  return()
endif()

set(MIRAB_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(mirab_embed target symbol file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DINPUT=${file} -DOUTPUT=${source} -P ${MIRAB_EMBED_SCRIPT}
    DEPENDS ${file} ${MIRAB_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
