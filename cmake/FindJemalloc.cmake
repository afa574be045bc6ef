# Finds jemalloc, which replaces malloc in what links it, and defines Jemalloc::jemalloc.
find_library(JEMALLOC_LIBRARY jemalloc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jemalloc REQUIRED_VARS JEMALLOC_LIBRARY)
if(JEMALLOC_FOUND AND NOT TARGET Jemalloc::jemalloc)
  add_library(Jemalloc::jemalloc INTERFACE IMPORTED)
  target_link_libraries(Jemalloc::jemalloc INTERFACE ${JEMALLOC_LIBRARY})
endif()
