include(cmake/airlot_unity.cmake)

# airlot_layer(NAME USES layer... SOURCES file... [KERNELS file...] HEADERS file... [TESTS file...]
#   [THREADED file...] [LINK target...])
#
# Declares one folder of src/ as a layer of the library. The build fails where a file of the layer
# includes a folder that is not under USES. KERNELS are those files of SOURCES and TESTS that compile
# for every vector instruction set. TESTS become one test program of the layer. THREADED are those of
# TESTS that run threads: the thread sanitizer runs them and no others.
function(airlot_layer name)
  cmake_parse_arguments(arg "" "" "USES;SOURCES;KERNELS;HEADERS;TESTS;THREADED;LINK" ${ARGN})
  set(objects airlot_${name})
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_include_directories(${objects} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${objects} PRIVATE airlot_flags PUBLIC ${arg_LINK})
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(${objects} PUBLIC airlot_${layer})
  endforeach()
  foreach(file IN LISTS arg_KERNELS)
    # Clang takes minutes to check kernels for undefined behaviour.
    if(AIRLOT_SANITIZE)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=undefined)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        # A check of an address is then a call and not in line, which compiles in a third of the time.
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
          -mllvm -asan-instrumentation-with-call-threshold=0)
      endif()
    endif()
    # Without optimisation, tests of kernels would run for minutes.
    if(file IN_LIST arg_TESTS)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -O1)
      set_property(SOURCE ${file} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  airlot_group_sources(${objects} FILES ${arg_SOURCES} ALONE ${arg_KERNELS})
  set(others ${arg_SOURCES})
  list(REMOVE_ITEM others ${arg_KERNELS} "")
  airlot_tidy_sources(${others})
  target_sources(airlot PRIVATE $<TARGET_OBJECTS:${objects}>)
  airlot_check_includes(${name} USES ${arg_USES} FILES ${arg_SOURCES} ${arg_HEADERS} ${arg_TESTS})
  add_dependencies(${objects} ${name}_includes)
  foreach(file IN LISTS arg_THREADED)
    if(NOT file IN_LIST arg_TESTS)
      message(FATAL_ERROR "${name}: ${file} is THREADED but not one of TESTS")
    endif()
  endforeach()
  if(AIRLOT_SANITIZE STREQUAL "thread")
    set(arg_TESTS ${arg_THREADED})
  endif()
  if(AIRLOT_TESTS AND arg_TESTS)
    airlot_add_test_program(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test PRIVATE ${arg_LINK})
    airlot_group_sources(${name}_test FILES ${arg_TESTS} ALONE ${arg_KERNELS})
    airlot_run_test_program(${name}_test ${name})
  endif()
endfunction()

# airlot_add_test_program(TARGET file...) adds tests that link the library and are compiled quickly.
# All of them share one precompiled header, which has what most tests parse.
function(airlot_add_test_program target)
  add_executable(${target} ${ARGN})
  add_dependencies(unit_tests ${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE airlot airlot_flags airlot_test_libraries)
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} REUSE_FROM airlot_test_headers)
endfunction()

# airlot_run_test_program(TARGET NAME [PROCESSES]) runs tests in few processes, so that what one
# test makes serves the next; it takes two, because a small machine has two cores.
function(airlot_run_test_program target name)
  set(processes 2)
  if(ARGC GREATER 2)
    set(processes ${ARGV2})
  endif()
  foreach(process RANGE 1 ${processes})
    math(EXPR index "${process} - 1")
    add_test(NAME ${name}.${process} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name}.${process} PROPERTIES TIMEOUT 1800 LABELS unit
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# airlot_compile_quickly(TARGET) is for code in which a run spends no time: it compiles in a third
# of the time. With sanitizers it is not optimised at all.
function(airlot_compile_quickly target)
  if(AIRLOT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
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
