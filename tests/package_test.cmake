# Builds and runs the consumer SOURCE against the package that is installed in PREFIX.
file(REMOVE_RECURSE ${SCRATCH})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${code}):\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --parallel 2)

# By hand, a = τ·ln(1 + P/g)/L for the power limit, and E^max/E^c = 0.125 for the energy limit.
set(expected "1: probability 0.9131, power 0.2 W, limit power
2: probability 0.1250, power 8.988e-07 W, limit energy
3: probability 0.6630, power 0.2 W, limit power
")
function(run_example program)
  run(${program})
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed\n${output}\nand not\n${expected}")
  endif()
endfunction()
run_example(${SCRATCH}/build/example)
foreach(program namespace_scope planner_only training)
  run(${SCRATCH}/build/${program})
endforeach()

# The consumer is built by pkg-config as well, with and without --static.
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
file(GLOB pkgconfig ${PREFIX}/lib*/pkgconfig ${PREFIX}/lib/*/pkgconfig)
set(ENV{PKG_CONFIG_PATH} ${pkgconfig})
foreach(option "" --static)
  run(${PKG_CONFIG} --cflags --libs ${option} airlot)
  separate_arguments(found UNIX_COMMAND "${output}")
  run(${COMPILER} -std=c++20 ${SOURCE}/example.cc -o ${SCRATCH}/example${option} ${found})
  run_example(${SCRATCH}/example${option})
endforeach()

# The program runs from the prefix.
run(${PREFIX}/bin/airlot --version)
if(NOT output MATCHES "^airlot [0-9]")
  message(FATAL_ERROR "airlot --version printed ${output}")
endif()
