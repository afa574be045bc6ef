# What is installed: the library with its headers for find_package(mirab), the papers of the project; and the .deb of it
# all. The command line installs itself (src/cli).
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mirab)

install(TARGETS mirab EXPORT mirab)
install(DIRECTORY include/mirab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(EXPORT mirab NAMESPACE mirab:: FILE mirabTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(cmake/mirabConfig.cmake.in mirabConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(mirabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mirabConfig.cmake ${PROJECT_BINARY_DIR}/mirabConfigVersion.cmake
  cmake/FindGMPXX.cmake DESTINATION ${config_dir})

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# Debian's names and forms: copyright, and the changelogs compressed without a time in them.
configure_file(cmake/debian/changelog.in changelog.Debian @ONLY)
function(install_compressed source target)
  set(compressed ${PROJECT_BINARY_DIR}/${target}.gz)
  add_custom_command(OUTPUT ${compressed} DEPENDS ${source} VERBATIM
    COMMAND sh -c "gzip -9 -n < \"$1\" > \"$2\"" gzip ${source} ${compressed})
  add_custom_target(mirab_${target} ALL DEPENDS ${compressed})
  install(FILES ${compressed} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
install_compressed(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog)
install_compressed(${PROJECT_BINARY_DIR}/changelog.Debian changelog.Debian)
install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(paper README.md NOTICE)
  install(FILES ${paper} DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
endforeach()
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

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
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libgmp-dev, libyaml-cpp-dev, zlib1g-dev") # to link the library
include(CPack)
