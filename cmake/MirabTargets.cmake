# What every target of this project shares: the language, the warnings, and reproducible arithmetic.
function(mirab_defaults target)
  file(RELATIVE_PATH source_dir ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}) # as ccache writes it
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
    # Assertions name the file, not the folder it was built in.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${source_dir}=
    -ffp-contract=off # no fused multiply-add behind our back: the same digits on every machine
    # GCC 12 at -O3 sees overlaps in std::string's own code that cannot be (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # GCC 12 and 14 take std::regex's own automaton, members of aggregates with designated initializers and what is in a
    # std::optional for uninitialized where they are not (GCC bug 105562 and its like).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # GCC 13 and 14 think that a reference into an argument dangles when another argument is a temporary.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
    # GCC collects its garbage from 300 MB on, by default from 128 MB at the most.
    $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=300000>
    $<$<BOOL:${MIRAB_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# mirab_unity(<target> [TOGETHER <folder>...] [APART <folder>...]): the files of a folder are one translation unit, since a
# unit reads the headers and instantiates the templates that its files share only once. All files below a folder of
# TOGETHER are one unit, but for those in a folder of APART, which take long enough alone. So names in anonymous
# namespaces are unique within a unit.
function(mirab_unity target)
  cmake_parse_arguments(arg "" "" "TOGETHER;APART" ${ARGN})
  if(NOT MIRAB_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Clang's -Wshadow minds local names that are also those of another file; g++'s and the preset tidy's do not.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "TARGET_OBJECTS")
  foreach(source ${sources})
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    get_filename_component(place ${source} DIRECTORY)
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${place})
    foreach(together ${arg_TOGETHER})
      if("${place}/" MATCHES "^${together}/" AND NOT place IN_LIST arg_APART)
        set(place ${together})
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${place}" group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# mirab_optimise_little(<target>): for what computes little. It compiles in two thirds of the time.
function(mirab_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# mirab_precompile(<target> [AS <other target>] [<header>...]): headers that many files include, read once. Targets with equal
# options share what one of them has precompiled. Not for what is compiled with -O3: there it saves little, and g++ 12
# then warns of the standard library's own code.
function(mirab_precompile target)
  cmake_parse_arguments(arg "" "AS" "" ${ARGN})
  if(NOT MIRAB_PRECOMPILE)
    return()
  endif()
  if(arg_AS)
    target_precompile_headers(${target} REUSE_FROM ${arg_AS})
  else()
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory> <numeric> <optional>
      <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
      <fmt/format.h> <fmt/ranges.h> ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# mirab_test_options(<target>): how the tests' own code is compiled.
function(mirab_test_options target)
  mirab_defaults(${target})
  # Tests are compiled more often than they run: their own code is optimised for the debugger (-Og compiles faster than
  # -O0 and -O1, since less is written than with the one and less is optimised than with the other), what they test as it is shipped.
  # Many of their files are one translation unit, where a local name may be that of another file's constant.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og> -Wno-shadow)
  # Under a sanitizer they are not optimised at all: instrumented code takes most of its compile time to optimise.
  if(MIRAB_SANITIZED)
    target_compile_options(${target} PRIVATE -O0)
    target_compile_definitions(${target} PRIVATE MIRAB_SANITIZED)
  endif()
  target_compile_definitions(${target} PRIVATE MIRAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE mirab fmt::fmt GMP::gmpxx GTest::gmock_main)
endfunction()

# mirab_tests(<name> SOURCES <file>... [LIBRARIES <target>...]): one test program. ctest runs its cases in a few processes
# (MIRAB_TEST_SHARDS), since a process takes longer to start than most cases; 0 gives each case one of its own.
function(mirab_tests name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name}_tests ${arg_SOURCES})
  mirab_test_options(${name}_tests)
  mirab_precompile(${name}_tests AS mirab_tests_headers)
  set_target_properties(${name}_tests PROPERTIES UNITY_BUILD ${MIRAB_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  set(support ${arg_SOURCES}) # what several test programs share: compiled once, for the compiler cache
  list(FILTER support INCLUDE REGEX "^[.][.]/")
  set_source_files_properties(${support} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name}_tests PRIVATE ${arg_LIBRARIES})
  if(NOT MIRAB_TEST_SHARDS)
    gtest_discover_tests(${name}_tests TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
    return()
  endif()
  math(EXPR last "${MIRAB_TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.shard_${shard} COMMAND ${name}_tests --gtest_brief=1)
    set_tests_properties(${name}.shard_${shard} PROPERTIES TIMEOUT 2400
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${MIRAB_TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
