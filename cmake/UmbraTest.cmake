# Tests and benchmarks: one helper each, so that labels and flags are the same everywhere.

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

# umbra_test(hotpath.ring SOURCES ring_test.cpp DEPENDS umbra::hotpath [LABELS unit])
# The ctest name is the path of what is tested; the executable is test_<name with _>.
function(umbra_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE umbra_flags ${ARG_DEPENDS} GTest::gtest_main GTest::gmock)
  add_test(NAME ${name} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

# umbra_script_test(integration.counts COMMAND ... [LABELS integration])
# A script answers 77 for "skipped" and says why on its output.
function(umbra_script_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# umbra_benchmark(hotpath.stub SOURCES stub_bench.cpp DEPENDS ...)
function(umbra_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  string(REPLACE "." "_" target bench_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE umbra_flags ${ARG_DEPENDS} benchmark::benchmark)
endfunction()
