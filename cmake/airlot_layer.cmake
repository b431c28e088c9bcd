# airlot_layer(NAME USES layer... SOURCES file... [KERNELS file...] HEADERS file... [TESTS file...]
#   [LINK target...])
#
# Declares one folder of src/ as a layer of the library. The build fails where a file of the layer
# includes a folder that is not under USES. KERNELS are those files of SOURCES and TESTS that compile
# for every vector instruction set. TESTS become one test program of the layer.
function(airlot_layer name)
  cmake_parse_arguments(arg "" "" "USES;SOURCES;KERNELS;HEADERS;TESTS;LINK" ${ARGN})
  set(objects airlot_${name})
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_include_directories(${objects} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${objects} PRIVATE airlot_flags PUBLIC ${arg_LINK})
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(${objects} PUBLIC airlot_${layer})
  endforeach()
  foreach(file IN LISTS arg_KERNELS)
    if(AIRLOT_SANITIZE)  # clang takes minutes to check them for undefined behaviour
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=undefined)
    endif()
    if(file IN_LIST arg_TESTS)  # without optimisation they would run for minutes
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -O1)
      set_property(SOURCE ${file} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  target_sources(airlot PRIVATE $<TARGET_OBJECTS:${objects}>)
  airlot_check_includes(${name} USES ${arg_USES} FILES ${arg_SOURCES} ${arg_HEADERS} ${arg_TESTS})
  add_dependencies(${objects} ${name}_includes)
  if(AIRLOT_TESTS AND arg_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    add_dependencies(unit_tests ${name}_test)
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name}_test PRIVATE airlot airlot_flags GTest::gtest_main ${arg_LINK})
    airlot_compile_quickly(${name}_test <gtest/gtest.h>)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES TIMEOUT 600)
  endif()
endfunction()

# For code that is run seldom: without optimisation, and with the headers that it parses most compiled
# before, a file takes a second and not seven.
function(airlot_compile_quickly target)
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <fmt/format.h> <fstream> <functional>
    <map> <memory> <optional> <span> <string> <vector> ${ARGN})
endfunction()

# Fails the build where a file of folder `name` includes a folder of src/ that is not under USES.
function(airlot_check_includes name)
  cmake_parse_arguments(arg "" "" "USES;FILES" ${ARGN})
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}_includes.stamp)
  string(REPLACE ";" "," files "${arg_FILES}")
  string(REPLACE ";" "," uses "${name};${arg_USES}")
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DFILES=${files} -DALLOWED=${uses} -DSTAMP=${stamp}
      -P ${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake
    DEPENDS ${arg_FILES} ${PROJECT_SOURCE_DIR}/cmake/check_includes.cmake VERBATIM)
  add_custom_target(${name}_includes ALL DEPENDS ${stamp})
endfunction()
