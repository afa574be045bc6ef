# Mirab is installed into the build directory, and tests/consumer is built against it and run; so it is against the build
# folder, and with pkg-config. That the sources can be a part of another project is configured only: building the library
# again takes minutes.
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/consumer/prefix)

add_test(NAME consumer.MirabInstalls
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
add_test(NAME consumer.FindPackageFindsIt
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer
    ${CMAKE_CURRENT_BINARY_DIR}/consumer/build --build-generator ${CMAKE_GENERATOR} --build-options
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE})
add_test(NAME consumer.DrfGivesThreeAndTwoTasks COMMAND ${CMAKE_CURRENT_BINARY_DIR}/consumer/build/consumer)

set_tests_properties(consumer.MirabInstalls PROPERTIES FIXTURES_SETUP mirab-installed)
set_tests_properties(consumer.FindPackageFindsIt PROPERTIES
  FIXTURES_REQUIRED mirab-installed FIXTURES_SETUP consumer-built)
set_tests_properties(consumer.DrfGivesThreeAndTwoTasks PROPERTIES
  FIXTURES_REQUIRED consumer-built PASS_REGULAR_EXPRESSION "^A 3\nB 2\n$")

set(consumer ${CMAKE_CURRENT_SOURCE_DIR}/consumer)
add_test(NAME consumer.PkgConfigLinksIt
  COMMAND bash -c "PKG_CONFIG_PATH=$1/${CMAKE_INSTALL_LIBDIR}/pkgconfig && export PKG_CONFIG_PATH &&
    $2 ${CMAKE_CXX_FLAGS} -std=c++20 $3/main.cpp $(pkg-config --cflags --libs mirab) -o $1/pkg-config-consumer &&
    $1/pkg-config-consumer" pkg-config ${prefix} ${CMAKE_CXX_COMPILER} ${consumer})
set_tests_properties(consumer.PkgConfigLinksIt PROPERTIES
  FIXTURES_REQUIRED mirab-installed PASS_REGULAR_EXPRESSION "^A 3\nB 2\n$")
add_test(NAME consumer.ABuildFolderIsFound
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${consumer} ${CMAKE_CURRENT_BINARY_DIR}/consumer/of-build-folder
    --build-generator ${CMAKE_GENERATOR} --build-options -Dmirab_DIR=${PROJECT_BINARY_DIR}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} --test-command consumer)
add_test(NAME consumer.ItsSourcesCanBeAPartOfAProject
  COMMAND ${CMAKE_COMMAND} -S ${consumer} -B ${CMAKE_CURRENT_BINARY_DIR}/consumer/of-sources -G ${CMAKE_GENERATOR}
    -DMIRAB_SOURCE=${PROJECT_SOURCE_DIR} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})

add_test(NAME consumer.ANumberOfTestShardsThatIsNoneIsNamed
  COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/consumer/of-no-shards
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DMIRAB_TEST_SHARDS=x)
set_tests_properties(consumer.ANumberOfTestShardsThatIsNoneIsNamed PROPERTIES
  PASS_REGULAR_EXPRESSION "MIRAB_TEST_SHARDS must be a whole number from 0, not 'x'")
