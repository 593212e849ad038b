# Programs that run with an older glibc than that of the machine they are built on.

set(UMBRA_OLDEST_GLIBC 2.27 CACHE STRING
  "The oldest glibc that the agent, and with UMBRA_STATIC every program, runs with; empty: this machine's")

# UMBRA_FOR_OLDER_GLIBC: whether it is so. A sanitizer's runtime is this machine's.
set(UMBRA_FOR_OLDER_GLIBC OFF)
if(UMBRA_OLDEST_GLIBC AND UMBRA_ABI STREQUAL "x86_64_sysv" AND NOT UMBRA_SANITIZE)
  set(UMBRA_FOR_OLDER_GLIBC ON)
endif()

# umbra_bind_to_older_glibc(target ...) links these with the names of the older glibc. All else that they are
# linked with must be archives: a shared library of this machine asks for what that glibc has not.
function(umbra_bind_to_older_glibc)
  if(NOT UMBRA_FOR_OLDER_GLIBC)
    return()
  endif()
  set(libraries ${PROJECT_BINARY_DIR}/glibc-${UMBRA_OLDEST_GLIBC})
  foreach(target IN LISTS ARGN)
    add_dependencies(${target} umbra_older_glibc_libraries)
    target_link_options(${target} PRIVATE -L${libraries} -static-libstdc++ -static-libgcc
      -Wl,--gc-sections)  # what nothing calls may ask for what that glibc has not
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${libraries}/libc.so $<TARGET_FILE:umbra_older_glibc>)
  endforeach()
endfunction()
