# Finds the COIN-OR linear programming solver and defines Clp::Clp.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC_CLP REQUIRED IMPORTED_TARGET clp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Clp REQUIRED_VARS PC_CLP_LIBRARIES VERSION_VAR PC_CLP_VERSION)
if(Clp_FOUND AND NOT TARGET Clp::Clp)
  add_library(Clp::Clp INTERFACE IMPORTED)
  target_link_libraries(Clp::Clp INTERFACE PkgConfig::PC_CLP)
endif()
