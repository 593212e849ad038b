# Tests and benchmarks: one helper each, so that labels and flags are the same everywhere.

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
# The system's Python has the modules that Debian packages; another one in PATH may not.
find_program(UMBRA_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT UMBRA_PYTHON)
  find_program(UMBRA_PYTHON NAMES python3 REQUIRED)
endif()

# Where no sanitizer prints lines of source, a test's program has no debug information: there are
# 150, of 40 MB each with it.
function(umbra_compile_fast target)
  umbra_precompiled_headers(${target})
  umbra_optimize_little(${target})
  if(NOT UMBRA_SANITIZE)
    target_link_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:LINKER:--strip-debug>)
  endif()
endfunction()

# umbra_built_by(tests_unit test_hotpath_ring): whoever builds the one builds the other.
function(umbra_built_by all target)
  if(NOT TARGET ${all})
    add_custom_target(${all})
  endif()
  add_dependencies(${all} ${target})
endfunction()

# umbra_test(hotpath.ring SOURCES ring_test.cpp DEPENDS umbra::hotpath [LABELS unit])
# The ctest name is the path of what is tested; the executable is test_<name with _>. Each label
# is also a target that builds its tests: tests_unit, tests_concurrency.
function(umbra_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE umbra_flags ${ARG_DEPENDS} umbra_test_main)
  umbra_compile_fast(${target})
  add_test(NAME ${name} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77)
  if(UMBRA_SANITIZE MATCHES address)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.supp:print_suppressions=0;UBSAN_OPTIONS=print_stacktrace=1")
  endif()
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT UMBRA_EMULATED=1)
  endif()
  foreach(label ${ARG_LABELS})
    umbra_built_by(tests_${label} ${target})
  endforeach()
endfunction()

# umbra_tests(hotpath DEPENDS umbra::hotpath [LABELS unit] NAMES ring windows)
# makes hotpath.ring of ring_test.cpp, and so on.
function(umbra_tests of)
  cmake_parse_arguments(ARG "" "" "NAMES" ${ARGN})
  foreach(name ${ARG_NAMES})
    umbra_test(${of}.${name} SOURCES ${name}_test.cpp ${ARG_UNPARSED_ARGUMENTS})
  endforeach()
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

# umbra_python_test(cli.report FILE test_report.py [LABELS golden] [ENVIRONMENT A=1 ...])
# One file of pytest's.
function(umbra_python_test name)
  cmake_parse_arguments(ARG "" "FILE;TIMEOUT" "LABELS;ENVIRONMENT" ${ARGN})
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(APPEND ARG_ENVIRONMENT UMBRA_EMULATED=1)
  endif()
  umbra_script_test(${name}
    COMMAND ${UMBRA_PYTHON} -m pytest -q -rs -p no:cacheprovider
      --rootdir ${PROJECT_SOURCE_DIR}/tests --confcutdir ${PROJECT_SOURCE_DIR}/tests
      ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FILE}
    LABELS ${ARG_LABELS}
    TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT ${ARG_ENVIRONMENT} PYTHONDONTWRITEBYTECODE=1)
endfunction()

# umbra_benchmark(hotpath.stub SOURCES stub_bench.cpp DEPENDS ...)
function(umbra_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  string(REPLACE "." "_" target bench_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE umbra_flags ${ARG_DEPENDS} benchmark::benchmark)
  if(CMAKE_CROSSCOMPILING_EMULATOR)  # in its name, and in its output
    list(GET CMAKE_CROSSCOMPILING_EMULATOR 0 emulator)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/benchmarks/emulated.cpp)
    target_compile_definitions(${target} PRIVATE UMBRA_EMULATOR="${emulator}")
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${target}_emulated)
  endif()
endfunction()

# umbra_fuzz_target(protocol DEPENDS umbra::protocol) is the test fuzz.protocol, from
# protocol_fuzz.cpp. Built with libFuzzer, as the preset asan does, it fuzzes for a while; the
# target fuzzers builds all of these. In every other build the test runs the seeds and the findings
# once.
function(umbra_fuzz_target name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target fuzz_${name})
  set(findings ${CMAKE_CURRENT_SOURCE_DIR}/findings/${name})
  add_executable(${target} ${name}_fuzz.cpp ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE umbra_flags ${ARG_DEPENDS})
  umbra_compile_fast(${target})
  if(NOT UMBRA_SANITIZE MATCHES fuzzer)
    target_sources(${target} PRIVATE replay_main.cpp)
    if(NOT IS_DIRECTORY ${findings})
      set(findings)
    endif()
    umbra_script_test(fuzz.${name} COMMAND ${target} ${findings} LABELS unit
      ENVIRONMENT UBSAN_OPTIONS=print_stacktrace=1)
    umbra_built_by(tests_unit ${target})
    return()
  endif()
  target_sources(${target} PRIVATE libfuzzer_main.cpp)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  umbra_script_test(fuzz.${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run $<TARGET_FILE:${target}>
      ${CMAKE_CURRENT_BINARY_DIR}/${name} ${findings}
    LABELS fuzz
    TIMEOUT 7200)
  umbra_built_by(fuzzers ${target})
endfunction()
