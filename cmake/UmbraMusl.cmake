# Programs for musl, from the sources and by the compiler of those for glibc: Debian has no C++ library for
# musl, so GCC's own is linked in, and what that asks of glibc alone is src/agent/musl. glibc's headers serve:
# musl keeps glibc's layouts on this processor, and the linker finds what is not there.

set(UMBRA_MUSL AUTO CACHE STRING
  "The agent for programs linked against musl: AUTO where musl-gcc's libraries are, ON (or configuring fails), OFF")
set_property(CACHE UMBRA_MUSL PROPERTY STRINGS AUTO ON OFF)
find_file(UMBRA_MUSL_SPECS musl-gcc.specs
  PATHS /usr/lib/x86_64-linux-musl /usr/local/musl/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(UMBRA_MUSL_SPECS)

# UMBRA_FOR_MUSL: whether they are built. A sanitizer's runtime is glibc's.
set(UMBRA_FOR_MUSL OFF)
if(NOT UMBRA_MUSL STREQUAL "OFF" AND UMBRA_MUSL_SPECS AND UMBRA_ABI STREQUAL "x86_64_sysv"
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT UMBRA_SANITIZE)
  set(UMBRA_FOR_MUSL ON)
elseif(UMBRA_MUSL STREQUAL "ON")
  message(FATAL_ERROR "UMBRA_MUSL is ON, which takes x86_64, GCC, no sanitizer, and musl-gcc.specs of musl-tools")
elseif(UMBRA_MUSL STREQUAL "AUTO" AND UMBRA_ABI STREQUAL "x86_64_sysv" AND NOT UMBRA_SANITIZE)
  message(STATUS "the agent for musl and its tests: left out, they take GCC and musl-tools")
endif()

# umbra_musl_options(target) compiles a target for musl.
function(umbra_musl_options target)
  target_compile_definitions(${target} PRIVATE UMBRA_TLS_DESCRIPTORS)
  target_compile_options(${target} PRIVATE -mtls-dialect=gnu2 -U_FORTIFY_SOURCE)
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)  # the same sources once more
endfunction()

# umbra_musl_twin(name) makes umbra_musl_<name>, the sources of umbra_<name> for musl.
function(umbra_musl_twin name)
  get_target_property(folder umbra_${name} SOURCE_DIR)
  get_target_property(sources umbra_${name} SOURCES)
  get_target_property(options umbra_${name} COMPILE_OPTIONS)
  list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")
  add_library(umbra_musl_${name} STATIC ${sources})
  target_link_libraries(umbra_musl_${name} PUBLIC umbra_flags)
  if(options)
    string(REPLACE "-ftls-model=initial-exec" "" options "${options}")
    target_compile_options(umbra_musl_${name} PRIVATE ${options})
  endif()
  umbra_musl_options(umbra_musl_${name})
  umbra_unity(umbra_musl_${name})
endfunction()

# umbra_musl_link(target layer ...) links a target with the twins of these layers, musl, and nothing else.
function(umbra_musl_link target)
  list(TRANSFORM ARGN PREPEND umbra_musl_ OUTPUT_VARIABLE twins)
  target_link_libraries(${target} PRIVATE ${twins} $<TARGET_OBJECTS:umbra_musl_libc>)
  target_link_options(${target} PRIVATE -specs=${UMBRA_MUSL_SPECS} -static-libstdc++ -static-libgcc
    -Wl,-z,defs -Wl,--gc-sections)
  umbra_musl_options(${target})
endfunction()
