# One folder, one layer, one target: the flags every target shares, and the functions that make one.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_package(Threads REQUIRED)

add_library(umbra_flags INTERFACE)
target_include_directories(umbra_flags INTERFACE ${PROJECT_SOURCE_DIR} ${UMBRA_ABI_ROOT})
target_compile_options(umbra_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    $<$<BOOL:${UMBRA_DEVELOPER_MODE}>:-Werror>>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 it takes "text" + std::string for a copy onto itself (GCC bug 105651).
  target_compile_options(umbra_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND UMBRA_DEVELOPER_MODE)
  # Below that many KiB it looks for no garbage of its own: a seventh of the time of a test's source.
  target_compile_options(umbra_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=600000>)
endif()
target_compile_definitions(umbra_flags INTERFACE UMBRA_VERSION="${PROJECT_VERSION}")
if(UMBRA_SANITIZE)
  target_compile_options(umbra_flags INTERFACE -fsanitize=${UMBRA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(umbra_flags INTERFACE -fsanitize=${UMBRA_SANITIZE})
  if(UMBRA_SANITIZE MATCHES undefined)
    # What it finds fails the test, instead of a line in the output of one that passes.
    target_compile_options(umbra_flags INTERFACE -fno-sanitize-recover=undefined)
    # What stands behind a profiling interface may be another compiler's object, without type
    # information.
    target_compile_options(umbra_flags INTERFACE -fno-sanitize=vptr)
  endif()
  if(UMBRA_SANITIZE MATCHES thread)
    # ThreadSanitizer does not know fences, which are all Asio's.
    target_compile_options(umbra_flags INTERFACE -Wno-tsan)
    target_compile_definitions(umbra_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()

# What is tested is compiled as users have it, and under AddressSanitizer optimized as its manual
# asks for; the tests themselves, and the headers parsed for them, are compiled in less time.
function(umbra_optimize_little target)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:RelWithDebInfo>>:-O1>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>>:-O0>)
endfunction()

# A build that nobody edits and builds again parses the headers that most sources include once for
# all libraries and once for all programs. The other builds do not: a source that forgets to include
# one of them fails there.
option(UMBRA_PRECOMPILED_HEADERS "parse headers that most sources include once" OFF)
function(umbra_precompiled_headers target)
  if(NOT UMBRA_PRECOMPILED_HEADERS)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  set(headers umbra_headers_${type})
  if(NOT TARGET ${headers})
    set(source ${CMAKE_BINARY_DIR}/${headers}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    if(type STREQUAL EXECUTABLE)
      add_executable(${headers} EXCLUDE_FROM_ALL ${source})
      umbra_optimize_little(${headers})
      set(of_tests <gmock/gmock.h> <gtest/gtest.h>)
    else()
      add_library(${headers} STATIC EXCLUDE_FROM_ALL ${source})
    endif()
    target_link_libraries(${headers} PRIVATE umbra_flags)
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <chrono> <filesystem> <fstream>
      <functional> <map> <memory> <optional> <random> <span> <sstream> <string> <thread>
      <unordered_map> <vector> <fmt/format.h> ${of_tests})
  endif()
  # GCC takes a precompiled header only for the macros that it was made with.
  foreach(user ${headers} ${target})
    target_compile_definitions(${user} PRIVATE FMT_SHARED GTEST_HAS_PTHREAD=1)
  endforeach()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Of what calls the runtime: its interfaces have bodies to inherit (UMBRA_NOTIMPL), and GCC would compare
# at each call whether it leads to one.
set(UMBRA_CALLS_RUNTIME $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-devirtualize-speculatively>)

# A dozen sources of a library are one translation unit, which parses their headers and instantiates
# their templates once. A build in which sources are edited one by one is quicker without, and there
# a source that forgets to include something does not compile: the preset dev.
option(UMBRA_UNITY "compile a dozen sources of a library at a time" OFF)
function(umbra_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${UMBRA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# umbra_layer(name SOURCES a.cpp ... DEPENDS umbra::base ... )
# makes the static library umbra_<name> with the alias umbra::<name>.
function(umbra_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  if(ARG_SOURCES)
    add_library(umbra_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(umbra_${name} PUBLIC umbra_flags ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
    umbra_precompiled_headers(umbra_${name})
    umbra_unity(umbra_${name})
  else()
    add_library(umbra_${name} INTERFACE)
    target_link_libraries(umbra_${name} INTERFACE umbra_flags ${ARG_DEPENDS})
  endif()
  add_library(umbra::${name} ALIAS umbra_${name})
endfunction()
