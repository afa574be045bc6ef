# Mirab is installed into the build directory, and tests/consumer is built against it and run.
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
