# What is installed: the library with its headers for find_package(mirab); the manual page and the shells' completions,
# which the command line itself generates; the project's papers; and the .deb of it all.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mirab)

install(TARGETS mirab EXPORT mirab)
install(DIRECTORY include/mirab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp PATTERN *.h)
install(EXPORT mirab NAMESPACE mirab:: FILE mirabTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(cmake/mirabConfig.cmake.in mirabConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(mirabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mirabConfig.cmake ${PROJECT_BINARY_DIR}/mirabConfigVersion.cmake
  cmake/FindDeflate.cmake cmake/FindGMPXX.cmake DESTINATION ${config_dir})

# A build folder can be found as well as an installed prefix: -Dmirab_DIR=build/release.
export(EXPORT mirab NAMESPACE mirab:: FILE mirabTargets.cmake)
foreach(module FindDeflate FindGMPXX)
  configure_file(cmake/${module}.cmake ${module}.cmake COPYONLY)
endforeach()

# For pkg-config. A user of a static Mirab links what it needs, too. The prefix is where the file stands.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH MIRAB_PC_TO_PREFIX /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" MIRAB_PC_TO_PREFIX ${MIRAB_PC_TO_PREFIX})
set(MIRAB_PC_REQUIRES Requires)
if(BUILD_SHARED_LIBS)
  set(MIRAB_PC_REQUIRES Requires.private)
endif()
configure_file(cmake/mirab.pc.in mirab.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mirab.pc DESTINATION ${pkgconfig_dir})

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# Compressed without a time in it, so that the same source gives the same package.
function(mirab_install_compressed source name folder)
  set(compressed ${PROJECT_BINARY_DIR}/installed/${name}.gz)
  add_custom_command(OUTPUT ${compressed} DEPENDS ${source} VERBATIM
    COMMAND sh -c "gzip -9 -n < \"$1\" > \"$2\"" gzip ${source} ${compressed})
  add_custom_target(mirab_compressed_${name} ALL DEPENDS ${compressed})
  install(FILES ${compressed} DESTINATION ${folder})
endfunction()

# What `mirab generate WHAT` prints, in a file.
function(mirab_generate what name)
  set(file ${PROJECT_BINARY_DIR}/installed/${name})
  add_custom_command(OUTPUT ${file} DEPENDS mirab_cli VERBATIM
    COMMAND sh -c "\"$1\" generate $2 > \"$3\"" generate $<TARGET_FILE:mirab_cli> ${what} ${file})
  add_custom_target(mirab_generated_${what} ALL DEPENDS ${file})
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed)
if(MIRAB_CLI)
  mirab_generate(bash mirab)
  mirab_generate(zsh _mirab)
  mirab_generate(fish mirab.fish)
  set(generated ${PROJECT_BINARY_DIR}/installed)
  set(pages ${generated}/man)
  add_custom_command(OUTPUT ${pages}.stamp DEPENDS mirab_cli VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man1 ${pages}/man5
    COMMAND mirab_cli generate man ${pages} ${CMAKE_INSTALL_FULL_DOCDIR}
    COMMAND sh -c "cd man && mv *.1 man1 && mv *.5 man5 && gzip -9 -n man?/*"
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}.stamp
    WORKING_DIRECTORY ${generated})
  add_custom_target(mirab_manual ALL DEPENDS ${pages}.stamp)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${generated}/mirab DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${generated}/_mirab DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${generated}/mirab.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# A package is for the release of Debian that it was built on, and says so in its version: 0.1.0-1~deb12.
cmake_host_system_information(RESULT MIRAB_DEBIAN QUERY DISTRIB_INFO)
set(MIRAB_DEBIAN_REVISION 1)
if(MIRAB_DEBIAN_ID STREQUAL "debian" AND MIRAB_DEBIAN_VERSION_ID)
  set(MIRAB_DEBIAN_REVISION 1~deb${MIRAB_DEBIAN_VERSION_ID})
else()
  set(MIRAB_DEBIAN_VERSION_CODENAME unstable)
endif()

# Debian's names: copyright, changelog and changelog.Debian.
configure_file(cmake/debian/changelog.in installed/changelog.Debian @ONLY)
mirab_install_compressed(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog ${CMAKE_INSTALL_DOCDIR})
mirab_install_compressed(${PROJECT_BINARY_DIR}/installed/changelog.Debian changelog.Debian ${CMAKE_INSTALL_DOCDIR})
install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The service as a unit of systemd, with a user of its own.
if(MIRAB_SERVICE AND MIRAB_CLI)
  configure_file(cmake/debian/mirab.service.in installed/mirab.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/installed/mirab.service DESTINATION lib/systemd/system)
  install(FILES cmake/debian/mirab.sysusers DESTINATION lib/sysusers.d RENAME mirab.conf)
  foreach(script postinst prerm postrm)
    list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/${script})
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME mirab)
set(CPACK_PACKAGE_VENDOR "the Mirab maintainers")
set(CPACK_PACKAGE_CONTACT "the Mirab maintainers <maintainers@mirab.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fair sharing of a cluster's resources among its users")
set(CPACK_PACKAGE_DESCRIPTION
"Mirab shares a cluster's CPUs, memory, GPUs and all else among its users by
dominant resource fairness, proportional fairness, asset fairness, max-min
fairness and their kin, task by task or divisibly, and shows why it is fair.
This package holds the command line, the C++ library and its headers.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${MIRAB_DEBIAN_REVISION})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libdeflate-dev, libfmt-dev, libgmp-dev, libyaml-cpp-dev, zlib1g-dev") # to link the library
include(CPack)
