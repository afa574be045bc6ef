# Static libraries (MIRAB_PORTABLE), for the files of `make release`: the program runs on any Linux of the processor, and
# the Python module needs the C library, and GMP, which the wheel brings: Debian's static GMP cannot be part of a shared
# object. From Debian's static libraries, and fmt from its headers.
find_library(GMP_SHARED_LIBRARY gmp REQUIRED)
if(BUILD_SHARED_LIBS)
  message(FATAL_ERROR "MIRAB_PORTABLE links statically: it does not go with BUILD_SHARED_LIBS")
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
find_library(YAML_CPP_LIBRARY yaml-cpp REQUIRED)
add_library(yaml-cpp STATIC IMPORTED GLOBAL)
set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION ${YAML_CPP_LIBRARY})
add_library(mirab_fmt STATIC cmake/portable/fmt.cpp)
set_target_properties(mirab_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_features(mirab_fmt PUBLIC cxx_std_20)
target_compile_definitions(mirab_fmt PUBLIC FMT_SHARED) # as fmt's own package has it: so that the cache's objects serve
add_library(fmt::fmt ALIAS mirab_fmt)

# mirab_link_portable(<target>): a program without shared libraries; a module with those of the C library alone.
function(mirab_link_portable target)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -static)
  else()
    target_link_options(${target} PRIVATE
      -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,--no-as-needed ${GMP_SHARED_LIBRARY})
    set_target_properties(${target} PROPERTIES BUILD_RPATH "\$ORIGIN/../mirab.libs")
  endif()
endfunction()
