# Installs BUILD into a scratch prefix, then builds and runs the consumer SOURCE against it.
file(REMOVE_RECURSE ${SCRATCH})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${code}):\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/example)
# By hand: a = τ·ln(1 + P/g)/L for the power limit, E^max/E^c = 0.125 for the energy limit.
set(expected "1: probability 0.9131, power 0.2 W, limit power
2: probability 0.1250, power 8.988e-07 W, limit energy
3: probability 0.6630, power 0.2 W, limit power
")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the consumer printed\n${output}\nand not\n${expected}")
endif()
run(${SCRATCH}/build/training)
# The program runs from the prefix.
run(${SCRATCH}/prefix/bin/airlot --version)
if(NOT output MATCHES "^airlot [0-9]")
  message(FATAL_ERROR "airlot --version printed ${output}")
endif()
