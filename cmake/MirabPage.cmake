# mirab_page(<name> <output>): npm builds the page of this folder into one file, <output>. The sources are src/ here
# and what all pages share, src/page/, which stands beside them as shared/. All of it happens in a copy below the
# build folder, so that the source tree stays clean; <name>_packages is that copy, with its node_modules.
function(mirab_page name output)
  find_program(MIRAB_NPM npm)
  find_program(MIRAB_NODE NAMES node nodejs)
  if(NOT MIRAB_NPM OR NOT MIRAB_NODE)
    message(FATAL_ERROR
      "The pages need npm and node 18 or newer. On Debian: apt-get install npm nodejs\n"
      "Or build the library alone: cmake -DMIRAB_CLI=OFF -DMIRAB_SERVICE=OFF")
  endif()

  set(copy ${CMAKE_CURRENT_BINARY_DIR}/npm)
  set(stamp ${copy}/packages.stamp)
  set(package_files package.json package-lock.json .npmrc)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} src/*)
  file(GLOB shared CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/page ${PROJECT_SOURCE_DIR}/src/page/*)
  list(APPEND sources build.mjs tsconfig.json)

  set(copies)
  set(shared_sources)
  foreach(source ${sources})
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${copy}/${source})
  endforeach()
  foreach(source ${shared})
    list(APPEND shared_sources ${PROJECT_SOURCE_DIR}/src/page/${source})
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/src/page/${source} ${copy}/shared/${source})
  endforeach()

  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${copy}
    COMMAND ${CMAKE_COMMAND} -E copy ${package_files} ${copy}
    COMMAND ${CMAKE_COMMAND} -E chdir ${copy} ${MIRAB_NPM} ci --loglevel=error --no-audit --no-fund --fetch-retries=5
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${package_files}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Installing the packages of the ${name} page"
    VERBATIM)

  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${copy}/src ${copy}/shared
    COMMAND ${CMAKE_COMMAND} -E make_directory ${copy}/src ${copy}/shared
    ${copies}
    COMMAND ${CMAKE_COMMAND} -E chdir ${copy} ${MIRAB_NPM} run --silent build -- --out ${output}
    DEPENDS ${stamp} ${sources} ${shared_sources}
    COMMENT "Bundling the ${name} page"
    VERBATIM)
  set(${name}_packages ${copy} PARENT_SCOPE)
endfunction()
